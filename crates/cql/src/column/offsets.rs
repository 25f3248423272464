use arrow_buffer::OffsetBuffer;

use super::CellError;
use super::refusal::Flaw;

/// Where each value of a column ends among the bytes or elements of all.
#[derive(Debug)]
pub(super) struct Offsets(Vec<i32>);

/// What the offsets of one array can reach.
pub(super) const END_MAX: usize = i32::MAX as usize;

impl Default for Offsets {
    fn default() -> Self {
        Self(vec![0])
    }
}

impl Offsets {
    pub(super) fn len(&self) -> usize {
        self.0.len() - 1
    }

    /// The end of the last value.
    pub(super) fn end(&self) -> usize {
        self.0.last().map_or(0, |end| *end as usize)
    }

    pub(super) fn reserve(&mut self, values: usize) {
        self.0.reserve(values);
    }

    /// Appends a value that ends at `end`, which is at most [`END_MAX`].
    #[inline]
    pub(super) fn push(&mut self, end: usize) {
        debug_assert!(end <= END_MAX);
        self.0.push(end as i32);
    }

    /// As [`Offsets::push`], of the cell at `index`, whose end may lie anywhere.
    pub(super) fn push_elements(&mut self, index: usize, end: usize) -> Result<(), CellError> {
        if end > END_MAX {
            let expected = format!("at most {END_MAX} elements in one batch");
            return Err(CellError::new(index, expected, end.to_string()));
        }
        self.push(end);
        Ok(())
    }

    /// The error that a flaw becomes, met in the cell at `index` of a block whose first value has
    /// the number `first`. Values inside are appended late: theirs can be an earlier cell.
    #[cold]
    pub(super) fn refuse(&self, first: usize, index: usize, flaw: &Flaw) -> CellError {
        let (error, part) = match flaw {
            Flaw::Layout(error) => return CellError::unreadable(index, error),
            Flaw::Inside(error, part) => (error, part),
        };
        let ends = self.0.get(first..).unwrap_or_default();
        let base = ends.first().map_or(0, |base| *base as usize);
        let at = base + error.index;
        let index = ends.partition_point(|end| *end as usize <= at).saturating_sub(1);
        let start = ends.get(index).map_or(base, |start| *start as usize);
        error.inside(index, format_args!("{part} {}", at - start))
    }

    pub(super) fn bytes(&self) -> usize {
        self.len() * size_of::<i32>()
    }

    /// The offsets of all values; the next one is the first again.
    pub(super) fn finish(&mut self) -> OffsetBuffer<i32> {
        let mut next = Vec::with_capacity(self.0.len());
        next.push(0);
        OffsetBuffer::new(std::mem::replace(&mut self.0, next).into())
    }
}
