use std::cmp::Ordering;

use outpour_cql::{Comparator, CqlType, Table, counter};

use super::reconcile::{compare_cells, supersedes};
use crate::Result;
use crate::format::deletion::{DeletionTime, RowDeletion};
use crate::format::unfiltered::{Liveness, RawCell};
use crate::read::{
    CellVisitor, ColumnKind, ColumnPlan, Cursor, Span, Stop, hidden_column, stored_regulars,
    stored_statics,
};

/// One row of several SSTables, reconciled: liveness, deletion, and of each column the cells that
/// win, tombstones and expired ones among them.
///
/// Cells of simple columns are reconciled as they come, those of multi-cell columns when all are
/// there.
pub(crate) struct MergedRow {
    liveness: Liveness,
    deletion: RowDeletion,
    statics: Vec<MergedColumn>,
    regulars: Vec<MergedColumn>,
    /// Cells of columns that the table has no longer
    unknown: Vec<Fragment>,
    is_static: bool,
    /// Merged counter contexts
    contexts: Vec<u8>,
}

/// A cell and the number of the cursor whose window it lies in; `None`: [`MergedRow::contexts`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fragment {
    pub(crate) cursor: Option<u32>,
    pub(crate) cell: RawCell,
}

struct MergedColumn {
    kind: ColumnKind,
    path_order: Option<Comparator>,
    deletion: DeletionTime,
    cells: Vec<Fragment>,
    is_touched: bool,
    plan: ColumnPlan,
}

impl MergedColumn {
    fn new((index, column): (u32, &outpour_cql::Column)) -> Self {
        let kind = ColumnKind::of(&column.cql_type, column.multi_cell);
        let path_type = match &column.cql_type {
            CqlType::List(_) => Some(CqlType::Timeuuid),
            CqlType::Set(element) => Some((**element).clone()),
            CqlType::Map(key, _) => Some((**key).clone()),
            CqlType::Udt(_) => Some(CqlType::Smallint),
            _ => None,
        };
        let path_type = path_type.filter(|_| kind.is_multi_cell());
        Self {
            kind,
            path_order: path_type.map(|path_type| Comparator::new(&path_type, false)),
            deletion: DeletionTime::LIVE,
            cells: Vec::new(),
            is_touched: false,
            plan: ColumnPlan::of_table(index, kind),
        }
    }

    /// A column that is not shown, whose cells tell whether a row lives.
    fn hidden(index: u32) -> Self {
        Self {
            kind: ColumnKind::Simple,
            path_order: None,
            deletion: DeletionTime::LIVE,
            cells: Vec::new(),
            is_touched: false,
            plan: ColumnPlan::of_table(index, ColumnKind::Simple),
        }
    }

    fn clear(&mut self) {
        self.deletion = DeletionTime::LIVE;
        self.cells.clear();
        self.is_touched = false;
    }
}

impl MergedRow {
    pub(crate) fn new(table: &Table) -> Self {
        let columns = |columns: &[outpour_cql::Column]| {
            (0..).zip(columns).map(MergedColumn::new).collect::<Vec<_>>()
        };
        let mut regulars = columns(stored_regulars(table));
        regulars.extend(hidden_column(table).map(MergedColumn::hidden));
        Self {
            liveness: Liveness::NONE,
            deletion: RowDeletion::NONE,
            statics: columns(stored_statics(table)),
            regulars,
            unknown: Vec::new(),
            is_static: false,
            contexts: Vec::new(),
        }
    }

    /// Starts another row.
    pub(crate) fn begin(&mut self, is_static: bool) {
        self.is_static = is_static;
        self.liveness = Liveness::NONE;
        self.deletion = RowDeletion::NONE;
        self.unknown.clear();
        self.contexts.clear();
        for column in self.columns_mut() {
            if column.is_touched {
                column.clear();
            }
        }
    }

    fn columns_mut(&mut self) -> &mut [MergedColumn] {
        if self.is_static { &mut self.statics } else { &mut self.regulars }
    }

