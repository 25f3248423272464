use outpour_cql::counter;

use super::projection::{CellOutputs, Outputs};
use super::{Block, CellPlace, ComplexValue, SIDE};
use crate::format::deletion::DeletionTime;
use crate::format::unfiltered::{Liveness, NEVER, NO_TIMESTAMP, RawCell};
use crate::read::{CellVisitor, ColumnKind, ColumnPlan, Span, Stop};

/// What decides which cells of a row are shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowContext {
    /// Seconds since 1970: what expires then or before is gone
    pub(crate) now: i64,
    /// Cells written at this time or before are deleted
    pub(crate) deleted_until: i64,
    /// Where the cells lie
    pub(crate) buffer: u32,
    pub(crate) is_static: bool,
}

/// Notes the live cells of a row in a block.
pub(crate) struct LiveCells<'a> {
    context: RowContext,
    outputs: &'a [CellOutputs],
    block: &'a mut Block,
    complex: Option<Complex<'a>>,
    times: &'a mut ElementTimes,
    noted: Noted,
}

/// What the cells of a row say of all of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Noted {
    /// Whether any is live
    pub(crate) has_live: bool,
    /// When the last of those was written that nothing deletes: live, expired, or a deletion itself, in
    /// microseconds; [`NO_TIMESTAMP`] if there is none
    pub(crate) newest: i64,
}

impl Noted {
    /// Of no cell.
    pub(crate) const NOTHING: Self = Self { has_live: false, newest: NO_TIMESTAMP };
}

/// The multi-cell column that is being noted.
struct Complex<'a> {
    outputs: &'a CellOutputs,
    value: ComplexValue,
    deleted_until: i64,
}

/// Times of the elements of one column, in the order of its value.
#[derive(Debug, Default)]
pub(crate) struct ElementTimes {
    /// Write time, and seconds left of what expires; `None`: a field that is not set
    elements: Vec<Option<(i64, Option<i32>)>>,
}

impl<'a> LiveCells<'a> {
    pub(crate) fn new(
        context: RowContext,
        outputs: &'a Outputs,
        block: &'a mut Block,
        times: &'a mut ElementTimes,
    ) -> Self {
        let outputs = if context.is_static { &outputs.statics } else { &outputs.regulars };
        Self { context, outputs, block, complex: None, times, noted: Noted::NOTHING }
    }

    /// What the cells said.
    pub(crate) fn noted(&self) -> Noted {
        self.noted
    }

    /// The next cell lies in `buffer`.
    pub(crate) fn set_buffer(&mut self, buffer: u32) {
        self.context.buffer = buffer;
    }

    /// Notes the cell's time, and whether it is live.
    #[inline(always)]
    fn note(&mut self, cell: &RawCell, deleted_until: i64) -> bool {
        let timestamp = cell.times.timestamp;
        if timestamp <= deleted_until {
            return false;
        }
        self.noted.newest = self.noted.newest.max(timestamp);
        let is_live = cell.times.is_live_cell(self.context.now);
        self.noted.has_live |= is_live;
        is_live
    }

    fn outputs_of(&self, column: &ColumnPlan) -> Option<&'a CellOutputs> {
        let outputs = self.outputs.get(column.column? as usize)?;
        (!outputs.is_none()).then_some(outputs)
    }

    fn set_counter(&mut self, output: u32, context: &[u8], span: Span) -> Result<(), Stop> {
        let total = counter::total(context)
            .map_err(|e| Stop::corrupt(span.start(), "counter", "a counter context", e))?;
        let place = self.block.own(&total.to_be_bytes());
        self.block.set(output, place);
        Ok(())
    }

    fn set_times(&mut self, outputs: &CellOutputs, times: &Liveness) {
        if let Some(output) = outputs.write_time {
            let place = self.block.own(&times.timestamp.to_be_bytes());
            self.block.set(output, place);
        }
        if let (Some(output), Some(left)) = (outputs.ttl, seconds_left(times, self.context.now)) {
            let place = self.block.own(&left.to_be_bytes());
            self.block.set(output, place);
        }
    }
}

