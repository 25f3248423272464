use std::collections::BTreeMap;
use std::fmt::Display;

use outpour_cql::counter;

use super::order::Place;
use super::{Check, Hex, PartitionAt, UnfilteredAt, clustering};
use crate::format::clustering::BoundKind;
use crate::format::unfiltered::{Liveness, NEVER, NO_TIMESTAMP, RawCell};
use crate::merge::{ClusteringOrder, Position};
use crate::read::{CellVisitor, ColumnKind, ColumnPlan, Cursor, Stop};
use crate::{
    ClusteringBound, Component, DeletionTime, Error, EstimatedHistogram, Result, Sstable,
    SstableFiles, Stats, TombstoneBin, Version,
};

/// Recounts what Statistics.db tells (`io/sstable/metadata/MetadataCollector.java`), but for the totals
/// that every full scan compares.
///
/// Since `na` all of it must be exact. Cassandra 3 had errors in most fields, and Scylla writes other
/// values: of what they write, the sizes of partitions are compared, and, as long as a reader may
/// trust them, whether all rows lie between the clustering bounds.
pub(super) struct StatisticsCheck {
    file: String,
    version: Version,
    is_of_scylla: bool,
    told: Stats,
    /// Of stored to uncompressed bytes, without checksums
    compression_ratio: Option<f64>,
    sizes: EstimatedHistogram,
    cells: EstimatedHistogram,
    met: Met,
    first_key: Option<Vec<u8>>,
    last_key: Vec<u8>,
    bounds: Bounds,
}

/// What the cells and deletions of the rows so far come to.
struct Met {
    partition_cells: i64,
    /// Cells, a collection as one
    columns_set: i64,
    complex_cells: i64,
    ttl_min: Option<i32>,
    /// [`NEVER`] if anything lives without end
    deletion_time_max: Option<i64>,
    drops: DropTimes,
    has_partition_deletions: bool,
    has_legacy_counter_shards: bool,
}

/// The first and last place that a row or marker of any partition has.
struct Bounds {
    /// Unless a type has an order that is not known
    order: Option<ClusteringOrder>,
    is_first_of_partition: bool,
    min: Option<Place>,
    max: Option<Place>,
    last: Option<Place>,
}

/// Times of deletion and expiry, to the minute, as long as they fit the bins of the histogram exactly.
#[derive(Default)]
struct DropTimes {
    minutes: Option<BTreeMap<i64, i64>>,
    count: i64,
}

/// More bins are merged (`SSTable.TOMBSTONE_HISTOGRAM_BIN_SIZE`).
const BINS_MAX: usize = 100;
/// Times are rounded up to it (`SSTable.TOMBSTONE_HISTOGRAM_TTL_ROUND_SECONDS`).
const BIN_SECONDS: i64 = 60;
/// A writer that has stepped back over a part, as scrub does, counts that part twice.
const RATIO_TOLERANCE: f64 = 0.01;

impl StatisticsCheck {
    pub(super) fn new(sstable: &Sstable, files: &SstableFiles) -> Result<Self> {
        let told = &sstable.statistics().stats;
        let types = clustering::types(sstable)?;
        let is_known = !types.iter().any(clustering::has_hidden_order);
        let types: Vec<_> = types.into_iter().map(|known| known.parsed).collect();
        let empty = |histogram: &EstimatedHistogram| EstimatedHistogram {
            offsets: histogram.offsets.clone(),
            counts: vec![0; histogram.counts.len()],
        };
        Ok(Self {
            file: sstable.statistics_name().to_owned(),
            version: sstable.descriptor().version,
            is_of_scylla: files.has(&Component::Custom("Scylla.db".to_owned())),
            compression_ratio: compression_ratio(sstable),
            sizes: empty(&told.partition_sizes),
            cells: empty(&told.partition_cells),
            told: told.clone(),
            met: Met::default(),
            first_key: None,
            last_key: Vec::new(),
            bounds: Bounds {
                order: is_known.then(|| ClusteringOrder::of_types(&types)),
                is_first_of_partition: true,
                min: None,
                max: None,
                last: None,
            },
        })
    }