    /// Adds liveness and deletion of the version of the row that `cursor` stands on.
    pub(crate) fn add_head(&mut self, cursor: &Cursor) {
        let head = cursor.row();
        if supersedes(&head.liveness, &self.liveness) {
            self.liveness = head.liveness;
        }
        self.deletion.merge(&head.deletion);
    }

    /// Adds the cells of the version that cursor `number` of `cursors` stands on, but for those
    /// written at `deleted_until` or before: a deleted tombstone of a counter must not win over
    /// later increments (`db/rows/Row.java`, `ColumnDataReducer`).
    ///
    /// # Errors
    /// Corrupt for cells that no Cassandra writes.
    pub(crate) fn add_cells(
        &mut self,
        number: usize,
        cursors: &[Cursor],
        deleted_until: i64,
    ) -> Result<()> {
        let is_static = self.is_static;
        let mut gather =
            Gather { row: self, number: number as u32, cursors, deleted_until, complex: None };
        cursors[number].walk_cells(is_static, &mut gather)
    }

    /// The winning liveness.
    pub(crate) fn liveness(&self) -> &Liveness {
        &self.liveness
    }

    /// The winning row deletions.
    pub(crate) fn deletion(&self) -> &RowDeletion {
        &self.deletion
    }

    /// Hands each column's winning cells to `visit`, with what they lie in.
    ///
    /// # Errors
    /// Those of `visit`.
    pub(crate) fn walk_columns(
        &mut self,
        cursors: &[Cursor],
        mut visit: impl FnMut(&ColumnPlan, DeletionTime, &[Fragment], &[u8]) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let contexts = std::mem::take(&mut self.contexts);
        for column in self.columns_mut().iter_mut().filter(|column| column.is_touched) {
            if let Some(order) = &column.path_order {
                reconcile_elements(&mut column.cells, order, cursors, &contexts);
            }
            visit(&column.plan, column.deletion, &column.cells, &contexts)?;
        }
        for fragment in &self.unknown {
            visit(&ColumnPlan::UNKNOWN, DeletionTime::LIVE, &[*fragment], &contexts)?;
        }
        self.contexts = contexts;
        Ok(())
    }
}

impl Fragment {
    /// The bytes that the cell's places lie in.
    pub(crate) fn buffer<'a>(&self, cursors: &'a [Cursor], contexts: &'a [u8]) -> &'a [u8] {
        match self.cursor {
            Some(number) => cursors[number as usize].bytes(),
            None => contexts,
        }
    }

    fn value<'a>(&self, cursors: &'a [Cursor], contexts: &'a [u8]) -> &'a [u8] {
        self.cell.value.of(self.buffer(cursors, contexts)).unwrap_or_default()
    }

    fn path<'a>(&self, cursors: &'a [Cursor]) -> &'a [u8] {
        self.cell.path.of(self.buffer(cursors, &[])).unwrap_or_default()
    }

    fn compare(&self, other: &Self, cursors: &[Cursor], contexts: &[u8]) -> Ordering {
        let (a, b) = (self.value(cursors, contexts), other.value(cursors, contexts));
        compare_cells((&self.cell.times, a), (&other.cell.times, b))
    }
}

/// Sorts cells by path and keeps of each path the one that wins.
fn reconcile_elements(
    cells: &mut Vec<Fragment>,
    order: &Comparator,
    cursors: &[Cursor],
    contexts: &[u8],
) {
    let compare_paths =
        |a: &Fragment, b: &Fragment| order.compare(a.path(cursors), b.path(cursors));
    cells.sort_by(|a, b| compare_paths(a, b).then_with(|| b.compare(a, cursors, contexts)));
    cells.dedup_by(|later, first| compare_paths(later, first).is_eq());
}

/// Takes in the cells of one version of a row.
struct Gather<'a> {
    row: &'a mut MergedRow,
    number: u32,
    cursors: &'a [Cursor],
    deleted_until: i64,
    /// The column that elements belong to, and up to when its cells were dropped
    complex: Option<usize>,
}

