//! The fragments of one SSTable, as they are in it: every cell with its times, every deletion; nothing
//! is merged, hidden or left out, and no schema is needed.

mod columns;
mod gather;
mod layout;
mod order;

use std::ops::ControlFlow;

use outpour_cql::{FragmentLayout, FragmentValues, PartitionFragment};
use outpour_run::{Budget, Cancel, Progress};

use crate::read::{Cursor, Step};
use crate::{Result, Sstable};

pub use gather::ScannedFragments;
use gather::{Consumer, Gather, NoCells};
use layout::FileLayout;
use order::KeyOrder;

/// What reading fragments needs besides the SSTable.
#[derive(Debug, Clone)]
pub struct FragmentOptions {
    /// What is kept of values
    pub values: FragmentValues,
    /// What the buffers are drawn from
    pub budget: Budget,
    /// Ends the reading early
    pub cancel: Cancel,
    /// Told of stored bytes and rows
    pub progress: Progress,
}

/// What to do with a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Hand it on
    Take,
    /// Read and check it, but leave it out
    Skip,
    /// End the reading before it
    Stop,
}

/// Reads one SSTable from its first to its last partition.
///
/// No partition is ever held whole, nor is a row's text: a batch may end anywhere.
pub struct Fragments {
    cursor: Cursor,
    gather: Gather,
    layout: FragmentLayout,
    has_statics: bool,
    order: KeyOrder,
    sstable: Sstable,
    cancel: Cancel,
    progress: Progress,
}

impl Fragments {
    /// Opens a cursor before the first partition of `sstable`.
    ///
    /// # Errors
    /// Unsupported for a type or partitioner that is not known, Limit if the budget has no room for
    /// the window.
    pub fn open(sstable: &Sstable, options: &FragmentOptions) -> Result<Self> {
        let (header, version) = (&sstable.statistics().header, sstable.descriptor().version);
        let file = FileLayout::new(header, version, sstable.statistics_name(), options.values)?;
        let gather = Gather::new(&file, options.values, &options.budget);
        let read_len = usize::try_from(options.budget.limit() / 8).unwrap_or(usize::MAX);
        options.progress.expect_bytes(sstable.data_len());
        Ok(Self {
            gather,
            has_statics: file.statics > 0,
            order: KeyOrder::new(sstable)?,
            sstable: sstable.clone(),
            cancel: options.cancel.clone(),
            progress: options.progress.clone(),
            layout: file.layout,
            cursor: sstable.cursor_by(file.plan, read_len, &options.budget, &options.progress)?,
        })
    }

    /// What the batches hold.
    #[must_use]
    pub fn layout(&self) -> &FragmentLayout {
        &self.layout
    }

    /// Hands all fragments of the partitions whose keys `choose` takes to `consumer`, until it says
    /// to stop.
    ///
    /// # Errors
    /// Corrupt and Io with the file and offset, Limit for a row that the budget has no room for,
    /// Cancelled. What was handed on until then is right, but not all.
    pub fn pour(
        mut self,
        choose: &mut dyn FnMut(&[u8]) -> Choice,
        consumer: &mut Consumer<'_>,
    ) -> Result<()> {
        loop {
            let start = self.cursor.offset();
            match self.step()? {
                Step::Partition => {}
                _ => return self.end(consumer),
            }
            let key = self.cursor.partition().key.of(self.cursor.bytes()).unwrap_or_default();
            self.order.check(key, &self.cursor)?;
            let poured = match choose(key) {
                Choice::Take => self.take_partition(start, consumer)?,
                Choice::Skip => self.skip_partition()?,
                Choice::Stop => return self.gather.emit(&self.cursor, consumer).map(drop),
            };
            if poured.is_break() {
                return Ok(());
            }
        }
    }

    /// Behind the last partition.
    fn end(&mut self, consumer: &mut Consumer<'_>) -> Result<()> {
        self.sstable.check_totals(&self.cursor.met())?;
        self.gather.emit(&self.cursor, consumer).map(drop)
    }

    /// Moves on; what was noted is appended before its places become void.
    #[inline]
    fn step(&mut self) -> Result<Step> {
        loop {
            match self.cursor.step()? {
                Step::NeedData => {
                    self.cancel.check()?;
                    self.gather.append(&self.cursor)?;
                    self.cursor.refill()?;
                }
                step => return Ok(step),
            }
        }
    }

    fn take_partition(
        &mut self,
        start: u64,
        consumer: &mut Consumer<'_>,
    ) -> Result<ControlFlow<()>> {
        self.gather.key(&self.cursor)?;
        let deletion = gather::deletion(self.cursor.partition().deletion);
        let static_start = self.cursor.offset();
        let is_static = self.has_statics && self.step()? == Step::Static;
        let rows_start = self.cursor.offset();
        self.gather.partition(PartitionFragment { start, rows_start, deletion });
        if is_static {
            let place = (static_start, rows_start);
            let Self { gather, cursor, .. } = self;
            if gather.row(cursor, place, true, consumer)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.take_rows(consumer)
    }

    fn take_rows(&mut self, consumer: &mut Consumer<'_>) -> Result<ControlFlow<()>> {
        loop {
            let start = self.cursor.offset();
            let step = self.step()?;
            let Self { gather, cursor, .. } = self;
            let place = (start, cursor.offset());
            let mut poured = ControlFlow::Continue(());
            match (step, cursor.bound()) {
                (Step::Row, _) => {
                    self.progress.add_rows(1);
                    poured = gather.row(cursor, place, false, consumer)?;
                }
                (Step::Marker, Some(bound)) => gather.marker(cursor, bound, place),
                _ => gather.partition_end(),
            }
            if poured.is_continue() && gather.is_due() {
                poured = gather.emit(cursor, consumer)?;
            }
            if poured.is_break() || !matches!(step, Step::Row | Step::Marker) {
                return Ok(poured);
            }
        }
    }

    /// Reads the partition for its checks and totals alone.
    fn skip_partition(&mut self) -> Result<ControlFlow<()>> {
        loop {
            match self.step()? {
                Step::Static => self.cursor.walk_cells(true, &mut NoCells)?,
                Step::Row => self.cursor.walk_cells(false, &mut NoCells)?,
                Step::Marker => {}
                _ => return Ok(ControlFlow::Continue(())),
            }
        }
    }
}
