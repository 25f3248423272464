//! Everything an SSTable holds, as JSON lines that can be loaded again: docs/dump.md.

use outpour_cql::{
    BoundFragment, CellColumn, CellValues, Deletion, Fragment, FragmentBatch, FragmentLayout,
    PartitionFragment, RowFragment, Times,
};

use super::Dump;
use super::json::missing;
use super::texts::Texts;
use crate::Error;
use crate::block::Literal;
use crate::json;
use crate::kernel::Hex;
use crate::text::{escape, integer};

/// Writes a line for the SSTable, each partition, row and range tombstone marker, and the end.
pub(super) struct Lossless {
    /// The line of the SSTable
    head: String,
    columns: Vec<Column>,
    partition_key: usize,
    clustering: Vec<usize>,
    texts: Texts,
    met: Met,
    has_cell: bool,
}

/// What was written, which the last line tells.
#[derive(Default)]
struct Met {
    partitions: u64,
    rows: u64,
    bounds: u64,
    cells: u64,
}

struct Column {
    /// `{"column":` and the name
    lead: Literal,
    path: Option<usize>,
    value: usize,
}

impl Column {
    fn new(column: &CellColumn) -> Self {
        let mut lead = br#"{"column":"#.to_vec();
        escape::append_json_string(column.name.as_bytes(), &mut lead);
        let value = match &column.values {
            CellValues::One(value) => *value,
            // Cells kept as bytes are never told apart by field.
            CellValues::Fields(fields) => fields.first().copied().unwrap_or(usize::MAX),
        };
        Self { lead: Literal::new(lead), path: column.path, value }
    }
}

impl Lossless {
    /// `head` is the JSON object that tells of the SSTable.
    pub(super) fn new(layout: &FragmentLayout, head: String) -> Self {
        Self {
            head,
            columns: layout.columns.iter().map(Column::new).collect(),
            partition_key: layout.partition_key.first().copied().unwrap_or(usize::MAX),
            clustering: layout.clustering.clone(),
            texts: Texts::new(layout, |_, _| Some(json::quoted(Hex { prefix: "" }))),
            met: Met::default(),
            has_cell: false,
        }
    }
}

fn append(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.as_bytes());
}

fn append_number(label: &str, number: impl itoa::Integer, out: &mut Vec<u8>) {
    append(label, out);
    integer::append(number, out);
}

fn append_deletion(label: &str, deletion: &Deletion, out: &mut Vec<u8>) {
    append(label, out);
    append_number("{\"marked_for_delete_at\":", deletion.marked_for_delete_at, out);
    append(",\"local_deletion_time\":", out);
    match deletion.local_deletion_time {
        Times::NEVER => append("null", out),
        time => integer::append(time, out),
    }
    out.push(b'}');
}

fn append_times(times: &Times, out: &mut Vec<u8>) {
    append_number("\"timestamp\":", times.timestamp, out);
    if times.ttl != 0 {
        append_number(",\"ttl\":", times.ttl, out);
    }
    if times.local_deletion_time != Times::NEVER {
        append_number(",\"local_deletion_time\":", times.local_deletion_time, out);
    }
}

impl Dump for Lossless {
    fn begin(&mut self, out: &mut Vec<u8>) {
        append("{\"sstable\":", out);
        append(&self.head, out);
        append("}\n", out);
    }