impl CellVisitor for LiveCells<'_> {
    #[inline(always)]
    fn simple(&mut self, column: &ColumnPlan, body: &[u8], cell: &RawCell) -> Result<(), Stop> {
        if !self.note(cell, self.context.deleted_until.max(column.drop_time_us)) {
            return Ok(());
        }
        let Some(outputs) = self.outputs_of(column) else { return Ok(()) };
        if let Some(output) = outputs.value {
            match column.kind {
                ColumnKind::Counter if cell.value.len() > 0 => {
                    let context = cell.value.of(body).unwrap_or_default();
                    self.set_counter(output, context, cell.value)?;
                }
                _ => {
                    let place = CellPlace { buffer: self.context.buffer, span: cell.value };
                    self.block.set(output, place);
                }
            }
        }
        if outputs.has_times() {
            self.set_times(outputs, &cell.times);
        }
        Ok(())
    }

    fn begin_complex(&mut self, column: &ColumnPlan, deletion: DeletionTime) {
        let enclosing = self.context.deleted_until.max(column.drop_time_us);
        if deletion.marked_for_delete_at > enclosing {
            self.noted.newest = self.noted.newest.max(deletion.marked_for_delete_at);
        }
        self.times.elements.clear();
        self.complex = Some(Complex {
            outputs: self.outputs_of(column).unwrap_or(&NOWHERE),
            value: ComplexValue::begin(column.kind, &mut self.block.side),
            deleted_until: enclosing.max(deletion.marked_for_delete_at),
        });
    }

    fn element(&mut self, column: &ColumnPlan, body: &[u8], cell: &RawCell) -> Result<(), Stop> {
        let Some(mut complex) = self.complex.take() else { return Ok(()) };
        if self.note(cell, complex.deleted_until) {
            let path = cell.path.of(body).unwrap_or_default();
            if complex.outputs.value.is_some() {
                let value = cell.value.of(body).unwrap_or_default();
                complex.value.push(path, value, &mut self.block.side)?;
            }
            if complex.outputs.has_times() {
                self.times.push(column.kind, path, &cell.times, self.context.now);
            }
        }
        self.complex = Some(complex);
        Ok(())
    }

    fn end_complex(&mut self, column: &ColumnPlan) {
        let Some(complex) = self.complex.take() else { return };
        let span = complex.value.finish(&mut self.block.side);
        if let Some(output) = complex.outputs.value {
            self.block.set(output, CellPlace { buffer: SIDE, span });
        }
        if let Some(output) = complex.outputs.write_time {
            let span = self.times.write_times(column.kind, &mut self.block.side);
            self.block.set(output, CellPlace { buffer: SIDE, span });
        }
        if let Some(output) = complex.outputs.ttl {
            let span = self.times.ttls(column.kind, &mut self.block.side);
            self.block.set(output, CellPlace { buffer: SIDE, span });
        }
    }
}

/// A column that is not shown: its cells only tell whether the row lives.
static NOWHERE: CellOutputs = CellOutputs { value: None, write_time: None, ttl: None };

fn seconds_left(times: &Liveness, now: i64) -> Option<i32> {
    let expires = times.ttl != 0 && times.local_deletion_time != NEVER;
    expires.then(|| i32::try_from(times.local_deletion_time - now).unwrap_or(i32::MAX))
}

impl ElementTimes {
    fn push(&mut self, kind: ColumnKind, path: &[u8], times: &Liveness, now: i64) {
        if let (ColumnKind::Udt(_), Some(field)) = (kind, path.first_chunk::<2>()) {
            self.elements.resize(usize::from(u16::from_be_bytes(*field)), None);
        }
        self.elements.push(Some((times.timestamp, seconds_left(times, now))));
    }

    /// Appends a `list<bigint>`; null if there is no element.
    fn write_times(&mut self, kind: ColumnKind, out: &mut Vec<u8>) -> Span {
        self.list(kind, out, |(timestamp, _)| Some(timestamp.to_be_bytes()))
    }

    /// Appends a `list<int>`; null if there is no element.
    fn ttls(&mut self, kind: ColumnKind, out: &mut Vec<u8>) -> Span {
        self.list(kind, out, |(_, left)| left.map(i32::to_be_bytes))
    }

    fn list<const N: usize>(
        &mut self,
        kind: ColumnKind,
        out: &mut Vec<u8>,
        of: impl Fn((i64, Option<i32>)) -> Option<[u8; N]>,
    ) -> Span {
        if self.elements.is_empty() {
            return Span::NULL;
        }
        if let ColumnKind::Udt(fields) = kind {
            self.elements.resize(usize::from(fields), None);
        }
        let start = out.len();
        out.extend_from_slice(&(self.elements.len() as u32).to_be_bytes());
        for element in &self.elements {
            match element.and_then(&of) {
                Some(bytes) => {
                    out.extend_from_slice(&(N as u32).to_be_bytes());
                    out.extend_from_slice(&bytes);
                }
                None => out.extend_from_slice(&(-1_i32).to_be_bytes()),
            }
        }
        Span::new(start, out.len() - start)
    }
}
