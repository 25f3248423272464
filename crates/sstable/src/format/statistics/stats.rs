use outpour_codec::{Reader, Result};

use super::{EstimatedHistogram, TombstoneBin};
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
    /// Whether any counter has local or remote shards, which Cassandra 2.0 wrote
    pub has_legacy_counter_shards: bool,
    /// Cells, a collection as one
    pub cells: i64,
    /// Rows, static ones included
    pub rows: i64,
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
}

impl Stats {
    pub(super) fn parse(bytes: &[u8], version: Version) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let partition_sizes = EstimatedHistogram::parse(&mut r)?;
        let partition_cells = EstimatedHistogram::parse(&mut r)?;
        skip_position(&mut r)?;
        let (timestamp_min, timestamp_max) = (r.i64()?, r.i64()?);
        let local_deletion_time_min = local_deletion_time(&mut r, version)?;
        let local_deletion_time_max = local_deletion_time(&mut r, version)?;
        let (ttl_min, ttl_max) = (r.i32()?, r.i32()?);
        let compression_ratio = Some(r.f64()?).filter(|ratio| *ratio >= 0.0);
        let tombstones = TombstoneBin::parse_all(&mut r, version)?;
        let level = r.i32()?;
        let repaired_at_ms = Some(r.i64()?).filter(|ms| *ms != 0);
        skip_clustering_bounds(&mut r, version)?;
        let has_legacy_counter_shards = r.flag("legacy counter shards")?;
        let (cells, rows) = (r.i64()?, r.i64()?);
        skip_commit_log(&mut r, version)?;
        let pending_repair = match version.has_pending_repair() {
            true => optional_uuid(&mut r, "pending repair")?,
            false => None,
        };
        let is_transient = version.has_pending_repair() && r.flag("transient")?;
        let originating_host_id = match version.has_host_id() {
            true => optional_uuid(&mut r, "originating host id")?,
            false => None,
        };
        let has_partition_deletions = !version.has_key_range() || r.flag("partition deletions")?;
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
            has_legacy_counter_shards,
            cells,
            rows,
            pending_repair,
            is_transient,
            originating_host_id,
            has_partition_deletions,
            key_range,
            token_space_coverage,
        })
    }

    /// How many partitions were written.
    #[must_use]
    pub fn partitions(&self) -> u64 {
        self.partition_sizes.count()
    }
}

/// Positions in the commit log mean nothing away from the node: not kept.
fn skip_position(r: &mut Reader<'_>) -> Result<()> {
    r.i64()?;
    r.i32()?;
    Ok(())
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

/// A scan never relies on these bounds: not kept.
fn skip_clustering_bounds(r: &mut Reader<'_>, version: Version) -> Result<()> {
    if version.has_legacy_clustering_bounds() {
        for _ in 0..2 {
            for _ in 0..r.count("clustering values", 2)? {
                r.short_bytes()?;
            }
        }
        return Ok(());
    }
    let types = clustering::read_widths(r)?;
    clustering::skip_bound(r, &types)?;
    clustering::skip_bound(r, &types)
}

fn skip_commit_log(r: &mut Reader<'_>, version: Version) -> Result<()> {
    if version.has_commit_log_lower_bound() {
        skip_position(r)?;
    }
    if !version.has_commit_log_intervals() {
        return Ok(());
    }
    for _ in 0..r.count("commit log intervals", 24)? {
        skip_position(r)?;
        skip_position(r)?;
    }
    Ok(())
}
