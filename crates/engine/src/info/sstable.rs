use std::collections::BTreeMap;

use outpour_cql::{Partitioner, Table, marshal, type_text};
use outpour_sink::KeyText;
use outpour_sstable::{
    ClusteringBounds, CommitLogInterval, CompressionInfo, HeaderColumn, SerializationHeader,
    Sstable, SstableFiles,
};
use serde::Serialize;

use super::{Distribution, DropTime, Droppable, InfoError, InfoOptions};

/// What the metadata of one SSTable tells.
#[derive(Debug, Clone, Serialize)]
pub struct SstableInfo {
    /// Version, id and format, as its file names start with
    pub name: String,
    /// Version of its bytes
    pub version: String,
    /// `big` or `bti`
    pub format: String,
    /// Path of its Data.db
    pub data_file: String,
    /// Its files
    pub components: Vec<ComponentInfo>,
    /// Bytes of all its files
    pub disk_bytes: u64,
    /// Stored bytes of Data.db
    pub data_bytes: u64,
    /// Before compression
    pub uncompressed_bytes: u64,
    /// Compressor class, if it is compressed
    pub compressor: Option<String>,
    /// Its options
    pub compressor_options: BTreeMap<String, String>,
    /// Uncompressed bytes of a chunk, if it is compressed
    pub chunk_bytes: Option<usize>,
    /// Stored by uncompressed bytes, if it is compressed
    pub compression_ratio: Option<f64>,
    /// The table's bloom_filter_fp_chance when it was written
    pub bloom_filter_fp_chance: f64,
    /// Simple class name
    pub partitioner: String,
    /// Partitions
    pub partitions: u64,
    /// Rows, static ones included
    pub rows: i64,
    /// Cells, a collection counted once a row
    pub cells: i64,
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
    /// The first partition key, as text
    pub first_key: Option<String>,
    /// The last partition key, as text
    pub last_key: Option<String>,
    /// Of the first key
    pub first_token: Option<String>,
    /// Of the last key
    pub last_token: Option<String>,
    /// What rows and range tombstones lie between; none if they are not bounded, or the version cannot be
    /// trusted
    pub clustering: Option<ClusteringInfo>,
    /// Share of the token ring that it covers, where the writer knew
    pub token_space_coverage: Option<f64>,
    /// Level in leveled compaction
    pub level: i32,
    /// Milliseconds since 1970, if it is repaired
    pub repaired_at_ms: Option<i64>,
    /// The repair session that holds it
    pub pending_repair: Option<String>,
    /// Whether it holds transiently replicated data
    pub transient: bool,
    /// The node that wrote it
    pub originating_host_id: Option<String>,
    /// What it holds of that node's commit log
    pub commit_log: Vec<CommitLogInfo>,
    /// Whether partitions are deleted, where the version tells
    pub has_partition_deletions: Option<bool>,
    /// Whether any counter has shards as Cassandra wrote them before 2.1
    pub has_legacy_counter_shards: bool,
    /// What its times are stored as differences to
    pub encoding: EncodingInfo,
    /// Bytes of partitions
    pub partition_sizes: Distribution,
    /// Cells of partitions
    pub partition_cells: Distribution,
    /// Java type of the partition key
    pub partition_key_type: String,
    /// Java types of the clustering columns
    pub clustering_types: Vec<String>,
    /// Names and types
    pub static_columns: Vec<ColumnInfo>,
    /// Names and types
    pub regular_columns: Vec<ColumnInfo>,
}

/// A file of an SSTable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComponentInfo {
    /// As its name ends
    pub name: String,
    /// Its size
    pub bytes: u64,
}

/// The clustering values that rows and range tombstones lie between.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClusteringInfo {
    /// Values as text, of the first clustering columns; none is null
    pub start: Vec<Option<String>>,
    /// Whether rows of exactly these values lie inside
    pub start_inclusive: bool,
    /// Values as text, of the first clustering columns; none is null
    pub end: Vec<Option<String>>,
    /// Whether rows of exactly these values lie inside
    pub end_inclusive: bool,
}

