use outpour_run::{Budget, Reservation};

use super::totals::Met;
use super::window::Window;
use super::{ChunkReader, ColumnPlan, Corrupt, Plan, Side, Span, Stop};
use crate::format::clustering::{BoundKind, Width, read_values};
use crate::format::deletion::DeletionTime;
use crate::format::unfiltered::{
    END_OF_PARTITION, EXTENSION_FLAG, IS_MARKER, Presence, RawCell, RowHead, check_flags,
    read_cell, read_complex_head, read_marker, read_row_head,
};
use crate::{Error, Result};

/// What a [`Cursor`] stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The window ends first: refill it and step again.
    NeedData,
    /// A partition's key and deletion
    Partition,
    /// The static row; each partition has one if the file has static columns
    Static,
    Row,
    Marker,
    PartitionEnd,
    /// Behind the last partition
    End,
}

/// A partition's key and deletion.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartitionHead {
    pub(crate) key: Span,
    pub(crate) deletion: DeletionTime,
}

/// Where in a partition the next bytes belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    BeforeStatic,
    InRows,
}

/// Steps through the partitions, rows and markers of one SSTable.
///
/// All places that it tells are in the window, and hold until [`Cursor::refill`].
#[derive(Debug)]
pub(crate) struct Cursor {
    plan: Plan,
    reader: ChunkReader,
    window: Window,
    /// For the reader's buffers
    _stored: Reservation,
    at: usize,
    state: State,
    is_at_end_of_file: bool,
    partition: PartitionHead,
    clustering: Vec<Span>,
    row: RowHead,
    bound: Option<BoundKind>,
    open_deletion: DeletionTime,
    closed_deletion: DeletionTime,
    static_present: Presence,
    regular_present: Presence,
    met: Met,
}

impl Cursor {
    /// A cursor before the first partition.
    ///
    /// # Errors
    /// Limit if the budget has no room for its window.
    pub(crate) fn new(plan: Plan, reader: ChunkReader, budget: &Budget) -> Result<Self> {
        Ok(Self {
            window: Window::new(&reader, reader.read_len(), budget)?,
            _stored: budget.reserve(reader.stored_len(), "stored bytes of an SSTable")?,
            static_present: Presence::new(plan.statics.columns.len()),
            regular_present: Presence::new(plan.regulars.columns.len()),
            clustering: Vec::with_capacity(plan.clustering.len()),
            plan,
            reader,
            at: 0,
            state: State::Outside,
            is_at_end_of_file: false,
            partition: PartitionHead { key: Span::NULL, deletion: DeletionTime::LIVE },
            row: RowHead::EMPTY,
            bound: None,
            open_deletion: DeletionTime::LIVE,
            closed_deletion: DeletionTime::LIVE,
            met: Met::NOTHING,
        })
    }

