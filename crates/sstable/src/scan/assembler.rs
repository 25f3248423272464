use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use outpour_cql::{Batch, CellError, ColumnBuilder, OutputColumn, Table};
use outpour_run::{Budget, Progress, Reservation};

use super::partition::Partition;
use super::{ScanOptions, ScannedBatch};
use crate::format::deletion::{DeletionTime, RowDeletion};
use crate::format::unfiltered::Liveness;
use crate::merge::{Fragment, MergedRow};
use crate::read::{CellVisitor, Cursor, Span, Stop};
use crate::rows::{
    Block, CellPlace, ElementTimes, LiveCells, Noted, Outputs, Projection, Refused, RowContext,
    SIDE,
};
use crate::{Error, Result};

/// A batch is handed on when it has so many rows,
const BATCH_ROWS: usize = 8192;
/// or so many bytes, if there is room:
const BATCH_LEN: usize = 4 << 20;
/// a batch takes no larger part of the budget, since some wait in queues, as rows or as text.
const BATCH_SHARE: u64 = 32;

/// Makes batches of the rows of partitions.
pub(super) struct Assembler {
    columns: Vec<OutputColumn>,
    schema: SchemaRef,
    outputs: Outputs,
    builders: Vec<Box<dyn ColumnBuilder>>,
    block: Block,
    times: ElementTimes,
    /// Rows in the builders
    rows: usize,
    /// Bytes in the builders
    len: usize,
    now: i64,
    since: Option<i64>,
    strict_liveness: bool,
    /// Bytes at which a batch is due
    batch_len: usize,
    /// For what is in the builders
    reservation: Reservation,
    budget: Budget,
    progress: Progress,
}

impl Assembler {
    pub(super) fn new(
        table: &Table,
        projection: &Projection,
        options: &ScanOptions,
    ) -> Result<Self> {
        let columns = projection.columns().to_vec();
        let fields: Vec<_> = columns.iter().map(|column| projection.field(column)).collect();
        let share = usize::try_from(options.budget.limit() / BATCH_SHARE).unwrap_or(BATCH_LEN);
        let batch_len = share.min(BATCH_LEN);
        Ok(Self {
            schema: Arc::new(Schema::new(fields)),
            outputs: Outputs::new(projection, table),
            builders: columns.iter().map(|column| projection.builder(column)).collect(),
            block: Block::new(columns.len()),
            columns,
            times: ElementTimes::default(),
            rows: 0,
            len: 0,
            now: options.now,
            since: options.since,
            strict_liveness: table.view.as_ref().is_some_and(|view| view.strict_liveness),
            batch_len,
            reservation: options.budget.reserve(batch_len as u64, "rows of a batch")?,
            budget: options.budget.clone(),
            progress: options.progress.clone(),
        })
    }

    pub(super) fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// Whether a batch should be taken before the next row.
    #[inline]
    pub(super) fn is_batch_due(&self) -> bool {
        self.rows >= BATCH_ROWS || self.len >= self.batch_len
    }

    /// A row that only cursor `i` has; `open` is the range tombstone over it.
    #[inline]
    pub(super) fn row(
        &mut self,
        partition: &mut Partition,
        cursors: &[Cursor],
        i: usize,
        open: DeletionTime,
    ) -> Result<()> {
        self.make_room(partition, cursors)?;
        let (cursor, head) = (&cursors[i], cursors[i].row());
        let context = self.context(partition, open, &head.deletion, &head.liveness, i as u32 + 1);
        let mut cells = LiveCells::new(context, &self.outputs, &mut self.block, &mut self.times);
        cursor.walk_cells(false, &mut cells)?;
        let noted = cells.noted();
        self.end_row(partition, cursors, i, (&head.liveness, context), noted);
        Ok(())
    }

    /// A row that all cursors of `ties` have a version of.
    pub(super) fn merged_row(
        &mut self,
        partition: &mut Partition,
        cursors: &[Cursor],
        ties: &[usize],
        merged: &mut MergedRow,
        open: DeletionTime,
    ) -> Result<()> {
        self.make_room(partition, cursors)?;
        merged.begin(false);
        ties.iter().for_each(|i| merged.add_head(&cursors[*i]));
        let liveness = *merged.liveness();
        let context = self.context(partition, open, merged.deletion(), &liveness, SIDE);
        for i in ties {
            merged.add_cells(*i, cursors, context.deleted_until)?;
        }
        let noted = self.merged_cells(cursors, merged, context)?;
        // Of clustering values that are equal and differ in their bytes (1.0, 1.00) the newest are shown.
        if let Some(newest) = ties.last() {
            self.end_row(partition, cursors, *newest, (&liveness, context), noted);
        }
        Ok(())
    }

