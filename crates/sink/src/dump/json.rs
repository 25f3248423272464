//! sstabledump's JSON (`tools/JsonTransformer.java`, 3.11 to 5.0).

use arrow_array::BinaryArray;
use outpour_cql::{
    Bound, BoundFragment, CellColumn, CellValues, CqlType, Deletion, Fragment, FragmentBatch,
    FragmentLayout, PartitionFragment, RowFragment, Times, ValueColumn, quoted,
};

use super::punctuation::Punctuation;
use super::shown::shown;
use super::texts::Texts;
use super::times::TimeText;
use super::{Dump, DumpOptions, DumpRelease};
use crate::block::{Literal, TextBlock};
use crate::kernel::{CellText, JsonText, Slice};
use crate::text::{escape, integer};
use crate::{Error, json};

/// Writes partitions.
pub(super) struct Json {
    marks: &'static Punctuation,
    /// Before a partition's key
    partition: &'static str,
    release: DumpRelease,
    times: TimeText,
    now: i64,
    layout: FragmentLayout,
    columns: Vec<Column>,
    texts: Texts,
    state: State,
}

/// What stands before a cell of a column.
struct Column {
    path: Option<usize>,
    /// Up to the name
    name: Literal,
    /// Up to the value, in a column without a path; as the first cell of a row or a later one
    value_first: Literal,
    value_next: Literal,
    values: Values,
}

enum Values {
    One(usize),
    /// The column of each field's values, and the field's name as JSON
    Fields(Vec<(usize, Literal)>),
}

/// Where the text is.
struct State {
    has_partition: bool,
    has_row: bool,
    has_cell: bool,
    /// Where the last row or marker that was shown ends
    position: u64,
    /// The row is not shown
    is_hidden: bool,
    liveness: Times,
    /// What was written then or before is not shown, for the row's deletion deletes it
    deleted_until: i64,
}

impl Json {
    pub(super) fn new(
        options: &DumpOptions,
        layout: &FragmentLayout,
        marks: &'static Punctuation,
    ) -> Self {
        Self {
            marks,
            partition: match options.release {
                DumpRelease::Before5 => marks.partition,
                DumpRelease::Since5 => marks.partition_of_kind,
            },
            release: options.release,
            times: TimeText { raw: options.raw_times },
            now: options.now,
            columns: layout.columns.iter().map(|column| Column::new(column, marks)).collect(),
            texts: Texts::new(layout, |index, column| Some(kernel(layout, index, column))),
            layout: layout.clone(),
            state: State {
                has_partition: false,
                has_row: false,
                has_cell: false,
                position: 0,
                is_hidden: false,
                liveness: NO_LIVENESS,
                deleted_until: i64::MIN,
            },
        }
    }
}

pub(super) const NO_LIVENESS: Times =
    Times { timestamp: Times::NO_TIMESTAMP, local_deletion_time: Times::NEVER, ttl: 0 };

/// Keys and paths are strings, all else as in `SELECT JSON`.
fn kernel(layout: &FragmentLayout, index: usize, column: &ValueColumn) -> Box<dyn CellText> {
    let is_path = layout.columns.iter().any(|column| column.path == Some(index));
    if is_path || layout.partition_key.contains(&index) {
        return Box::new(JsonText::new(shown(&column.cql_type)));
    }
    match column.cql_type {
        CqlType::Counter => Box::new(CounterStart),
        _ => json::kernel(&column.cql_type),
    }
}

/// sstabledump prints the first 8 bytes of a counter's context as a number: how many shards it has
/// and the start of the first one (`CounterColumnType.toJSONString`).
struct CounterStart;

impl CellText for CounterStart {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let contexts: &BinaryArray = values.downcast()?;
        for row in values.rows.clone() {
            match contexts.value(row).first_chunk::<8>() {
                Some(start) => integer::append(i64::from_be_bytes(*start), text.open()),
                None => text.open().extend_from_slice(b"\"\""),
            }
            text.end_value();
        }
        Ok(())
    }
}

impl Column {
    fn new(column: &CellColumn, marks: &Punctuation) -> Self {
        let mut name = marks.cell_name.as_bytes().to_vec();
        escape::append_json_string(quoted(&column.name).as_bytes(), &mut name);
        let value = [&name, marks.cell_value.as_bytes()].concat();
        let value_after = |mark: &str| Literal::new([mark.as_bytes(), &value].concat());
        let field = |(values, field): (&usize, &outpour_cql::UdtField)| {
            let mut name = Vec::new();
            escape::append_json_string(field.name.as_bytes(), &mut name);
            (*values, Literal::new(name))
        };
        Self {
            path: column.path,
            value_first: value_after(marks.cell_first),
            value_next: value_after(marks.cell_next),
            name: Literal::new(name),
            values: match (&column.values, &column.cql_type) {
                (CellValues::One(values), _) => Values::One(*values),
                (CellValues::Fields(fields), CqlType::Udt(udt)) => {
                    Values::Fields(fields.iter().zip(&udt.fields).map(field).collect())
                }
                (CellValues::Fields(_), _) => Values::Fields(Vec::new()),
            },
        }
    }
}

