use std::ops::ControlFlow;

use outpour_cql::{
    Bound, BoundFragment, CellValues, Deletion, Fragment, FragmentBatch, FragmentLayout,
    FragmentValues, PartitionFragment, RowFragment, Times,
};
use outpour_run::{Budget, Reservation};

use super::columns::Columns;
use super::layout::FileLayout;
use crate::format::clustering::BoundKind;
use crate::format::partition_key;
use crate::format::unfiltered::{Liveness, RawCell};
use crate::read::{CellVisitor, ColumnPlan, Cursor, Span, Stop};
use crate::{DeletionTime, Result};

/// Fragments of a batch: enough that a column's start costs nothing, few enough for the L2 cache.
const FRAGMENTS_MAX: usize = 8 << 10;
/// Bytes of values of a batch, but for one that is larger alone.
const BYTES_MAX: usize = 1 << 20;

/// A batch, and its share of the budget for as long as it is kept.
#[derive(Debug)]
pub struct ScannedFragments {
    /// The fragments
    pub batch: FragmentBatch,
    /// Dropped with the batch
    pub reservation: Reservation,
}

/// Who takes the batches, and says whether to go on.
pub(super) type Consumer<'a> = dyn FnMut(ScannedFragments) -> ControlFlow<()> + 'a;

/// Gathers fragments to batches.
pub(super) struct Gather {
    columns: Columns,
    batch: FragmentBatch,
    places: Vec<Places>,
    statics: usize,
    layout: FragmentLayout,
    key_columns: usize,
    components: Vec<Span>,
    keeps_deleted: bool,
    budget: Budget,
    /// Bytes of the places noted since they were appended
    noted: usize,
}

/// Where the parts of a column's cells go.
enum Places {
    One { path: Option<usize>, value: usize },
    Fields(Vec<usize>),
}

impl Gather {
    pub(super) fn new(file: &FileLayout, values: FragmentValues, budget: &Budget) -> Self {
        let places = file.layout.columns.iter().map(|column| match &column.values {
            CellValues::One(value) => Places::One { path: column.path, value: *value },
            CellValues::Fields(fields) => Places::Fields(fields.clone()),
        });
        Self {
            columns: Columns::new(&file.layout, values != FragmentValues::Bytes),
            batch: FragmentBatch::default(),
            places: places.collect(),
            statics: file.statics,
            layout: file.layout.clone(),
            key_columns: file.key_columns,
            components: Vec::new(),
            keeps_deleted: values == FragmentValues::Bytes,
            budget: budget.clone(),
            noted: 0,
        }
    }

    /// Notes the key of the partition that `cursor` is in.
    pub(super) fn key(&mut self, cursor: &Cursor) -> Result<()> {
        let key = cursor.partition().key;
        let bytes = key.of(cursor.bytes()).unwrap_or_default();
        partition_key::split(bytes, self.key_columns, &mut self.components).map_err(
            |expected| {
                cursor.value_error(key, "partition key", expected, format!("{} bytes", key.len()))
            },
        )?;
        for (column, component) in self.layout.partition_key.iter().zip(&self.components) {
            self.columns.push(*column, component.moved_by(key.start()));
        }
        self.noted += key.len();
        Ok(())
    }

    pub(super) fn partition(&mut self, partition: PartitionFragment) {
        self.batch.partitions.push(partition);
        self.batch.fragments.push(Fragment::Partition);
    }

    pub(super) fn partition_end(&mut self) {
        self.batch.fragments.push(Fragment::PartitionEnd);
    }

