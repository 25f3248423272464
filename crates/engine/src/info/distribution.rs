use outpour_sstable::EstimatedHistogram;
use serde::Serialize;

/// How many partitions are of which size, as exactly as Statistics.db keeps it: in buckets, each a fifth
/// wider than the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Distribution {
    /// Partitions
    pub count: u64,
    /// None is smaller
    pub min: Option<i64>,
    /// Rounded up
    pub mean: Option<i64>,
    /// Half of them are not larger
    pub p50: Option<i64>,
    /// Three quarters are not larger
    pub p75: Option<i64>,
    /// 95 % are not larger
    pub p95: Option<i64>,
    /// 98 % are not larger
    pub p98: Option<i64>,
    /// 99 % are not larger
    pub p99: Option<i64>,
    /// None is larger; none if one is above the last bucket
    pub max: Option<i64>,
    /// Those that are not empty
    pub buckets: Vec<Bucket>,
}

/// Partitions of about one size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// The smallest size
    pub from: i64,
    /// The largest one; none above the last bound
    pub to: Option<i64>,
    /// Partitions
    pub count: i64,
}

impl Distribution {
    pub(super) fn of(histogram: &EstimatedHistogram) -> Self {
        let percentile = |part| histogram.percentile(part);
        let offset = |i: usize| histogram.offsets.get(i).copied();
        let used = histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        Self {
            count: histogram.count(),
            min: histogram.min(),
            mean: histogram.mean(),
            p50: percentile(0.5),
            p75: percentile(0.75),
            p95: percentile(0.95),
            p98: percentile(0.98),
            p99: percentile(0.99),
            max: histogram.max(),
            buckets: used
                .map(|(i, count)| Bucket {
                    from: i
                        .checked_sub(1)
                        .and_then(offset)
                        .map_or(0, |bound| bound.saturating_add(1)),
                    to: offset(i),
                    count: *count,
                })
                .collect(),
        }
    }
}