impl Dump for Json {
    fn begin(&mut self, out: &mut Vec<u8>) {
        append(self.marks.opening, out);
    }

    fn write(&mut self, batch: &FragmentBatch, out: &mut Vec<u8>) -> Result<(), Error> {
        self.texts.stage(batch)?;
        let mut partitions = batch.partitions.iter();
        let mut rows = batch.rows.iter();
        let mut bounds = batch.bounds.iter();
        for fragment in &batch.fragments {
            match fragment {
                Fragment::Cell { column, field, times } => {
                    self.cell(*column as usize, usize::from(*field), times, out)?;
                }
                Fragment::Row => self.row(rows.next().ok_or_else(missing)?, out)?,
                Fragment::RowEnd => self.row_end(out),
                Fragment::Column { column, deletion } => {
                    self.column(*column as usize, deletion, out);
                }
                Fragment::Partition => {
                    self.partition(partitions.next().ok_or_else(missing)?, out)?;
                }
                Fragment::PartitionEnd => self.partition_end(out),
                Fragment::Bound => self.marker(bounds.next().ok_or_else(missing)?, out)?,
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let marks = self.marks;
        append(if self.state.has_partition { marks.closing } else { marks.closing_empty }, out);
    }
}

#[cold]
pub(super) fn missing() -> Error {
    Error::invalid("a head for each fragment", "none")
}

#[inline(always)]
fn append(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.as_bytes());
}

impl Json {
    fn partition(&mut self, partition: &PartitionFragment, out: &mut Vec<u8>) -> Result<(), Error> {
        let marks = self.marks;
        let is_first = !std::mem::replace(&mut self.state.has_partition, true);
        append(if is_first { marks.partition_first } else { marks.partition_next }, out);
        append(self.partition, out);
        let columns = self.layout.partition_key.as_slice();
        elements(&mut self.texts, columns, marks, out)?;
        append(marks.partition_position, out);
        let position = match self.release {
            DumpRelease::Before5 => partition.start,
            DumpRelease::Since5 => partition.rows_start,
        };
        integer::append(position, out);
        if !partition.deletion.is_live() {
            append(marks.partition_deletion, out);
            self.deletion(&partition.deletion, out);
        }
        append(marks.rows, out);
        self.state.has_row = false;
        self.state.position = partition.rows_start;
        Ok(())
    }

    fn partition_end(&mut self, out: &mut Vec<u8>) {
        let marks = self.marks;
        append(if self.state.has_row { marks.rows_end } else { marks.rows_end_empty }, out);
        append(marks.partition_end, out);
    }

    fn deletion(&self, deletion: &Deletion, out: &mut Vec<u8>) {
        append(self.marks.deletion, out);
        self.times.append_microseconds(deletion.marked_for_delete_at, out);
        append(self.marks.deletion_local, out);
        self.times.append_seconds(deletion.local_deletion_time, out);
        append(self.marks.deletion_end, out);
    }

    /// Starts a row or marker.
    fn next_row(&mut self, out: &mut Vec<u8>) {
        let is_first = !std::mem::replace(&mut self.state.has_row, true);
        append(if is_first { self.marks.row_first } else { self.marks.row_next }, out);
    }

    fn row(&mut self, row: &RowFragment, out: &mut Vec<u8>) -> Result<(), Error> {
        let marks = self.marks;
        self.state.is_hidden = row.is_empty;
        if row.is_empty {
            let columns = if row.is_static { &[] } else { self.layout.clustering.as_slice() };
            columns.iter().for_each(|column| self.texts.skip(*column));
            return Ok(());
        }
        self.next_row(out);
        append(if row.is_static { marks.static_row } else { marks.row }, out);
        integer::append(self.state.position, out);
        self.state.position = row.end;
        if !row.is_static && !self.layout.clustering.is_empty() {
            append(marks.clustering, out);
            elements(&mut self.texts, &self.layout.clustering, marks, out)?;
            append(marks.clustering_end, out);
        }
        let deletion = row_deletion(row);
        let is_deleted = row.liveness.timestamp <= deletion.marked_for_delete_at;
        let liveness = if is_deleted { NO_LIVENESS } else { row.liveness };
        if liveness.timestamp != Times::NO_TIMESTAMP {
            self.liveness(&liveness, out);
        }
        if !deletion.is_live() {
            append(marks.row_deletion, out);
            self.deletion(&deletion, out);
        }
        append(marks.cells, out);
        self.state.has_cell = false;
        self.state.liveness = liveness;
        self.state.deleted_until = deletion.marked_for_delete_at;
        Ok(())
    }

