use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder, NullBuffer, NullBufferBuilder};

use super::Cell;

/// Which values of a column are null or empty. Both bitmaps come into being with the first bit that
/// needs them.
#[derive(Debug)]
pub(super) struct Marks {
    validity: NullBufferBuilder,
    empties: Option<BooleanBufferBuilder>,
}

impl Default for Marks {
    fn default() -> Self {
        // The capacity of bitmaps that most columns never have.
        Self { validity: NullBufferBuilder::new(1024), empties: None }
    }
}

impl Marks {
    pub(super) fn len(&self) -> usize {
        self.validity.len()
    }

    /// Appends values that are all there.
    pub(super) fn append_present(&mut self, count: usize) {
        self.validity.append_n_non_nulls(count);
        if let Some(empties) = &mut self.empties {
            empties.append_n(count, false);
        }
    }

    /// Appends the cells of a type that has empty values: only null is null.
    pub(super) fn append_nulls(&mut self, cells: &[Cell<'_>]) {
        self.append_where(cells, |cell| cell.is_some());
    }

    /// Appends the cells of a type that has no empty values: null and empty are null.
    pub(super) fn append_absent(&mut self, cells: &[Cell<'_>]) {
        let before = self.len();
        self.append_where(cells, |cell| !cell.unwrap_or_default().is_empty());
        let is_empty = |cell: &Cell<'_>| cell.is_some_and(<[u8]>::is_empty);
        if self.empties.is_none() && !cells.iter().any(is_empty) {
            return;
        }
        let empties = self.empties.get_or_insert_with(|| {
            let mut none = BooleanBufferBuilder::new(before + cells.len());
            none.append_n(before, false);
            none
        });
        empties.append_buffer(&BooleanBuffer::collect_bool(cells.len(), |i| is_empty(&cells[i])));
    }

    fn append_where(&mut self, cells: &[Cell<'_>], is_value: impl Fn(Cell<'_>) -> bool) {
        if cells.iter().all(|cell| is_value(*cell)) {
            return self.validity.append_n_non_nulls(cells.len());
        }
        let valid = BooleanBuffer::collect_bool(cells.len(), |i| is_value(cells[i]));
        self.validity.append_buffer(&NullBuffer::new(valid));
    }

    pub(super) fn bytes(&self) -> usize {
        let validity = self.validity.as_slice().map_or(0, <[u8]>::len);
        validity + self.empties.as_ref().map_or(0, |empties| empties.as_slice().len())
    }

    /// Validity and empties of all values; the next one is the first again.
    pub(super) fn finish(&mut self) -> (Option<NullBuffer>, Option<BooleanBuffer>) {
        let empties = self.empties.take().map(|mut empties| empties.finish());
        (self.validity.finish(), empties)
    }
}
