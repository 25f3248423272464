use outpour_codec::{Reader, Result};

use crate::Version;

/// Counts of values by size (`utils/EstimatedHistogram.java`).
///
/// ```text
/// i32 n │ n × (i64 offset, i64 count)    pair 0 repeats offset 0, pair i > 0 holds offset i - 1
/// ```
/// A value belongs to the first offset that is not smaller; the last count is of larger ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EstimatedHistogram {
    /// Upper bounds, ascending; one fewer than `counts`
    pub offsets: Vec<i64>,
    /// Values in each bucket; the last one is open
    pub counts: Vec<i64>,
}

impl EstimatedHistogram {
    pub(crate) fn parse(r: &mut Reader<'_>) -> Result<Self> {
        let n = r.count("histogram buckets", 16)?;
        let (mut offsets, mut counts) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for i in 0..n {
            let offset = r.i64()?;
            if i > 0 {
                offsets.push(offset);
            }
            counts.push(r.i64()?);
        }
        Ok(Self { offsets, counts })
    }

    /// Of nothing, with the bounds that Cassandra gives one of `buckets` counts.
    #[must_use]
    pub fn empty(buckets: usize) -> Self {
        let mut offsets = Vec::with_capacity(buckets.saturating_sub(1));
        let mut offset = 1_i64;
        while offsets.len() + 1 < buckets {
            offsets.push(offset);
            let next = (offset as f64 * 1.2).round() as i64;
            offset = if next > offset { next } else { offset.saturating_add(1) };
        }
        Self { offsets, counts: vec![0; buckets] }
    }

    /// Counts `value`.
    pub fn add(&mut self, value: i64) {
        let bucket = self.offsets.partition_point(|offset| *offset < value);
        if let Some(count) = self.counts.get_mut(bucket) {
            *count = count.saturating_add(1);
        }
    }

    /// Adds what another one counted. Bounds that this one lacks are added to it.
    pub fn merge(&mut self, other: &Self) {
        let mut sums = std::collections::BTreeMap::new();
        let (mut above, bounds) = (0_i64, |h: &Self| h.offsets.clone().into_iter());
        for histogram in [&*self, other] {
            for (offset, count) in bounds(histogram).zip(&histogram.counts) {
                let sum = sums.entry(offset).or_insert(0_i64);
                *sum = sum.saturating_add(*count);
            }
            above = above.saturating_add(histogram.above());
        }
        self.offsets = sums.keys().copied().collect();
        self.counts = sums.into_values().chain([above]).collect();
    }

    /// Values that are larger than the last bound.
    #[must_use]
    pub fn above(&self) -> i64 {
        self.counts.get(self.offsets.len()).copied().unwrap_or(0)
    }

    /// The bucket bound that so large a part of the values, of 0 to 1, is not above. `None` if there
    /// are no values, or it lies above the last bound.
    #[must_use]
    pub fn percentile(&self, part: f64) -> Option<i64> {
        let rank = (self.count() as f64 * part).ceil().max(1.0) as u64;
        let mut passed = 0_u64;
        let mut buckets = self.offsets.iter().zip(&self.counts);
        let bucket = buckets.find(|(_, count)| {
            passed = passed.saturating_add((**count).max(0) as u64);
            passed >= rank
        });
        bucket.map(|(offset, _)| *offset)
    }

    /// No value is less: the least that the first bucket in use can hold.
    #[must_use]
    pub fn min(&self) -> Option<i64> {
        match self.counts.iter().position(|count| *count > 0)? {
            0 => Some(0),
            first => self.offsets.get(first - 1).map(|bound| bound.saturating_add(1)),
        }
    }

    /// No value is greater: the bound of the last bucket in use. `None` if it has none.
    #[must_use]
    pub fn max(&self) -> Option<i64> {
        let last = self.counts.iter().rposition(|count| *count > 0)?;
        self.offsets.get(last).copied()
    }

    /// The mean, rounded up, if no value is above the last bound (`EstimatedHistogram.mean`).
    #[must_use]
    pub fn mean(&self) -> Option<i64> {
        let count = self.count();
        if count == 0 || self.above() > 0 {
            return None;
        }
        let buckets = self.offsets.iter().zip(&self.counts);
        let sum: f64 = buckets.map(|(offset, count)| *offset as f64 * (*count).max(0) as f64).sum();
        Some((sum / count as f64).ceil() as i64)
    }

    /// How many values were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().fold(0, |sum, count| sum.saturating_add((*count).max(0) as u64))
    }
}

/// One bin of the tombstone histogram: deletions and expiries by the hour that they can be purged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TombstoneBin {
    /// Seconds since 1970
    pub local_deletion_time: f64,
    /// Tombstones and expiring cells
    pub count: i64,
}

impl TombstoneBin {
    /// An estimate of how many of `bins` can be purged before second `time`
    /// (`TombstoneHistogram.sum`): a bin's values lie around its point.
    #[must_use]
    pub fn sum_before(bins: &[Self], time: f64) -> f64 {
        let passed = bins.iter().take_while(|bin| bin.local_deletion_time <= time).count();
        let sum: f64 = bins.iter().take(passed).map(|bin| bin.count as f64).sum();
        let (Some(last), Some(next)) =
            (passed.checked_sub(1).and_then(|i| bins.get(i)), bins.get(passed))
        else {
            return sum;
        };
        let (last_count, next_count) = (last.count as f64, next.count as f64);
        let width = next.local_deletion_time - last.local_deletion_time;
        let weight = (time - last.local_deletion_time) / width;
        let here = last_count + (next_count - last_count) * weight;
        sum - last_count + (last_count + here) * weight / 2.0 + last_count / 2.0
    }

    /// Reads all bins.
    ///
    /// ```text
    /// i32 max bins │ i32 n │ n × (f64 point, i64 count)   ..nb
    ///                        n × (i64 point, i32 count)   oa, da
    /// ```
    pub(crate) fn parse_all(r: &mut Reader<'_>, version: Version) -> Result<Vec<Self>> {
        let _bins_max = r.i32()?;
        let unsigned = version.has_uint_deletion_time();
        let n = r.count("tombstone histogram bins", if unsigned { 12 } else { 16 })?;
        (0..n).map(|_| if unsigned { Self::parse(r) } else { Self::parse_legacy(r) }).collect()
    }

    fn parse(r: &mut Reader<'_>) -> Result<Self> {
        Ok(Self { local_deletion_time: r.i64()? as f64, count: i64::from(r.i32()?) })
    }

    fn parse_legacy(r: &mut Reader<'_>) -> Result<Self> {
        Ok(Self { local_deletion_time: r.f64()?, count: r.i64()? })
    }
}
