use std::collections::BTreeMap;

use outpour_sstable::{EstimatedHistogram, Sstable, Stats};
use serde::Serialize;

use super::{Distribution, DropTime, Droppable, InfoOptions, SstableInfo};

/// What all SSTables of a table come to. Rows and partitions that several SSTables have are counted in
/// each of them.
#[derive(Debug, Clone, Serialize)]
pub struct Totals {
    /// How many SSTables there are
    pub sstables: usize,
    /// Bytes of all their files
    pub disk_bytes: u64,
    /// Stored bytes of all Data.db
    pub data_bytes: u64,
    /// Before compression
    pub uncompressed_bytes: u64,
    /// Stored by uncompressed bytes of those that are compressed, without checksums
    pub compression_ratio: Option<f64>,
    /// Partitions, before merging
    pub partitions: u64,
    /// Rows, before merging, static ones included
    pub rows: u64,
    /// Cells, before merging, a collection counted once a row
    pub cells: u64,
    /// Microseconds by convention; none if nothing was written
    pub timestamp_min: Option<i64>,
    /// Microseconds by convention; none if nothing was written
    pub timestamp_max: Option<i64>,
    /// Seconds since 1970 of the first deletion or expiry
    pub local_deletion_time_min: Option<i64>,
    /// Seconds since 1970 of the last one; none if anything lives without end
    pub local_deletion_time_max: Option<i64>,
    /// Seconds
    pub ttl_min: i32,
    /// Seconds; 0: nothing expires
    pub ttl_max: i32,
    /// Tombstones and expiring cells
    pub tombstones: i64,
    /// When they are dropped
    pub drop_times: Vec<DropTime>,
    /// What could be dropped
    pub droppable: Droppable,
    /// The first one, as text
    pub first_token: Option<String>,
    /// The last one, as text
    pub last_token: Option<String>,
    /// SSTables of each level of leveled compaction
    pub levels: Vec<LevelInfo>,
    /// SSTables that are repaired
    pub repaired: usize,
    /// SSTables that a repair session holds
    pub pending_repair: usize,
    /// Bytes of partitions, those that several SSTables have in parts
    pub partition_sizes: Distribution,
    /// Cells of partitions, those that several SSTables have in parts
    pub partition_cells: Distribution,
}

/// The SSTables of one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LevelInfo {
    /// 0, where new ones arrive, and up
    pub level: i32,
    /// How many SSTables it has
    pub sstables: usize,
    /// Their stored bytes
    pub data_bytes: u64,
}

impl Totals {
    pub(super) fn of(opened: &[Sstable], infos: &[SstableInfo], options: &InfoOptions) -> Self {
        let all: Vec<&Stats> = opened.iter().map(|s| &s.statistics().stats).collect();
        let sum = |of: fn(&SstableInfo) -> u64| infos.iter().map(of).fold(0, u64::saturating_add);
        let (data_bytes, uncompressed_bytes) =
            (sum(|i| i.data_bytes), sum(|i| i.uncompressed_bytes));
        let (first_token, last_token) = tokens(infos);
        Self {
            sstables: infos.len(),
            disk_bytes: sum(|i| i.disk_bytes),
            data_bytes,
            uncompressed_bytes,
            compression_ratio: compression_ratio(infos),
            partitions: sum(|i| i.partitions),
            rows: sum(|i| u64::try_from(i.rows).unwrap_or(0)),
            cells: sum(|i| u64::try_from(i.cells).unwrap_or(0)),
            timestamp_min: infos.iter().filter_map(|i| i.timestamp_min).min(),
            timestamp_max: infos.iter().filter_map(|i| i.timestamp_max).max(),
            local_deletion_time_min: infos.iter().filter_map(|i| i.local_deletion_time_min).min(),
            local_deletion_time_max: last_deletion(infos),
            ttl_min: infos.iter().map(|i| i.ttl_min).min().unwrap_or(0),
            ttl_max: infos.iter().map(|i| i.ttl_max).max().unwrap_or(0),
            tombstones: infos.iter().map(|i| i.tombstones).fold(0, i64::saturating_add),
            drop_times: DropTime::sum(infos.iter().flat_map(|info| &info.drop_times)),
            droppable: Droppable::of(all.iter().copied(), options),
            first_token,
            last_token,
            levels: levels(infos),
            repaired: infos.iter().filter(|i| i.repaired_at_ms.is_some()).count(),
            pending_repair: infos.iter().filter(|i| i.pending_repair.is_some()).count(),
            partition_sizes: merged(all.iter().map(|stats| &stats.partition_sizes)),
            partition_cells: merged(all.iter().map(|stats| &stats.partition_cells)),
        }
    }
}

/// Of those that are compressed.
fn compression_ratio(infos: &[SstableInfo]) -> Option<f64> {
    let (mut stored, mut plain) = (0.0, 0.0);
    for info in infos {
        if let Some(ratio) = info.compression_ratio {
            stored += ratio * info.uncompressed_bytes as f64;
            plain += info.uncompressed_bytes as f64;
        }
    }
    Some(stored / plain).filter(|ratio| ratio.is_finite())
}

/// None as soon as anything lives without end.
fn last_deletion(infos: &[SstableInfo]) -> Option<i64> {
    let ends = infos.iter().map(|info| info.local_deletion_time_max);
    ends.collect::<Option<Vec<_>>>()?.into_iter().max()
}

fn levels(infos: &[SstableInfo]) -> Vec<LevelInfo> {
    let mut levels = BTreeMap::new();
    for info in infos {
        let new = LevelInfo { level: info.level, sstables: 0, data_bytes: 0 };
        let level = levels.entry(info.level).or_insert(new);
        level.sstables += 1;
        level.data_bytes += info.data_bytes;
    }
    levels.into_values().collect()
}

fn merged<'a>(histograms: impl Iterator<Item = &'a EstimatedHistogram>) -> Distribution {
    let mut sum: Option<EstimatedHistogram> = None;
    for histogram in histograms {
        match &mut sum {
            None => sum = Some(histogram.clone()),
            Some(sum) => sum.merge(histogram),
        }
    }
    Distribution::of(&sum.unwrap_or_else(|| EstimatedHistogram::empty(1)))
}

/// The first of all first ones, and the last of all last ones.
fn tokens(infos: &[SstableInfo]) -> (Option<String>, Option<String>) {
    let number = |token: &Option<String>| token.as_ref()?.parse::<i128>().ok();
    let first = infos.iter().filter_map(|info| number(&info.first_token)).min();
    let last = infos.iter().filter_map(|info| number(&info.last_token)).max();
    (first.map(|token| token.to_string()), last.map(|token| token.to_string()))
}
