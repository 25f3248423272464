use outpour_cql::{Partitioner, RingPosition};
use outpour_run::Budget;

use super::portion::Portion;
use crate::format::filter::Filter;
use crate::read::{Keys, PartitionIndex};
use crate::{ErrorKind, Result, Sstable};

/// Finds where to start reading an SSTable for a part of the ring.
///
/// Neither the index nor the Bloom filter has a checksum: they guess, and Data.db confirms. Reading may
/// start at the key that is looked for, or at any partition in front of the part, for what comes before
/// that is in front of it too. That an SSTable does not have a key is believed if both say so.
#[derive(Debug)]
pub(super) struct Foothold {
    keys: Keys,
    filter: Option<Filter>,
    partitioner: Partitioner,
    data_len: u64,
    /// How far apart partitions are on the ring, about
    distance: u128,
}

impl Foothold {
    /// Opens the Bloom filter, if there is one.
    ///
    /// # Errors
    /// Unsupported for a partitioner that is not known, Io, Limit.
    pub(super) fn open(sstable: &Sstable, budget: &Budget) -> Result<Self> {
        let partitioner = sstable.partitioner()?;
        let partitions = u128::from(sstable.statistics().stats.partitions());
        Ok(Self {
            keys: sstable.keys(budget)?,
            filter: sstable.filter(),
            partitioner,
            data_len: sstable.uncompressed_len(),
            distance: partitioner.last_position().0 / (partitions + 1) + 1,
        })
    }

    /// Where to start for `portion` in the uncompressed bytes of Data.db; their number if it has
    /// nothing there.
    ///
    /// # Errors
    /// Corrupt for an index that the data contradicts, and for damaged data; Io, Limit.
    pub(super) fn start(&mut self, index: &mut PartitionIndex, portion: &Portion) -> Result<u64> {
        let found = index.land(portion.from)?.data_position;
        if found == 0 {
            return Ok(0);
        }
        if let Some(key) = &portion.key {
            if found < self.data_len && self.keys.at(found)? == key {
                return Ok(found);
            }
            if self.is_absent(key)? {
                return Ok(self.data_len);
            }
        }
        self.in_front(index, portion.from, found)
    }

    /// Whether the Bloom filter says that there is no `key`.
    fn is_absent(&self, key: &[u8]) -> Result<bool> {
        self.filter.as_ref().map_or(Ok(false), |filter| Ok(!filter.may_hold(key)?))
    }

    /// Where a partition in front of `position` starts, the last one or one of those before it; the
    /// index tells that those behind it start at `end`.
    fn in_front(
        &mut self,
        index: &mut PartitionIndex,
        position: RingPosition,
        end: u64,
    ) -> Result<u64> {
        let (mut place, mut found) = (position.0, end);
        let mut step = self.distance;
        while !self.is_in_front(index, found, position)? {
            if found != end {
                return Err(index.misled("that of a partition in front of another", found));
            }
            if place == 0 {
                return Err(index.misled("0, of the first partition", found));
            }
            place = place.saturating_sub(step);
            step = step.saturating_mul(2);
            found = index.land(RingPosition(place))?.data_position;
        }
        Ok(found)
    }

    /// Whether all partitions that start before `offset` are in front of `position`.
    fn is_in_front(
        &mut self,
        index: &PartitionIndex,
        offset: u64,
        position: RingPosition,
    ) -> Result<bool> {
        if offset == 0 || offset >= self.data_len {
            return Ok(offset == 0);
        }
        match self.keys.at(offset) {
            Ok(key) => Ok(self.partitioner.ring_position(key) < position),
            Err(e) if e.kind() == ErrorKind::Corrupt => {
                Err(index.misled("that of a partition", offset))
            }
            Err(e) => Err(e),
        }
    }
}