    /// The differences, of which each is told; to be asked behind the last partition.
    pub(super) fn differences(&self) -> Vec<Error> {
        let mut found = Differences { check: self, errors: Vec::new() };
        let places = &self.told.places;
        if !self.is_of_scylla {
            let told = &self.told.partition_sizes;
            found.histogram(places.partition_sizes, "partitions of", "bytes", &self.sizes, told);
        }
        if self.version >= Version::Na {
            found.counts();
            found.times();
            found.flags();
            found.keys();
            found.compression_ratio();
            found.bounds();
        } else if self.version.has_accurate_clustering_bounds() {
            found.rows_outside_bounds();
        }
        found.errors
    }
}

/// Stored bytes but for the checksums, by uncompressed bytes.
fn compression_ratio(sstable: &Sstable) -> Option<f64> {
    let info = sstable.compression()?;
    let stored = sstable.data_len().saturating_sub(4 * info.chunk_count);
    (info.data_len > 0).then(|| stored as f64 / info.data_len as f64)
}

/// Collects what differs.
struct Differences<'a> {
    check: &'a StatisticsCheck,
    errors: Vec<Error>,
}

impl Differences<'_> {
    fn compare<T: PartialEq>(
        &mut self,
        at: u64,
        what: &str,
        met: T,
        told: T,
        text: fn(&T) -> String,
    ) {
        if met != told {
            self.add(at, what, text(&met), text(&told));
        }
    }

    #[cold]
    fn add(&mut self, at: u64, what: impl Display, met: impl Display, told: impl Display) {
        let expected = format!("{met}, as in Data.db");
        let error = Error::corrupt(&*self.check.file, at, what, expected, told);
        self.errors.push(error.context("stats metadata"));
    }

    fn histogram(
        &mut self,
        at: u64,
        what: &str,
        unit: &str,
        met: &EstimatedHistogram,
        told: &EstimatedHistogram,
    ) {
        let bounds = EstimatedHistogram::empty(told.counts.len()).offsets;
        if self.check.version >= Version::Na
            && let Some(bound) =
                bounds.iter().zip(&told.offsets).position(|(met, told)| met != told)
        {
            // The first one stands there twice.
            let at = at + 4 + 16 * (bound as u64 + 1);
            let bound = |of: &[i64]| of.get(bound).copied().unwrap_or(0);
            let what = "bound of a histogram's bucket";
            let (expected, got) = (bound(&bounds), bound(&told.offsets));
            let error = Error::corrupt(&*self.check.file, at, what, expected, got);
            return self.errors.push(error.context("stats metadata"));
        }
        let mut counts = met.counts.iter().zip(&told.counts);
        let Some(bucket) = counts.position(|(met, told)| met != told) else { return };
        let count = |h: &EstimatedHistogram| h.counts.get(bucket).copied().unwrap_or(0);
        let offset = |i: usize| met.offsets.get(i).copied();
        let below = bucket.checked_sub(1).and_then(offset).map_or(0, |bound| bound + 1);
        let size = match offset(bucket) {
            Some(bound) => format!("{below} to {bound} {unit}"),
            None => format!("{below} or more {unit}"),
        };
        let at = at + 4 + 16 * bucket as u64 + 8;
        self.add(at, format!("{what} {size}"), count(met), count(told));
    }

    fn counts(&mut self) {
        let (check, places) = (self.check, &self.check.told.places);
        let (cells, told) = (&check.cells, &check.told);
        let at = places.partition_cells;
        self.histogram(at, "partitions of", "cells", cells, &told.partition_cells);
        let text = i64::to_string;
        self.compare(places.cells, "number of cells", check.met.columns_set, told.cells, text);
    }

    fn times(&mut self) {
        let (check, places) = (self.check, &self.check.told.places);
        let (met, told) = (&check.met, &check.told);
        let ttl = met.ttl_min.unwrap_or(0);
        self.compare(places.ttls, "least TTL", ttl, told.ttl_min, i32::to_string);
        let text = |time: &i64| if *time == NEVER { "never".to_owned() } else { time.to_string() };
        let latest = met.deletion_time_max.unwrap_or(NEVER);
        let told_latest = told.local_deletion_time_max.unwrap_or(NEVER);
        let (at, what) = (places.local_deletion_times, "last local deletion time");
        self.compare(at, what, latest, told_latest, text);
        let told_count = told.deletions();
        let (at, text) = (places.tombstones, i64::to_string);
        self.compare(at, "number of deletions and expiries", met.drops.count, told_count, text);
        if let Some(minutes) = met.drops.exact(check.version)
            && met.drops.count == told_count
        {
            self.bins(at, minutes, &told.tombstones);
        }
    }

    fn bins(&mut self, at: u64, minutes: &BTreeMap<i64, i64>, told: &[TombstoneBin]) {
        let bin = |(minute, count): (&i64, &i64)| TombstoneBin {
            local_deletion_time: *minute as f64,
            count: *count,
        };
        let met: Vec<_> = minutes.iter().map(bin).collect();
        let all = met.iter().map(Some).chain([None]).zip(told.iter().map(Some).chain([None]));
        let Some((met, told)) = all.into_iter().find(|(met, told)| met != told) else { return };
        let text = |bin: Option<&TombstoneBin>| match bin {
            Some(bin) => format!("{} until {}", bin.count, bin.local_deletion_time),
            None => "none more".to_owned(),
        };
        self.add(at, "deletions and expiries by time", text(met), text(told));
    }

    fn flags(&mut self) {
        let (check, places) = (self.check, &self.check.told.places);
        let (met, told) = (&check.met, &check.told);
        let (at, has) = (places.legacy_counter_shards, met.has_legacy_counter_shards);
        let what = "whether counters have local or remote shards";
        self.compare(at, what, has, told.has_legacy_counter_shards, bool::to_string);
        if check.version.has_key_range() {
            let (at, what) = (places.partition_deletions, "whether partitions are deleted");
            let has = met.has_partition_deletions;
            self.compare(at, what, has, told.has_partition_deletions, bool::to_string);
        }
    }

    fn keys(&mut self) {
        let Some((first, last)) = &self.check.told.key_range else { return };
        let (at, check) = (self.check.told.places.key_range, self.check);
        let met_first = check.first_key.as_deref().unwrap_or_default();
        for (what, met, told) in [
            ("first partition key", met_first, first.as_slice()),
            ("last partition key", &check.last_key, last),
        ] {
            if met != told {
                self.add(at, what, Hex(met), Hex(told));
            }
        }
    }

    fn compression_ratio(&mut self) {
        let (at, told) =
            (self.check.told.places.compression_ratio, self.check.told.compression_ratio);
        let (Some(met), Some(told)) = (self.check.compression_ratio, told) else { return };
        let is_near = (met - told).abs() <= RATIO_TOLERANCE * met.max(told);
        if !is_near {
            self.add(at, "compression ratio", format!("about {met:.4}"), told);
        }
    }

    /// The bounds are those of the outermost rows and markers.
    fn bounds(&mut self) {
        let (check, told) = (self.check, &self.check.told.clustering);
        let Bounds { order: Some(_), min, max, .. } = &check.bounds else { return };
        for (what, met, told) in
            [("first clustering", min, &told.start), ("last clustering", max, &told.end)]
        {
            let met = met.as_ref().map_or_else(ClusteringBound::open, |place| {
                bound_of(place, check.version.has_legacy_clustering_bounds())
            });
            let is_same = met.values == told.values
                && (met.inclusive == told.inclusive || told.values.is_empty());
            if !is_same {
                let at = check.told.places.clustering;
                self.add(at, what, shown(&met), shown(told));
            }
        }
    }

    /// A reader that looks for rows may pass the file by if they lie outside its bounds.
    fn rows_outside_bounds(&mut self) {
        let (check, told) = (self.check, &self.check.told.clustering);
        let Bounds { order: Some(order), min, max, .. } = &check.bounds else { return };
        let (Some(min), Some(max)) = (min, max) else { return };
        let at = check.told.places.clustering;
        if order.is_in_front_of(min.position(), &told.start.values) {
            self.add(at, "first clustering", shown(&bound_of(min, true)), shown(&told.start));
        }
        if order.is_behind(max.position(), &told.end.values) {
            self.add(at, "last clustering", shown(&bound_of(max, true)), shown(&told.end));
        }
    }
}