    fn row_end(&mut self, out: &mut Vec<u8>) {
        if self.state.is_hidden {
            return;
        }
        let marks = self.marks;
        append(if self.state.has_cell { marks.cells_end } else { marks.cells_end_empty }, out);
        append(marks.row_end, out);
    }

    fn liveness(&self, liveness: &Times, out: &mut Vec<u8>) {
        append(self.marks.liveness, out);
        self.times.append_microseconds(liveness.timestamp, out);
        if liveness.ttl != 0 {
            self.expiry(liveness, liveness.local_deletion_time < self.now, out);
        }
        append(self.marks.liveness_end, out);
    }

    fn expiry(&self, times: &Times, expired: bool, out: &mut Vec<u8>) {
        append(self.marks.ttl, out);
        integer::append(times.ttl, out);
        append(self.marks.expires_at, out);
        self.times.append_seconds(times.local_deletion_time, out);
        append(self.marks.expired, out);
        append(if expired { "true" } else { "false" }, out);
    }

    /// The deletion of a multi-cell column.
    fn column(&mut self, column: usize, deletion: &Deletion, out: &mut Vec<u8>) {
        if deletion.is_live() {
            return;
        }
        self.next_cell(out);
        self.columns[column].name.piece().append_to(out);
        append(self.marks.cell_deletion, out);
        self.deletion(deletion, out);
        append(self.marks.cell_end, out);
    }

    fn next_cell(&mut self, out: &mut Vec<u8>) {
        let is_first = !std::mem::replace(&mut self.state.has_cell, true);
        append(if is_first { self.marks.cell_first } else { self.marks.cell_next }, out);
    }

    #[inline(always)]
    fn cell(
        &mut self,
        column: usize,
        field: usize,
        times: &Times,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let Self { columns, texts, state, .. } = self;
        match &columns[column] {
            Column { path: None, values: Values::One(values), value_first, value_next, .. }
                if !times.is_tombstone() && times.timestamp > state.deleted_until =>
            {
                let is_first = !std::mem::replace(&mut state.has_cell, true);
                let lead = if is_first { value_first } else { value_next };
                lead.piece().append_to(out);
                texts.take(*values)?.append_to(out);
                self.cell_times(times, out);
                Ok(())
            }
            _ => self.other_cell(column, field, times, out),
        }
    }

    /// A cell that has a path, or is deleted.
    fn other_cell(
        &mut self,
        column: usize,
        field: usize,
        times: &Times,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let is_shown = times.timestamp > self.state.deleted_until;
        let start = out.len();
        let had_cell = self.state.has_cell;
        self.next_cell(out);
        let Self { columns, texts, marks, .. } = self;
        let column = &columns[column];
        column.name.piece().append_to(out);
        let values = match &column.values {
            Values::One(values) => {
                if let Some(path) = column.path {
                    append(marks.cell_path, out);
                    texts.take(path)?.append_to(out);
                    append(marks.cell_path_end, out);
                }
                *values
            }
            Values::Fields(fields) => {
                let (values, name) = fields.get(field).ok_or_else(missing)?;
                append(marks.cell_path, out);
                name.piece().append_to(out);
                append(marks.cell_path_end, out);
                *values
            }
        };
        if times.is_tombstone() {
            self.tombstone(times, out);
        } else {
            append(marks.cell_value, out);
            texts.take(values)?.append_to(out);
            self.cell_times(times, out);
        }
        if !is_shown {
            out.truncate(start);
            self.state.has_cell = had_cell;
        }
        Ok(())
    }

    fn tombstone(&self, times: &Times, out: &mut Vec<u8>) {
        let marks = self.marks;
        append(marks.tombstone, out);
        self.times.append_seconds(times.local_deletion_time, out);
        append(marks.tombstone_end, out);
        if times.timestamp != self.state.liveness.timestamp {
            append(marks.tombstone_timestamp, out);
            self.times.append_microseconds(times.timestamp, out);
        }
        append(marks.tombstone_cell_end, out);
    }

