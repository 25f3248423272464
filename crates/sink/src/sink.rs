use outpour_cql::{Batch, OutputColumn};

use crate::{Error, csv, json};

/// A text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// One JSON object a line
    #[default]
    JsonLines,
    /// One JSON array of objects, one a line
    Json,
    /// A header and a line for each row, as cqlsh's `COPY TO` writes them
    Csv,
}

/// What is shown of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Values {
    /// Its text
    #[default]
    Text,
    /// Its bytes in hex, as the CQL protocol carries them: every column of a batch is `Binary`
    Raw,
}

/// Writes rows in one format.
///
/// [`Sink::begin`] once, [`Sink::write`] for every batch in order, [`Sink::finish`] once.
pub trait Sink: Send {
    /// Appends what stands before the rows.
    fn begin(&mut self, out: &mut Vec<u8>);

    /// Appends the rows of `batch`.
    ///
    /// # Errors
    /// A value's bytes are none of its type, or the batch has not the sink's columns. `out` ends
    /// with a whole row then, but rows of the batch are missing.
    fn write(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Appends what stands after the rows.
    fn finish(&mut self, out: &mut Vec<u8>);
}

/// The sink for batches with these columns.
#[must_use]
pub fn sink(format: Format, values: Values, columns: &[OutputColumn]) -> Box<dyn Sink> {
    match format {
        Format::JsonLines => Box::new(json::lines(values, columns)),
        Format::Json => Box::new(json::array(values, columns)),
        Format::Csv => Box::new(csv::table(values, columns)),
    }
}
