use outpour_sstable::{Coverage, Scan, ScanOptions, ScannedBatch, Split};

use super::{Job, Selection};
use crate::Result;

/// The rows of one split that are selected.
pub(super) struct Reader<'a> {
    scan: Scan,
    selection: Option<&'a Selection>,
}

impl<'a> Reader<'a> {
    pub(super) fn open(job: &Job<'a>, split: &Split, options: &ScanOptions) -> Result<Self> {
        let scan = Scan::of_split(job.table, job.sstables, split, job.projection, options)?;
        Ok(Self { scan, selection: job.selection })
    }

    /// The next batch with any row in it; `None` behind the last one.
    pub(super) fn next(&mut self) -> Result<Option<ScannedBatch>> {
        loop {
            let Some(scanned) = self.scan.next_batch()? else { return Ok(None) };
            let selected = match self.selection {
                Some(selection) => selection.apply(scanned)?,
                None => scanned,
            };
            if selected.batch.record.num_rows() > 0 {
                return Ok(Some(selected));
            }
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
