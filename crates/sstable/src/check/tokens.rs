use outpour_cql::Partitioner;

use super::{Check, Hex, PartitionAt};
use crate::{Error, Result, Sstable};

/// Tokens behind `left` up to `right`, as Cassandra has its ranges: around the end of the ring if
/// `right` is not greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenRange {
    /// Not inside
    pub left: i128,
    /// Inside
    pub right: i128,
}

impl TokenRange {
    /// Whether `token` lies inside.
    #[must_use]
    pub fn contains(&self, token: i128) -> bool {
        match self.left < self.right {
            true => self.left < token && token <= self.right,
            false => token > self.left || token <= self.right,
        }
    }
}

/// Each partition's token lies in one of the ranges.
pub(super) struct TokenCheck {
    file: String,
    partitioner: Partitioner,
    ranges: Vec<TokenRange>,
}

impl TokenCheck {
    pub(super) fn new(sstable: &Sstable, ranges: &[TokenRange]) -> Result<Self> {
        Ok(Self {
            file: sstable.data_name().to_owned(),
            partitioner: sstable.partitioner()?,
            ranges: ranges.to_vec(),
        })
    }
}

impl Check for TokenCheck {
    fn partition(&mut self, partition: &PartitionAt<'_>) -> Result<()> {
        let token = self.partitioner.token(partition.key).value();
        if self.ranges.iter().any(|range| range.contains(token)) {
            return Ok(());
        }
        let shown = |range: &TokenRange| format!("({}, {}]", range.left, range.right);
        let ranges: Vec<_> = self.ranges.iter().map(shown).collect();
        let (expected, got) =
            (ranges.join(" or "), format!("{token} of key {}", Hex(partition.key)));
        let error = Error::corrupt(&*self.file, partition.start, "token", expected, got);
        Err(error.context("uncompressed rows"))
    }
}

#[cfg(test)]
mod tests {
    use super::TokenRange;

    #[test]
    fn ranges_may_go_around_the_ring() {
        let range = TokenRange { left: -5, right: 7 };
        assert_eq!([-5, -4, 7, 8].map(|token| range.contains(token)), [false, true, true, false]);
        let around = TokenRange { left: 7, right: -5 };
        assert_eq!([-5, -4, 7, 8].map(|token| around.contains(token)), [true, false, false, true]);
        let whole = TokenRange { left: 0, right: 0 };
        assert!([i128::MIN, 0, 1].iter().all(|token| whole.contains(*token)));
    }
}
