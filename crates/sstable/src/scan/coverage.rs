use std::ops::Range;

use outpour_cql::RingPosition;

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
    /// Where on the ring the last split ends
    until: Option<RingPosition>,
    /// Whether splits make up the whole table
    is_whole: bool,
}

impl Audit {
    /// Nothing of `sstables` has been read. Splits, which may make up the whole table, end at `until`.
    pub(super) fn new(sstables: &[Sstable], until: Option<RingPosition>, is_whole: bool) -> Self {
        let nothing = Part { bytes: 0..0, met: Met::NOTHING };
        let covered = vec![nothing; sstables.len()];
        Self { sstables: sstables.to_vec(), covered, until, is_whole }
    }

    /// Whether `split` starts where what was read ends. If not, an index is damaged, and what a scan of
    /// the split gives is worth nothing.
    #[must_use]
    pub fn is_next(&self, split: &Split) -> bool {
        let follows = |(i, covered): (usize, &Part)| split.start(i) == covered.bytes.end;
        split.is_apart || self.covered.iter().enumerate().all(follows)
    }

    /// Adds what a scan has read of the split that is next.
    pub fn add(&mut self, coverage: &Coverage) {
        for (covered, part) in self.covered.iter_mut().zip(&coverage.parts) {
            covered.bytes.end = part.bytes.end;
            covered.met.add(&part.met);
        }
    }

    /// All that is left to read from `split` on, which is next, without the indexes: as one split.
    #[must_use]
    pub fn rest(&self, split: &Split) -> Split {
        match self.is_whole {
            true => Split::rest(self.covered.iter().map(|part| part.bytes.end).collect()),
            false => Split::between(self.sstables.len(), (split.from, self.until)),
        }
    }

    /// Whether all was read.
    ///
    /// # Errors
    /// Corrupt for an SSTable that holds something else than Statistics.db tells.
    pub fn finish(&self) -> Result<()> {
        if !self.is_whole {
            return Ok(());
        }
        let mut parts = self.sstables.iter().zip(&self.covered);
        parts.try_for_each(|(sstable, covered)| sstable.check_totals(&covered.met))
    }
}
