use outpour_run::{Budget, Reservation};

use super::ChunkReader;
use crate::{Error, Result};

/// Spans are 32 bits wide, and the largest length means null.
const LEN_MAX: usize = u32::MAX as usize - (1 << 16);

/// A moving window over the uncompressed bytes of Data.db.
#[derive(Debug)]
pub(crate) struct Window {
    buffer: Vec<u8>,
    end: usize,
    /// Where the buffer starts in the uncompressed bytes
    base: u64,
    /// Why the chunk behind the buffered ones could not be read
    failed: Option<Error>,
    reservation: Reservation,
}

impl Window {
    /// An empty window of `len` bytes, or of two chunks if these are more.
    ///
    /// # Errors
    /// Limit if the budget has no room for it.
    pub(crate) fn new(reader: &ChunkReader, len: usize, budget: &Budget) -> Result<Self> {
        let len = len.max(2 * reader.chunk_len());
        let reservation = budget
            .reserve(len as u64, "a window over uncompressed rows")
            .map_err(|e| Error::limit(reader.file_name(), e.to_string(), ""))?;
        Ok(Self { buffer: vec![0; len], end: 0, base: 0, failed: None, reservation })
    }

    /// The bytes at hand.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.end]
    }

    /// Where byte `at` lies in the uncompressed bytes of Data.db.
    pub(crate) fn offset(&self, at: usize) -> u64 {
        self.base + at as u64
    }

    /// Drops the bytes before `keep_from` and reads on; whether any byte came.
    ///
    /// # Errors
    /// Limit if what is kept fills the window and the budget does not let it grow. Those of a chunk,
    /// when all chunks before it have been used up.
    pub(crate) fn refill(&mut self, keep_from: usize, reader: &mut ChunkReader) -> Result<bool> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.buffer.copy_within(keep_from..self.end, 0);
        self.end -= keep_from;
        self.base += keep_from as u64;
        let chunk_len = reader.chunk_len();
        if self.end + chunk_len > self.buffer.len() {
            self.grow(self.end + chunk_len, reader)?;
        }
        let start = self.end;
        while self.end + chunk_len <= self.buffer.len() {
            if self.end > start && reader.is_next_unwanted() {
                break;
            }
            match reader.read_next(&mut self.buffer[self.end..]) {
                Ok(Some(len)) => self.end += len,
                Ok(None) => break,
                Err(e) if self.end == start => return Err(e),
                Err(e) => {
                    self.failed = Some(e);
                    break;
                }
            }
        }
        Ok(self.end > start)
    }

    /// Empties the window: the next byte is that at `offset` of the uncompressed bytes.
    pub(crate) fn move_to(&mut self, offset: u64) {
        self.end = 0;
        self.base = offset;
        self.failed = None;
    }

    fn grow(&mut self, needed: usize, reader: &ChunkReader) -> Result<()> {
        let len = needed.max(2 * self.buffer.len());
        if len > LEN_MAX {
            return Err(Error::limit(
                reader.file_name(),
                format!("a row of more than {LEN_MAX} bytes at offset {}", self.base),
                "no Cassandra reads it either: restore this SSTable from a backup",
            ));
        }
        // Both buffers are held while the bytes move.
        self.reservation.resize((len + self.buffer.len()) as u64)?;
        let mut buffer = vec![0; len];
        buffer[..self.end].copy_from_slice(&self.buffer[..self.end]);
        self.buffer = buffer;
        self.reservation.resize(len as u64)?;
        Ok(())
    }
}
