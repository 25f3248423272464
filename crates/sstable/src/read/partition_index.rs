use std::sync::Arc;

use outpour_cql::byte_comparable::murmur3_position;
use outpour_cql::{Partitioner, RingPosition};
use outpour_storage::ReadAt;

use super::Blocks;
use crate::format::clustering::Width;
use crate::format::deletion::DeletionTime;
use crate::format::index::{IndexBlocks, IndexEntries, IndexEntry};
use crate::format::partitions::{Partitions, Place};
use crate::format::row_index::RowIndexEntry;
use crate::format::summary::Summary;
use crate::{Error, Result, Version};

/// Finds partitions by the index of an SSTable, which no checksum protects: what it tells is a guess
/// until Data.db confirms it.
#[derive(Debug)]
pub(crate) struct PartitionIndex {
    partitioner: Partitioner,
    index: Index,
    data_len: u64,
}

#[derive(Debug)]
enum Index {
    Big {
        summary: Summary,
        file: Arc<dyn ReadAt>,
        version: Version,
        entries: IndexEntries,
        entry: IndexEntry,
    },
    Tries {
        partitions: Partitions,
        rows: Blocks,
    },
}

/// Where the partitions behind a place on the ring start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Landing {
    /// The place asked for, or the next one in front of it that the index can tell apart
    pub(crate) ring_position: RingPosition,
    /// Where the first partition behind it starts in the uncompressed bytes of Data.db; their number if
    /// there is none
    pub(crate) data_position: u64,
}

/// Where some rows of a long partition start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowPlace {
    /// In the partition
    pub(crate) offset: u64,
    /// The range tombstone that is open there; live if none is
    pub(crate) open: DeletionTime,
}

impl PartitionIndex {
    /// By Summary.db and Index.db; Data.db has `data_len` bytes, uncompressed.
    ///
    /// # Errors
    /// Corrupt for a damaged summary, Io.
    pub(crate) fn big(
        (summary, index): (Arc<dyn ReadAt>, Arc<dyn ReadAt>),
        version: Version,
        partitioner: Partitioner,
        data_len: u64,
    ) -> Result<Self> {
        let summary = Summary::open(summary)?;
        let file = Arc::clone(&index);
        let entries = IndexEntries::scattered(index, version);
        let index = Index::Big { summary, file, version, entries, entry: IndexEntry::default() };
        Ok(Self { partitioner, index, data_len })
    }

    /// By Partitions.db and Rows.db.
    ///
    /// # Errors
    /// Unsupported for another order than that of Murmur3, Corrupt for a damaged footer, Io.
    pub(crate) fn tries(
        (partitions, rows): (Arc<dyn ReadAt>, Arc<dyn ReadAt>),
        partitioner: Partitioner,
        data_len: u64,
    ) -> Result<Self> {
        if partitioner != Partitioner::Murmur3 {
            let what = "looking up partitions in tries that no Murmur3Partitioner orders";
            return Err(Error::unsupported(partitions.name(), what, ""));
        }
        let (partitions, rows) = (Partitions::open(partitions)?, Blocks::scattered(rows));
        Ok(Self { partitioner, index: Index::Tries { partitions, rows }, data_len })
    }

    /// Finds the first partition at `position` of the ring or behind it.
    ///
    /// # Errors
    /// Corrupt for a damaged index, Io.
    pub(crate) fn land(&mut self, position: RingPosition) -> Result<Landing> {
        let Self { partitioner, index, data_len } = self;
        let landing = match index {
            Index::Big { summary, entries, entry, .. } => {
                let is_before = |key: &[u8]| partitioner.ring_position(key) < position;
                entries.seek(last_sample(summary, is_before)?);
                let found = find_entry(entries, entry, is_before)?;
                let data_position = if found { entry.data_position } else { *data_len };
                Landing { ring_position: position, data_position }
            }
            Index::Tries { partitions, rows } => land_in_tries(partitions, rows, position)?
                .unwrap_or(Landing { ring_position: position, data_position: *data_len }),
        };
        match landing.data_position <= *data_len {
            true => Ok(landing),
            false => {
                let expected = format!("0 to {}", self.data_len);
                Err(self.misled(&expected, landing.data_position))
            }
        }
    }

    /// Where some rows of the partition of `key`, which starts at `start`, stand, in their order; `None`
    /// if the index has none of them. `widths` are those of the clustering values.
    ///
    /// # Errors
    /// As of [`PartitionIndex::land`].
    pub(crate) fn row_places(
        &mut self,
        key: &[u8],
        start: u64,
        widths: &[Width],
    ) -> Result<Option<Vec<RowPlace>>> {
        let position = self.partitioner.ring_position(key);
        match &mut self.index {
            Index::Big { summary, file, version, entries, entry } => {
                let is_before = |other: &[u8]| self.partitioner.ring_position(other) < position;
                entries.seek(last_sample(summary, is_before)?);
                let mut found = find_entry(entries, entry, is_before)?;
                while found && entry.data_position < start {
                    found = entries.next(entry)?;
                }
                let promoted = entry.promoted.filter(|_| found && entry.key == key);
                let Some(promoted) = promoted else { return Ok(None) };
                let mut blocks = IndexBlocks::new(file, *version, widths.to_vec());
                blocks.start(Some(promoted));
                places_of_blocks(blocks).map(Some)
            }
            Index::Tries { partitions, rows } => {
                partitions.seek(&murmur3_position(position))?;
                while let Some(entry) = partitions.next()? {
                    let position = match entry.place {
                        Place::Data(position) => position,
                        Place::Rows(at) => {
                            let entry = RowIndexEntry::read(rows, at)?;
                            if entry.key == key {
                                return places_of_rows(&entry, rows).map(Some);
                            }
                            entry.data_position
                        }
                    };
                    if position >= start {
                        break;
                    }
                }
                Ok(None)
            }
        }
    }

