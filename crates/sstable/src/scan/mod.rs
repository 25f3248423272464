//! All rows of a table, merged over its SSTables, as batches.

mod assembler;
mod bounds;
mod coverage;
mod foothold;
mod part;
mod partition;
mod portion;
mod skip;
mod sources;
mod split;
mod splits;
#[cfg(test)]
mod tests;

use outpour_cql::{Batch, Table};
use outpour_filter::ClusteringRange;
use outpour_run::{Budget, Cancel, Progress, Reservation};

use crate::merge::{ClusteringOrder, MergedRow, Position};
use crate::read::Step;
use crate::rows::Projection;
use crate::{Error, Result, Sstable};

use assembler::Assembler;
use partition::Partition;
use sources::Sources;

pub use coverage::{Audit, Coverage};
pub use split::Split;
pub use splits::Splits;

/// What a scan needs besides its table.
#[derive(Debug, Clone)]
pub struct ScanOptions {
    /// Seconds since 1970: what expires then or before is not shown
    pub now: i64,
    /// What the scan's buffers are drawn from
    pub budget: Budget,
    /// Ends the scan early
    pub cancel: Cancel,
    /// Told of stored bytes and rows
    pub progress: Progress,
    /// Whether damaged parts of an SSTable are left out, and told by [`Scan::take_losses`]; else they
    /// are errors
    pub skip_corrupt: bool,
    /// Scans that share the budget at the same time
    pub parallel: usize,
    /// Only rows that anything was written to after this time, in microseconds since 1970: a cell, the row
    /// itself, a deletion of a cell, or a static cell
    pub since: Option<i64>,
    /// The rows of each partition that are wanted; others may be shown all the same
    pub rows: ClusteringRange,
}

impl ScanOptions {
    /// Whether all that is in the partitions is decoded, so that it can be judged by totals.
    #[must_use]
    pub fn is_of_all_rows(&self) -> bool {
        self.since.is_none() && self.rows == ClusteringRange::default()
    }
}

/// A batch, and its share of the budget for as long as it is kept.
#[derive(Debug)]
pub struct ScannedBatch {
    /// The rows
    pub batch: Batch,
    /// Dropped with the batch
    pub reservation: Reservation,
}

/// Reads all rows of a table in token order.
///
/// Partitions that only one SSTable has, and rows that only one version exists of, are decoded
/// straight into columns; only what overlaps is reconciled.
pub struct Scan {
    sources: Sources,
    /// The cursors that are in the current partition
    group: Vec<usize>,
    partition: Partition,
    order: ClusteringOrder,
    merged: MergedRow,
    /// The cursors that stand on versions of one row
    ties: Vec<usize>,
    assembler: Assembler,
    cancel: Cancel,
    is_done: bool,
}

impl Scan {
    /// Opens a cursor on each of `sstables`, which all belong to `table`, to read all partitions.
    ///
    /// # Errors
    /// Invalid if the schema does not fit a file or the files' partitioners differ, Limit if the
    /// budget has no room for the windows.
    pub fn new(
        table: &Table,
        sstables: &[Sstable],
        projection: &Projection,
        options: &ScanOptions,
    ) -> Result<Self> {
        Self::of_split(table, sstables, &Split::whole(sstables.len()), projection, options)
    }

    /// Opens a cursor on each of `sstables`, which all belong to `table`, to read the partitions of
    /// `split`. What comes of it is right only if an [`Audit`] finds that the split is.
    ///
    /// # Errors
    /// As of [`Scan::new`], and those of [`Scan::next_batch`].
    pub fn of_split(
        table: &Table,
        sstables: &[Sstable],
        split: &Split,
        projection: &Projection,
        options: &ScanOptions,
    ) -> Result<Self> {
        Ok(Self {
            sources: Sources::open(table, sstables, split, options)?,
            group: Vec::new(),
            partition: Partition::new(table),
            order: ClusteringOrder::new(table),
            merged: MergedRow::new(table),
            ties: Vec::new(),
            assembler: Assembler::new(table, projection, options)?,
            cancel: options.cancel.clone(),
            is_done: false,
        })
    }

    /// The next rows; `None` behind the last one.
    ///
    /// # Errors
    /// Corrupt and Io with the file and offset, Limit for a row that the budget has no room for,
    /// Cancelled.
    pub fn next_batch(&mut self) -> Result<Option<ScannedBatch>> {
        self.cancel.check()?;
        while !self.assembler.is_batch_due() && !self.is_done {
            if self.group.is_empty() {
                self.is_done = !self.start_partition()?;
            } else {
                self.continue_partition()?;
            }
        }
        if self.is_done {
            self.assembler.flush(&mut self.partition, self.sources.cursors())?;
        }
        self.assembler.take_batch()
    }

