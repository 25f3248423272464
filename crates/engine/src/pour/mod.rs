//! Rows of a table to text, on as many threads as there may be.

mod encoder;
mod pipeline;
mod queue;
mod rows;
mod selection;
mod splits;
#[cfg(test)]
mod tests;
mod writer;

use std::io::Write;

use outpour_cql::{Batch, OutputColumn, Table};
use outpour_sink::{Error as SinkError, Format, Framing, Sink, Values, framing, sink};
use outpour_sstable::{Projection, ScanOptions, Split, Sstable};

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
        let splits = if threads > 1 { self.split_count(threads) } else { 1 };
        if splits > 1 {
            splits::pour(self, (threads, splits), &mut writer, notice)?;
        } else {
            self.scan.progress.expect_bytes(self.stored_len());
            let rows = self.rows(&Split::whole(self.sstables.len()), self.scan)?;
            writer.summary.losses = self.pour_rows(rows, threads, &mut writer)?.take_losses();
        }
        writer.finish()
    }

    fn stored_len(&self) -> u64 {
        self.sstables.iter().map(Sstable::data_len).sum()
    }

    /// How many splits the table should be read in by so many threads.
    fn split_count(&self, threads: usize) -> u64 {
        // With damage skipped, what is left out depends on where reading began; and few rows are
        // not worth more than one reader.
        if self.scan.skip_corrupt || self.limit.is_some() {
            return 1;
        }
        if !self.sstables.iter().all(Sstable::can_be_split) {
            return 1;
        }
        let share = self.scan.budget.limit() / (SPLIT_SHARE * threads as u64);
        let len = share.clamp(SPLIT_LEN_MIN, SPLIT_LEN_MAX);
        let len = len.max(self.sstables.len() as u64 * SPLIT_LEN_OF_SSTABLE);
        self.sstables.iter().map(Sstable::uncompressed_len).sum::<u64>() / len
    }

    fn rows(&self, split: &Split, options: &ScanOptions) -> Result<Rows<'_>> {
        Rows::open(self, split, options)
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

    /// Pours `rows` with one reader.
    fn pour_rows<'r>(
        &self,
        mut rows: Rows<'r>,
        threads: usize,
        writer: &mut Writer<'_>,
    ) -> Result<Rows<'r>> {
        let mut encoder = self.encoder();
        if threads > 1 {
            return pipeline::pour(rows, encoder, writer);
        }
        let mut buffer = Vec::new();
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
