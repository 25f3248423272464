//! Whether the other components of an SSTable tell what its data holds, and whether that stands in order.

mod big;
mod bti;
mod clustering;
mod filter;
mod order;
mod statistics;
mod summary;
#[cfg(test)]
mod tests;
mod tokens;

use std::fmt;

use outpour_cql::Table;

use crate::format::clustering::{BoundKind, ClusteringPrefix};
use crate::read::{Cursor, Span, Step};
use crate::{Component, DeletionTime, Error, Result, ScanOptions, Sstable, SstableFiles};

use big::BigCheck;
use bti::BtiCheck;
use filter::FilterCheck;
use order::OrderCheck;
use statistics::StatisticsCheck;
use tokens::TokenCheck;

pub use tokens::TokenRange;

/// The first bytes of a key, for messages.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

/// Bytes of a key that a message shows.
const SHOWN_LEN: usize = 32;

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.get(..SHOWN_LEN).unwrap_or(self.0);
        f.write_str("0x")?;
        for byte in shown {
            write!(f, "{byte:02x}")?;
        }
        match shown.len() < self.0.len() {
            true => write!(f, "… of {} bytes", self.0.len()),
            false => Ok(()),
        }
    }
}

/// A partition that Data.db holds.
struct PartitionAt<'a> {
    /// Where it starts in the uncompressed bytes
    start: u64,
    key: &'a [u8],
    deletion: DeletionTime,
}

/// A row or marker of the partition; places count from the partition's start.
struct UnfilteredAt<'a> {
    start: u64,
    end: u64,
    /// `None`: a row
    bound: Option<BoundKind>,
    clustering: &'a [Span],
    /// What the places of `clustering` lie in
    bytes: &'a [u8],
    open_before: DeletionTime,
    /// The range tombstone that a marker ends, if it ends one
    closed: DeletionTime,
    open_behind: DeletionTime,
}

impl UnfilteredAt<'_> {
    fn has_prefix(&self, prefix: &ClusteringPrefix) -> bool {
        prefix.is(self.bound, self.clustering, self.bytes)
    }
}

/// Compares one component with Data.db, which is told to it step by step. Its first error ends it.
trait Check {
    fn partition(&mut self, partition: &PartitionAt<'_>) -> Result<()>;

    fn unfiltered(&mut self, _unfiltered: &UnfilteredAt<'_>) -> Result<()> {
        Ok(())
    }

    /// The partition has `len` bytes.
    fn partition_end(&mut self, _len: u64) -> Result<()> {
        Ok(())
    }

    /// The cursor stands on a row, or on the static row of the partition.
    fn row(&mut self, _cursor: &Cursor, _is_static: bool) -> Result<()> {
        Ok(())
    }

    /// There are no more partitions. Returns what is wrong besides.
    fn end(&mut self) -> Result<Vec<Error>> {
        Ok(Vec::new())
    }
}

/// Checks that have not failed, and what is wrong.
#[derive(Default)]
struct Checks {
    running: Vec<Box<dyn Check>>,
    found: Vec<Error>,
}

impl Checks {
    fn add<C: Check + 'static>(&mut self, opened: Result<C>) {
        match opened {
            Ok(check) => self.running.push(Box::new(check)),
            Err(e) => self.found.push(e),
        }
    }

    fn end(&mut self) {
        for mut check in self.running.drain(..) {
            match check.end() {
                Ok(found) => self.found.extend(found),
                Err(e) => self.found.push(e),
            }
        }
    }

    fn each(&mut self, tell: impl Fn(&mut dyn Check) -> Result<()>) {
        let found = &mut self.found;
        self.running.retain_mut(|check| match tell(check.as_mut()) {
            Ok(()) => true,
            Err(e) => {
                found.push(e);
                false
            }
        });
    }
}

/// Reads all of Data.db, and beside it each index and Statistics.db. If there are `ranges`, each token must
/// lie in one of them.
pub(crate) fn check_content(
    sstable: &Sstable,
    files: &SstableFiles,
    table: &Table,
    ranges: &[TokenRange],
    options: &ScanOptions,
) -> Vec<Error> {
    let mut checks = Checks::default();
    options.progress.expect_bytes(sstable.data_len());
    let read =
        sstable.cursor(table, usize::MAX, &options.budget, &options.progress).and_then(|cursor| {
            checks.open(sstable, files, &cursor, options);
            if !ranges.is_empty() {
                checks.add(TokenCheck::new(sstable, ranges));
            }
            walk(cursor, options, &mut checks)
        });
    if files.has(&Component::Summary)
        && let Err(e) = summary::check(files)
    {
        checks.found.push(e);
    }
    checks.found.extend(read.err());
    checks.found
}

impl Checks {
    fn open(
        &mut self,
        sstable: &Sstable,
        files: &SstableFiles,
        cursor: &Cursor,
        options: &ScanOptions,
    ) {
        match files.descriptor().version.has_tries() {
            false => self.add(BigCheck::open(files, cursor.clustering_widths().to_vec())),
            true => self.add(BtiCheck::open(sstable, files)),
        }
        if files.has(&Component::Filter) {
            self.add(FilterCheck::open(files, &options.budget));
        }
        self.add(OrderCheck::new(sstable));
        self.add(StatisticsCheck::new(sstable, files));
    }
}

fn walk(mut cursor: Cursor, options: &ScanOptions, checks: &mut Checks) -> Result<()> {
    let (mut partition_at, mut open) = (0, DeletionTime::LIVE);
    loop {
        let start = cursor.offset();
        let step = cursor.step()?;
        let end = cursor.offset();
        match step {
            Step::NeedData => {
                options.cancel.check()?;
                cursor.refill()?;
            }
            Step::Partition => {
                (partition_at, open) = (start, DeletionTime::LIVE);
                tell_partition(&cursor, start, checks);
            }
            Step::Static => checks.each(|check| check.row(&cursor, true)),
            Step::Row | Step::Marker => {
                if step == Step::Row {
                    checks.each(|check| check.row(&cursor, false));
                }
                let place = (start - partition_at, end - partition_at);
                tell_unfiltered(&cursor, place, open, checks);
                open = cursor.open_deletion();
            }
            Step::PartitionEnd => checks.each(|check| check.partition_end(end - partition_at)),
            Step::End => {
                checks.end();
                return Ok(());
            }
        }
    }
}

fn tell_partition(cursor: &Cursor, start: u64, checks: &mut Checks) {
    let head = cursor.partition();
    let key = head.key.of(cursor.bytes()).unwrap_or_default();
    let partition = PartitionAt { start, key, deletion: head.deletion };
    checks.each(|check| check.partition(&partition));
}

fn tell_unfiltered(
    cursor: &Cursor,
    (start, end): (u64, u64),
    open_before: DeletionTime,
    checks: &mut Checks,
) {
    let unfiltered = UnfilteredAt {
        start,
        end,
        bound: cursor.bound(),
        clustering: cursor.clustering(),
        bytes: cursor.bytes(),
        open_before,
        closed: cursor.closed_deletion(),
        open_behind: cursor.open_deletion(),
    };
    checks.each(|check| check.unfiltered(&unfiltered));
}