/// The bound that a row or marker makes. The older form ends in front of the first null.
fn bound_of(place: &Place, is_legacy: bool) -> ClusteringBound {
    let values = place.values().map(|value| value.map(<[u8]>::to_vec));
    let values = match is_legacy {
        true => values.take_while(Option::is_some).collect(),
        false => values.collect(),
    };
    let inclusive = is_legacy || place.bound().is_none_or(BoundKind::is_inclusive);
    ClusteringBound { inclusive, values }
}

fn shown(bound: &ClusteringBound) -> String {
    let value = |value: &Option<Vec<u8>>| match value {
        Some(bytes) => Hex(bytes).to_string(),
        None => "null".to_owned(),
    };
    let values: Vec<_> = bound.values.iter().map(value).collect();
    let side = if bound.inclusive { "" } else { " exclusive" };
    format!("({}){side}", values.join(", "))
}

impl Check for StatisticsCheck {
    fn partition(&mut self, partition: &PartitionAt<'_>) -> Result<()> {
        if self.first_key.is_none() {
            self.first_key = Some(partition.key.to_vec());
        }
        self.last_key.clear();
        self.last_key.extend_from_slice(partition.key);
        self.met.has_partition_deletions |= !partition.deletion.is_live();
        self.met.deletion(&partition.deletion);
        self.met.partition_cells = 0;
        self.bounds.is_first_of_partition = true;
        Ok(())
    }

