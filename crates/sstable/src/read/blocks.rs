use std::fmt::Display;
use std::sync::Arc;

use outpour_storage::ReadAt;

use super::{Corrupt, Stop};
use crate::{Error, Result};

/// Where blocks start: Cassandra lays tries out in pages of this size.
const PAGE_LEN: u64 = 4096;
/// The most bytes of one item. Keys, and the clustering values of a row together, have at most
/// 65,535 bytes (`db/Clustering.java`, `cql3/UpdateParameters.java`).
const ITEM_LEN_MAX: usize = 16 << 20;

/// A file of any size, read through a few blocks in memory.
#[derive(Debug)]
pub(crate) struct Blocks {
    file: Arc<dyn ReadAt>,
    block_len: u64,
    blocks: Vec<Block>,
}

#[derive(Debug, Clone, Default)]
struct Block {
    at: u64,
    bytes: Vec<u8>,
}

impl Block {
    fn holds(&self, start: u64, end: u64) -> bool {
        self.at <= start && end <= self.at + self.bytes.len() as u64
    }
}

impl Blocks {
    /// For a file that is read from its start to its end.
    pub(crate) fn forward(file: Arc<dyn ReadAt>) -> Self {
        Self { file, block_len: 256 << 10, blocks: vec![Block::default()] }
    }

    /// For a file in which reading jumps, mostly not far.
    pub(crate) fn scattered(file: Arc<dyn ReadAt>) -> Self {
        Self { file, block_len: 16 << 10, blocks: vec![Block::default(); 16] }
    }

    /// The path of the file.
    pub(crate) fn file_name(&self) -> &str {
        self.file.name()
    }

    /// Bytes in the file.
    pub(crate) fn file_len(&self) -> u64 {
        self.file.len()
    }

    /// The bytes at hand from `at` on: `len` of them or more, or those up to the end of the file.
    ///
    /// # Errors
    /// Io.
    pub(crate) fn at(&mut self, at: u64, len: usize) -> Result<&[u8]> {
        let end = at.saturating_add(len as u64).min(self.file.len());
        if at >= end {
            return Ok(&[]);
        }
        let slot = (at / self.block_len) as usize % self.blocks.len();
        let block = &mut self.blocks[slot];
        if !block.holds(at, end) {
            block.at = at - at % PAGE_LEN;
            let block_end = end.max((block.at + self.block_len).min(self.file.len()));
            block.bytes.clear();
            let mut bytes = std::mem::take(&mut block.bytes);
            bytes.resize((block_end - block.at) as usize, 0);
            self.file.read_at(block.at, &mut bytes)?;
            block.bytes = bytes;
        }
        Ok(block.bytes.get((at - block.at) as usize..).unwrap_or_default())
    }

    /// Decodes the item at `at`, and tells where it ends. `decode` gets the bytes from `at` on and a
    /// place in them that it moves behind the item; it is called again with more when they end first.
    ///
    /// # Errors
    /// Corrupt if the file ends within the item, or as `decode` says; Io.
    pub(crate) fn decode<T>(
        &mut self,
        at: u64,
        item: &'static str,
        decode: impl Fn(&[u8], &mut usize) -> Result<T, Stop>,
    ) -> Result<(T, u64)> {
        let mut len = PAGE_LEN as usize;
        loop {
            let bytes = self.at(at, len)?;
            let (mut end, available) = (0, bytes.len());
            match decode(bytes, &mut end) {
                Ok(value) => return Ok((value, at + end as u64)),
                Err(Stop::Incomplete) if available >= len && available < ITEM_LEN_MAX => {
                    len = 2 * available;
                }
                Err(stop) => return Err(self.stopped(at, item, available, stop)),
            }
        }
    }

    #[cold]
    fn stopped(&self, at: u64, item: &'static str, available: usize, stop: Stop) -> Error {
        match stop {
            Stop::Incomplete if available >= ITEM_LEN_MAX => {
                self.corrupt(at, item, format!("at most {ITEM_LEN_MAX} bytes"), "more")
            }
            Stop::Incomplete => self.corrupt(
                at,
                item,
                "all of it",
                format!("{available} bytes up to the end of the file"),
            ),
            Stop::Corrupt(corrupt) => {
                let Corrupt { at: within, what, expected, got } = *corrupt;
                self.corrupt(at + within as u64, what, expected, got).context(item)
            }
        }
    }

    /// The error for the field `what` at `at` of the file.
    #[cold]
    pub(crate) fn corrupt(
        &self,
        at: u64,
        what: impl Display,
        expected: impl Display,
        got: impl Display,
    ) -> Error {
        Error::corrupt(self.file.name(), at, what, expected, got)
    }
}

#[cfg(test)]
mod tests {
    use outpour_storage::{Directory, MemoryDirectory};

    use super::*;
    use crate::ErrorKind;

    fn file(bytes: &[u8]) -> Arc<dyn ReadAt> {
        MemoryDirectory::of("/d", [("f", bytes)]).open("f").unwrap()
    }

    fn numbers(len: usize) -> Vec<u8> {
        (0..len as u32).flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_be_bytes()).collect()
    }

    #[test]
    fn bytes_are_those_of_the_file_wherever_they_are_asked_for() {
        let bytes = numbers(200_000);
        for mut blocks in [Blocks::forward(file(&bytes)), Blocks::scattered(file(&bytes))] {
            let mut at = 12_345_usize;
            for len in (0..3000).map(|i| i * 7 % 40_000) {
                at = (at * 69_069 + 1) % (bytes.len() + 50);
                let got = blocks.at(at as u64, len).unwrap();
                let rest = bytes.get(at..).unwrap_or_default();
                assert!(got.len() >= len.min(rest.len()));
                assert_eq!(got, &rest[..got.len()], "{at}");
            }
        }
    }

    #[test]
    fn items_of_any_size_are_decoded_one_after_the_other() {
        let lens = [0_u16, 1, 4000, 4093, 4094, 4095, 4096, 65_535, 9, 30_000, 65_535, 65_535, 1];
        let bytes: Vec<u8> = lens
            .iter()
            .flat_map(|len| [&len.to_be_bytes()[..], &numbers(65_535)[..*len as usize]].concat())
            .collect();
        for mut blocks in [Blocks::forward(file(&bytes)), Blocks::scattered(file(&bytes))] {
            let mut at = 0;
            for len in lens {
                let (span, end) =
                    blocks.decode(at, "item", super::super::Span::read_short).unwrap();
                assert_eq!((span.len(), end), (usize::from(len), at + 2 + u64::from(len)));
                at = end;
            }
            assert_eq!(at, bytes.len() as u64);
            let error = blocks.decode(at - 2, "item", super::super::Span::read_short).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::Corrupt, Some(at - 2)));
        }
    }

    #[test]
    fn an_item_without_end_is_given_up() {
        let mut blocks = Blocks::forward(file(&vec![0; ITEM_LEN_MAX + 10_000]));
        let endless = |_: &[u8], _: &mut usize| Err::<(), _>(Stop::Incomplete);
        let error = blocks.decode(5000, "item", endless).unwrap_err();
        assert!(error.to_string().contains("at most 16777216 bytes"), "{error}");
    }
}
