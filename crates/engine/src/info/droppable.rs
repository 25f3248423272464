use outpour_sstable::{Stats, TombstoneBin};
use serde::Serialize;

use super::InfoOptions;

/// How much of what was deleted or has expired a compaction could drop, as Cassandra estimates it
/// (`StatsMetadata.getEstimatedDroppableTombstoneRatio`).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Droppable {
    /// Seconds since 1970: when it is judged
    pub at: i64,
    /// Seconds that tombstones are kept
    pub gc_grace_seconds: i64,
    /// Tombstones and expired cells that are older
    pub tombstones: f64,
    /// By the number of cells; none if there are none
    pub ratio: Option<f64>,
}

/// Deletions and expiries of about one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DropTime {
    /// Seconds since 1970
    pub time: f64,
    /// Tombstones and expiring cells
    pub count: i64,
}

impl Droppable {
    /// Of all of `stats` together.
    pub(super) fn of<'a>(stats: impl Iterator<Item = &'a Stats>, options: &InfoOptions) -> Self {
        let before = options.now.saturating_sub(options.gc_grace_seconds);
        let (mut tombstones, mut cells) = (0.0, Some(0.0));
        for stats in stats {
            tombstones += TombstoneBin::sum_before(&stats.tombstones, before as f64);
            let histogram = &stats.partition_cells;
            let estimate = match histogram.count() {
                0 => Some(0.0),
                count => histogram.mean().map(|mean| mean as f64 * count as f64),
            };
            cells = cells.zip(estimate).map(|(sum, cells)| sum + cells);
        }
        let ratio = cells.filter(|cells| *cells > 0.0).map(|cells| tombstones / cells);
        Self {
            at: options.now,
            gc_grace_seconds: options.gc_grace_seconds,
            tombstones,
            ratio: ratio.filter(|ratio| ratio.is_finite()),
        }
    }
}

impl DropTime {
    /// Those of several SSTables together.
    pub(super) fn sum<'a>(times: impl Iterator<Item = &'a Self>) -> Vec<Self> {
        let mut all: Vec<Self> = times.copied().collect();
        all.sort_by(|a, b| a.time.total_cmp(&b.time));
        all.dedup_by(|next, kept| {
            let is_same = next.time == kept.time;
            if is_same {
                kept.count = kept.count.saturating_add(next.count);
            }
            is_same
        });
        all
    }

    pub(super) fn all(stats: &Stats) -> Vec<Self> {
        let time = |bin: &TombstoneBin| Self { time: bin.local_deletion_time, count: bin.count };
        stats.tombstones.iter().map(time).collect()
    }
}
