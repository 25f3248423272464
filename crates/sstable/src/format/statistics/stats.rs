use outpour_codec::{Reader, Result};

use super::{ClusteringBound, ClusteringBounds, EstimatedHistogram, TombstoneBin};
use crate::Version;
use crate::format::clustering;

/// The STATS part (`io/sstable/metadata/StatsMetadata.java`).
///
/// ```text
///  1 histogram   partition sizes          2 histogram   cells per partition
///  3 i64, i32    commit log upper bound   4 i64 × 2     min, max timestamp
///  5 i32 × 2     min, max local deletion time (u32 in oa, da)
///  6 i32 × 2     min, max TTL             7 f64         compression ratio, -1 uncompressed
///  8 bins        tombstone histogram      9 i32         level         10 i64 repaired at, ms
/// 11 ..nb        min, max clustering: each i32 n, n × (u16 length, bytes)
/// 11 oa, da      clustering types: vint n, n × (vint length, class); start and end bound
/// 12 u8          legacy counter shards   13 i64 × 2     cells, rows
/// 14 i64, i32    commit log lower bound (mb+)   15 i32 n, n × 2 positions   intervals (mc+)
/// 16 u8, [16]    pending repair (na+)    17 u8          transient (na+)
/// 18 u8, [16]    originating host (me, nb+)             19 u8          partition deletions (oa, da)
/// 20 vint-bytes × 2  first, last key (oa, da)           21 f64 token space coverage (oa, da)
/// ```
/// In `oa` and `da` 4 zero bytes follow for each tombstone bin: the writer sizes bins as 16 bytes
/// and writes 12. Bytes behind the last field are therefore ignored, as Cassandra ignores them.
#[derive(Debug, Clone)]
pub struct Stats {
    /// Bytes of each partition
    pub partition_sizes: EstimatedHistogram,
    /// Cells of each partition
    pub partition_cells: EstimatedHistogram,
    /// Microseconds by convention
    pub timestamp_min: i64,
    /// Microseconds by convention
    pub timestamp_max: i64,
    /// Seconds since 1970; `None` if nothing is deleted or expires
    pub local_deletion_time_min: Option<i64>,
    /// Seconds since 1970; `None` if anything lives without end
    pub local_deletion_time_max: Option<i64>,
    /// Seconds
    pub ttl_min: i32,
    /// Seconds
    pub ttl_max: i32,
    /// Stored by uncompressed bytes; `None` if uncompressed
    pub compression_ratio: Option<f64>,
    /// Deletions and expiries by time
    pub tombstones: Vec<TombstoneBin>,
    /// Level in leveled compaction
    pub level: i32,
    /// Milliseconds since 1970; `None` if unrepaired
    pub repaired_at_ms: Option<i64>,
    /// What rows and range tombstones lie between; not right before `md`
    pub clustering: ClusteringBounds,
    /// Whether any counter has local or remote shards, which Cassandra 2.0 wrote
    pub has_legacy_counter_shards: bool,
    /// Cells, a collection as one
    pub cells: i64,
    /// Rows, static ones included
    pub rows: i64,
    /// What it holds of the commit log of the node that wrote it (`mc`, `na` and later)
    pub commit_log: Vec<CommitLogInterval>,
    /// Repair session that the file is held back for
    pub pending_repair: Option<[u8; 16]>,
    /// Whether it holds transiently replicated data
    pub is_transient: bool,
    /// The node that wrote it
    pub originating_host_id: Option<[u8; 16]>,
    /// Whether partition deletions occur; always true before `oa`, which does not know
    pub has_partition_deletions: bool,
    /// First and last partition key (`oa`, `da`)
    pub key_range: Option<(Vec<u8>, Vec<u8>)>,
    /// Share of the token ring that it covers, where the writer knew
    pub token_space_coverage: Option<f64>,
    pub(crate) places: Places,
}

/// A place in the commit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitLogPosition {
    /// Id of the segment
    pub segment: i64,
    /// Byte in the segment
    pub position: i32,
}

/// A part of the commit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitLogInterval {
    /// Where it starts
    pub from: CommitLogPosition,
    /// Where it ends
    pub until: CommitLogPosition,
}

/// Where fields stand in Statistics.db, for messages.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Places {
    pub(crate) partition_sizes: u64,
    pub(crate) partition_cells: u64,
    pub(crate) timestamps: u64,
    pub(crate) local_deletion_times: u64,
    pub(crate) ttls: u64,
    pub(crate) compression_ratio: u64,
    pub(crate) tombstones: u64,
    pub(crate) clustering: u64,
    pub(crate) legacy_counter_shards: u64,
    pub(crate) cells: u64,
    pub(crate) rows: u64,
    pub(crate) partition_deletions: u64,
    pub(crate) key_range: u64,
}

