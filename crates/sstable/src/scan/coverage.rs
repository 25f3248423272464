use std::ops::Range;

use super::Split;
use crate::read::Met;
use crate::{Result, Sstable};

/// What the scan of a split has read of each SSTable.
#[derive(Debug, Clone)]
pub struct Coverage {
    parts: Vec<Part>,
}

#[derive(Debug, Clone)]
pub(super) struct Part {
    /// From the first partition of the split to the first behind it, in the uncompressed bytes of Data.db
    pub(super) bytes: Range<u64>,
    pub(super) met: Met,
}

impl Coverage {
    pub(super) fn new(parts: impl Iterator<Item = Part>) -> Self {
        Self { parts: parts.collect() }
    }
}

/// Makes sure that scans of splits, one after the other, have read each SSTable as one scan would: no
/// byte left out, none read twice, and what Statistics.db tells.
///
/// Splits come from indexes, which no checksum protects.
#[derive(Debug)]
pub struct Audit {
    sstables: Vec<Sstable>,
    covered: Vec<Part>,
}

impl Audit {
    /// Nothing of `sstables` has been read.
    #[must_use]
    pub fn new(sstables: &[Sstable]) -> Self {
        let nothing = Part { bytes: 0..0, met: Met::NOTHING };
        Self { sstables: sstables.to_vec(), covered: vec![nothing; sstables.len()] }
    }

    /// Whether `split` starts where what was read ends. If not, an index is damaged, and what a scan of
    /// the split gives is worth nothing.
    #[must_use]
    pub fn is_next(&self, split: &Split) -> bool {
        self.covered.iter().enumerate().all(|(i, covered)| split.start(i) == covered.bytes.end)
    }

    /// Adds what a scan has read of the split that is next.
    pub fn add(&mut self, coverage: &Coverage) {
        for (covered, part) in self.covered.iter_mut().zip(&coverage.parts) {
            covered.bytes.end = part.bytes.end;
            covered.met.add(&part.met);
        }
    }

    /// All that is left to read, as one split.
    #[must_use]
    pub fn rest(&self) -> Split {
        Split::rest(self.covered.iter().map(|part| part.bytes.end).collect())
    }

    /// Whether all was read.
    ///
    /// # Errors
    /// Corrupt for an SSTable that holds something else than Statistics.db tells.
    pub fn finish(&self) -> Result<()> {
        let mut parts = self.sstables.iter().zip(&self.covered);
        parts.try_for_each(|(sstable, covered)| sstable.check_totals(&covered.met))
    }
}