    /// Notes the row that `cursor` stands on, which lies at `start` to `end`, and its cells.
    pub(super) fn row(
        &mut self,
        cursor: &Cursor,
        (start, end): (u64, u64),
        is_static: bool,
        consumer: &mut Consumer<'_>,
    ) -> Result<ControlFlow<()>> {
        let head = cursor.row();
        self.batch.rows.push(RowFragment {
            is_static,
            is_empty: cursor.is_empty_row(is_static),
            start,
            end,
            liveness: times(&head.liveness),
            deletion: deletion(head.deletion.regular),
            shadowable: deletion(head.deletion.shadowable),
            has_both_deletions: head.deletion.keeps_regular,
        });
        self.batch.fragments.push(Fragment::Row);
        if !is_static {
            self.clustering(cursor);
        }
        let first = if is_static { 0 } else { self.statics };
        let mut cells = Cells { gather: self, cursor, consumer, first, ended: None };
        let walked = cursor.walk_cells(is_static, &mut cells);
        match (cells.ended.take(), walked) {
            (Some(ended), _) => return ended,
            (None, walked) => walked?,
        }
        self.batch.fragments.push(Fragment::RowEnd);
        Ok(ControlFlow::Continue(()))
    }

    /// Notes the marker that `cursor` stands on.
    pub(super) fn marker(&mut self, cursor: &Cursor, kind: BoundKind, (start, end): (u64, u64)) {
        let closes =
            (kind.is_boundary() || !kind.opens()).then(|| deletion(cursor.closed_deletion()));
        let opens = kind.opens().then(|| deletion(cursor.open_deletion()));
        let (bound, values) = (bound(kind), cursor.clustering().len());
        self.batch.bounds.push(BoundFragment { bound, values, start, end, closes, opens });
        self.batch.fragments.push(Fragment::Bound);
        self.clustering(cursor);
    }

    fn clustering(&mut self, cursor: &Cursor) {
        for (column, place) in self.layout.clustering.iter().zip(cursor.clustering()) {
            self.columns.push(*column, *place);
            self.noted += place.len();
        }
    }

    /// Appends what was noted, before places in the window become void.
    pub(super) fn append(&mut self, cursor: &Cursor) -> Result<()> {
        self.noted = 0;
        self.columns.append(cursor)
    }

    #[inline(always)]
    pub(super) fn is_due(&self) -> bool {
        self.batch.fragments.len() >= FRAGMENTS_MAX || self.noted >= BYTES_MAX
    }

    /// Hands the batch on.
    pub(super) fn emit(
        &mut self,
        cursor: &Cursor,
        consumer: &mut Consumer<'_>,
    ) -> Result<ControlFlow<()>> {
        self.append(cursor)?;
        let fragments = self.batch.fragments.len();
        let bytes = self.columns.bytes()
            + fragments * size_of::<Fragment>()
            + self.batch.rows.len() * size_of::<RowFragment>();
        let reservation = self.budget.reserve(bytes as u64, "a batch of fragments")?;
        let next = FragmentBatch {
            fragments: Vec::with_capacity(fragments),
            rows: Vec::with_capacity(self.batch.rows.len()),
            ..FragmentBatch::default()
        };
        let mut batch = std::mem::replace(&mut self.batch, next);
        batch.values = self.columns.finish();
        Ok(consumer(ScannedFragments { batch, reservation }))
    }
}

fn times(liveness: &Liveness) -> Times {
    let Liveness { timestamp, ttl, local_deletion_time } = *liveness;
    Times { timestamp, local_deletion_time, ttl }
}

pub(super) fn deletion(time: DeletionTime) -> Deletion {
    if time.is_live() {
        return Deletion::LIVE;
    }
    let DeletionTime { marked_for_delete_at, local_deletion_time } = time;
    Deletion { marked_for_delete_at, local_deletion_time }
}

fn bound(kind: BoundKind) -> Bound {
    match kind {
        BoundKind::ExclusiveEnd => Bound::ExclusiveEnd,
        BoundKind::InclusiveStart => Bound::InclusiveStart,
        BoundKind::ExclusiveEndInclusiveStart => Bound::ExclusiveEndInclusiveStart,
        BoundKind::InclusiveEndExclusiveStart => Bound::InclusiveEndExclusiveStart,
        BoundKind::InclusiveEnd => Bound::InclusiveEnd,
        BoundKind::ExclusiveStart => Bound::ExclusiveStart,
    }
}

