use std::sync::Arc;

use arrow_array::BooleanArray;
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};

use super::marks::Marks;
use super::{Cell, CellError, ColumnBuilder};
use crate::batch::{ColumnValues, Empties};

/// Appends booleans: any byte but zero is true (`serializers/BooleanSerializer.java`).
pub(super) struct BooleanBuilder {
    values: BooleanBufferBuilder,
    marks: Marks,
}

impl Default for BooleanBuilder {
    fn default() -> Self {
        Self { values: BooleanBufferBuilder::new(0), marks: Marks::default() }
    }
}

impl ColumnBuilder for BooleanBuilder {
    fn append(&mut self, cells: &[Cell<'_>]) -> Result<(), CellError> {
        let is_true = |i: usize| matches!(cells[i], Some([byte]) if *byte != 0);
        self.values.append_buffer(&BooleanBuffer::collect_bool(cells.len(), is_true));
        if cells.iter().all(|cell| matches!(cell, Some([_]))) {
            self.marks.append_present(cells.len());
            return Ok(());
        }
        if let Some(index) = cells.iter().position(|cell| cell.is_some_and(|b| b.len() > 1)) {
            let len = cells[index].map_or(0, <[u8]>::len);
            return Err(CellError::new(index, "1 byte", format!("{len} bytes")));
        }
        self.marks.append_absent(cells);
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.values.as_slice().len() + self.marks.bytes()
    }

    fn finish(&mut self) -> ColumnValues {
        let (nulls, mask) = self.marks.finish();
        let next = BooleanBufferBuilder::new(self.values.len());
        let values = std::mem::replace(&mut self.values, next).build();
        let empties = Empties { mask, children: Vec::new() };
        ColumnValues { array: Arc::new(BooleanArray::new(values, nulls)), empties }
    }
}
