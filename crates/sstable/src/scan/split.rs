use outpour_cql::RingPosition;

use crate::Sstable;

/// A part of a table that can be scanned alone: the partitions between two places of the ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Its first place on the ring
    pub(super) from: RingPosition,
    /// The first place behind it; `None`: it reaches to the end of the ring
    pub(super) until: Option<RingPosition>,
    /// For each SSTable, where its first partition starts in the uncompressed bytes of Data.db
    pub(super) starts: Vec<u64>,
    /// Whether partitions in front of its first place may come first, and are passed over: nothing that
    /// stands in front of it is wanted
    pub(super) is_apart: bool,
    /// The only key that is wanted of it
    pub(super) key: Option<Vec<u8>>,
    /// For each SSTable, where the first partition behind it starts
    pub(super) ends: Option<Vec<u64>>,
}

impl Split {
    /// All partitions of a table of `sstable_count` SSTables.
    #[must_use]
    pub fn whole(sstable_count: usize) -> Self {
        Self::rest(vec![0; sstable_count])
    }

    /// All partitions that start at `starts` or later.
    pub(super) fn rest(starts: Vec<u64>) -> Self {
        Self { from: RingPosition(0), until: None, starts, is_apart: false, key: None, ends: None }
    }

    /// All partitions between two places of the ring, without the indexes.
    pub(super) fn between(
        sstable_count: usize,
        (from, until): (RingPosition, Option<RingPosition>),
    ) -> Self {
        Self { from, until, is_apart: true, ..Self::whole(sstable_count) }
    }

    /// Whether it is all of the table.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.is_apart && self.until.is_none() && self.starts.iter().all(|start| *start == 0)
    }

    /// Where its first partition starts in SSTable `index`.
    pub(super) fn start(&self, index: usize) -> u64 {
        self.starts.get(index).copied().unwrap_or(0)
    }

    /// Where its last partition ends in SSTable `index`.
    pub(super) fn end(&self, index: usize, sstable: &Sstable) -> u64 {
        let end = self.ends.as_ref().and_then(|ends| ends.get(index).copied());
        end.unwrap_or_else(|| sstable.uncompressed_len())
    }
}