impl Gather<'_> {
    fn column(&mut self, plan: &ColumnPlan) -> Option<&mut MergedColumn> {
        let column = self.row.columns_mut().get_mut(plan.column? as usize)?;
        column.is_touched = true;
        Some(column)
    }
}

impl CellVisitor for Gather<'_> {
    fn simple(&mut self, plan: &ColumnPlan, _body: &[u8], cell: &RawCell) -> Result<(), Stop> {
        if cell.times.timestamp <= plan.drop_time_us.max(self.deleted_until) {
            return Ok(());
        }
        let (cursors, fragment) =
            (self.cursors, Fragment { cursor: Some(self.number), cell: *cell });
        let mut contexts = std::mem::take(&mut self.row.contexts);
        let result = match self.column(plan) {
            Some(column) => column.reconcile_simple(fragment, cursors, &mut contexts),
            None => {
                self.row.unknown.push(fragment);
                Ok(())
            }
        };
        self.row.contexts = contexts;
        result
    }

    fn begin_complex(&mut self, plan: &ColumnPlan, deletion: DeletionTime) {
        let dropped = deletion.marked_for_delete_at <= plan.drop_time_us;
        if let Some(column) = self.column(plan)
            && !dropped
        {
            column.deletion = column.deletion.max(deletion);
        }
        self.complex = plan.column.map(|column| column as usize);
    }

    fn element(&mut self, plan: &ColumnPlan, _body: &[u8], cell: &RawCell) -> Result<(), Stop> {
        if cell.times.timestamp <= plan.drop_time_us.max(self.deleted_until) {
            return Ok(());
        }
        let fragment = Fragment { cursor: Some(self.number), cell: *cell };
        let column = self.complex.and_then(|index| self.row.columns_mut().get_mut(index));
        match column {
            Some(column) => column.cells.push(fragment),
            None => self.row.unknown.push(fragment),
        }
        Ok(())
    }

    fn end_complex(&mut self, _plan: &ColumnPlan) {
        self.complex = None;
    }
}

impl MergedColumn {
    fn reconcile_simple(
        &mut self,
        fragment: Fragment,
        cursors: &[Cursor],
        contexts: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        let Some(best) = self.cells.first_mut() else {
            self.cells.push(fragment);
            return Ok(());
        };
        if self.kind == ColumnKind::Counter {
            *best = reconcile_counters(best, &fragment, cursors, contexts)?;
        } else if fragment.compare(best, cursors, contexts).is_gt() {
            *best = fragment;
        }
        Ok(())
    }
}

/// A tombstone of a counter wins whatever its time; shards of two live ones are merged
/// (`Cells.resolveCounter`).
fn reconcile_counters(
    a: &Fragment,
    b: &Fragment,
    cursors: &[Cursor],
    contexts: &mut Vec<u8>,
) -> Result<Fragment, Stop> {
    let newer = if a.cell.times.timestamp > b.cell.times.timestamp { a } else { b };
    let choose = |a_wins: bool, b_wins: bool| match (a_wins, b_wins) {
        (true, false) => Some(*a),
        (false, true) => Some(*b),
        (true, true) => Some(*newer),
        (false, false) => None,
    };
    let tombstone = choose(a.cell.times.is_tombstone(), b.cell.times.is_tombstone());
    let is_empty = |fragment: &Fragment| fragment.cell.value.len() == 0;
    if let Some(chosen) = tombstone.or_else(|| choose(is_empty(a), is_empty(b))) {
        return Ok(chosen);
    }
    let mut merged = Vec::new();
    counter::merge(a.value(cursors, contexts), b.value(cursors, contexts), &mut merged)
        .map_err(|e| Stop::corrupt(b.cell.value.start(), "counter", "a counter context", e))?;
    let start = contexts.len();
    contexts.extend_from_slice(&merged);
    let value = Span::new(start, merged.len());
    let cell = RawCell { times: newer.cell.times, path: Span::NULL, value };
    Ok(Fragment { cursor: None, cell })
}
