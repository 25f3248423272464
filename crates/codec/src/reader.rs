use crate::{Error, Result, vint};

/// Reads big-endian fields one after the other from a slice.
///
/// Offsets in errors count from the start of the slice plus [`Reader::at`]'s base.
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    base: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte of `bytes`.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::at(bytes, 0)
    }

    /// Starts at the first byte of `bytes`, which lies at offset `base` of its file.
    #[must_use]
    pub fn at(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, position: 0, base }
    }

    /// The offset of the next byte.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.base + self.position
    }

    /// Bytes not yet read.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.position
    }

    /// The next `len` bytes.
    ///
    /// # Errors
    /// [`Error::Truncated`] if fewer are left.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        match self.bytes.get(self.position..self.position.saturating_add(len)) {
            Some(taken) => {
                self.position += len;
                Ok(taken)
            }
            None => Err(self.truncated(len)),
        }
    }

    fn truncated(&self, needed: usize) -> Error {
        Error::Truncated { offset: self.offset(), needed, available: self.remaining() }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// One byte.
    ///
    /// # Errors
    /// [`Error::Truncated`] at the end, as for all readers below.
    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    /// A byte that must be 0 or 1.
    ///
    /// # Errors
    /// [`Error::Invalid`] for another byte, with `what` in its message.
    pub fn flag(&mut self, what: &'static str) -> Result<bool> {
        let offset = self.offset();
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            got => Err(Error::Invalid {
                what,
                offset,
                expected: "0 or 1".to_owned(),
                got: got.to_string(),
            }),
        }
    }

    /// Two bytes, unsigned.
    pub fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_be_bytes)
    }

    /// Four bytes, unsigned.
    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    /// Four bytes, signed.
    pub fn i32(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    /// Eight bytes, signed.
    pub fn i64(&mut self) -> Result<i64> {
        self.array().map(i64::from_be_bytes)
    }

    /// Eight bytes, IEEE 754.
    pub fn f64(&mut self) -> Result<f64> {
        self.array().map(f64::from_be_bytes)
    }

    /// An unsigned [`vint`].
    pub fn unsigned_vint(&mut self) -> Result<u64> {
        let truncated = self.truncated(1);
        vint::read_unsigned(self.bytes, &mut self.position).ok_or(truncated)
    }

    /// A signed [`vint`].
    pub fn signed_vint(&mut self) -> Result<i64> {
        let truncated = self.truncated(1);
        vint::read_signed(self.bytes, &mut self.position).ok_or(truncated)
    }

    /// Bytes behind an unsigned 16-bit length.
    pub fn short_bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.u16()?;
        self.take(usize::from(len))
    }

    /// Bytes behind an unsigned [`vint`] length.
    pub fn vint_bytes(&mut self) -> Result<&'a [u8]> {
        let len = self.unsigned_vint()?;
        self.take(usize::try_from(len).unwrap_or(usize::MAX))
    }

    /// A count of items of at least `item_len` bytes each, behind a signed 32-bit integer.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the count is negative or the remaining bytes cannot hold so many, so
    /// that no caller reserves memory for items that are not there.
    pub fn count(&mut self, what: &'static str, item_len: usize) -> Result<usize> {
        let offset = self.offset();
        let count = self.i32()?;
        self.checked_count(what, offset, u64::try_from(count).ok(), i64::from(count), item_len)
    }

    /// As [`Reader::count`], behind an unsigned [`vint`].
    pub fn vint_count(&mut self, what: &'static str, item_len: usize) -> Result<usize> {
        let offset = self.offset();
        let count = self.unsigned_vint()?;
        self.checked_count(what, offset, Some(count), count as i64, item_len)
    }

    fn checked_count(
        &self,
        what: &'static str,
        offset: usize,
        count: Option<u64>,
        got: i64,
        item_len: usize,
    ) -> Result<usize> {
        let most = self.remaining() / item_len.max(1);
        match count.and_then(|count| usize::try_from(count).ok()) {
            Some(count) if count <= most => Ok(count),
            _ => Err(Error::Invalid {
                what,
                offset,
                expected: format!("0 to {most} in the bytes that are left"),
                got: got.to_string(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_order() {
        let mut r = Reader::at(&[1, 0, 2, 0xff, 0xff, 0xff, 0xfe, 2, 7, 8, 0, 1, 9], 100);
        assert_eq!(r.u8(), Ok(1));
        assert_eq!(r.u16(), Ok(2));
        assert_eq!(r.i32(), Ok(-2));
        assert_eq!(r.vint_bytes(), Ok(&[7, 8][..]));
        assert_eq!(r.short_bytes(), Ok(&[9][..]));
        assert_eq!(r.u8(), Err(Error::Truncated { offset: 113, needed: 1, available: 0 }));
    }

    #[test]
    fn counts_cannot_exceed_the_bytes() {
        assert!(Reader::new(&[0, 0, 0, 2, 1, 1]).count("n", 1).is_ok());
        assert!(Reader::new(&[0, 0, 0, 3, 1, 1]).count("n", 1).is_err());
        assert!(Reader::new(&[0xff, 0xff, 0xff, 0xff]).count("n", 0).is_err());
    }
}
