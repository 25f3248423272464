//! Cells to Arrow columns.
//!
//! A [`ColumnBuilder`] is made once for each column of a scan and is then handed blocks of cells; the
//! type of a column is never asked again for a value.

use crate::batch::ColumnValues;

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