    /// The static row, of which all cursors of `ties` have a version.
    pub(super) fn static_row(
        &mut self,
        partition: &mut Partition,
        cursors: &[Cursor],
        ties: &[usize],
        merged: &mut MergedRow,
    ) -> Result<()> {
        self.make_room(partition, cursors)?;
        merged.begin(true);
        let context = RowContext {
            now: self.now,
            deleted_until: partition.deletion.marked_for_delete_at,
            buffer: SIDE,
            is_static: true,
        };
        for i in ties {
            merged.add_cells(*i, cursors, context.deleted_until)?;
        }
        let noted = self.merged_cells(cursors, merged, context)?;
        partition.has_live_static = noted.has_live;
        partition.static_newest = noted.newest;
        self.keep_static_values(partition, cursors);
        self.block.discard_row();
        Ok(())
    }

    /// Static values were noted as those of a row: they become values of the partition.
    fn keep_static_values(&mut self, partition: &mut Partition, cursors: &[Cursor]) {
        for outputs in &self.outputs.statics {
            for output in [outputs.value, outputs.write_time, outputs.ttl].into_iter().flatten() {
                let place = self.block.get(output);
                let value = match place.buffer {
                    SIDE => place.span.of(&self.block.side),
                    cursor => place.span.of(cursors[cursor as usize - 1].bytes()),
                };
                let Some(value) = value else { continue };
                let at = partition.arena.len();
                partition.arena.extend_from_slice(value);
                partition.values.push((output, Span::new(at, value.len())));
            }
        }
        partition.copied_to = None;
    }

    /// Notes the live cells of a merged row.
    fn merged_cells(
        &mut self,
        cursors: &[Cursor],
        merged: &mut MergedRow,
        context: RowContext,
    ) -> Result<Noted> {
        let mut live = LiveCells::new(context, &self.outputs, &mut self.block, &mut self.times);
        let walked = merged.walk_columns(cursors, |plan, deletion, fragments, contexts| {
            let buffer_number = |f: &Fragment| f.cursor.map_or(SIDE, |cursor| cursor + 1);
            if plan.kind.is_multi_cell() {
                live.begin_complex(plan, deletion);
                for fragment in fragments {
                    live.element(plan, fragment.buffer(cursors, contexts), &fragment.cell)?;
                }
                live.end_complex(plan);
            } else if let Some(fragment) = fragments.first() {
                live.set_buffer(buffer_number(fragment));
                live.simple(plan, fragment.buffer(cursors, contexts), &fragment.cell)?;
            }
            Ok(())
        });
        let noted = live.noted();
        match walked {
            Ok(()) => Ok(noted),
            Err(stop) => Err(merge_error(cursors, stop)),
        }
    }

    fn context(
        &self,
        partition: &Partition,
        open: DeletionTime,
        row_deletion: &RowDeletion,
        liveness: &Liveness,
        buffer: u32,
    ) -> RowContext {
        let row_deletion = row_deletion.of_row_written_at(liveness.timestamp);
        let deletion = partition.deletion.max(open).max(row_deletion);
        RowContext {
            now: self.now,
            deleted_until: deletion.marked_for_delete_at,
            buffer,
            is_static: false,
        }
    }

    /// Keeps the noted row if it is to be seen, with its key columns.
    #[inline]
    fn end_row(
        &mut self,
        partition: &mut Partition,
        cursors: &[Cursor],
        i: usize,
        (liveness, context): (&Liveness, RowContext),
        noted: Noted,
    ) {
        let is_written = liveness.timestamp > context.deleted_until;
        let is_live = is_written && liveness.is_live_row(self.now);
        if !is_live && (self.strict_liveness || !noted.has_live) {
            self.block.discard_row();
            return;
        }
        partition.has_live_row = true;
        if let Some(since) = self.since {
            let newest = noted.newest.max(partition.static_newest);
            if newest <= since && !(is_written && liveness.timestamp > since) {
                self.block.discard_row();
                return;
            }
        }
        self.set_partition_values(partition);
        let clustering = cursors[i].clustering();
        for (component, output) in &self.outputs.clustering {
            let span = clustering.get(*component).copied().unwrap_or(Span::NULL);
            self.block.set(*output, CellPlace { buffer: i as u32 + 1, span });
        }
        self.block.commit_row();
    }

