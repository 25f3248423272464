use std::fmt::Display;

use outpour_codec::murmur3_x64_128;
use outpour_cql::Partitioner;

use super::{Check, Hex, PartitionAt, UnfilteredAt};
use crate::format::byte_comparable;
use crate::format::partitions::{PartitionEntry, Partitions, Place};
use crate::format::row_index::{RowBlock, RowBlocks, RowIndexEntry};
use crate::read::Blocks;
use crate::{Component, DeletionTime, Error, Result, SstableFiles, Version};

/// Partitions.db finds each partition, and Rows.db the blocks of long ones.
pub(super) struct BtiCheck {
    partitioner: Partitioner,
    version: Version,
    partitions: Partitions,
    rows: Blocks,
    blocks: Option<RowBlocks>,
    /// The next block, or the end behind the last one
    next_block: Option<RowBlock>,
    key: Vec<u8>,
    key_form: Vec<u8>,
}

impl BtiCheck {
    pub(super) fn open(files: &SstableFiles, partitioner: Partitioner) -> Result<Self> {
        Ok(Self {
            partitioner,
            version: files.descriptor().version,
            partitions: Partitions::open(files.open(&Component::Partitions)?)?,
            rows: Blocks::scattered(files.open(&Component::Rows)?),
            blocks: None,
            next_block: None,
            key: Vec::new(),
            key_form: Vec::new(),
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
        Error::corrupt(self.partitions.file_name(), at, what, expected, got)
    }

    /// The trie leads from the key to the entry.
    fn check_key(&mut self, entry: PartitionEntry, key: &[u8]) -> Result<()> {
        self.key_form.clear();
        byte_comparable::partition_key(self.partitioner, key, &mut self.key_form);
        let prefix = self.partitions.key_prefix();
        if !self.key_form.starts_with(prefix) {
            let expected = format!("a prefix of {}, key {}", Hex(&self.key_form), Hex(key));
            return Err(self.corrupt(entry.at, "trie key", expected, Hex(prefix)));
        }
        let expected = murmur3_x64_128(key)[1] as u8;
        match entry.hash {
            Some(got) if got != expected => {
                let (expected, got) = (format!("{expected:#04x}"), format!("{got:#04x}"));
                Err(self.corrupt(entry.at, "hash of the key", expected, got))
            }
            _ => Ok(()),
        }
    }

    fn start_rows(&mut self, at: u64, partition: &PartitionAt<'_>) -> Result<()> {
        let entry = RowIndexEntry::read(&mut self.rows, at, self.version)?;
        if entry.key != partition.key {
            return Err(self.rows.corrupt(at, "key", Hex(partition.key), Hex(&entry.key)));
        }
        if entry.data_position != partition.start {
            let (expected, got) = (partition.start, entry.data_position);
            return Err(self.rows.corrupt(at, "position in Data.db", expected, got));
        }
        if entry.deletion != partition.deletion {
            let expected = format!("{:?}", partition.deletion);
            let got = format!("{:?}", entry.deletion);
            return Err(self.rows.corrupt(at, "partition deletion", expected, got));
        }
        let mut blocks = entry.blocks(self.version);
        self.next_block = blocks.next(&mut self.rows)?;
        self.blocks = Some(blocks);
        Ok(())
    }

    /// Rows up to `place` are passed: the block there has been reached, if there is one.
    fn check_block(&mut self, place: u64, open: DeletionTime) -> Result<()> {
        let (Some(blocks), Some(block)) = (&mut self.blocks, self.next_block) else {
            return Ok(());
        };
        if block.offset > place {
            return Ok(());
        }
        if block.offset < place {
            let expected = format!("{place}, where a row or marker starts");
            return Err(self.rows.corrupt(block.at, "offset of the block", expected, block.offset));
        }
        if block.open != open {
            let (expected, got) = (format!("{open:?}"), format!("{:?}", block.open));
            return Err(self.rows.corrupt(block.at, "open marker", expected, got));
        }
        self.next_block = blocks.next(&mut self.rows)?;
        Ok(())
    }

    fn check_footer(&self) -> Result<()> {
        let footer = self.partitions.footer();
        if footer.last_key == self.key {
            return Ok(());
        }
        let at = footer.keys_at + 2 + footer.first_key.len() as u64;
        Err(self.corrupt(at, "last key", Hex(&self.key), Hex(&footer.last_key)))
    }
}

impl Check for BtiCheck {
    fn partition(&mut self, partition: &PartitionAt<'_>) -> Result<()> {
        let footer = self.partitions.footer();
        if partition.start == 0 && footer.first_key != partition.key {
            let (at, expected, got) = (footer.keys_at, partition.key, &footer.first_key);
            return Err(self.corrupt(at, "first key", Hex(expected), Hex(got)));
        }
        let Some(entry) = self.partitions.next()? else {
            let expected = format!("one for key {}", Hex(partition.key));
            let at = self.partitions.footer().keys_at;
            return Err(self.corrupt(at, "trie entry", expected, "the last one"));
        };
        self.check_key(entry, partition.key)?;
        self.key.clear();
        self.key.extend_from_slice(partition.key);
        self.blocks = None;
        match entry.place {
            Place::Rows(at) => self.start_rows(at, partition),
            Place::Data(at) if at == partition.start => Ok(()),
            Place::Data(at) => {
                Err(self.corrupt(entry.at, "position in Data.db", partition.start, at))
            }
        }
    }

    fn unfiltered(&mut self, unfiltered: &UnfilteredAt<'_>) -> Result<()> {
        self.check_block(unfiltered.start, unfiltered.open_before)
    }

    fn partition_end(&mut self, len: u64) -> Result<()> {
        if self.blocks.is_none() {
            return Ok(());
        }
        self.check_block(len - 1, DeletionTime::LIVE)?;
        match self.next_block {
            None => Ok(()),
            Some(block) => {
                let expected = format!("{} or less", len - 1);
                Err(self.rows.corrupt(block.at, "offset of the block", expected, block.offset))
            }
        }
    }

    fn end(&mut self) -> Result<()> {
        if let Some(entry) = self.partitions.next()? {
            let got = format!("one for {}", Hex(self.partitions.key_prefix()));
            return Err(self.corrupt(entry.at, "trie entry", "no more partitions", got));
        }
        self.check_footer()
    }
}
