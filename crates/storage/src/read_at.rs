use std::fmt::Debug;

use crate::{Error, Result};

/// A file that is read at any offset, by many threads at once.
pub trait ReadAt: Debug + Send + Sync {
    /// Bytes in the file.
    fn len(&self) -> u64;

    /// Whether the file has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` with the bytes at `offset`.
    ///
    /// # Errors
    /// Truncated if the file ends within `buffer`, Io if it cannot be read. `buffer` then holds
    /// nothing that means anything.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()>;

    /// The path, for messages.
    fn name(&self) -> &str;
}

/// Reads a small file whole.
///
/// # Errors
/// Limit if the file has more than `limit` bytes, and what [`ReadAt::read_at`] returns.
pub fn read_whole(file: &dyn ReadAt, limit: u64) -> Result<Vec<u8>> {
    let too_long = || Error::limit(file.name(), file.len(), limit);
    if file.len() > limit {
        return Err(too_long());
    }
    let len = usize::try_from(file.len()).map_err(|_| too_long())?;
    let mut bytes = vec![0; len];
    file.read_at(0, &mut bytes)?;
    Ok(bytes)
}

/// Checks that `offset..offset + len` lies within a file of `file_len` bytes.
pub(crate) fn check_range(name: &str, file_len: u64, offset: u64, len: usize) -> Result<()> {
    let available = file_len.saturating_sub(offset);
    match usize::try_from(available) {
        Ok(available) if available < len => Err(Error::truncated(name, offset, len, available)),
        _ => Ok(()),
    }
}
