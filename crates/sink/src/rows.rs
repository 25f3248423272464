use outpour_cql::Batch;

use crate::block::{Literal, TextBlock};
use crate::kernel::{CellText, Slice};
use crate::{Error, Sink};

/// Rows that become text at once: enough that a kernel's start costs nothing, few enough that their
/// texts stay in the cache until they are put together.
const BLOCK_ROWS: usize = 256;

/// The text of rows, a block at a time.
pub(crate) struct RowText {
    columns: Vec<Column>,
    /// Before the first value
    opening: Literal,
    /// Between two rows
    between: &'static [u8],
    /// After the last value
    closing: Literal,
}

struct Column {
    name: String,
    lead: Literal,
    kernel: Box<dyn CellText>,
    texts: TextBlock,
}

impl RowText {
    /// Rows without columns, each between `opening` and `closing`, with `between` between them.
    pub(crate) fn new(opening: Vec<u8>, between: &'static [u8], closing: Vec<u8>) -> Self {
        let (opening, closing) = (Literal::new(opening), Literal::new(closing));
        Self { columns: Vec::new(), opening, between, closing }
    }

    /// Adds the next column; `lead` stands before its values.
    pub(crate) fn push(&mut self, name: &str, lead: Vec<u8>, kernel: Box<dyn CellText>) {
        let (name, lead, texts) = (name.to_owned(), Literal::new(lead), TextBlock::default());
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
            column.texts.finish();
        }
        Ok(())
    }

    /// Appends the staged row `index`.
    fn append(&self, index: usize, out: &mut Vec<u8>) {
        self.opening.piece().append_to(out);
        for column in &self.columns {
            column.lead.piece().append_to(out);
            column.texts.piece(index).append_to(out);
        }
        self.closing.piece().append_to(out);
    }
}

impl Sink for RowText {
    fn write(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<(), Error> {
        self.check_columns(batch)?;
        let rows = batch.record.num_rows();
        for start in (0..rows).step_by(BLOCK_ROWS) {
            let end = rows.min(start + BLOCK_ROWS);
            self.stage(batch, start..end)?;
            for row in start..end {
                if row > 0 {
                    out.extend_from_slice(self.between);
                }
                self.append(row - start, out);
            }
        }
        Ok(())
    }
}
