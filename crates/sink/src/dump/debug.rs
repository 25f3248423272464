//! sstabledump's `-d` (`tools/SSTableExport.java`, `db/rows/AbstractRow.java` and the other `toString`
//! methods that it calls; 5.0): a line for each deleted partition, row and range tombstone marker.
//!
//! ```text
//! [key]@position deletedAt=…, localDeletion=…
//! [key]@position Row[info=[ts=… ttl=…, let=…] del=… ]: clustering | [column=value ts=…], …
//! [key]@position Marker KIND(clustering)@…/…
//! ```

use arrow_array::BinaryArray;
use outpour_cql::{
    BoundFragment, CellValues, CqlType, Deletion, Fragment, FragmentBatch, FragmentLayout,
    PartitionFragment, RowFragment, Times, counter,
};

use super::Dump;
use super::json::{NO_LIVENESS, missing, row_deletion};
use super::literal::literal;
use super::shown::shown;
use super::texts::Texts;
use crate::Error;
use crate::block::TextBlock;
use crate::kernel::{CellText, Slice, append_component};
use crate::text::integer;

/// Writes rows and markers.
pub(super) struct Debug {
    layout: FragmentLayout,
    texts: Texts,
    /// The clustering of markers, which is not shown as that of rows
    bounds: Texts,
    key: Vec<u8>,
    position: u64,
    is_hidden: bool,
    has_column: bool,
    deleted_until: i64,
}

impl Debug {
    pub(super) fn new(layout: &FragmentLayout) -> Self {
        let is_clustering = |index| layout.clustering.contains(&index);
        let texts = Texts::new(layout, |index, column| {
            Some(match (&column.cql_type, is_clustering(index)) {
                (cql_type, true) => literal(cql_type),
                (CqlType::Counter, false) => Box::new(CounterTotal),
                (cql_type, false) => shown(cql_type),
            })
        });
        let bounds = Texts::new(layout, |index, column| {
            let kernel = || match column.cql_type.inner().is_empty() {
                true => shown(&column.cql_type),
                false => literal(&column.cql_type),
            };
            is_clustering(index).then(kernel)
        });
        Self {
            layout: layout.clone(),
            texts,
            bounds,
            key: Vec::new(),
            position: 0,
            is_hidden: false,
            has_column: false,
            deleted_until: i64::MIN,
        }
    }
}

/// A counter's value.
struct CounterTotal;

impl CellText for CounterTotal {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let contexts: &BinaryArray = values.downcast()?;
        for row in values.rows.clone() {
            let total = counter::total(contexts.value(row));
            let total = total.map_err(|e| Error::corrupt("a counter context", e.to_string()))?;
            integer::append(total, text.open());
            text.end_value();
        }
        Ok(())
    }
}

impl Dump for Debug {
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    fn write(&mut self, batch: &FragmentBatch, out: &mut Vec<u8>) -> Result<(), Error> {
        self.texts.stage(batch)?;
        self.bounds.stage(batch)?;
        let mut partitions = batch.partitions.iter();
        let mut rows = batch.rows.iter();
        let mut bounds = batch.bounds.iter();
        for fragment in &batch.fragments {
            match fragment {
                Fragment::Partition => {
                    self.partition(partitions.next().ok_or_else(missing)?, out)?;
                }
                Fragment::Row => self.row(rows.next().ok_or_else(missing)?, out)?,
                Fragment::Column { column, deletion } => {
                    self.column(*column as usize, deletion, out);
                }
                Fragment::Cell { column, field, times } => {
                    self.cell(*column as usize, usize::from(*field), times, out)?;
                }
                Fragment::RowEnd if self.is_hidden => {}
                Fragment::RowEnd => out.push(b'\n'),
                Fragment::Bound => self.marker(bounds.next().ok_or_else(missing)?, out)?,
                Fragment::PartitionEnd => {}
            }
        }
        Ok(())
    }

    fn finish(&mut self, _out: &mut Vec<u8>) {}
}

fn append(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(text.as_bytes());
}

fn append_number(label: &str, number: i64, out: &mut Vec<u8>) {
    append(label, out);
    integer::append(number, out);
}

fn append_deletion(deletion: &Deletion, out: &mut Vec<u8>) {
    append_number("deletedAt=", deletion.marked_for_delete_at, out);
    append_number(", localDeletion=", deletion.local_deletion_time, out);
}

impl Debug {
    fn partition(&mut self, partition: &PartitionFragment, out: &mut Vec<u8>) -> Result<(), Error> {
        self.key.clear();
        let columns = &self.layout.partition_key;
        for (index, column) in columns.iter().enumerate() {
            let text = self.texts.take(*column)?.text();
            match columns.len() {
                1 => self.key.extend_from_slice(text),
                _ => {
                    append(if index > 0 { ":" } else { "" }, &mut self.key);
                    append_component(text, &mut self.key);
                }
            }
        }
        self.position = partition.rows_start;
        if !partition.deletion.is_live() {
            self.place(out);
            append_deletion(&partition.deletion, out);
            out.push(b'\n');
        }
        Ok(())
    }

