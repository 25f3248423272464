use super::Stop;

/// Where a value lies in a buffer of less than 4 GiB; or null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    at: u32,
    len: u32,
}

impl Span {
    /// No value
    pub(crate) const NULL: Self = Self { at: 0, len: u32::MAX };

    /// `len` bytes from `at`. Buffers are kept below 4 GiB by [`super::window::Window`].
    #[inline(always)]
    pub(crate) fn new(at: usize, len: usize) -> Self {
        debug_assert!(at + len < u32::MAX as usize);
        Self { at: at as u32, len: len as u32 }
    }

    #[inline(always)]
    pub(crate) fn is_null(self) -> bool {
        self.len == u32::MAX
    }

    /// The bytes behind the unsigned 16-bit length at `*at`; moves `*at` behind them.
    pub(crate) fn read_short(bytes: &[u8], at: &mut usize) -> Result<Self, Stop> {
        let rest = bytes.get(*at..).ok_or(Stop::Incomplete)?;
        let (len, rest) = rest.split_first_chunk::<2>().ok_or(Stop::Incomplete)?;
        let len = usize::from(u16::from_be_bytes(*len));
        if len > rest.len() {
            return Err(Stop::Incomplete);
        }
        let span = Self::new(*at + 2, len);
        *at += 2 + len;
        Ok(span)
    }

    /// The same value in a buffer that holds the old one's bytes from `base` on.
    pub(crate) fn moved_by(self, base: usize) -> Self {
        if self.is_null() { self } else { Self { at: self.at + base as u32, len: self.len } }
    }

    /// Where the value starts.
    pub(crate) fn start(self) -> usize {
        self.at as usize
    }

    /// Bytes of the value; 0 for null.
    pub(crate) fn len(self) -> usize {
        if self.is_null() { 0 } else { self.len as usize }
    }

    /// The value in its buffer; `None` for null.
    #[inline(always)]
    pub(crate) fn of(self, buffer: &[u8]) -> Option<&[u8]> {
        if self.is_null() {
            return None;
        }
        Some(&buffer[self.at as usize..self.at as usize + self.len as usize])
    }
}
