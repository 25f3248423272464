//! Cells to Arrow columns.
//!
//! A [`ColumnBuilder`] is made once for each column of a scan and is then handed blocks of cells; the
//! type of a column is never asked again for a value. Values inside values go down column by column
//! too: the builder of a list hands all elements of a block to the builder of its elements.

mod boolean;
mod bytes;
mod cells;
mod feed;
mod list;
mod map;
mod marks;
mod offsets;
mod refusal;
mod scalar;
mod structure;
mod vector;

use crate::CqlType;
use crate::batch::ColumnValues;

pub use cells::{Cells, NotOfType, cells};

use boolean::BooleanBuilder;
use bytes::BytesBuilder;
use list::ListBuilder;
use map::MapBuilder;
use scalar::ScalarBuilder;
use structure::StructBuilder;
use vector::VectorBuilder;

/// The bytes of a value as the CQL protocol carries it; `None` is null, `Some(&[])` empty.
pub type Cell<'a> = Option<&'a [u8]>;

/// Why a cell is no value of its column's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, got {got}")]
pub struct CellError {
    /// Index of the cell in the block that was appended
    pub index: usize,
    /// What the type allows
    pub expected: String,
    /// What the cell holds
    pub got: String,
}

/// Appends blocks of cells of one type to one Arrow array.
pub trait ColumnBuilder: Send {
    /// Appends one value for each cell.
    ///
    /// # Errors
    /// [`CellError`] for the first cell that is no value of the type. The builder is then of no
    /// further use.
    fn append(&mut self, cells: &[Cell<'_>]) -> Result<(), CellError>;

    /// Bytes that the values appended since the last [`ColumnBuilder::finish`] take in memory.
    fn bytes(&self) -> usize;

    /// The array of all values appended since the last call.
    fn finish(&mut self) -> ColumnValues;
}

/// The builder of [`crate::arrow::data_type`]'s array for a type's values.
///
/// The cells of a counter are its totals, as the protocol carries them, and not its contexts.
#[must_use]
pub fn column_builder(cql_type: &CqlType) -> Box<dyn ColumnBuilder> {
    match cql_type {
        CqlType::Tinyint => Box::new(ScalarBuilder::<scalar::Tinyint>::default()),
        CqlType::Smallint => Box::new(ScalarBuilder::<scalar::Smallint>::default()),
        CqlType::Int => Box::new(ScalarBuilder::<scalar::Int>::default()),
        CqlType::Bigint | CqlType::Counter => Box::new(ScalarBuilder::<scalar::Bigint>::default()),
        CqlType::Float => Box::new(ScalarBuilder::<scalar::Float>::default()),
        CqlType::Double => Box::new(ScalarBuilder::<scalar::Double>::default()),
        CqlType::Date => Box::new(ScalarBuilder::<scalar::Date>::default()),
        CqlType::Time => Box::new(ScalarBuilder::<scalar::Time>::default()),
        CqlType::Timestamp | CqlType::LegacyTimestamp => {
            Box::new(ScalarBuilder::<scalar::Timestamp>::default())
        }
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => {
            Box::new(ScalarBuilder::<scalar::Uuid>::default())
        }
        CqlType::Duration => Box::new(ScalarBuilder::<scalar::Duration>::default()),
        CqlType::Boolean => Box::new(BooleanBuilder::default()),
        CqlType::Text => Box::new(BytesBuilder::<bytes::Text>::default()),
        CqlType::Ascii => Box::new(BytesBuilder::<bytes::Ascii>::default()),
        CqlType::Blob | CqlType::DynamicComposite => cell_builder(),
        CqlType::Inet => Box::new(BytesBuilder::<bytes::Inet>::default()),
        CqlType::Varint => Box::new(BytesBuilder::<bytes::Varint>::default()),
        CqlType::Decimal => Box::new(BytesBuilder::<bytes::Decimal>::default()),
        CqlType::Empty => Box::new(BytesBuilder::<bytes::Nothing>::default()),
        CqlType::List(element) | CqlType::Set(element) => Box::new(ListBuilder::new(element)),
        CqlType::Map(key, value) => Box::new(MapBuilder::new(key, value)),
        CqlType::Tuple(_) | CqlType::Udt(_) => Box::new(StructBuilder::of_fields(cql_type)),
        CqlType::Composite(_) => Box::new(StructBuilder::of_components(cql_type)),
        CqlType::Vector(element, dimension) => Box::new(VectorBuilder::new(element, *dimension)),
    }
}

/// The builder that keeps every cell's bytes, whatever their type, in a binary array.
#[must_use]
pub fn cell_builder() -> Box<dyn ColumnBuilder> {
    Box::new(BytesBuilder::<bytes::Verbatim>::default())
}

#[cfg(test)]
mod tests;
