use outpour_sstable::{Coverage, Scan, ScanOptions, ScannedBatch, Split};

use super::{Job, Selection};
use crate::Result;

/// The rows of a split that are to be written.
pub(super) struct Rows<'a> {
    scan: Scan,
    selection: Option<&'a Selection>,
    /// Rows yet to be left out
    skip: u64,
    /// Rows yet to be given
    limit: u64,
}

impl<'a> Rows<'a> {
    pub(super) fn open(job: &Job<'a>, split: &Split, options: &ScanOptions) -> Result<Self> {
        let scan = Scan::of_split(job.table, job.sstables, split, job.projection, options)?;
        let selection = job.selection;
        Ok(Self { scan, selection, skip: 0, limit: job.limit.unwrap_or(u64::MAX) })
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
            if start == 0 && end == rows && rows > 0 {
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
        let scanned = self.scan.next_batch()?;
        match self.selection {
            Some(selection) => scanned.map(|scanned| selection.apply(scanned)).transpose(),
            None => Ok(scanned),
        }
    }

    /// What had to be left out, a line each.
    pub(super) fn take_losses(&mut self) -> Vec<String> {
        self.scan.take_losses()
    }

    /// What was read of each SSTable.
    pub(super) fn coverage(&self) -> Coverage {
        self.scan.coverage()
    }
}

fn clamp(count: u64, most: usize) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX).min(most)
}