    /// Times that differ from the row's, and the end of the cell.
    #[inline(always)]
    fn cell_times(&self, times: &Times, out: &mut Vec<u8>) {
        if times.timestamp != self.state.liveness.timestamp {
            append(self.marks.cell_timestamp, out);
            self.times.append_microseconds(times.timestamp, out);
        }
        if times.ttl != 0 && times.ttl != self.state.liveness.ttl {
            self.expiry(times, times.local_deletion_time <= self.now, out);
        }
        append(self.marks.cell_end, out);
    }

    fn marker(&mut self, fragment: &BoundFragment, out: &mut Vec<u8>) -> Result<(), Error> {
        self.next_row(out);
        let marks = self.marks;
        self.state.position = fragment.end;
        let mut clustering = Vec::new();
        if fragment.values > 0 {
            append(marks.bound_clustering, &mut clustering);
            let columns = self.layout.clustering.get(..fragment.values).ok_or_else(missing)?;
            elements(&mut self.texts, columns, marks, &mut clustering)?;
            for _ in fragment.values..self.layout.clustering.len() {
                append(marks.element_next, &mut clustering);
                append("\"*\"", &mut clustering);
            }
            append(marks.clustering_end, &mut clustering);
        }
        let is_boundary = fragment.opens.is_some() && fragment.closes.is_some();
        append(if is_boundary { marks.boundary } else { marks.bound }, out);
        if let Some(deletion) = &fragment.opens {
            self.side((marks.bound_start, starts_with(fragment.bound)), &clustering, deletion, out);
        }
        if let Some(deletion) = &fragment.closes {
            self.side((marks.bound_end, ends_with(fragment.bound)), &clustering, deletion, out);
        }
        append(marks.marker_end, out);
        Ok(())
    }

    /// The start or the end of a range.
    fn side(
        &self,
        (mark, is_inclusive): (&str, bool),
        clustering: &[u8],
        deletion: &Deletion,
        out: &mut Vec<u8>,
    ) {
        append(mark, out);
        append(if is_inclusive { "\"inclusive\"" } else { "\"exclusive\"" }, out);
        out.extend_from_slice(clustering);
        append(self.marks.bound_deletion, out);
        self.deletion(deletion, out);
        append(self.marks.side_end, out);
    }
}

/// The next values of `columns`.
fn elements(
    texts: &mut Texts,
    columns: &[usize],
    marks: &Punctuation,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            append(marks.element_next, out);
        }
        texts.take(*column)?.append_to(out);
    }
    Ok(())
}

/// A shadowable deletion is gone if the row was written later (`Row.Deletion.isShadowedBy`).
pub(super) fn row_deletion(row: &RowFragment) -> Deletion {
    let is_shadowed = row.liveness.timestamp > row.shadowable.marked_for_delete_at;
    let is_older = row.shadowable.marked_for_delete_at < row.deletion.marked_for_delete_at;
    if is_shadowed || is_older { row.deletion } else { row.shadowable }
}

fn starts_with(bound: Bound) -> bool {
    matches!(bound, Bound::InclusiveStart | Bound::ExclusiveEndInclusiveStart)
}

fn ends_with(bound: Bound) -> bool {
    matches!(bound, Bound::InclusiveEnd | Bound::InclusiveEndExclusiveStart)
}

#[cfg(test)]
mod tests {
    use outpour_cql::{FragmentValues, column_builder};

    use super::super::{DumpForm, dump};
    use super::*;

    fn column(name: &str, cql_type: CqlType) -> ValueColumn {
        ValueColumn { name: name.into(), cql_type, is_bytes: false }
    }

    /// A table with key `k`, clustering `c` and column `v`, all int.
    fn layout() -> FragmentLayout {
        FragmentLayout {
            values: ["k", "c", "v"].map(|name| column(name, CqlType::Int)).into(),
            partition_key: vec![0],
            clustering: vec![1],
            columns: vec![CellColumn {
                name: "v".into(),
                cql_type: CqlType::Int,
                multi_cell: false,
                path: None,
                values: CellValues::One(2),
            }],
        }
    }

    const LIVE_ROW: RowFragment = RowFragment {
        is_static: false,
        is_empty: false,
        start: 0,
        end: 0,
        liveness: NO_LIVENESS,
        deletion: Deletion::LIVE,
        shadowable: Deletion::LIVE,
        has_both_deletions: false,
    };

    fn deletion(marked_for_delete_at: i64) -> Deletion {
        Deletion { marked_for_delete_at, local_deletion_time: 1 }
    }

    fn written_at(timestamp: i64) -> Times {
        Times { timestamp, ..NO_LIVENESS }
    }

