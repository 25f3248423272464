use std::ops::Range;

/// The texts of consecutive values, end to end.
#[derive(Debug, Default)]
pub(crate) struct TextBlock {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl TextBlock {
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Where the next value's text is to be appended; [`TextBlock::end_value`] ends it.
    #[inline(always)]
    pub(crate) fn open(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    #[inline(always)]
    pub(crate) fn end_value(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Appends a whole value's text.
    #[inline(always)]
    pub(crate) fn push(&mut self, text: &[u8]) {
        self.bytes.extend_from_slice(text);
        self.end_value();
    }

    /// The text of value `index`.
    #[inline(always)]
    pub(crate) fn piece(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    pub(crate) fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        range.map(|index| self.piece(index))
    }
}
