use std::io::Write;

use outpour_sink::Framing;

use super::encoder::Text;
use crate::export::Summary;
use crate::{Error, Result};

/// Writes texts one after the other, in the format's framing.
pub(super) struct Writer<'a> {
    output: &'a mut dyn Write,
    framing: Framing,
    pub(super) summary: Summary,
}

impl<'a> Writer<'a> {
    pub(super) fn new(output: &'a mut dyn Write, framing: Framing) -> Self {
        Self { output, framing, summary: Summary::default() }
    }

    pub(super) fn begin(&mut self) -> Result<()> {
        put(self.output, &mut self.summary, self.framing.opening())
    }

    /// Writes the text and gives its buffer back.
    pub(super) fn write(&mut self, text: Text) -> Result<Vec<u8>> {
        if text.rows > 0 && self.summary.rows > 0 {
            put(self.output, &mut self.summary, self.framing.between())?;
        }
        put(self.output, &mut self.summary, &text.bytes)?;
        self.summary.rows += text.rows;
        Ok(text.bytes)
    }

    pub(super) fn finish(self) -> Result<Summary> {
        let Self { output, framing, mut summary } = self;
        let has_rows = summary.rows > 0;
        put(output, &mut summary, framing.closing(has_rows))?;
        output.flush().map_err(|e| Error::output(&e))?;
        Ok(summary)
    }
}

fn put(output: &mut dyn Write, summary: &mut Summary, bytes: &[u8]) -> Result<()> {
    output.write_all(bytes).map_err(|e| Error::output(&e))?;
    summary.bytes += bytes.len() as u64;
    Ok(())
}
