//! Kernels: one for each column and for each type inside it. A kernel turns a block of Arrow values
//! of its type to text; it is chosen once, from the type.

mod field;
mod joined;
mod key;
mod leaf;
mod list;
mod map;
mod record;
mod string;
mod values;

use std::ops::Range;

use arrow_array::Array;
use outpour_cql::Empties;

use crate::Error;
use crate::block::TextBlock;

pub(crate) use field::Field;
pub(crate) use joined::{Joined, Joint, Part, append_component, take_component};
pub(crate) use key::{JsonText, Key};
pub(crate) use leaf::{Leaf, LeafText, Quoted};
pub(crate) use list::{list, vector};
pub(crate) use map::map;
pub(crate) use record::{Member, record};
pub(crate) use string::{
    CqlString, FieldString, JsonString, LiteralString, PlainString, StringText,
};
pub(crate) use values::{
    Boolean, CDouble, CFloat, CsvDate, CsvTimestamp, Decimal, Duration, Hex, Integer, JavaDouble,
    JavaFloat, JavaInet, JsonDate, JsonTimestamp, PosixInet, ShownDouble, ShownFloat,
    ShownTimestamp, Time, Uuid, Varint,
};

/// The text of a block of values.
pub(crate) trait CellText: Send {
    /// Appends one piece to `text` for each of `values`.
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error>;
}

/// What stands for a value that has no text of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Marks {
    /// For null
    pub(crate) null: &'static [u8],
    /// For an empty value, or one whose text is empty
    pub(crate) empty: &'static [u8],
}

/// Some consecutive values of an Arrow array.
#[derive(Clone)]
pub(crate) struct Slice<'a> {
    pub(crate) array: &'a dyn Array,
    pub(crate) empties: &'a Empties,
    pub(crate) rows: Range<usize>,
}

static NO_EMPTIES: Empties = Empties { mask: None, children: Vec::new() };

impl<'a> Slice<'a> {
    /// The array as what a kernel's type maps to.
    pub(crate) fn downcast<A: 'static>(&self) -> Result<&'a A, Error> {
        self.array.as_any().downcast_ref().ok_or_else(|| {
            Error::invalid(std::any::type_name::<A>(), self.array.data_type().to_string())
        })
    }

    /// Values `rows` of the array's child `index`.
    pub(crate) fn child(&self, index: usize, array: &'a dyn Array, rows: Range<usize>) -> Self {
        let empties = self.empties.children.get(index).unwrap_or(&NO_EMPTIES);
        Self { array, empties, rows }
    }

    /// Whether every value is there: none is null or empty.
    pub(crate) fn is_full(&self) -> bool {
        self.empties.mask.is_none() && self.array.null_count() == 0
    }

    /// What stands for value `row` if it is null or empty.
    #[inline]
    pub(crate) fn mark(&self, row: usize, marks: Marks) -> Option<&'static [u8]> {
        if self.empties.is_empty_at(row) {
            Some(marks.empty)
        } else if self.array.is_null(row) {
            Some(marks.null)
        } else {
            None
        }
    }
}
