use outpour_cql::Batch;

use crate::block::TextBlock;
use crate::kernel::{CellText, Slice};
use crate::{Error, Sink};

/// Rows that become text at once: enough that a kernel's start costs nothing, few enough that their
/// texts stay in the cache until they are put together.
const BLOCK_ROWS: usize = 256;

/// What stands around the rows.
pub(crate) struct Framing {
    /// Before the rows
    pub(crate) opening: Vec<u8>,
    /// Between two rows
    pub(crate) between: &'static [u8],
    /// After the rows
    pub(crate) closing: &'static [u8],
    /// After no rows
    pub(crate) closing_empty: &'static [u8],
}

/// A sink that writes rows one after the other.
pub(crate) struct Rows {
    framing: Framing,
    text: RowText,
    /// Whether a row has been written
    started: bool,
}

impl Rows {
    pub(crate) fn new(framing: Framing, text: RowText) -> Self {
        Self { framing, text, started: false }
    }
}

impl Sink for Rows {
    fn begin(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.framing.opening);
    }

    fn write(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<(), Error> {
        self.text.check_columns(batch)?;
        let rows = batch.record.num_rows();
        for start in (0..rows).step_by(BLOCK_ROWS) {
            let end = rows.min(start + BLOCK_ROWS);
            self.text.stage(batch, start..end)?;
            for row in 0..end - start {
                if self.started {
                    out.extend_from_slice(self.framing.between);
                }
                self.started = true;
                self.text.append(row, out);
            }
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        let framing = &self.framing;
        out.extend_from_slice(if self.started { framing.closing } else { framing.closing_empty });
    }
}

/// The text of rows, a block at a time.
pub(crate) struct RowText {
    columns: Vec<Column>,
    /// Before the first value
    opening: Vec<u8>,
    /// After the last value
    closing: Vec<u8>,
}

struct Column {
    name: String,
    lead: Vec<u8>,
    kernel: Box<dyn CellText>,
    texts: TextBlock,
}

impl RowText {
    /// Rows without columns, between `opening` and `closing`.
    pub(crate) fn new(opening: Vec<u8>, closing: Vec<u8>) -> Self {
        Self { columns: Vec::new(), opening, closing }
    }

    /// Adds the next column; `lead` stands before its values.
    pub(crate) fn push(&mut self, name: &str, lead: Vec<u8>, kernel: Box<dyn CellText>) {
        let (name, texts) = (name.to_owned(), TextBlock::default());
        self.columns.push(Column { name, lead, kernel, texts });
    }

    fn check_columns(&self, batch: &Batch) -> Result<(), Error> {
        let (expected, got) = (self.columns.len(), batch.record.num_columns());
        if expected == got && expected == batch.empties.len() {
            return Ok(());
        }
        Err(Error::invalid(format!("{expected} columns"), format!("{got}")).of_column("*"))
    }

    /// Makes the texts of `rows` of every column.
    fn stage(&mut self, batch: &Batch, rows: std::ops::Range<usize>) -> Result<(), Error> {
        let values = batch.record.columns().iter().zip(&batch.empties);
        for (column, (array, empties)) in self.columns.iter_mut().zip(values) {
            column.texts.clear();
            let values = Slice { array, empties, rows: rows.clone() };
            let written = column.kernel.write(values, &mut column.texts);
            written.map_err(|e| e.of_column(&column.name))?;
        }
        Ok(())
    }

    /// Appends the staged row `index`.
    fn append(&self, index: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.opening);
        for column in &self.columns {
            out.extend_from_slice(&column.lead);
            out.extend_from_slice(column.texts.piece(index));
        }
        out.extend_from_slice(&self.closing);
    }
}
