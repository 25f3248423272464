use std::fmt::Display;

use super::{Check, Hex, PartitionAt, UnfilteredAt};
use crate::format::clustering::Width;
use crate::format::index::{IndexBlock, IndexBlocks, IndexEntries, IndexEntry};
use crate::{Component, Error, Result, SstableFiles};

/// Index.db has an entry for each partition, and the blocks of long ones.
pub(super) struct BigCheck {
    entries: IndexEntries,
    entry: IndexEntry,
    blocks: IndexBlocks,
    /// The block that rows lie in
    block: Option<IndexBlock>,
}

impl BigCheck {
    pub(super) fn open(files: &SstableFiles, widths: Vec<Width>) -> Result<Self> {
        let file = files.open(&Component::Index)?;
        let version = files.descriptor().version;
        Ok(Self {
            blocks: IndexBlocks::new(&file, version, widths),
            entries: IndexEntries::new(file, version),
            entry: IndexEntry::default(),
            block: None,
        })
    }

    #[cold]
    fn corrupt(
        &self,
        at: u64,
        what: impl Display,
        expected: impl Display,
        got: impl Display,
    ) -> Error {
        Error::corrupt(self.entries.file_name(), at, what, expected, got)
    }

    fn check_partition(&self, partition: &PartitionAt<'_>) -> Result<()> {
        let entry = &self.entry;
        if entry.key != partition.key {
            return Err(self.corrupt(entry.at, "key", Hex(partition.key), Hex(&entry.key)));
        }
        if entry.data_position != partition.start {
            let (expected, got) = (partition.start, entry.data_position);
            return Err(self.corrupt(entry.at, "position in Data.db", expected, got));
        }
        match entry.promoted {
            Some(index) if index.deletion != partition.deletion => {
                let expected = format!("{:?}", partition.deletion);
                let got = format!("{:?}", index.deletion);
                Err(self.corrupt(entry.at, "partition deletion", expected, got))
            }
            _ => Ok(()),
        }
    }

    /// A block starts with the row or marker.
    fn start_block(&mut self, unfiltered: &UnfilteredAt<'_>) -> Result<()> {
        let Some(block) = self.blocks.next()? else {
            let expected = "the last row of the partition at its end";
            let got = format!("more at {}", unfiltered.start);
            return Err(self.corrupt(self.entry.at, "index blocks", expected, got));
        };
        if block.offset != unfiltered.start {
            let expected = unfiltered.start;
            return Err(self.corrupt(block.at, "offset of the block", expected, block.offset));
        }
        if !unfiltered.has_prefix(&block.first) {
            return Err(self.wrong_prefix(&block, "first clustering"));
        }
        self.block = Some(block);
        Ok(())
    }

    /// The block ends with the row or marker.
    fn end_block(&self, block: &IndexBlock, unfiltered: &UnfilteredAt<'_>) -> Result<()> {
        if !unfiltered.has_prefix(&block.last) {
            return Err(self.wrong_prefix(block, "last clustering"));
        }
        if block.open != unfiltered.open_behind {
            let (expected, got) = (unfiltered.open_behind, block.open);
            let (expected, got) = (format!("{expected:?}"), format!("{got:?}"));
            return Err(self.corrupt(block.at, "open marker", expected, got));
        }
        Ok(())
    }

    #[cold]
    fn wrong_prefix(&self, block: &IndexBlock, what: &str) -> Error {
        let expected = format!("that of the row or marker in Data.db, {} bytes from", block.offset);
        self.corrupt(block.at, what, expected, "another one")
    }
}

impl Check for BigCheck {
    fn partition(&mut self, partition: &PartitionAt<'_>) -> Result<()> {
        if !self.entries.next(&mut self.entry)? {
            let expected = format!("one for key {}", Hex(partition.key));
            let at = self.entries.file_len();
            return Err(self.corrupt(at, "index entry", expected, "the end of the file"));
        }
        self.blocks.start(self.entry.promoted);
        self.block = None;
        self.check_partition(partition)
    }

    fn unfiltered(&mut self, unfiltered: &UnfilteredAt<'_>) -> Result<()> {
        if self.entry.promoted.is_none() {
            return Ok(());
        }
        if self.block.is_none() {
            self.start_block(unfiltered)?;
        }
        let Some(block) = &self.block else { return Ok(()) };
        let block_end = block.offset + block.width;
        // The last block may hold the byte that ends the partition.
        let ends_partition = self.blocks.is_at_end() && block_end == unfiltered.end + 1;
        if block_end == unfiltered.end || ends_partition {
            self.end_block(block, unfiltered)?;
            self.block = None;
        } else if block_end < unfiltered.end {
            let (what, expected) = ("width of the block", unfiltered.end - block.offset);
            return Err(self.corrupt(block.at, what, format!("{expected} or more"), block.width));
        }
        Ok(())
    }

    fn partition_end(&mut self, len: u64) -> Result<()> {
        if self.block.is_none() && self.blocks.is_at_end() {
            return Ok(());
        }
        let expected = format!("the partition's end at {len}");
        Err(self.corrupt(self.entry.at, "end of the index blocks", expected, "a place behind it"))
    }

    fn end(&mut self) -> Result<Vec<Error>> {
        match self.entries.next(&mut self.entry)? {
            false => Ok(Vec::new()),
            true => {
                let got = format!("one for key {}", Hex(&self.entry.key));
                Err(self.corrupt(self.entry.at, "index entry", "no more partitions", got))
            }
        }
    }
}
