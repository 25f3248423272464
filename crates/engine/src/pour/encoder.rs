use outpour_run::{Budget, Reservation};
use outpour_sink::Sink;
use outpour_sstable::ScannedBatch;

use crate::{Error, ErrorKind, Result};

/// Rows to text.
pub(super) struct Encoder {
    sink: Box<dyn Sink>,
    budget: Budget,
}

/// Text of some rows, and its share of the budget.
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    pub(super) rows: u64,
    _reservation: Reservation,
}

impl Encoder {
    pub(super) fn new(sink: Box<dyn Sink>, budget: Budget) -> Self {
        Self { sink, budget }
    }

    /// The text of a batch, in the memory of `bytes`.
    pub(super) fn encode(&mut self, scanned: &ScannedBatch, mut bytes: Vec<u8>) -> Result<Text> {
        bytes.clear();
        let written = self.sink.write(&scanned.batch, &mut bytes);
        written.map_err(|e| Error::new(ErrorKind::Invalid, e.to_string()))?;
        let reservation = self.budget.reserve(bytes.len() as u64, "text of rows")?;
        let rows = scanned.batch.record.num_rows() as u64;
        Ok(Text { bytes, rows, _reservation: reservation })
    }
}
