use outpour_cql::{Batch, OutputColumn};

use crate::{Error, Framing, csv, json};

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

/// Writes rows in one format. What stands around them, the [`Framing`], is not its task: parts of a
/// table may become text at the same time.
pub trait Sink: Send {
    /// Appends the rows of `batch`, and [`Framing::between`] between two of them.
    ///
    /// # Errors
    /// A value's bytes are none of its type, or the batch has not the sink's columns. `out` ends
    /// with a whole row then, but rows of the batch are missing.
    fn write(&mut self, batch: &Batch, out: &mut Vec<u8>) -> Result<(), Error>;
}

/// The sink for batches with these columns.
#[must_use]
pub fn sink(format: Format, values: Values, columns: &[OutputColumn]) -> Box<dyn Sink> {
    Box::new(match format {
        Format::JsonLines => json::lines(values, columns),
        Format::Json => json::array(values, columns),
        Format::Csv => csv::table(values, columns),
    })
}

/// What stands around the rows of batches with these columns.
#[must_use]
pub fn framing(format: Format, columns: &[OutputColumn]) -> Framing {
    match format {
        Format::JsonLines => json::LINES,
        Format::Json => json::array_framing(),
        Format::Csv => csv::framing(columns),
    }
}
