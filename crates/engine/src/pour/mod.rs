//! Rows of a table to text, on as many threads as there may be.

mod encoder;
mod pipeline;
mod queue;
mod reader;
mod rows;
mod selection;
mod splits;
#[cfg(test)]
mod tests;
mod writer;

use std::io::Write;

use outpour_cql::{Batch, OutputColumn, Table};
use outpour_filter::Restriction;
use outpour_sink::{Error as SinkError, Format, Framing, Sink, Values, framing, sink};
use outpour_sstable::{Projection, ScanOptions, Splits, Sstable};

use crate::Result;
use crate::export::Summary;

use encoder::Encoder;
use rows::Rows;
use writer::Writer;

pub(crate) use selection::Selection;

/// A split is at least so long, in uncompressed bytes: its start and end cost more than a few rows,
const SPLIT_LEN_MIN: u64 = 256 << 10;
/// and at most so long, so that all threads have something to do, and little waits for its turn.
const SPLIT_LEN_MAX: u64 = 8 << 20;
/// Of that many parts of the budget, each thread may hold one as text that waits.
const SPLIT_SHARE: u64 = 16;
/// A split has so many bytes for each SSTable, or finding its places costs more than reading it.
const SPLIT_LEN_OF_SSTABLE: u64 = 128 << 10;

/// What to pour.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) table: &'a Table,
    pub(crate) sstables: &'a [Sstable],
    pub(crate) projection: &'a Projection,
    pub(crate) scan: &'a ScanOptions,
    /// Of the rows; all, if it is `None`
    pub(crate) selection: Option<&'a Selection>,
    /// Rows are only counted if it is `None`
    pub(crate) format: Option<Format>,
    pub(crate) values: Values,
    pub(crate) limit: Option<u64>,
}

impl Job<'_> {
    /// Pours all rows, in order. `notice` is told what the user should know.
    ///
    /// # Errors
    /// Those of the scan, of values that have no text, and Io of the output.
    pub(crate) fn pour(
        &self,
        threads: usize,
        output: &mut dyn Write,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Summary> {
        let mut writer = Writer::new(output, self.framing());
        writer.begin()?;
        let split_len = if threads > 1 { self.split_len(threads) } else { None };
        let mut splits = self.splits(split_len)?;
        if self.restriction().is_none() {
            self.scan.progress.expect_bytes(self.stored_len());
        }
        if split_len.is_some() && !splits.is_one() {
            splits::pour(self, splits, threads, &mut writer, notice)?;
        } else {
            let audit = splits.audit();
            let rows = Rows::new(*self, splits.by_ref(), audit);
            writer.summary.losses = self.pour_rows(rows, threads, &mut writer, notice)?;
            if let Some(trouble) = splits.take_trouble() {
                notice(&format!("{trouble}; rows do not depend on it, but all are read"));
            }
        }
        writer.finish()
    }

    fn stored_len(&self) -> u64 {
        self.sstables.iter().map(Sstable::data_len).sum()
    }

    /// How long splits should be for so many threads, in uncompressed bytes; none if one reader should
    /// read all.
    fn split_len(&self, threads: usize) -> Option<u64> {
        // With damage skipped, what is left out depends on where reading began; and few rows are
        // not worth more than one reader.
        if self.scan.skip_corrupt || self.limit.is_some() || !self.can_be_split() {
            return None;
        }
        let share = self.scan.budget.limit() / (SPLIT_SHARE * threads as u64);
        let len = share.clamp(SPLIT_LEN_MIN, SPLIT_LEN_MAX);
        Some(len.max(self.sstables.len() as u64 * SPLIT_LEN_OF_SSTABLE))
    }

    fn can_be_split(&self) -> bool {
        self.sstables.iter().all(Sstable::can_be_split)
    }

    /// What the selection leaves of the table, if parts of it can be read alone.
    fn restriction(&self) -> Option<&Restriction> {
        let restriction = self.selection.map(Selection::restriction);
        restriction.filter(|_| self.can_be_split())
    }

    /// The splits to read, of `len` bytes each if that is given.
    fn splits(&self, len: Option<u64>) -> Result<Splits> {
        if let Some(restriction) = self.restriction() {
            return Ok(Splits::within(self.sstables, restriction, len, &self.scan.budget)?);
        }
        let table_len: u64 = self.sstables.iter().map(Sstable::uncompressed_len).sum();
        Ok(Splits::new(self.sstables, len.map_or(1, |len| table_len / len)))
    }

    /// The columns that are written.
    fn columns(&self) -> &[OutputColumn] {
        let columns = self.projection.columns();
        self.selection.map_or(columns, |selection| selection.shown(columns))
    }

    fn framing(&self) -> Framing {
        self.format.map_or_else(Framing::default, |format| framing(format, self.columns()))
    }

    fn encoder(&self) -> Encoder {
        let sink: Box<dyn Sink> = match self.format {
            Some(format) => sink(format, self.values, self.columns()),
            None => Box::new(NoText),
        };
        Encoder::new(sink, self.scan.budget.clone())
    }

    /// Pours `rows` with one reader, and returns what had to be left out.
    fn pour_rows(
        &self,
        rows: Rows<'_>,
        threads: usize,
        writer: &mut Writer<'_>,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Vec<String>> {
        let rows = match threads {
            0 | 1 => self.pour_alone(rows, writer)?,
            _ => pipeline::pour(rows, self.encoder(), writer)?,
        };
        if rows.is_misled() {
            notice(
                "an index tells other places of partitions than the data has; rows do not depend \
                 on it, but from there on threads cannot share the work",
            );
        }
        rows.finish()
    }

    fn pour_alone<'r>(&self, mut rows: Rows<'r>, writer: &mut Writer<'_>) -> Result<Rows<'r>> {
        let (mut encoder, mut buffer) = (self.encoder(), Vec::new());
        while let Some(scanned) = rows.next()? {
            buffer = writer.write(encoder.encode(&scanned, buffer)?)?;
        }
        Ok(rows)
    }
}

/// Where rows are only counted.
struct NoText;

impl Sink for NoText {
    fn write(&mut self, _batch: &Batch, _out: &mut Vec<u8>) -> std::result::Result<(), SinkError> {
        Ok(())
    }
}
