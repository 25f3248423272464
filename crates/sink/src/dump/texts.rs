use outpour_cql::{FragmentBatch, FragmentLayout, ValueColumn};

use crate::Error;
use crate::block::{Piece, TextBlock};
use crate::kernel::{CellText, Slice};

/// The texts of all values of a batch of fragments, to be taken in order.
pub(super) struct Texts {
    columns: Vec<Column>,
}

struct Column {
    name: String,
    /// `None`: the values are passed over
    kernel: Option<Box<dyn CellText>>,
    texts: TextBlock,
    next: usize,
    len: usize,
}

impl Texts {
    /// `kernel` makes the text of a column's values, by its number; without one they have none.
    pub(super) fn new(
        layout: &FragmentLayout,
        kernel: impl Fn(usize, &ValueColumn) -> Option<Box<dyn CellText>>,
    ) -> Self {
        let column = |(index, column): (usize, &ValueColumn)| Column {
            name: column.name.clone(),
            kernel: kernel(index, column),
            texts: TextBlock::default(),
            next: 0,
            len: 0,
        };
        Self { columns: layout.values.iter().enumerate().map(column).collect() }
    }

    /// Makes the texts of `batch`.
    pub(super) fn stage(&mut self, batch: &FragmentBatch) -> Result<(), Error> {
        if batch.values.len() != self.columns.len() {
            let (expected, got) = (self.columns.len(), batch.values.len());
            return Err(Error::invalid(format!("{expected} columns"), got.to_string()));
        }
        for (column, values) in self.columns.iter_mut().zip(&batch.values) {
            column.texts.clear();
            (column.next, column.len) = (0, values.array.len());
            if let (Some(kernel), 1..) = (&mut column.kernel, column.len) {
                let rows = 0..column.len;
                let slice = Slice { array: &values.array, empties: &values.empties, rows };
                let written = kernel.write(slice, &mut column.texts);
                written.map_err(|e| e.of_column(&column.name))?;
            }
            column.texts.finish();
        }
        Ok(())
    }

    /// The next value of column `index`.
    ///
    /// # Errors
    /// Invalid if the batch has fewer than its fragments tell.
    #[inline(always)]
    pub(super) fn take(&mut self, index: usize) -> Result<Piece<'_>, Error> {
        match self.columns.get_mut(index) {
            Some(column) if column.next < column.len => {
                column.next += 1;
                Ok(column.texts.piece(column.next - 1))
            }
            _ => Err(Error::invalid("a value for each fragment", format!("none in {index}"))),
        }
    }

    /// Passes over the next value of column `index`.
    pub(super) fn skip(&mut self, index: usize) {
        if let Some(column) = self.columns.get_mut(index) {
            column.next += 1;
        }
    }
}
