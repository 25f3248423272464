use std::ops::Range;

use arrow_array::{Array, FixedSizeListArray, ListArray};

use super::{CellText, Marks, Slice};
use crate::Error;
use crate::block::TextBlock;

/// The kernel of lists and sets.
pub(crate) fn list(
    brackets: [u8; 2],
    element: Box<dyn CellText>,
    marks: Marks,
) -> Box<dyn CellText> {
    Box::new(ElementsText::<ListArray>::new(brackets, element, marks))
}

/// The kernel of vectors.
pub(crate) fn vector(element: Box<dyn CellText>, marks: Marks) -> Box<dyn CellText> {
    Box::new(ElementsText::<FixedSizeListArray>::new(*b"[]", element, marks))
}

/// An array whose values are ranges of another.
trait Elements: 'static {
    fn elements(&self) -> &dyn Array;

    /// Where the elements of value `row` start; those of the value before it end there.
    fn start(&self, row: usize) -> usize;
}

impl Elements for ListArray {
    fn elements(&self) -> &dyn Array {
        self.values()
    }

    fn start(&self, row: usize) -> usize {
        self.value_offsets()[row] as usize
    }
}

impl Elements for FixedSizeListArray {
    fn elements(&self) -> &dyn Array {
        self.values()
    }

    fn start(&self, row: usize) -> usize {
        row * self.value_length() as usize
    }
}

struct ElementsText<A> {
    array: std::marker::PhantomData<fn(A)>,
    brackets: [u8; 2],
    element: Box<dyn CellText>,
    texts: TextBlock,
    marks: Marks,
}

impl<A> ElementsText<A> {
    fn new(brackets: [u8; 2], element: Box<dyn CellText>, marks: Marks) -> Self {
        let (array, texts) = (std::marker::PhantomData, TextBlock::default());
        Self { array, brackets, element, texts, marks }
    }

    fn push(&self, elements: Range<usize>, text: &mut TextBlock) {
        let [opening, closing] = self.brackets;
        let out = text.open();
        out.push(opening);
        for (index, piece) in self.texts.pieces(elements).enumerate() {
            if index > 0 {
                out.extend_from_slice(b", ");
            }
            piece.append_to(out);
        }
        out.push(closing);
        text.end_value();
    }
}

impl<A: Elements> CellText for ElementsText<A> {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let array: &A = values.downcast()?;
        let rows = values.rows.clone();
        let first = array.start(rows.start);
        let elements = values.child(0, array.elements(), first..array.start(rows.end));
        self.texts.clear();
        self.element.write(elements, &mut self.texts)?;
        self.texts.finish();
        for row in rows {
            match values.mark(row, self.marks) {
                Some(mark) => text.push(mark),
                None => self.push(array.start(row) - first..array.start(row + 1) - first, text),
            }
        }
        Ok(())
    }
}