    /// Bytes of Data.db, uncompressed.
    pub(crate) fn data_len(&self) -> u64 {
        self.data_len
    }

    /// The error for a partition that does not start at `got`.
    #[cold]
    pub(crate) fn misled(&self, expected: &str, got: u64) -> Error {
        let file = match &self.index {
            Index::Big { entries, .. } => entries.file_name(),
            Index::Tries { partitions, .. } => partitions.file_name(),
        };
        Error::corrupt(file, None, "position of a partition in Data.db", expected, got)
    }
}

fn places_of_blocks(mut blocks: IndexBlocks) -> Result<Vec<RowPlace>> {
    let mut places = Vec::new();
    // A block tells what is open at its end.
    let mut open = DeletionTime::LIVE;
    while let Some(block) = blocks.next()? {
        places.push(RowPlace { offset: block.offset, open });
        open = block.open;
    }
    Ok(places)
}

fn places_of_rows(entry: &RowIndexEntry, rows: &mut Blocks) -> Result<Vec<RowPlace>> {
    let mut places = Vec::new();
    let mut blocks = entry.blocks();
    while let Some(block) = blocks.next(rows)? {
        places.push(RowPlace { offset: block.offset, open: block.open });
    }
    // The last one is the end of the partition.
    places.pop();
    Ok(places)
}

/// Where in Index.db the last sampled entry starts of those in front of the place that is looked for.
fn last_sample(summary: &mut Summary, is_before: impl Fn(&[u8]) -> bool) -> Result<u64> {
    let (mut low, mut high, mut found) = (0, summary.count, 0);
    while low < high {
        let middle = low + (high - low) / 2;
        let entry = summary.entry(middle)?;
        match is_before(&entry.key) {
            true => (low, found) = (middle + 1, entry.index_position),
            false => high = middle,
        }
    }
    Ok(found)
}

/// Goes to the first entry that is not in front of the place; whether there is one.
fn find_entry(
    entries: &mut IndexEntries,
    entry: &mut IndexEntry,
    is_before: impl Fn(&[u8]) -> bool,
) -> Result<bool> {
    loop {
        if !entries.next(entry)? {
            return Ok(false);
        }
        if !is_before(&entry.key) {
            return Ok(true);
        }
    }
}

fn land_in_tries(
    partitions: &mut Partitions,
    rows: &mut Blocks,
    position: RingPosition,
) -> Result<Option<Landing>> {
    let target = murmur3_position(position);
    partitions.seek(&target)?;
    let Some(entry) = partitions.next()? else { return Ok(None) };
    let data_position = match entry.place {
        Place::Data(position) => position,
        Place::Rows(at) => RowIndexEntry::read(rows, at)?.data_position,
    };
    let ring_position = start_of_prefix(&target, partitions.key_prefix()).unwrap_or(position);
    Ok(Some(Landing { ring_position, data_position }))
}

/// A key that is cut off within the token may stand in front of `target`, but not of the first token that
/// starts like it.
fn start_of_prefix(target: &[u8; 9], prefix: &[u8]) -> Option<RingPosition> {
    if prefix.len() >= target.len() || !target.starts_with(prefix) {
        return None;
    }
    let mut first = [0; 9];
    first[..prefix.len()].copy_from_slice(prefix);
    let [_, token @ ..] = first;
    Some(RingPosition(u128::from(u64::from_be_bytes(token))))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use outpour_cql::RingPosition;

    use crate::Sstable;
    use crate::golden::{Golden, options, sstables};
    use crate::read::Step;

    /// Where each partition of `sstable` stands on the ring and starts in its data.
    fn partitions(sstable: &Sstable, golden: &Golden) -> Vec<(RingPosition, u64)> {
        let options = options(64 << 20);
        let partitioner = sstable.partitioner().unwrap();
        let mut cursor =
            sstable.cursor(&golden.table, usize::MAX, &options.budget, &options.progress).unwrap();
        let mut found = Vec::new();
        loop {
            let at = cursor.offset();
            match cursor.step().unwrap() {
                Step::NeedData => cursor.refill().unwrap(),
                Step::Partition => {
                    let key = cursor.partition().key.of(cursor.bytes()).unwrap();
                    found.push((partitioner.ring_position(key), at));
                }
                Step::End => return found,
                _ => {}
            }
        }
    }

    #[test]
    fn landings_are_where_data_has_them() {
        let mut count = 0;
        for (case, golden) in Golden::all() {
            for files in sstables(golden.files.clone()) {
                let sstable = Sstable::open(&files).unwrap();
                let partitions = partitions(&sstable, &golden);
                let mut index = sstable.partition_index().unwrap();
                let mut places = BTreeSet::from([0, u128::from(u64::MAX), u128::MAX]);
                places.extend(partitions.iter().flat_map(|(p, _)| [p.0, p.0 + 1]));
                places.extend((0..50).map(|i: u128| i << 58));
                for place in places.into_iter().map(RingPosition) {
                    if place > sstable.partitioner().unwrap().last_position() {
                        continue;
                    }
                    let landing = index.land(place).unwrap();
                    assert!(landing.ring_position <= place, "{case}");
                    let behind = partitions.iter().find(|(p, _)| *p >= landing.ring_position);
                    let expected = behind.map_or(sstable.uncompressed_len(), |(_, at)| *at);
                    assert_eq!(landing.data_position, expected, "{case} {place:?}");
                    count += 1;
                }
            }
        }
        assert!(count > 10_000, "{count} landings");
    }
}