    fn place(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        out.extend_from_slice(&self.key);
        append("]@", out);
        integer::append(self.position, out);
        out.push(b' ');
    }

    fn row(&mut self, row: &RowFragment, out: &mut Vec<u8>) -> Result<(), Error> {
        self.is_hidden = row.is_empty;
        self.has_column = false;
        let deletion = row_deletion(row);
        self.deleted_until = deletion.marked_for_delete_at;
        let start = out.len();
        self.place(out);
        append("Row[info=", out);
        let is_deleted = row.liveness.timestamp <= deletion.marked_for_delete_at;
        append_liveness(if is_deleted { &NO_LIVENESS } else { &row.liveness }, out);
        if !deletion.is_live() {
            append(" del=", out);
            append_deletion(&deletion, out);
            append(if deletion == row.shadowable { "(shadowable)" } else { "" }, out);
        }
        append(" ]: ", out);
        match row.is_static {
            true => append("STATIC", out),
            false => self.clustering(out)?,
        }
        append(" | ", out);
        if row.is_empty {
            out.truncate(start);
        } else {
            self.position = row.end;
        }
        Ok(())
    }

    fn clustering(&mut self, out: &mut Vec<u8>) -> Result<(), Error> {
        for (index, column) in self.layout.clustering.iter().enumerate() {
            append(if index > 0 { ", " } else { "" }, out);
            self.texts.take(*column)?.append_to(out);
            self.bounds.skip(*column);
        }
        Ok(())
    }

    /// The deletion of a multi-cell column. Each cell of it has a comma before it, deletion or not.
    fn column(&mut self, column: usize, deletion: &Deletion, out: &mut Vec<u8>) {
        self.next_column(out);
        if !deletion.is_live() {
            append("del(", out);
            append(&self.layout.columns[column].name, out);
            append(")=", out);
            append_deletion(deletion, out);
        }
    }

    fn next_column(&mut self, out: &mut Vec<u8>) {
        let is_first = !std::mem::replace(&mut self.has_column, true);
        append(if is_first { "" } else { ", " }, out);
    }

    fn cell(
        &mut self,
        column: usize,
        field: usize,
        times: &Times,
        out: &mut Vec<u8>,
    ) -> Result<(), Error> {
        let (start, had_column) = (out.len(), self.has_column);
        let Self { layout, texts, .. } = self;
        let column = &layout.columns[column];
        if column.multi_cell {
            append(", ", out);
        } else {
            append(if had_column { ", " } else { "" }, out);
            self.has_column = true;
        }
        out.push(b'[');
        append(&column.name, out);
        if let Some(path) = column.path {
            out.push(b'[');
            texts.take(path)?.append_to(out);
            out.push(b']');
        }
        let values = match (&column.values, &column.cql_type) {
            (CellValues::One(values), _) => *values,
            (CellValues::Fields(fields), CqlType::Udt(udt)) => {
                out.push(b'[');
                append(&udt.fields.get(field).ok_or_else(missing)?.name, out);
                out.push(b']');
                *fields.get(field).ok_or_else(missing)?
            }
            (CellValues::Fields(_), _) => return Err(missing()),
        };
        out.push(b'=');
        match times.is_tombstone() {
            true => append("<tombstone>", out),
            false => texts.take(values)?.append_to(out),
        }
        append_times(times, out);
        if times.timestamp <= self.deleted_until {
            out.truncate(start);
            self.has_column = had_column;
        }
        Ok(())
    }

    fn marker(&mut self, fragment: &BoundFragment, out: &mut Vec<u8>) -> Result<(), Error> {
        self.place(out);
        self.position = fragment.end;
        append("Marker ", out);
        append(fragment.bound.name(), out);
        out.push(b'(');
        for (index, column) in self.layout.clustering.iter().take(fragment.values).enumerate() {
            append(if index > 0 { ", " } else { "" }, out);
            self.bounds.take(*column)?.append_to(out);
            self.texts.skip(*column);
        }
        append(")@", out);
        let deletions = [&fragment.closes, &fragment.opens].into_iter().flatten();
        for (index, deletion) in deletions.enumerate() {
            append(if index > 0 { "-" } else { "" }, out);
            integer::append(deletion.marked_for_delete_at, out);
            append_number("/", deletion.local_deletion_time, out);
        }
        out.push(b'\n');
        Ok(())
    }
}

fn append_liveness(liveness: &Times, out: &mut Vec<u8>) {
    append_number("[ts=", liveness.timestamp, out);
    if liveness.ttl != 0 {
        append_number(" ttl=", i64::from(liveness.ttl), out);
        append_number(", let=", liveness.local_deletion_time, out);
    }
    out.push(b']');
}

fn append_times(times: &Times, out: &mut Vec<u8>) {
    append_number(" ts=", times.timestamp, out);
    if times.ttl != 0 {
        append_number(" ttl=", i64::from(times.ttl), out);
    }
    if times.local_deletion_time != Times::NEVER {
        append_number(" ldt=", times.local_deletion_time, out);
    }
    out.push(b']');
}