/// A part of the commit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CommitLogInfo {
    /// Segment that it starts in
    pub from_segment: i64,
    /// Byte in the segment
    pub from_position: i32,
    /// Segment that it ends in
    pub until_segment: i64,
    /// Byte in the segment
    pub until_position: i32,
}

/// What times are stored as differences to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EncodingInfo {
    /// Microseconds by convention
    pub timestamp_min: i64,
    /// Seconds since 1970
    pub local_deletion_time_min: i64,
    /// Seconds
    pub ttl_min: i32,
}

/// A column of an SSTable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ColumnInfo {
    /// As created, case kept
    pub name: String,
    /// As Statistics.db has it
    pub java_type: String,
    /// As CQL has it, if it can be read
    pub cql_type: Option<String>,
    /// Whether the table has it no longer, if its schema is known
    pub dropped: Option<bool>,
}

impl SstableInfo {
    /// Tells of `sstable`, and what of it cannot be read.
    pub(super) fn of(
        sstable: &Sstable,
        schema: Option<&Table>,
        options: &InfoOptions,
    ) -> (Self, Option<InfoError>) {
        let (keys, error) = match sstable.key_range() {
            Ok(keys) => (keys, None),
            Err(e) => (None, Some(InfoError::of(&e))),
        };
        let (first, last) = keys.unzip();
        let info = Self::new(sstable, [first, last], schema, options);
        (info, error)
    }

    fn new(
        sstable: &Sstable,
        [first, last]: [Option<Vec<u8>>; 2],
        schema: Option<&Table>,
        options: &InfoOptions,
    ) -> Self {
        let (statistics, compression) = (sstable.statistics(), sstable.compression());
        let (stats, header) = (&statistics.stats, &statistics.header);
        let version = sstable.descriptor().version;
        let partitioner = &statistics.partitioner;
        let components = components(sstable.files());
        let key_text = |key: &Vec<u8>| text(&header.partition_key_type, key);
        let token = |key: &Vec<u8>| token(sstable.partitioner().ok(), key);
        let (timestamp_min, timestamp_max) = stats.timestamps().unzip();
        Self {
            name: sstable.name().to_owned(),
            version: version.to_string(),
            format: sstable.descriptor().format.to_string(),
            data_file: sstable.data_name().to_owned(),
            disk_bytes: components.iter().map(|component| component.bytes).sum(),
            components,
            data_bytes: sstable.data_len(),
            uncompressed_bytes: sstable.uncompressed_len(),
            compressor: compression.map(|info| info.compressor.name().to_owned()),
            compressor_options: compression.map(options_of).unwrap_or_default(),
            chunk_bytes: compression.map(|info| info.chunk_len),
            compression_ratio: stats.compression_ratio,
            bloom_filter_fp_chance: statistics.bloom_filter_fp_chance,
            partitioner: partitioner.rsplit('.').next().unwrap_or(partitioner).to_owned(),
            partitions: stats.partitions(),
            rows: stats.rows,
            cells: stats.cells,
            timestamp_min,
            timestamp_max,
            local_deletion_time_min: stats.local_deletion_time_min,
            local_deletion_time_max: stats.local_deletion_time_max,
            ttl_min: stats.ttl_min,
            ttl_max: stats.ttl_max,
            tombstones: stats.deletions(),
            drop_times: DropTime::all(stats),
            droppable: Droppable::of([stats].into_iter(), options),
            first_token: first.as_ref().and_then(token),
            last_token: last.as_ref().and_then(token),
            first_key: first.as_ref().map(key_text),
            last_key: last.as_ref().map(key_text),
            clustering: match version.has_accurate_clustering_bounds() {
                true => ClusteringInfo::of(&stats.clustering, &header.clustering_types),
                false => None,
            },
            token_space_coverage: stats.token_space_coverage,
            level: stats.level,
            repaired_at_ms: stats.repaired_at_ms,
            pending_repair: stats.pending_repair.map(uuid),
            transient: stats.is_transient,
            originating_host_id: stats.originating_host_id.map(uuid),
            commit_log: stats.commit_log.iter().map(CommitLogInfo::of).collect(),
            has_partition_deletions: version
                .has_key_range()
                .then_some(stats.has_partition_deletions),
            has_legacy_counter_shards: stats.has_legacy_counter_shards,
            encoding: EncodingInfo::of(header),
            partition_sizes: Distribution::of(&stats.partition_sizes),
            partition_cells: Distribution::of(&stats.partition_cells),
            partition_key_type: header.partition_key_type.clone(),
            clustering_types: header.clustering_types.clone(),
            static_columns: ColumnInfo::all(&header.statics, schema),
            regular_columns: ColumnInfo::all(&header.regulars, schema),
        }
    }
}