    /// What was left out so far because it is damaged, a line each.
    pub fn take_losses(&mut self) -> Vec<String> {
        self.take_damage().iter().map(Error::to_string).collect()
    }

    /// The same, as errors.
    pub fn take_damage(&mut self) -> Vec<Error> {
        self.sources.take_losses()
    }

    /// What was read so far; of all of its split behind the last batch.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        self.sources.coverage()
    }

    fn start_partition(&mut self) -> Result<bool> {
        let Self { sources, group, assembler, partition, .. } = self;
        let found = sources.next_partition(group, |cursors| assembler.flush(partition, cursors))?;
        if !found {
            return Ok(false);
        }
        if sources.are_old(group) {
            sources.pass_all_over(group, |cursors| assembler.flush(partition, cursors))?;
            group.clear();
            return Ok(true);
        }
        let deletion = group.iter().map(|i| sources.cursor(*i).partition().deletion).max();
        let Some(first) = group.first() else { return Ok(false) };
        let cursor = sources.cursor(*first);
        let key = cursor.partition().key;
        let outputs = self.assembler.outputs();
        partition.begin(key.of(cursor.bytes()).unwrap_or_default(), deletion, outputs).map_err(
            |expected| {
                cursor.value_error(key, "partition key", expected, format!("{} bytes", key.len()))
            },
        )?;
        for i in self.group.clone() {
            self.settle(i)?;
        }
        self.merge_static_rows()?;
        self.drop_ended();
        Ok(true)
    }

    /// Moves cursor `i` to its next step and remembers it.
    fn settle(&mut self, i: usize) -> Result<Step> {
        let Self { sources, assembler, partition, .. } = self;
        sources.settle(i, |cursors| assembler.flush(partition, cursors))
    }

    fn merge_static_rows(&mut self) -> Result<()> {
        let has_static = |i: &usize| self.sources.step(*i) == Step::Static;
        self.ties = self.group.iter().copied().filter(has_static).collect();
        if self.ties.is_empty() {
            return Ok(());
        }
        let Self { sources, ties, assembler, partition, merged, .. } = self;
        assembler.static_row(partition, sources.cursors(), ties, merged)?;
        for i in self.ties.clone() {
            self.settle(i)?;
        }
        Ok(())
    }

    /// Takes the next row or markers of the partition.
    fn continue_partition(&mut self) -> Result<()> {
        match *self.group.as_slice() {
            [only] => self.run_single(only)?,
            _ => self.merge_next()?,
        }
        self.drop_ended();
        Ok(())
    }

    /// Reads on in a partition that only one SSTable has (left).
    fn run_single(&mut self, i: usize) -> Result<()> {
        loop {
            match self.sources.step(i) {
                Step::Row => {
                    let Self { sources, assembler, partition, .. } = self;
                    let open = sources.open_deletion(i);
                    assembler.row(partition, sources.cursors(), i, open)?;
                }
                Step::Marker => {}
                _ => return Ok(()),
            }
            self.settle(i)?;
            if self.assembler.is_batch_due() {
                return Ok(());
            }
        }
    }

    fn merge_next(&mut self) -> Result<()> {
        self.find_ties();
        let Self { sources, ties, assembler, partition, merged, group, .. } = self;
        let Some(first) = ties.first().copied() else { return Ok(()) };
        if sources.step(first) == Step::Row {
            let open = group.iter().map(|i| sources.open_deletion(*i)).max();
            let open = open.unwrap_or(crate::DeletionTime::LIVE);
            match ties.as_slice() {
                [only] => assembler.row(partition, sources.cursors(), *only, open)?,
                _ => assembler.merged_row(partition, sources.cursors(), ties, merged, open)?,
            }
        }
        for n in 0..self.ties.len() {
            self.settle(self.ties[n])?;
        }
        Ok(())
    }

    /// Finds the cursors of the group that stand first.
    fn find_ties(&mut self) {
        let Self { sources, ties, group, order, .. } = self;
        ties.clear();
        for i in group.iter().copied() {
            let Some(first) = ties.first() else {
                ties.push(i);
                continue;
            };
            let (a, b) = (sources.cursor(i), sources.cursor(*first));
            match order.compare(Position::of(a), Position::of(b)) {
                std::cmp::Ordering::Less => {
                    ties.clear();
                    ties.push(i);
                }
                std::cmp::Ordering::Equal => ties.push(i),
                std::cmp::Ordering::Greater => {}
            }
        }
    }

    /// Leaves cursors behind that have reached the partition's end, and the partition after all.
    fn drop_ended(&mut self) {
        let Self { sources, group, .. } = self;
        group.retain(|i| {
            let ended = sources.step(*i) == Step::PartitionEnd;
            if ended {
                sources.leave_partition(*i);
            }
            !ended
        });
        if self.group.is_empty() {
            self.assembler.end_partition(&mut self.partition);
        }
    }
}