    fn row(&mut self, cursor: &Cursor, is_static: bool) -> Result<()> {
        if is_static && cursor.is_empty_row(true) {
            return Ok(());
        }
        let row = cursor.row();
        if row.liveness.timestamp != NO_TIMESTAMP {
            self.met.liveness(&row.liveness);
        }
        self.met.deletion(&row.deletion.regular);
        self.met.deletion(&row.deletion.shadowable);
        cursor.walk_cells(is_static, &mut self.met)
    }

    fn unfiltered(&mut self, unfiltered: &UnfilteredAt<'_>) -> Result<()> {
        if let Some(bound) = unfiltered.bound {
            if bound.closes() {
                self.met.deletion(&unfiltered.closed);
            }
            if bound.opens() {
                self.met.deletion(&unfiltered.open_behind);
            }
        }
        self.bounds.note(unfiltered);
        Ok(())
    }

    fn partition_end(&mut self, len: u64) -> Result<()> {
        self.sizes.add(i64::try_from(len).unwrap_or(i64::MAX));
        self.cells.add(self.met.partition_cells);
        self.bounds.end_partition();
        Ok(())
    }

    fn end(&mut self) -> Result<Vec<Error>> {
        Ok(self.differences())
    }
}

impl Bounds {
    /// Within a partition all lie in order, or [`super::order::OrderCheck`] tells.
    fn note(&mut self, unfiltered: &UnfilteredAt<'_>) {
        let Some(order) = &self.order else { return };
        if self.is_first_of_partition {
            self.is_first_of_partition = false;
            let is_less =
                |min: &Place| order.compare(unfiltered.position(), min.position()).is_lt();
            if self.min.as_ref().is_none_or(is_less) {
                self.min.get_or_insert_default().set(unfiltered);
            }
        }
        self.last.get_or_insert_default().set(unfiltered);
    }