    fn set_partition_values(&mut self, partition: &mut Partition) {
        let base = match partition.copied_to {
            Some(base) => base,
            None => self.block.own(&partition.arena).span.start(),
        };
        partition.copied_to = Some(base);
        for (output, span) in &partition.values {
            let place = CellPlace { buffer: SIDE, span: span.moved_by(base) };
            self.block.set(*output, place);
        }
    }

    /// A partition without rows to be seen shows its static values, if any lives.
    pub(super) fn end_partition(&mut self, partition: &mut Partition) {
        let is_new = self.since.is_none_or(|since| partition.static_newest > since);
        if partition.has_live_static && !partition.has_live_row && is_new {
            self.set_partition_values(partition);
            self.block.commit_row();
        }
    }

    #[inline]
    fn make_room(&mut self, partition: &mut Partition, cursors: &[Cursor]) -> Result<()> {
        if self.block.is_full() { self.flush(partition, cursors) } else { Ok(()) }
    }

    /// Appends the noted rows to the columns.
    pub(super) fn flush(&mut self, partition: &mut Partition, cursors: &[Cursor]) -> Result<()> {
        let rows = self.block.rows();
        if rows == 0 {
            return Ok(());
        }
        let windows: Vec<_> = cursors.iter().map(Cursor::bytes).collect();
        self.block
            .append_to(&mut self.builders, &windows)
            .map_err(|refused| refused_value(&self.columns, cursors, refused))?;
        partition.copied_to = None;
        self.rows += rows;
        self.len = self.builders.iter().map(|builder| builder.bytes()).sum();
        self.reservation.resize(self.len.max(self.batch_len) as u64)?;
        Ok(())
    }

    /// The rows appended so far; `None` if there are none.
    pub(super) fn take_batch(&mut self) -> Result<Option<ScannedBatch>> {
        if self.rows == 0 {
            return Ok(None);
        }
        let reservation = self.budget.reserve(self.len as u64, "a batch of rows")?;
        let values: Vec<_> = self.builders.iter_mut().map(|builder| builder.finish()).collect();
        let empties = values.iter().map(|values| values.empties.clone()).collect();
        let arrays = values.into_iter().map(|values| values.array).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        let record = RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options);
        // Builders and schema come from the same projection, and all have taken the same rows.
        let record = record.unwrap_or_else(|e| unreachable!("columns of one scan: {e}"));
        self.progress.add_rows(self.rows as u64);
        self.rows = 0;
        self.len = 0;
        self.reservation.resize(self.batch_len as u64)?;
        Ok(Some(ScannedBatch { batch: Batch { record, empties }, reservation }))
    }
}

#[cold]
fn merge_error(cursors: &[Cursor], stop: Stop) -> Error {
    let file = cursors.first().map_or("", |cursor| cursor.file_name());
    match stop {
        Stop::Incomplete => Error::corrupt(file, None, "merged row", "whole values", "parts"),
        Stop::Corrupt(corrupt) => {
            Error::corrupt(file, None, corrupt.what, corrupt.expected, corrupt.got)
        }
    }
}

#[cold]
fn refused_value(columns: &[OutputColumn], cursors: &[Cursor], refused: Refused) -> Error {
    let Refused { output, place, error: CellError { expected, got, .. } } = refused;
    let column = columns.get(output).map_or("", |column| column.name.as_str());
    match place.buffer {
        SIDE => {
            let file = cursors.first().map_or("", |cursor| cursor.file_name());
            Error::corrupt(file, None, format!("value of column {column}"), expected, got)
        }
        cursor => cursors[cursor as usize - 1].value_error(
            place.span,
            &format!("value of column {column}"),
            expected,
            got,
        ),
    }
}
