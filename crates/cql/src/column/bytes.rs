//! Values whose cells' bytes are kept as they are.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};

use super::marks::Marks;
use super::offsets::{END_MAX, Offsets};
use super::{Cell, CellError, ColumnBuilder};
use crate::batch::{ColumnValues, Empties};

/// Which bytes are a value of one type.
pub(super) trait Content: Send {
    /// What a cell must hold.
    const EXPECTED: &str;
    /// Whether no bytes at all are a value like any other.
    const EMPTY_IS_VALUE: bool;

    /// Whether a cell that is not empty is a value.
    fn is_value(cell: &[u8]) -> bool;

    /// Whether all `cells` are values. Their bytes stand in `block`, one cell behind the other.
    fn are_values(_block: &[u8], cells: &[Cell<'_>]) -> bool {
        cells.iter().flatten().all(|cell| cell.is_empty() || Self::is_value(cell))
    }

    /// What a cell holds that is no value.
    fn describe(cell: &[u8]) -> String {
        format!("{} bytes", cell.len())
    }

    fn array(offsets: OffsetBuffer<i32>, data: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
        Arc::new(BinaryArray::new(offsets, data, nulls))
    }
}

/// Appends cells of a type with [`Content`].
pub(super) struct BytesBuilder<C: Content> {
    data: Vec<u8>,
    offsets: Offsets,
    marks: Marks,
    content: PhantomData<C>,
}

impl<C: Content> Default for BytesBuilder<C> {
    fn default() -> Self {
        Self {
            data: Vec::new(),
            offsets: Offsets::default(),
            marks: Marks::default(),
            content: PhantomData,
        }
    }
}

impl<C: Content> BytesBuilder<C> {
    /// Makes room for a block's bytes, if an array can hold them at all.
    fn reserve(&mut self, cells: &[Cell<'_>]) -> Result<(), CellError> {
        let len: usize = cells.iter().flatten().map(|cell| cell.len()).sum();
        if len > END_MAX - self.data.len() {
            return Err(too_long(self.data.len(), cells));
        }
        self.data.reserve(len);
        self.offsets.reserve(cells.len());
        Ok(())
    }
}

impl<C: Content> ColumnBuilder for BytesBuilder<C> {
    fn append(&mut self, cells: &[Cell<'_>]) -> Result<(), CellError> {
        self.reserve(cells)?;
        let start = self.data.len();
        for cell in cells {
            self.data.extend_from_slice(cell.unwrap_or_default());
            self.offsets.push(self.data.len());
        }
        if !C::are_values(self.data.get(start..).unwrap_or_default(), cells) {
            return Err(refuse::<C>(cells));
        }
        match C::EMPTY_IS_VALUE {
            true => self.marks.append_nulls(cells),
            false => self.marks.append_absent(cells),
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.data.len() + self.offsets.bytes() + self.marks.bytes()
    }

    fn finish(&mut self) -> ColumnValues {
        let next = Vec::with_capacity(self.data.len().min(RESERVE_MAX));
        let data = std::mem::replace(&mut self.data, next);
        let (nulls, mask) = self.marks.finish();
        let array = C::array(self.offsets.finish(), data.into(), nulls);
        ColumnValues { array, empties: Empties { mask, children: Vec::new() } }
    }
}

/// The room that is made beforehand for a batch's bytes: one huge value must not keep its size.
const RESERVE_MAX: usize = 8 << 20;

#[cold]
fn too_long(mut end: usize, cells: &[Cell<'_>]) -> CellError {
    let exceeds = |cell: &Cell<'_>| {
        end = end.saturating_add(cell.map_or(0, <[u8]>::len));
        end > END_MAX
    };
    let index = cells.iter().position(exceeds).unwrap_or_default();
    let expected = format!("at most {END_MAX} bytes in one batch");
    CellError::new(index, expected, end.to_string())
}

/// The first cell that is no value; all of them are not.
#[cold]
fn refuse<C: Content>(cells: &[Cell<'_>]) -> CellError {
    let is_bad = |cell: &Cell<'_>| cell.is_some_and(|cell| !cell.is_empty() && !C::is_value(cell));
    let index = cells.iter().position(is_bad).unwrap_or_default();
    let cell = cells.get(index).copied().flatten().unwrap_or_default();
    CellError::new(index, C::EXPECTED, C::describe(cell))
}

/// UTF-8.
pub(super) struct Text;

impl Content for Text {
    const EXPECTED: &str = "UTF-8";
    const EMPTY_IS_VALUE: bool = true;

    fn is_value(cell: &[u8]) -> bool {
        simdutf8::basic::from_utf8(cell).is_ok()
    }

    /// All bytes at once, and that no character goes on from one cell to the next.
    fn are_values(block: &[u8], cells: &[Cell<'_>]) -> bool {
        let is_inside_character = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
        Self::is_value(block)
            && !cells.iter().flatten().any(|cell| cell.first().is_some_and(is_inside_character))
    }

    fn describe(cell: &[u8]) -> String {
        describe_byte(cell, std::str::from_utf8(cell).err().map(|error| error.valid_up_to()))
    }

    fn array(offsets: OffsetBuffer<i32>, data: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
        Arc::new(StringArray::new(offsets, data, nulls))
    }
}

fn describe_byte(cell: &[u8], at: Option<usize>) -> String {
    match at.and_then(|at| Some((at, cell.get(at)?))) {
        Some((at, byte)) => format!("the byte {byte:02x} at offset {at}"),
        None => format!("{} bytes", cell.len()),
    }
}

/// 7-bit text.
pub(super) struct Ascii;

impl Content for Ascii {
    const EXPECTED: &str = "7-bit characters";
    const EMPTY_IS_VALUE: bool = true;

    fn is_value(cell: &[u8]) -> bool {
        cell.is_ascii()
    }

    fn are_values(block: &[u8], _cells: &[Cell<'_>]) -> bool {
        block.is_ascii()
    }

    fn describe(cell: &[u8]) -> String {
        describe_byte(cell, cell.iter().position(|byte| !byte.is_ascii()))
    }

    fn array(offsets: OffsetBuffer<i32>, data: Buffer, nulls: Option<NullBuffer>) -> ArrayRef {
        Arc::new(StringArray::new(offsets, data, nulls))
    }
}

/// Any bytes.
pub(super) struct Verbatim;

impl Content for Verbatim {
    const EXPECTED: &str = "bytes";
    const EMPTY_IS_VALUE: bool = true;

    fn is_value(_cell: &[u8]) -> bool {
        true
    }
}

/// An address of IPv4 or IPv6.
pub(super) struct Inet;

impl Content for Inet {
    const EXPECTED: &str = "4 or 16 bytes";
    const EMPTY_IS_VALUE: bool = false;

    fn is_value(cell: &[u8]) -> bool {
        matches!(cell.len(), 4 | 16)
    }
}

/// A two's complement integer.
pub(super) struct Varint;

impl Content for Varint {
    const EXPECTED: &str = "an integer";
    const EMPTY_IS_VALUE: bool = false;

    fn is_value(_cell: &[u8]) -> bool {
        true
    }
}

/// A scale and an integer.
pub(super) struct Decimal;

impl Content for Decimal {
    const EXPECTED: &str = "at least 5 bytes";
    const EMPTY_IS_VALUE: bool = false;

    fn is_value(cell: &[u8]) -> bool {
        cell.len() > 4
    }
}

/// `EmptyType`, whose only value has no bytes.
pub(super) struct Nothing;

impl Content for Nothing {
    const EXPECTED: &str = "no bytes";
    const EMPTY_IS_VALUE: bool = true;

    fn is_value(_cell: &[u8]) -> bool {
        false
    }
}