    fn end_partition(&mut self) {
        let (Some(order), Some(last)) = (&self.order, &mut self.last) else { return };
        if self.is_first_of_partition {
            return;
        }
        let is_greater = |max: &Place| order.compare(last.position(), max.position()).is_gt();
        if self.max.as_ref().is_none_or(is_greater) {
            std::mem::swap(self.max.get_or_insert_default(), last);
        }
    }
}

impl Default for Met {
    fn default() -> Self {
        Self {
            partition_cells: 0,
            columns_set: 0,
            complex_cells: 0,
            ttl_min: None,
            deletion_time_max: None,
            drops: DropTimes { minutes: Some(BTreeMap::new()), count: 0 },
            has_partition_deletions: false,
            has_legacy_counter_shards: false,
        }
    }
}

impl Met {
    fn deletion(&mut self, deletion: &DeletionTime) {
        if !deletion.is_live() {
            self.deletion_time(deletion.local_deletion_time);
        }
    }

    fn deletion_time(&mut self, time: i64) {
        self.deletion_time_max = self.deletion_time_max.max(Some(time));
        if time != NEVER {
            self.drops.add(time);
        }
    }

    fn liveness(&mut self, times: &Liveness) {
        self.ttl_min = Some(self.ttl_min.map_or(times.ttl, |ttl| ttl.min(times.ttl)));
        self.deletion_time(times.local_deletion_time);
    }
}

impl CellVisitor for Met {
    fn simple(&mut self, column: &ColumnPlan, body: &[u8], cell: &RawCell) -> Result<(), Stop> {
        self.columns_set += 1;
        self.partition_cells += 1;
        self.liveness(&cell.times);
        if column.kind == ColumnKind::Counter && !cell.times.is_tombstone() {
            let context = cell.value.of(body).unwrap_or_default();
            self.has_legacy_counter_shards |= counter::has_legacy_shards(context);
        }
        Ok(())
    }

    fn begin_complex(&mut self, _column: &ColumnPlan, deletion: DeletionTime) {
        self.complex_cells = 0;
        self.deletion(&deletion);
    }

    fn element(&mut self, _column: &ColumnPlan, _body: &[u8], cell: &RawCell) -> Result<(), Stop> {
        self.complex_cells += 1;
        self.liveness(&cell.times);
        Ok(())
    }

    fn end_complex(&mut self, _column: &ColumnPlan) {
        self.columns_set += i64::from(self.complex_cells > 0);
        self.partition_cells += self.complex_cells;
    }
}

impl DropTimes {
    fn add(&mut self, time: i64) {
        self.count = self.count.saturating_add(1);
        let Some(minutes) = &mut self.minutes else { return };
        let minute = time.saturating_add(BIN_SECONDS - 1).div_euclid(BIN_SECONDS) * BIN_SECONDS;
        *minutes.entry(minute).or_default() += 1;
        if minutes.len() > BINS_MAX {
            self.minutes = None;
        }
    }

    /// The bins, if none had to be merged, and no time had to be rounded down at the end of time.
    fn exact(&self, version: Version) -> Option<&BTreeMap<i64, i64>> {
        let end = match version.has_uint_deletion_time() {
            true => i64::from(u32::MAX),
            false => i64::from(i32::MAX),
        };
        let is_inside = |last: &i64| *last < end - BIN_SECONDS;
        self.minutes.as_ref().filter(|minutes| minutes.keys().next_back().is_none_or(is_inside))
    }
}

impl UnfilteredAt<'_> {
    pub(super) fn position(&self) -> Position<'_> {
        Position::new(self.bytes, self.clustering, self.bound)
    }
}
