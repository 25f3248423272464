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
    Bti { partitions: Partitions, rows: Blocks, version: Version },
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
    pub(crate) fn bti(
        partitions: Arc<dyn ReadAt>,
        rows: Arc<dyn ReadAt>,
        version: Version,
        data_len: u64,
    ) -> Result<Self> {
        let (partitions, rows) = (Partitions::open(partitions)?, Blocks::scattered(rows));
        Ok(Self { index: Index::Bti { partitions, rows, version }, data_len, previous: None })
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
            Self::Bti { partitions, rows, version } => {
                let Some(entry) = partitions.next()? else { return Ok(None) };
                let position = match entry.place {
                    Place::Data(position) => position,
                    Place::Rows(at) => RowIndexEntry::read(rows, at, *version)?.data_position,
                };
                Ok(Some(Start { position, told_at: entry.at }))
            }
        }
    }

    fn file_name(&self) -> &str {
        match self {
            Self::Big { entries, .. } => entries.file_name(),
            Self::Bti { partitions, .. } => partitions.file_name(),
        }
    }
}
