use std::fmt::Display;

use outpour_codec::murmur3_x64_128;
use outpour_cql::byte_comparable::{TERMINATOR, write_component, write_partition_key, write_token};
use outpour_cql::marshal::{self, MarshalType};
use outpour_cql::{CqlType, Partitioner};

use super::clustering::{self, ClusteringType};
use super::{Check, Hex, PartitionAt, UnfilteredAt};
use crate::format::partition_key;
use crate::format::partitions::{PartitionEntry, Partitions, Place};
use crate::format::row_index::{RowBlock, RowBlocks, RowIndexEntry};
use crate::read::{Blocks, Span};
use crate::{Component, DeletionTime, Error, Result, Sstable, SstableFiles, Version};

/// Partitions.db finds each partition, and Rows.db the blocks of long ones.
pub(super) struct BtiCheck {
    partitioner: Partitioner,
    /// If the trie is made of the values of the partition key columns, and not of the key as a whole
    key_types: Option<Vec<CqlType>>,
    components: Vec<Span>,
    partitions: Partitions,
    rows: Blocks,
    blocks: Option<RowBlocks>,
    /// The next block, or the end behind the last one
    next_block: Option<RowBlock>,
    clustering_types: Vec<ClusteringType>,
    key: Vec<u8>,
    /// The byte-comparable form of a partition key or of clustering values
    form: Vec<u8>,
}

/// What stands in the place of a terminator behind the clustering values of a bound.
const BEFORE_ROWS: u8 = 0x20;
const BEHIND_ROWS: u8 = 0x60;

impl BtiCheck {
    pub(super) fn open(sstable: &Sstable, files: &SstableFiles) -> Result<Self> {
        let header = &sstable.statistics().header;
        let parse = |java_type: &String| {
            let unknown = |e| Error::unsupported(sstable.statistics_name(), java_type, e);
            marshal::parse(java_type).map_err(|e| unknown(e.to_string()))
        };
        let clustering_types = clustering::types(sstable)?;
        let key_types = match files.descriptor().version {
            Version::Ms => Some(match parse(&header.partition_key_type)?.cql_type {
                CqlType::Composite(types) => types,
                cql_type => vec![cql_type],
            }),
            _ => None,
        };
        Ok(Self {
            partitioner: sstable.partitioner()?,
            key_types,
            components: Vec::new(),
            clustering_types,
            partitions: Partitions::open(files.open(&Component::Partitions)?)?,
            rows: Blocks::scattered(files.open(&Component::Rows)?),
            blocks: None,
            next_block: None,
            key: Vec::new(),
            form: Vec::new(),
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
        if self.write_key(key).is_none() {
            // A value that is none is found where values are read.
            return Ok(());
        }
        let prefix = self.partitions.key_prefix();
        if !self.form.starts_with(prefix) {
            let expected = format!("a prefix of {}, key {}", Hex(&self.form), Hex(key));
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

    fn write_key(&mut self, key: &[u8]) -> Option<()> {
        let Self { form, components, .. } = self;
        form.clear();
        let Some(types) = &self.key_types else {
            write_partition_key(self.partitioner, key, form);
            return Some(());
        };
        write_token(self.partitioner, key, form);
        partition_key::split(key, types.len(), components).ok()?;
        for (cql_type, value) in types.iter().zip(components) {
            write_component(cql_type, false, value.of(key), form)?;
        }
        form.push(TERMINATOR);
        Some(())
    }

    fn start_rows(&mut self, at: u64, partition: &PartitionAt<'_>) -> Result<()> {
        let entry = RowIndexEntry::read(&mut self.rows, at)?;
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
        let mut blocks = entry.blocks();
        self.next_block = blocks.next(&mut self.rows)?;
        self.blocks = Some(blocks);
        Ok(())
    }

    /// The next block, or the end, if it lies at `place`.
    fn block_at(&self, place: u64) -> Result<Option<RowBlock>> {
        match self.next_block {
            Some(block) if block.offset < place => {
                let expected = format!("{place}, where a row or marker starts");
                Err(self.rows.corrupt(block.at, "offset of the block", expected, block.offset))
            }
            block => Ok(block.filter(|block| block.offset == place)),
        }
    }

    /// Leaves a block behind that starts where `open` is the open range tombstone.
    fn pass_block(&mut self, block: RowBlock, open: DeletionTime) -> Result<()> {
        if block.open != open {
            let (expected, got) = (format!("{open:?}"), format!("{:?}", block.open));
            return Err(self.rows.corrupt(block.at, "open marker", expected, got));
        }
        if let Some(blocks) = &mut self.blocks {
            self.next_block = blocks.next(&mut self.rows)?;
        }
        Ok(())
    }

    /// A look-up of the row or marker must end in its own block, which `block` is if `is_inside`;
    /// else it lies before that.
    fn check_separator(
        &mut self,
        block: RowBlock,
        unfiltered: &UnfilteredAt<'_>,
        is_inside: bool,
    ) -> Result<()> {
        self.form.clear();
        if write_clustering(&self.clustering_types, unfiltered, &mut self.form).is_none() {
            // A value that is none is found where values are read.
            return Ok(());
        }
        let separator = self.blocks.as_ref().map_or(&[][..], RowBlocks::separator);
        if (separator <= self.form.as_slice()) == is_inside {
            return Ok(());
        }
        let side = if is_inside { "at or before" } else { "behind" };
        let expected = format!("one {side} {}", Hex(&self.form));
        Err(self.rows.corrupt(block.at, "separator of the block", expected, Hex(separator)))
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
        if let Some(block) = self.block_at(unfiltered.start)? {
            self.check_separator(block, unfiltered, true)?;
            self.pass_block(block, unfiltered.open_before)?;
        }
        match self.block_at(unfiltered.end) {
            Ok(Some(next)) => self.check_separator(next, unfiltered, false),
            // Told of with the row that follows.
            _ => Ok(()),
        }
    }

    fn partition_end(&mut self, len: u64) -> Result<()> {
        if self.blocks.is_none() {
            return Ok(());
        }
        let end = len - 1;
        if let Some(block) = self.block_at(end)? {
            self.pass_block(block, DeletionTime::LIVE)?;
        }
        match self.next_block {
            None => Ok(()),
            Some(block) => {
                let expected = format!("{end} or less");
                Err(self.rows.corrupt(block.at, "offset of the block", expected, block.offset))
            }
        }
    }

    fn end(&mut self) -> Result<Vec<Error>> {
        if let Some(entry) = self.partitions.next()? {
            let got = format!("one for {}", Hex(self.partitions.key_prefix()));
            return Err(self.corrupt(entry.at, "trie entry", "no more partitions", got));
        }
        self.check_footer()?;
        Ok(Vec::new())
    }
}

/// Appends the byte-comparable form of the clustering values; `None` if one is no value of its type.
fn write_clustering(
    types: &[ClusteringType],
    unfiltered: &UnfilteredAt<'_>,
    out: &mut Vec<u8>,
) -> Option<()> {
    for (clustering_type, value) in types.iter().zip(unfiltered.clustering) {
        if clustering::has_hidden_order(clustering_type) {
            return None;
        }
        let MarshalType { cql_type, reversed, .. } = &clustering_type.parsed;
        write_component(cql_type, *reversed, value.of(unfiltered.bytes), out)?;
    }
    out.push(match unfiltered.bound {
        None => TERMINATOR,
        Some(bound) if bound.is_before_rows() => BEFORE_ROWS,
        Some(_) => BEHIND_ROWS,
    });
    Some(())
}