    fn write(&mut self, batch: &FragmentBatch, out: &mut Vec<u8>) -> Result<(), Error> {
        self.texts.stage(batch)?;
        let mut partitions = batch.partitions.iter();
        let mut rows = batch.rows.iter();
        let mut bounds = batch.bounds.iter();
        for fragment in &batch.fragments {
            match fragment {
                Fragment::Cell { column, times, .. } => self.cell(*column as usize, times, out)?,
                Fragment::Row => self.row(rows.next().ok_or_else(missing)?, out)?,
                Fragment::RowEnd => append("]}\n", out),
                Fragment::Column { column, deletion } => {
                    self.column(*column as usize, deletion, out);
                }
                Fragment::Partition => {
                    self.partition(partitions.next().ok_or_else(missing)?, out)?;
                }
                Fragment::PartitionEnd => {}
                Fragment::Bound => self.bound(bounds.next().ok_or_else(missing)?, out)?,
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        append_number("{\"end\":{\"partitions\":", self.met.partitions, out);
        append_number(",\"rows\":", self.met.rows, out);
        append_number(",\"bounds\":", self.met.bounds, out);
        append_number(",\"cells\":", self.met.cells, out);
        append("}}\n", out);
    }
}

impl Lossless {
    fn partition(&mut self, partition: &PartitionFragment, out: &mut Vec<u8>) -> Result<(), Error> {
        self.met.partitions += 1;
        append("{\"partition\":", out);
        self.texts.take(self.partition_key)?.append_to(out);
        if !partition.deletion.is_live() {
            append_deletion(",\"deletion\":", &partition.deletion, out);
        }
        append("}\n", out);
        Ok(())
    }

    /// The next values of the first `count` clustering columns.
    fn values(&mut self, count: usize, out: &mut Vec<u8>) -> Result<(), Error> {
        out.push(b'[');
        for (index, column) in self.clustering.iter().take(count).enumerate() {
            append(if index > 0 { "," } else { "" }, out);
            self.texts.take(*column)?.append_to(out);
        }
        out.push(b']');
        Ok(())
    }

    fn row(&mut self, row: &RowFragment, out: &mut Vec<u8>) -> Result<(), Error> {
        self.met.rows += 1;
        if row.is_static {
            append("{\"static\":true", out);
        } else {
            append("{\"row\":", out);
            self.values(self.clustering.len(), out)?;
        }
        if row.liveness.timestamp != Times::NO_TIMESTAMP {
            append(",\"liveness\":{", out);
            append_times(&row.liveness, out);
            out.push(b'}');
        }
        if !row.deletion.is_live() {
            append_deletion(",\"deletion\":", &row.deletion, out);
        }
        if !row.shadowable.is_live() {
            append_deletion(",\"shadowable_deletion\":", &row.shadowable, out);
            if row.has_both_deletions {
                append(",\"keeps_deletion\":true", out);
            }
        }
        append(",\"cells\":[", out);
        self.has_cell = false;
        Ok(())
    }

    fn next_cell(&mut self, column: usize, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.has_cell, true) {
            out.push(b',');
        }
        self.columns[column].lead.piece().append_to(out);
    }

    /// A multi-cell column, whose cells follow.
    fn column(&mut self, column: usize, deletion: &Deletion, out: &mut Vec<u8>) {
        self.next_cell(column, out);
        match deletion.is_live() {
            true => append(",\"deletion\":null", out),
            false => append_deletion(",\"deletion\":", deletion, out),
        }
        out.push(b'}');
    }

    fn cell(&mut self, column: usize, times: &Times, out: &mut Vec<u8>) -> Result<(), Error> {
        self.met.cells += 1;
        self.next_cell(column, out);
        let Self { columns, texts, .. } = self;
        let column = &columns[column];
        if let Some(path) = column.path {
            append(",\"path\":", out);
            texts.take(path)?.append_to(out);
        }
        append(",\"value\":", out);
        texts.take(column.value)?.append_to(out);
        out.push(b',');
        append_times(times, out);
        out.push(b'}');
        Ok(())
    }

    fn bound(&mut self, bound: &BoundFragment, out: &mut Vec<u8>) -> Result<(), Error> {
        self.met.bounds += 1;
        append("{\"bound\":\"", out);
        append(bound.bound.name(), out);
        append("\",\"clustering\":", out);
        self.values(bound.values, out)?;
        if let Some(deletion) = &bound.closes {
            append_deletion(",\"closes\":", deletion, out);
        }
        if let Some(deletion) = &bound.opens {
            append_deletion(",\"opens\":", deletion, out);
        }
        append("}\n", out);
        Ok(())
    }
}