    /// The uncompressed bytes at hand, which spans lie in.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.window.bytes()
    }

    /// The partition that the cursor is in.
    pub(crate) fn partition(&self) -> PartitionHead {
        self.partition
    }

    /// The clustering values of the row or marker.
    pub(crate) fn clustering(&self) -> &[Span] {
        &self.clustering
    }

    /// How wide clustering values are.
    pub(crate) fn clustering_widths(&self) -> &[Width] {
        &self.plan.clustering
    }

    /// The row or static row.
    pub(crate) fn row(&self) -> &RowHead {
        &self.row
    }

    /// The kind of the marker's bound; `None` on a row.
    pub(crate) fn bound(&self) -> Option<BoundKind> {
        self.bound
    }

    /// The range tombstone that is open here.
    pub(crate) fn open_deletion(&self) -> DeletionTime {
        self.open_deletion
    }

    /// The range tombstone that the marker ends; live if it ends none.
    pub(crate) fn closed_deletion(&self) -> DeletionTime {
        self.closed_deletion
    }

    /// Whether the row, or static row, holds nothing at all.
    pub(crate) fn is_empty_row(&self, is_static: bool) -> bool {
        self.row.is_empty(if is_static { &self.static_present } else { &self.regular_present })
    }

    /// What was met so far.
    pub(crate) fn met(&self) -> Met {
        Met { times: self.plan.minima.met(), ..self.met }
    }

    /// Reads on; places told before are void.
    ///
    /// # Errors
    /// Those of the storage, of checksums, and Limit for a row that the budget has no room for.
    pub(crate) fn refill(&mut self) -> Result<()> {
        let keep_from = std::mem::take(&mut self.at);
        self.is_at_end_of_file = !self.window.refill(keep_from, &mut self.reader)?;
        Ok(())
    }

    /// Whether it is in a partition, of which more should follow.
    pub(crate) fn is_in_partition(&self) -> bool {
        self.state != State::Outside
    }

    /// Where it stands in the uncompressed bytes of Data.db.
    pub(crate) fn offset(&self) -> u64 {
        self.window.offset(self.at)
    }

    /// Where the chunk behind the one that was read last starts.
    pub(crate) fn next_chunk_offset(&self) -> u64 {
        self.reader.next_offset()
    }

    /// Goes on with the partition that starts at `offset`; places told before are void.
    ///
    /// # Errors
    /// As of [`Cursor::refill`].
    pub(crate) fn seek(&mut self, offset: u64) -> Result<()> {
        let chunk_at = self.reader.seek(offset);
        self.window.move_to(chunk_at);
        self.state = State::Outside;
        self.at = 0;
        self.refill()?;
        self.at = (offset - chunk_at) as usize;
        Ok(())
    }

    /// Goes on in the same partition, with the row or marker at `offset`, where the range tombstone `open`
    /// is open; places told before are void.
    ///
    /// # Errors
    /// As of [`Cursor::refill`].
    pub(crate) fn seek_in_partition(&mut self, offset: u64, open: DeletionTime) -> Result<()> {
        self.seek(offset)?;
        self.state = State::InRows;
        self.open_deletion = open;
        Ok(())
    }

    /// Begins with the partition that starts at `start`, and reads ahead only of what lies in front of `end`.
    ///
    /// # Errors
    /// As of [`Cursor::refill`].
    pub(crate) fn go_to(&mut self, start: u64, end: u64) -> Result<()> {
        self.reader.read_ahead_to(end);
        match start {
            0 => Ok(()),
            _ if start >= self.reader.data_len() => {
                self.window.move_to(start);
                self.give_up();
                Ok(())
            }
            _ => self.seek(start),
        }
    }

    /// Where the partition that it has just come to starts in the uncompressed bytes of Data.db.
    pub(crate) fn partition_start(&self) -> u64 {
        self.window.offset(self.partition.key.start() - 2)
    }

    /// Steps back in front of the partition that it stands on.
    pub(crate) fn leave_to_others(&mut self) {
        self.at = self.partition.key.start() - 2;
        self.state = State::Outside;
        self.met.partitions -= 1;
    }

    /// Gives the rest of the file up; places told before are void.
    pub(crate) fn give_up(&mut self) {
        self.window.move_to(self.offset());
        self.state = State::Outside;
        self.at = 0;
        self.is_at_end_of_file = true;
    }

    /// Moves to the next partition, row, marker or end.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<Step> {
        match self.try_step() {
            Ok(step) => Ok(step),
            Err(Stop::Incomplete) if !self.is_at_end_of_file => Ok(Step::NeedData),
            Err(stop) => Err(self.error(stop)),
        }
    }

    #[inline]
    fn try_step(&mut self) -> Result<Step, Stop> {
        match self.state {
            State::Outside => self.step_to_partition(),
            State::BeforeStatic => self.step_to_static(),
            State::InRows => self.step_to_unfiltered(),
        }
    }

    fn step_to_partition(&mut self) -> Result<Step, Stop> {
        let bytes = self.window.bytes();
        if self.at == bytes.len() && self.is_at_end_of_file {
            return Ok(Step::End);
        }
        let len = bytes[self.at..].first_chunk::<2>().ok_or(Stop::Incomplete)?;
        let key = Span::new(self.at + 2, usize::from(u16::from_be_bytes(*len)));
        let mut at = self.at + 2 + key.len();
        let deletion = DeletionTime::decode(bytes, &mut at, self.plan.version)?;
        self.plan.minima.note_deletion(&deletion);
        self.partition = PartitionHead { key, deletion };
        self.at = at;
        self.open_deletion = DeletionTime::LIVE;
        self.met.partitions += 1;
        let has_static = !self.plan.statics.columns.is_empty();
        self.state = if has_static { State::BeforeStatic } else { State::InRows };
        Ok(Step::Partition)
    }

    fn step_to_static(&mut self) -> Result<Step, Stop> {
        let bytes = self.window.bytes();
        let [flags, extended] = *bytes[self.at..].first_chunk::<2>().ok_or(Stop::Incomplete)?;
        if flags & EXTENSION_FLAG == 0 {
            let expected = "a static row, which each partition of this file has";
            return Err(Stop::corrupt(self.at, "flags", expected, format!("{flags:02x}")));
        }
        check_flags(self.at, (flags, extended), true, self.plan.version.may_be_of_scylla())?;
        let (minima, present) = (&self.plan.minima, &mut self.static_present);
        self.row = read_row_head(bytes, self.at + 2, (flags, extended), minima, present)?;
        self.at = self.row.end;
        self.clustering.clear();
        self.bound = None;
        self.state = State::InRows;
        let is_empty = self.row.is_empty(&self.static_present);
        self.met.rows += u64::from(!is_empty);
        self.met.empty_static_rows += u64::from(is_empty);
        Ok(Step::Static)
    }

    #[inline]
    fn step_to_unfiltered(&mut self) -> Result<Step, Stop> {
        let bytes = self.window.bytes();
        let flags = *bytes.get(self.at).ok_or(Stop::Incomplete)?;
        if flags == END_OF_PARTITION {
            self.at += 1;
            self.state = State::Outside;
            return Ok(Step::PartitionEnd);
        }
        if flags & IS_MARKER != 0 {
            return self.step_to_marker(flags);
        }
        let mut at = self.at + 1;
        let extended = match flags & EXTENSION_FLAG {
            0 => 0,
            _ => {
                at += 1;
                *bytes.get(at - 1).ok_or(Stop::Incomplete)?
            }
        };
        check_flags(self.at, (flags, extended), false, self.plan.version.may_be_of_scylla())?;
        self.clustering.clear();
        read_values(bytes, &mut at, &self.plan.clustering, &mut self.clustering)?;
        let (minima, present) = (&self.plan.minima, &mut self.regular_present);
        self.row = read_row_head(bytes, at, (flags, extended), minima, present)?;
        self.at = self.row.end;
        self.bound = None;
        self.met.rows += u64::from(!self.row.is_empty(&self.regular_present));
        Ok(Step::Row)
    }

    fn step_to_marker(&mut self, flags: u8) -> Result<Step, Stop> {
        if flags != IS_MARKER {
            return Err(Stop::corrupt(self.at, "flags", "02, a marker", format!("{flags:02x}")));
        }
        let bytes = self.window.bytes();
        let [_, kind, high, low] = *bytes[self.at..].first_chunk::<4>().ok_or(Stop::Incomplete)?;
        let bound = BoundKind::parse(kind)
            .ok_or_else(|| Stop::corrupt(self.at + 1, "bound kind", "0, 1, 2, 5, 6 or 7", kind))?;
        let count = usize::from(u16::from_be_bytes([high, low]));
        let widths = self.plan.clustering.get(..count).ok_or_else(|| {
            let expected = format!("0 to {}", self.plan.clustering.len());
            Stop::corrupt(self.at + 2, "bound components", expected, count)
        })?;
        let mut at = self.at + 4;
        self.clustering.clear();
        read_values(bytes, &mut at, widths, &mut self.clustering)?;
        let kind = (bound.is_boundary(), bound.opens());
        let (deletions, end) = read_marker(bytes, at, kind, &self.plan.minima)?;
        self.at = end;
        self.bound = Some(bound);
        self.open_deletion = deletions.opened;
        self.closed_deletion = deletions.closed;
        self.met.markers += 1;
        Ok(Step::Marker)
    }

    /// Hands the cells of the row, or of the static row, to `visitor`.
    ///
    /// # Errors
    /// Corrupt for cells that no Cassandra writes.
    #[inline]
    pub(crate) fn walk_cells<V: CellVisitor>(
        &self,
        is_static: bool,
        visitor: &mut V,
    ) -> Result<()> {
        let (side, present) = match is_static {
            true => (&self.plan.statics, &self.static_present),
            false => (&self.plan.regulars, &self.regular_present),
        };
        let body = &self.window.bytes()[..self.row.end];
        self.walk_columns(body, side, present, visitor).map_err(|stop| {
            let start = self.row.columns_at;
            self.error(stop.inside(start, "row", self.row.end - start))
        })
    }

    #[inline]
    fn walk_columns<V: CellVisitor>(
        &self,
        body: &[u8],
        side: &Side,
        present: &Presence,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        let mut at = self.row.columns_at;
        if present.is_all() {
            for column in &side.columns {
                self.walk_column(body, &mut at, column, visitor)?;
            }
        } else {
            for index in present.iter() {
                self.walk_column(body, &mut at, &side.columns[index], visitor)?;
            }
        }
        match at == body.len() {
            true => Ok(()),
            false => Err(Stop::corrupt(at, "row", format!("its end at {}", body.len()), at)),
        }
    }

    #[inline(always)]
    fn walk_column<V: CellVisitor>(
        &self,
        body: &[u8],
        at: &mut usize,
        column: &ColumnPlan,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        if column.kind.is_multi_cell() {
            return self.walk_complex(body, at, column, visitor);
        }
        let (row, minima) = (&self.row.liveness, &self.plan.minima);
        let cell = read_cell(body, at, false, column.width, row, minima)?;
        visitor.simple(column, body, &cell)
    }

    #[inline(never)]
    fn walk_complex<V: CellVisitor>(
        &self,
        body: &[u8],
        at: &mut usize,
        column: &ColumnPlan,
        visitor: &mut V,
    ) -> Result<(), Stop> {
        let (row, minima) = (&self.row.liveness, &self.plan.minima);
        let (deletion, count) = read_complex_head(body, at, &self.row, minima)?;
        visitor.begin_complex(column, deletion);
        for _ in 0..count {
            let cell = read_cell(body, at, true, column.width, row, minima)?;
            visitor.element(column, body, &cell)?;
        }
        visitor.end_complex(column);
        Ok(())
    }

    #[cold]
    fn error(&self, stop: Stop) -> Error {
        let file = self.reader.file_name();
        match stop {
            Stop::Incomplete => {
                let at = self.window.offset(self.window.bytes().len());
                let got = "the end of the file";
                Error::corrupt(file, at, "uncompressed rows", "the rest of a partition", got)
            }
            Stop::Corrupt(corrupt) => {
                let Corrupt { at, what, expected, got } = *corrupt;
                Error::corrupt(file, self.window.offset(at), what, expected, got)
                    .context("uncompressed rows")
            }
        }
    }

    /// The error for a value at `span` that is no value of its column.
    #[cold]
    pub(crate) fn value_error(
        &self,
        span: Span,
        what: &str,
        expected: String,
        got: String,
    ) -> Error {
        let at = self.window.offset(span.start());
        Error::corrupt(self.reader.file_name(), at, what, expected, got)
            .context("uncompressed rows")
    }

    /// The path of Data.db.
    pub(crate) fn file_name(&self) -> &str {
        self.reader.file_name()
    }
}

/// Receives the cells of a row, column by column.
pub(crate) trait CellVisitor {
    /// The cell of a simple column; its places lie in `body`.
    fn simple(&mut self, column: &ColumnPlan, body: &[u8], cell: &RawCell) -> Result<(), Stop>;

    /// A multi-cell column with its own deletion starts.
    fn begin_complex(&mut self, column: &ColumnPlan, deletion: DeletionTime);

    /// A cell of the multi-cell column, in the order of their paths.
    fn element(&mut self, column: &ColumnPlan, body: &[u8], cell: &RawCell) -> Result<(), Stop>;

    /// The multi-cell column ends.
    fn end_complex(&mut self, column: &ColumnPlan);
}
