use std::ops::Range;

/// Pieces are copied as this many bytes, and what is too much is cut off again: a copy of a known
/// length is a few instructions, one of any length is a call.
const STRIDE: usize = 32;

/// A piece of text, and bytes behind it that do not belong to it.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'a> {
    bytes: &'a [u8],
    len: usize,
}

impl<'a> Piece<'a> {
    pub(crate) fn text(self) -> &'a [u8] {
        &self.bytes[..self.len]
    }

    #[inline(always)]
    pub(crate) fn append_to(self, out: &mut Vec<u8>) {
        let end = out.len() + self.len;
        match self.bytes.first_chunk::<STRIDE>() {
            Some(start) if self.len <= STRIDE => {
                out.extend_from_slice(start);
                out.truncate(end);
            }
            _ => out.extend_from_slice(&self.bytes[..self.len]),
        }
    }
}

/// A text that is copied often.
pub(crate) struct Literal {
    bytes: Vec<u8>,
    len: usize,
}

impl Literal {
    pub(crate) fn new(mut bytes: Vec<u8>) -> Self {
        let len = bytes.len();
        bytes.resize(len.max(STRIDE), 0);
        Self { bytes, len }
    }

    #[inline(always)]
    pub(crate) fn piece(&self) -> Piece<'_> {
        Piece { bytes: &self.bytes, len: self.len }
    }
}

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

    /// Ends the block: its last text too has bytes behind it then.
    pub(crate) fn finish(&mut self) {
        self.bytes.resize(self.bytes.len() + STRIDE, 0);
    }

    /// The text of value `index`.
    #[inline(always)]
    pub(crate) fn piece(&self, index: usize) -> Piece<'_> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        Piece { bytes: &self.bytes[start..], len: self.ends[index] - start }
    }

    /// The texts of values `range`.
    pub(crate) fn pieces(&self, range: Range<usize>) -> impl Iterator<Item = Piece<'_>> {
        range.map(|index| self.piece(index))
    }
}
