use outpour_sstable::{Coverage, Scan, ScanOptions, ScannedBatch, Split};

use super::Job;
use crate::Result;

/// The rows of a split that are to be written.
pub(super) struct Rows {
    scan: Scan,
    /// Rows yet to be left out
    skip: u64,
    /// Rows yet to be given
    limit: u64,
}

impl Rows {
    pub(super) fn open(job: &Job<'_>, split: &Split, options: &ScanOptions) -> Result<Self> {
        let scan = Scan::of_split(job.table, job.sstables, split, job.projection, options)?;
        Ok(Self { scan, skip: 0, limit: job.limit.unwrap_or(u64::MAX) })
    }

    /// Without the first `count` rows.
    pub(super) fn skip(self, count: u64) -> Self {
        Self { skip: count, ..self }
    }

    pub(super) fn next(&mut self) -> Result<Option<ScannedBatch>> {
        while self.limit > 0 {
            let Some(mut scanned) = self.scan.next_batch()? else { break };
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