fn options_of(info: &CompressionInfo) -> BTreeMap<String, String> {
    info.options.iter().cloned().collect()
}

fn components(files: &SstableFiles) -> Vec<ComponentInfo> {
    let component = |(component, bytes): (&outpour_sstable::Component, u64)| ComponentInfo {
        name: component.name().to_owned(),
        bytes,
    };
    files.components().map(component).collect()
}

/// The text of a value of a Java type; of one that cannot be read, its bytes in hex.
fn text(java_type: &str, value: &[u8]) -> String {
    let parsed = marshal::parse(java_type).ok();
    let text = parsed.and_then(|parsed| {
        let mut text = KeyText::new(&parsed.cql_type);
        Some(String::from_utf8_lossy(text.text(value).ok()?).into_owned())
    });
    text.unwrap_or_else(|| {
        let digits = value.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        let digit = |nibble| char::from_digit(u32::from(nibble), 16).unwrap_or_default();
        "0x".chars().chain(digits.map(digit)).collect()
    })
}

/// Keys of ByteOrderedPartitioner have no token but themselves.
fn token(partitioner: Option<Partitioner>, key: &[u8]) -> Option<String> {
    let partitioner = partitioner.filter(|known| *known != Partitioner::ByteOrdered)?;
    Some(partitioner.token(key).value().to_string())
}

fn uuid(bytes: [u8; 16]) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

impl ClusteringInfo {
    fn of(bounds: &ClusteringBounds, java_types: &[String]) -> Option<Self> {
        let values = |values: &[Option<Vec<u8>>]| {
            let texts = java_types.iter().zip(values);
            texts.map(|(java_type, value)| Some(text(java_type, value.as_deref()?))).collect()
        };
        let ClusteringBounds { start, end } = bounds;
        let is_open = start.values.is_empty() && end.values.is_empty();
        (!is_open).then(|| Self {
            start: values(&start.values),
            start_inclusive: start.inclusive,
            end: values(&end.values),
            end_inclusive: end.inclusive,
        })
    }
}

impl CommitLogInfo {
    fn of(interval: &CommitLogInterval) -> Self {
        Self {
            from_segment: interval.from.segment,
            from_position: interval.from.position,
            until_segment: interval.until.segment,
            until_position: interval.until.position,
        }
    }
}

impl EncodingInfo {
    fn of(header: &SerializationHeader) -> Self {
        Self {
            timestamp_min: header.timestamp_min,
            local_deletion_time_min: header.local_deletion_time_min,
            ttl_min: header.ttl_min,
        }
    }
}

impl ColumnInfo {
    fn all(columns: &[HeaderColumn], schema: Option<&Table>) -> Vec<Self> {
        let known = schema.map(|table| table.statics.iter().chain(&table.regulars));
        let column = |column: &HeaderColumn| Self {
            name: column.name.clone(),
            java_type: column.java_type.clone(),
            cql_type: marshal::parse(&column.java_type)
                .ok()
                .map(|parsed| type_text(&parsed.cql_type, parsed.multi_cell)),
            // Compact tables have columns that no one declares.
            dropped: known
                .clone()
                .filter(|_| schema.is_some_and(|t| t.layout == outpour_cql::Layout::Plain))
                .map(|mut known| known.all(|known| known.name != column.name)),
        };
        columns.iter().map(column).collect()
    }
}