    /// The rows of one partition, each with a cell written at each of some times, in two batches.
    fn rows_of(rows: &[(RowFragment, &[i64])]) -> String {
        let options = DumpOptions {
            form: DumpForm::JsonLines,
            raw_times: true,
            release: DumpRelease::Since5,
            now: 0,
            head: String::new(),
        };
        assert_eq!(options.form.values(), FragmentValues::Typed);
        let mut dump = dump(&options, &layout());
        let mut batch = FragmentBatch::default();
        let deletion = Deletion::LIVE;
        batch.partitions.push(PartitionFragment { start: 0, rows_start: 7, deletion });
        batch.fragments.push(Fragment::Partition);
        let (mut values, mut cells) = (0, 0);
        for (row, timestamps) in rows {
            batch.fragments.push(Fragment::Row);
            batch.rows.push(*row);
            values += 1;
            for timestamp in *timestamps {
                let times = written_at(*timestamp);
                batch.fragments.push(Fragment::Cell { column: 0, field: 0, times });
                cells += 1;
            }
            batch.fragments.push(Fragment::RowEnd);
        }
        let ints = |count: usize| {
            let mut builder = column_builder(&CqlType::Int);
            let numbers: Vec<_> = (0..count as i32).map(i32::to_be_bytes).collect();
            let cells: Vec<_> = numbers.iter().map(|number| Some(number.as_slice())).collect();
            builder.append(&cells).unwrap();
            builder.finish()
        };
        batch.values = vec![ints(1), ints(values), ints(cells)];
        let mut out = Vec::new();
        dump.begin(&mut out);
        dump.write(&batch, &mut out).unwrap();
        let end = FragmentBatch {
            fragments: vec![Fragment::PartitionEnd],
            values: vec![ints(0), ints(0), ints(0)],
            ..FragmentBatch::default()
        };
        dump.write(&end, &mut out).unwrap();
        dump.finish(&mut out);
        let text = String::from_utf8(out).unwrap();
        let rows = text.split_once("\"rows\":").unwrap().1;
        rows.strip_suffix("}\n").unwrap().to_owned()
    }

    #[test]
    fn an_empty_row_is_not_shown_and_moves_no_position() {
        let empty = RowFragment { is_empty: true, start: 7, end: 20, ..LIVE_ROW };
        let row = RowFragment { liveness: written_at(3), start: 20, end: 30, ..LIVE_ROW };
        assert_eq!(
            rows_of(&[(empty, &[]), (row, &[3]), (row, &[])]),
            r#"[{"type":"row","position":7,"clustering":[1],"liveness_info":{"tstamp":"3"},"cells":[{"name":"v","value":0}]},"#
                .to_owned()
                + r#"{"type":"row","position":30,"clustering":[2],"liveness_info":{"tstamp":"3"},"cells":[]}]"#
        );
        assert_eq!(rows_of(&[(empty, &[])]), "[]");
    }

    /// As `BTreeRow.Builder` leaves it out.
    #[test]
    fn what_the_row_deletion_deletes_is_not_shown() {
        let row = RowFragment { liveness: written_at(5), deletion: deletion(5), ..LIVE_ROW };
        let deleted = r#"[{"type":"row","position":7,"clustering":[0],"deletion_info":{"marked_deleted":"5","local_delete_time":"1"},"cells":["#;
        assert_eq!(rows_of(&[(row, &[5])]), deleted.to_owned() + "]}]");
        assert_eq!(
            rows_of(&[(row, &[4, 6, 5])]),
            deleted.to_owned() + r#"{"name":"v","value":1,"tstamp":"6"}]}]"#
        );
    }

    #[test]
    fn a_newer_liveness_ends_a_shadowable_deletion() {
        let row = RowFragment { liveness: written_at(6), shadowable: deletion(5), ..LIVE_ROW };
        let text = rows_of(&[(row, &[5])]);
        assert!(!text.contains("deletion_info") && text.contains(r#""tstamp":"5""#), "{text}");
        let row = RowFragment { liveness: written_at(5), ..row };
        assert!(rows_of(&[(row, &[])]).contains(r#""marked_deleted":"5""#));
        let both = RowFragment { deletion: deletion(7), ..row };
        assert!(rows_of(&[(both, &[])]).contains(r#""marked_deleted":"7""#));
    }

    #[test]
    fn a_batch_of_another_layout_is_refused() {
        let options = DumpOptions {
            form: DumpForm::Json,
            raw_times: false,
            release: DumpRelease::Before5,
            now: 0,
            head: String::new(),
        };
        let mut dump = dump(&options, &layout());
        assert!(dump.write(&FragmentBatch::default(), &mut Vec::new()).is_err());
    }
}
