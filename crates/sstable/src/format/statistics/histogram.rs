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
