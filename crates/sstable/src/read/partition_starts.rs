use std::sync::Arc;

use outpour_storage::ReadAt;

use super::Blocks;
use crate::format::index::{IndexEntries, IndexEntry};
use crate::format::partitions::{Partitions, Place};
use crate::format::row_index::RowIndexEntry;
use crate::{Error, Result, Version};

/// Where the partitions of an SSTable start in the uncompressed bytes of Data.db, by its index.
#[derive(Debug)]
pub(crate) struct PartitionStarts {
    index: Index,
    data_len: u64,
    previous: Option<u64>,
}

#[derive(Debug)]
enum Index {
    Big { entries: IndexEntries, entry: IndexEntry },
    Tries { partitions: Partitions, rows: Blocks },
}

/// A start, and where the index tells it.
struct Start {
    position: u64,
    told_at: u64,
}

impl PartitionStarts {
    /// By Index.db; Data.db has `data_len` bytes, uncompressed.
    pub(crate) fn big(index: Arc<dyn ReadAt>, version: Version, data_len: u64) -> Self {
        let entries = IndexEntries::new(index, version);
        let index = Index::Big { entries, entry: IndexEntry::default() };
        Self { index, data_len, previous: None }
    }

    /// By Partitions.db and Rows.db.
    ///
    /// # Errors
    /// Corrupt for a damaged footer, Io.
    pub(crate) fn tries(
        partitions: Arc<dyn ReadAt>,
        rows: Arc<dyn ReadAt>,
        data_len: u64,
    ) -> Result<Self> {
        let (partitions, rows) = (Partitions::open(partitions)?, Blocks::scattered(rows));
        Ok(Self { index: Index::Tries { partitions, rows }, data_len, previous: None })
    }

    /// The next start, behind the one before; `None` behind the last one.
    ///
    /// # Errors
    /// Corrupt for a damaged index, Io.
    pub(crate) fn next(&mut self) -> Result<Option<u64>> {
        let Some(start) = self.index.next()? else { return Ok(None) };
        let is_behind = self.previous.is_none_or(|previous| start.position > previous);
        if !is_behind || start.position >= self.data_len {
            let from = self.previous.map_or(0, |previous| previous + 1);
            return Err(Error::corrupt(
                self.index.file_name(),
                start.told_at,
                "position of a partition in Data.db",
                format!("{from} to {}", self.data_len),
                start.position,
            ));
        }
        self.previous = Some(start.position);
        Ok(self.previous)
    }
}

impl Index {
    fn next(&mut self) -> Result<Option<Start>> {
        match self {
            Self::Big { entries, entry } => {
                let found = entries.next(entry)?;
                Ok(found.then_some(Start { position: entry.data_position, told_at: entry.at }))
            }
            Self::Tries { partitions, rows } => {
                let Some(entry) = partitions.next()? else { return Ok(None) };
                let position = match entry.place {
                    Place::Data(position) => position,
                    Place::Rows(at) => RowIndexEntry::read(rows, at)?.data_position,
                };
                Ok(Some(Start { position, told_at: entry.at }))
            }
        }
    }

    fn file_name(&self) -> &str {
        match self {
            Self::Big { entries, .. } => entries.file_name(),
            Self::Tries { partitions, .. } => partitions.file_name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::golden::{Golden, options, sstables};
    use crate::read::Step;
    use crate::{ErrorKind, Result, Sstable};

    fn all_starts(sstable: &Sstable) -> Result<Vec<u64>> {
        let mut starts = sstable.partition_starts()?;
        std::iter::from_fn(|| starts.next().transpose()).collect()
    }

    #[test]
    fn partitions_start_where_data_has_them() {
        let mut count = 0;
        for (case, golden) in Golden::all() {
            for sstable in sstables(golden.files).iter().map(|files| Sstable::open(files).unwrap())
            {
                let options = options(64 << 20);
                let (budget, progress) = (&options.budget, &options.progress);
                let mut cursor =
                    sstable.cursor(&golden.table, usize::MAX, budget, progress).unwrap();
                let mut expected = Vec::new();
                loop {
                    let at = cursor.offset();
                    match cursor.step().unwrap() {
                        Step::NeedData => cursor.refill().unwrap(),
                        Step::Partition => expected.push(at),
                        Step::End => break,
                        _ => {}
                    }
                }
                assert_eq!(all_starts(&sstable).unwrap(), expected, "{case} {}", sstable.name());
                count += expected.len();
            }
        }
        assert!(count > 5000, "{count} partitions");
    }

    #[test]
    fn starts_ascend_within_the_data() {
        let golden = Golden::open("basic_oa");
        let name = "oa-1-big-Index.db";
        let index = golden.content(name);
        let entry = &index[..8];
        let mut far = index.clone();
        far[23..25].copy_from_slice(&[0xbf, 0xff]);
        for (bytes, offset) in [([entry, entry].concat(), 8), (far, 17)] {
            let sstable = Sstable::open(&sstables(golden.with(name, bytes))[0]).unwrap();
            let error = all_starts(&sstable).unwrap_err();
            assert_eq!(
                (error.kind(), error.offset()),
                (ErrorKind::Corrupt, Some(offset)),
                "{error}"
            );
        }
    }
}
