use std::sync::Arc;

use arrow_array::ListArray;
use arrow_schema::FieldRef;
use outpour_codec::Reader;

use super::feed::{Feed, footprint};
use super::marks::Marks;
use super::offsets::Offsets;
use super::refusal::Flaw;
use super::{Cell, CellError, ColumnBuilder, column_builder};
use crate::batch::{ColumnValues, Empties};
use crate::{CqlType, arrow, frozen};

/// Appends lists or sets.
pub(super) struct ListBuilder {
    elements: Box<dyn ColumnBuilder>,
    field: FieldRef,
    footprint: usize,
    offsets: Offsets,
    marks: Marks,
}

impl ListBuilder {
    pub(super) fn new(element: &CqlType) -> Self {
        Self {
            elements: column_builder(element),
            field: arrow::element_field(element),
            footprint: footprint(element),
            offsets: Offsets::default(),
            marks: Marks::default(),
        }
    }
}

impl ColumnBuilder for ListBuilder {
    fn append(&mut self, cells: &[Cell<'_>]) -> Result<(), CellError> {
        let (first, base) = (self.offsets.len(), self.offsets.end());
        let mut feed = Feed::new(self.elements.as_mut(), "element", self.footprint, cells);
        for (index, cell) in cells.iter().enumerate() {
            push_elements(*cell, &mut feed)
                .map_err(|flaw| self.offsets.refuse(first, index, &flaw))?;
            self.offsets.push_elements(index, base + feed.len())?;
        }
        feed.flush().map_err(|flaw| self.offsets.refuse(first, 0, &flaw))?;
        self.marks.append_absent(cells);
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.elements.bytes() + self.offsets.bytes() + self.marks.bytes()
    }

    fn finish(&mut self) -> ColumnValues {
        let elements = self.elements.finish();
        let (nulls, mask) = self.marks.finish();
        let field = Arc::clone(&self.field);
        let array = ListArray::new(field, self.offsets.finish(), elements.array, nulls);
        ColumnValues { array: Arc::new(array), empties: Empties::of(mask, vec![elements.empties]) }
    }
}

fn push_elements<'c>(cell: Cell<'c>, feed: &mut Feed<'_, 'c>) -> Result<(), Flaw> {
    let Some(bytes @ [_, ..]) = cell else { return Ok(()) };
    let mut reader = Reader::new(bytes);
    for _ in 0..reader.count("count of elements", 4)? {
        feed.push(frozen::element(&mut reader)?)?;
    }
    Ok(frozen::end(&reader)?)
}