/// Notes the cells of a row. A row of many elements goes out in several batches.
struct Cells<'a, 'c> {
    gather: &'a mut Gather,
    cursor: &'a Cursor,
    consumer: &'a mut Consumer<'c>,
    /// Number of the first column of its kind
    first: usize,
    /// Why the walk ended early
    ended: Option<Result<ControlFlow<()>>>,
}

impl Cells<'_, '_> {
    #[inline(always)]
    fn push(&mut self, column: &ColumnPlan, field: u16, times: Times) -> Result<usize, Stop> {
        let index = self.first + column.column.unwrap_or_default() as usize;
        if self.gather.is_due() {
            self.emit()?;
        }
        self.gather.batch.fragments.push(Fragment::Cell { column: index as u32, field, times });
        Ok(index)
    }

    #[cold]
    fn emit(&mut self) -> Result<(), Stop> {
        match self.gather.emit(self.cursor, self.consumer) {
            Ok(ControlFlow::Continue(())) => Ok(()),
            ended => {
                self.ended = Some(ended);
                // What ended it is told in its place.
                Err(Stop::Incomplete)
            }
        }
    }

    #[inline(always)]
    fn push_value(&mut self, value: usize, times: &Times, cell: &RawCell) {
        if self.gather.keeps_deleted || !times.is_tombstone() {
            self.gather.columns.push(value, cell.value);
            self.gather.noted += cell.value.len();
        }
    }
}

impl CellVisitor for Cells<'_, '_> {
    #[inline(always)]
    fn simple(&mut self, column: &ColumnPlan, _body: &[u8], cell: &RawCell) -> Result<(), Stop> {
        let times = times(&cell.times);
        let index = self.push(column, 0, times)?;
        if let Places::One { value, .. } = self.gather.places[index] {
            self.push_value(value, &times, cell);
        }
        Ok(())
    }

    fn begin_complex(&mut self, column: &ColumnPlan, time: DeletionTime) {
        let column = (self.first + column.column.unwrap_or_default() as usize) as u32;
        self.gather.batch.fragments.push(Fragment::Column { column, deletion: deletion(time) });
    }

    fn element(&mut self, column: &ColumnPlan, body: &[u8], cell: &RawCell) -> Result<(), Stop> {
        let times = times(&cell.times);
        let index = self.first + column.column.unwrap_or_default() as usize;
        let field = match &self.gather.places[index] {
            Places::One { .. } => 0,
            Places::Fields(fields) => field_number(cell, body, fields.len())?,
        };
        self.push(column, field, times)?;
        let value = match &self.gather.places[index] {
            Places::One { path, value } => {
                let value = *value;
                if let Some(path) = *path {
                    self.gather.columns.push(path, cell.path);
                    self.gather.noted += cell.path.len();
                }
                value
            }
            Places::Fields(fields) => fields[usize::from(field)],
        };
        self.push_value(value, &times, cell);
        Ok(())
    }

    fn end_complex(&mut self, _column: &ColumnPlan) {}
}

/// The field of a multi-cell UDT that a cell holds.
fn field_number(cell: &RawCell, body: &[u8], fields: usize) -> Result<u16, Stop> {
    let path = cell.path.of(body).unwrap_or_default();
    match <[u8; 2]>::try_from(path).map(u16::from_be_bytes) {
        Ok(field) if usize::from(field) < fields => Ok(field),
        _ => {
            let expected = format!("one of {fields} fields");
            Err(Stop::corrupt(cell.path.start(), "field", expected, format!("{path:02x?}")))
        }
    }
}

/// Reads cells and keeps nothing of them.
pub(super) struct NoCells;

impl CellVisitor for NoCells {
    fn simple(&mut self, _: &ColumnPlan, _: &[u8], _: &RawCell) -> Result<(), Stop> {
        Ok(())
    }

    fn begin_complex(&mut self, _: &ColumnPlan, _: DeletionTime) {}

    fn element(&mut self, _: &ColumnPlan, _: &[u8], _: &RawCell) -> Result<(), Stop> {
        Ok(())
    }

    fn end_complex(&mut self, _: &ColumnPlan) {}
}