impl Stats {
    /// Reads the part, which stands at `base` of the file.
    pub(super) fn parse(bytes: &[u8], base: usize, version: Version) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let mut places = Places::default();
        let place = |r: &Reader<'_>| (base + r.offset()) as u64;
        places.partition_sizes = place(&r);
        let partition_sizes = EstimatedHistogram::parse(&mut r)?;
        places.partition_cells = place(&r);
        let partition_cells = EstimatedHistogram::parse(&mut r)?;
        read_position(&mut r)?;
        places.timestamps = place(&r);
        let (timestamp_min, timestamp_max) = (r.i64()?, r.i64()?);
        places.local_deletion_times = place(&r);
        let local_deletion_time_min = local_deletion_time(&mut r, version)?;
        let local_deletion_time_max = local_deletion_time(&mut r, version)?;
        places.ttls = place(&r);
        let (ttl_min, ttl_max) = (r.i32()?, r.i32()?);
        places.compression_ratio = place(&r);
        let compression_ratio = Some(r.f64()?).filter(|ratio| *ratio >= 0.0);
        places.tombstones = place(&r);
        let tombstones = TombstoneBin::parse_all(&mut r, version)?;
        let level = r.i32()?;
        let repaired_at_ms = Some(r.i64()?).filter(|ms| *ms != 0);
        places.clustering = place(&r);
        let clustering = clustering_bounds(&mut r, version)?;
        places.legacy_counter_shards = place(&r);
        let has_legacy_counter_shards = r.flag("legacy counter shards")?;
        places.cells = place(&r);
        places.rows = places.cells + 8;
        let (cells, rows) = (r.i64()?, r.i64()?);
        let commit_log = commit_log(&mut r, version)?;
        let Origin { pending_repair, is_transient, originating_host_id } =
            Origin::read(&mut r, version)?;
        places.partition_deletions = place(&r);
        let has_partition_deletions = !version.has_key_range() || r.flag("partition deletions")?;
        places.key_range = place(&r);
        let key_range = match version.has_key_range() {
            true => Some((r.vint_bytes()?.to_vec(), r.vint_bytes()?.to_vec())),
            false => None,
        };
        let token_space_coverage = match version.has_token_space_coverage() {
            true => Some(r.f64()?).filter(|coverage| !coverage.is_nan()),
            false => None,
        };
        Ok(Self {
            partition_sizes,
            partition_cells,
            timestamp_min,
            timestamp_max,
            local_deletion_time_min,
            local_deletion_time_max,
            ttl_min,
            ttl_max,
            compression_ratio,
            tombstones,
            level,
            repaired_at_ms,
            clustering,
            has_legacy_counter_shards,
            cells,
            rows,
            commit_log,
            pending_repair,
            is_transient,
            originating_host_id,
            has_partition_deletions,
            key_range,
            token_space_coverage,
            places,
        })
    }

    /// The first and last write, in microseconds by convention; `None` if nothing has a time.
    #[must_use]
    pub fn timestamps(&self) -> Option<(i64, i64)> {
        let bounds = (self.timestamp_min, self.timestamp_max);
        Some(bounds).filter(|bounds| *bounds != (i64::MIN, i64::MAX))
    }

    /// How many deletions and expiries were written.
    #[must_use]
    pub fn deletions(&self) -> i64 {
        self.tombstones.iter().fold(0, |sum, bin| sum.saturating_add(bin.count))
    }

    /// How many partitions were written.
    #[must_use]
    pub fn partitions(&self) -> u64 {
        self.partition_sizes.count()
    }
}

/// Repair and origin.
struct Origin {
    pending_repair: Option<[u8; 16]>,
    is_transient: bool,
    originating_host_id: Option<[u8; 16]>,
}

impl Origin {
    fn read(r: &mut Reader<'_>, version: Version) -> Result<Self> {
        let has_repair = version.has_pending_repair();
        Ok(Self {
            pending_repair: match has_repair {
                true => optional_uuid(r, "pending repair")?,
                false => None,
            },
            is_transient: has_repair && r.flag("transient")?,
            originating_host_id: match version.has_host_id() {
                true => optional_uuid(r, "originating host id")?,
                false => None,
            },
        })
    }
}

fn read_position(r: &mut Reader<'_>) -> Result<CommitLogPosition> {
    Ok(CommitLogPosition { segment: r.i64()?, position: r.i32()? })
}

fn local_deletion_time(r: &mut Reader<'_>, version: Version) -> Result<Option<i64>> {
    Ok(if version.has_uint_deletion_time() {
        Some(r.u32()?).filter(|time| *time != u32::MAX).map(i64::from)
    } else {
        Some(r.i32()?).filter(|time| *time != i32::MAX).map(i64::from)
    })
}

fn optional_uuid(r: &mut Reader<'_>, what: &'static str) -> Result<Option<[u8; 16]>> {
    if !r.flag(what)? {
        return Ok(None);
    }
    let mut uuid = [0; 16];
    uuid.copy_from_slice(r.take(16)?);
    Ok(Some(uuid))
}

fn clustering_bounds(r: &mut Reader<'_>, version: Version) -> Result<ClusteringBounds> {
    if version.has_legacy_clustering_bounds() {
        let mut bound = || {
            let count = r.count("clustering values", 2)?;
            let values = (0..count).map(|_| Ok(Some(r.short_bytes()?.to_vec())));
            Ok(ClusteringBound { inclusive: true, values: values.collect::<Result<_>>()? })
        };
        return Ok(ClusteringBounds { start: bound()?, end: bound()? });
    }
    let types = clustering::read_widths(r)?;
    let mut bound = || {
        let (kind, values) = clustering::read_slice_bound(r, &types)?;
        Ok(ClusteringBound { inclusive: kind.is_inclusive(), values })
    };
    Ok(ClusteringBounds { start: bound()?, end: bound()? })
}

fn commit_log(r: &mut Reader<'_>, version: Version) -> Result<Vec<CommitLogInterval>> {
    if version.has_commit_log_lower_bound() {
        read_position(r)?;
    }
    if !version.has_commit_log_intervals() {
        return Ok(Vec::new());
    }
    (0..r.count("commit log intervals", 24)?)
        .map(|_| Ok(CommitLogInterval { from: read_position(r)?, until: read_position(r)? }))
        .collect()
}
