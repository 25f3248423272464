use std::sync::Arc;

use arrow_array::FixedSizeListArray;
use arrow_schema::FieldRef;
use outpour_codec::Reader;

use super::feed::{Feed, footprint};
use super::marks::Marks;
use super::refusal::Flaw;
use super::{Cell, CellError, ColumnBuilder, column_builder};
use crate::batch::{ColumnValues, Empties};
use crate::{CqlType, arrow, frozen};

/// Appends vectors. Arrow keeps room for all elements of a null one too.
pub(super) struct VectorBuilder {
    elements: Box<dyn ColumnBuilder>,
    element_len: Option<usize>,
    dimension: usize,
    field: FieldRef,
    footprint: usize,
    marks: Marks,
}

impl VectorBuilder {
    pub(super) fn new(element: &CqlType, dimension: usize) -> Self {
        Self {
            elements: column_builder(element),
            element_len: element.fixed_len(),
            dimension,
            field: arrow::element_field(element),
            footprint: footprint(element),
            marks: Marks::default(),
        }
    }
}

impl ColumnBuilder for VectorBuilder {
    fn append(&mut self, cells: &[Cell<'_>]) -> Result<(), CellError> {
        let (dimension, element_len) = (self.dimension, self.element_len);
        let mut feed = Feed::new(self.elements.as_mut(), "element", self.footprint, cells);
        feed.check(cells.len().saturating_mul(dimension))
            .map_err(|flaw| refuse(0, dimension, &flaw))?;
        for (index, cell) in cells.iter().enumerate() {
            push_elements(*cell, dimension, element_len, &mut feed)
                .map_err(|flaw| refuse(index, dimension, &flaw))?;
        }
        feed.flush().map_err(|flaw| refuse(0, dimension, &flaw))?;
        self.marks.append_absent(cells);
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.elements.bytes() + self.marks.bytes()
    }

    fn finish(&mut self) -> ColumnValues {
        let elements = self.elements.finish();
        let len = self.marks.len();
        let (nulls, mask) = self.marks.finish();
        let (field, size) = (Arc::clone(&self.field), arrow::list_size(self.dimension));
        let array =
            FixedSizeListArray::try_new_with_length(field, size, elements.array, nulls, len);
        let array = match array {
            Ok(array) => array,
            Err(error) => unreachable!("each vector has all its elements: {error}"),
        };
        ColumnValues { array: Arc::new(array), empties: Empties::of(mask, vec![elements.empties]) }
    }
}

fn push_elements<'c>(
    cell: Cell<'c>,
    dimension: usize,
    element_len: Option<usize>,
    feed: &mut Feed<'_, 'c>,
) -> Result<(), Flaw> {
    let Some(bytes @ [_, ..]) = cell else {
        return (0..dimension).try_for_each(|_| feed.push(None));
    };
    if let Some(len @ 1..) = element_len
        && bytes.len() == len.saturating_mul(dimension)
    {
        return bytes.chunks_exact(len).try_for_each(|element| feed.push(Some(element)));
    }
    let mut reader = Reader::new(bytes);
    for _ in 0..dimension {
        feed.push(Some(frozen::vector_element(&mut reader, element_len)?))?;
    }
    Ok(frozen::end(&reader)?)
}

/// The error that a flaw becomes, met in the cell at `index`. Elements are appended late: theirs can
/// be an earlier cell.
#[cold]
fn refuse(index: usize, dimension: usize, flaw: &Flaw) -> CellError {
    match flaw {
        Flaw::Layout(error) => CellError::unreadable(index, error),
        Flaw::Inside(error, part) => {
            let (cell, element) = (error.index / dimension, error.index % dimension);
            error.inside(cell, format_args!("{part} {element}"))
        }
    }
}
