use outpour_run::{Budget, Reservation};

use super::{ChunkReader, Span};
use crate::{Error, Result};

/// Partition keys at given places of Data.db.
#[derive(Debug)]
pub(crate) struct Keys {
    chunks: ChunkReader,
    bytes: Vec<u8>,
    /// Where `bytes` start in the uncompressed bytes of Data.db
    base: u64,
    reservation: Reservation,
}

impl Keys {
    /// Keys of the file that `chunks` reads.
    ///
    /// # Errors
    /// Limit if the budget has no room for the reader's buffers.
    pub(crate) fn new(chunks: ChunkReader, budget: &Budget) -> Result<Self> {
        let reservation = budget.reserve(chunks.stored_len(), "stored bytes of an SSTable")?;
        Ok(Self { chunks, bytes: Vec::new(), base: 0, reservation })
    }

    /// The key of the partition that starts at `offset` of the uncompressed bytes, if one does.
    ///
    /// # Errors
    /// Corrupt for a damaged chunk, and behind the last byte; Io, Limit.
    pub(crate) fn at(&mut self, offset: u64) -> Result<&[u8]> {
        if !(self.base..self.end()).contains(&offset) {
            self.base = self.chunks.seek(offset);
            self.bytes.clear();
        }
        let start = (offset - self.base) as usize;
        loop {
            let mut at = start;
            if let Some(Ok(key)) =
                (at < self.bytes.len()).then(|| Span::read_short(&self.bytes, &mut at))
            {
                return Ok(key.of(&self.bytes).unwrap_or_default());
            }
            if !self.read_on()? {
                let (expected, got) = ("a partition", "the end of the file");
                let file = self.chunks.file_name();
                return Err(Error::corrupt(file, offset, "uncompressed rows", expected, got));
            }
        }
    }

    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    fn read_on(&mut self) -> Result<bool> {
        let len = self.bytes.len();
        let room = len + self.chunks.chunk_len();
        if room > self.bytes.capacity() {
            self.reservation.resize(self.chunks.stored_len() + room as u64)?;
        }
        self.bytes.resize(room, 0);
        let read = self.chunks.read_next(&mut self.bytes[len..])?;
        self.bytes.truncate(len + read.unwrap_or(0));
        Ok(read.is_some_and(|read| read > 0))
    }
}
