use outpour_sstable::{Audit, ScannedBatch, Split};

use super::Job;
use super::reader::Reader;
use crate::Result;

/// The selected rows of several splits, one after the other.
///
/// The places of splits come from indexes, which no checksum protects: a split is read only if it starts
/// where the one before ended. If one does not, the rest is read without the indexes.
pub(super) struct Rows<'a> {
    job: Job<'a>,
    splits: Box<dyn Iterator<Item = Split> + Send + 'a>,
    audit: Audit,
    reader: Option<Reader<'a>>,
    /// Rows yet to be left out
    skip: u64,
    /// Rows yet to be given
    limit: u64,
    losses: Vec<String>,
    is_misled: bool,
    is_done: bool,
}

impl<'a> Rows<'a> {
    /// Those of `splits`, of which the ones before are in `audit`.
    pub(super) fn new(
        job: Job<'a>,
        splits: impl Iterator<Item = Split> + Send + 'a,
        audit: Audit,
    ) -> Self {
        Self {
            limit: job.limit.unwrap_or(u64::MAX),
            job,
            splits: Box::new(splits),
            audit,
            reader: None,
            skip: 0,
            losses: Vec::new(),
            is_misled: false,
            is_done: false,
        }
    }

    /// Without the first `count` rows.
    pub(super) fn skip(self, count: u64) -> Self {
        Self { skip: count, ..self }
    }

    pub(super) fn next(&mut self) -> Result<Option<ScannedBatch>> {
        while self.limit > 0 {
            let Some(mut scanned) = self.next_batch()? else { break };
            let rows = scanned.batch.record.num_rows();
            let start = clamp(self.skip, rows);
            let end = start + clamp(self.limit, rows - start);
            self.skip -= start as u64;
            self.limit -= (end - start) as u64;
            if start == 0 && end == rows {
                return Ok(Some(scanned));
            }
            if start < end {
                scanned.batch = scanned.batch.slice(start..end);
                return Ok(Some(scanned));
            }
        }
        Ok(None)
    }

    fn next_batch(&mut self) -> Result<Option<ScannedBatch>> {
        loop {
            if self.reader.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let Some(reader) = &mut self.reader else { return Ok(None) };
            if let Some(scanned) = reader.next()? {
                return Ok(Some(scanned));
            }
            self.audit.add(&reader.coverage());
            self.losses.append(&mut reader.take_losses());
            self.reader = None;
        }
    }

    /// Goes on with the next split, if there is one.
    fn open_next(&mut self) -> Result<bool> {
        let next = if self.is_misled { None } else { self.splits.next() };
        let Some(mut split) = next else {
            self.is_done = true;
            return Ok(false);
        };
        if !self.audit.is_next(&split) {
            self.is_misled = true;
            split = self.audit.rest(&split);
        }
        self.reader = Some(Reader::open(&self.job, &split, self.job.scan)?);
        Ok(true)
    }

    /// Whether an index has told other places than the data has.
    pub(super) fn is_misled(&self) -> bool {
        self.is_misled
    }

    /// What had to be left out, a line each.
    ///
    /// # Errors
    /// Corrupt if all was read, and it is something else than Statistics.db tells.
    pub(super) fn finish(mut self) -> Result<Vec<String>> {
        if let Some(reader) = &mut self.reader {
            self.losses.append(&mut reader.take_losses());
        }
        let scan = self.job.scan;
        if self.is_done && !scan.skip_corrupt && scan.is_of_all_rows() {
            self.audit.finish()?;
        }
        Ok(self.losses)
    }
}

fn clamp(count: u64, most: usize) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX).min(most)
}
