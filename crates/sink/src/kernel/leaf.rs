use super::{CellText, Marks, Slice};
use crate::Error;
use crate::block::TextBlock;

/// The text of single values without values inside.
pub(crate) trait Leaf: Send {
    /// The Arrow array that holds them
    type Array: 'static;

    /// Whether value `row`, which is not null, has no text.
    #[inline(always)]
    fn is_empty(&self, _array: &Self::Array, _row: usize) -> bool {
        false
    }

    /// Appends the text of value `row`, which is not null.
    fn append(&self, array: &Self::Array, row: usize, out: &mut Vec<u8>) -> Result<(), Error>;
}

/// The kernel of a [`Leaf`].
pub(crate) struct LeafText<L> {
    pub(crate) leaf: L,
    pub(crate) marks: Marks,
}

impl<L: Leaf> LeafText<L> {
    #[inline(always)]
    fn push(&self, array: &L::Array, row: usize, text: &mut TextBlock) -> Result<(), Error> {
        if self.leaf.is_empty(array, row) {
            text.push(self.marks.empty);
        } else {
            self.leaf.append(array, row, text.open())?;
            text.end_value();
        }
        Ok(())
    }
}

impl<L: Leaf> CellText for LeafText<L> {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let array = values.downcast()?;
        if values.is_full() {
            return values.rows.clone().try_for_each(|row| self.push(array, row, text));
        }
        for row in values.rows.clone() {
            match values.mark(row, self.marks) {
                Some(mark) => text.push(mark),
                None => self.push(array, row, text)?,
            }
        }
        Ok(())
    }
}

/// A leaf's text between two of the same byte.
pub(crate) struct Quoted<L, const QUOTE: u8>(pub(crate) L);

impl<L: Leaf, const QUOTE: u8> Leaf for Quoted<L, QUOTE> {
    type Array = L::Array;

    #[inline(always)]
    fn is_empty(&self, array: &L::Array, row: usize) -> bool {
        self.0.is_empty(array, row)
    }

    #[inline(always)]
    fn append(&self, array: &L::Array, row: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        out.push(QUOTE);
        self.0.append(array, row, out)?;
        out.push(QUOTE);
        Ok(())
    }
}
