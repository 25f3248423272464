use outpour_sstable::Sstable;
use serde::Serialize;

use crate::Result;
use crate::source::SourceOptions;

/// What the metadata of a table's files tells.
#[derive(Debug, Clone, Serialize)]
pub struct TableInfo {
    /// Where it is known
    pub keyspace: Option<String>,
    /// Where it is known
    pub table: Option<String>,
    /// The directories that hold its SSTables
    pub directories: Vec<String>,
    /// Sums over all SSTables
    pub totals: Totals,
    /// By id
    pub sstables: Vec<SstableInfo>,
}

/// Sums over the SSTables of a table. Rows and partitions that several SSTables have are counted in
/// each of them.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Totals {
    /// How many SSTables there are
    pub sstables: usize,
    /// Stored bytes of all Data.db
    pub data_bytes: u64,
    /// Before compression
    pub uncompressed_bytes: u64,
    /// Partitions, before merging
    pub partitions: u64,
    /// Rows, before merging, static ones included
    pub rows: u64,
}

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
    /// Stored bytes of Data.db
    pub data_bytes: u64,
    /// Before compression
    pub uncompressed_bytes: u64,
    /// Compressor class, if it is compressed
    pub compressor: Option<String>,
    /// Uncompressed bytes of a chunk, if it is compressed
    pub chunk_bytes: Option<usize>,
    /// Simple class name
    pub partitioner: String,
    /// Partitions
    pub partitions: u64,
    /// Rows, static ones included
    pub rows: i64,
    /// Cells, a collection counted once a row
    pub cells: i64,
    /// Microseconds by convention
    pub timestamp_min: i64,
    /// Microseconds by convention
    pub timestamp_max: i64,
    /// Seconds since 1970 of the first deletion or expiry
    pub local_deletion_time_min: Option<i64>,
    /// Seconds since 1970 of the last one; none if anything lives without end
    pub local_deletion_time_max: Option<i64>,
    /// Seconds
    pub ttl_min: i32,
    /// Seconds
    pub ttl_max: i32,
    /// Tombstones and expiring cells
    pub tombstones: i64,
    /// Level in leveled compaction
    pub level: i32,
    /// Milliseconds since 1970, if it is repaired
    pub repaired_at_ms: Option<i64>,
    /// Java type of the partition key
    pub partition_key_type: String,
    /// Java types of the clustering columns
    pub clustering_types: Vec<String>,
    /// Names and Java types
    pub static_columns: Vec<ColumnInfo>,
    /// Names and Java types
    pub regular_columns: Vec<ColumnInfo>,
}

/// A column of an SSTable.
#[derive(Debug, Clone, Serialize)]
pub struct ColumnInfo {
    /// As created, case kept
    pub name: String,
    /// As Statistics.db has it
    pub java_type: String,
}

/// Reads the metadata of all tables of a source; no rows are read.
///
/// # Errors
/// Those of finding and opening SSTables.
pub fn info(source: &SourceOptions) -> Result<Vec<TableInfo>> {
    let tables = source.tables(&mut |_| {})?;
    tables
        .iter()
        .map(|table| {
            let sstables = table.open(&mut |_| {})?;
            Ok(TableInfo {
                keyspace: table.name.keyspace.clone(),
                table: table.name.name.clone(),
                directories: table
                    .directories
                    .iter()
                    .map(|d| d.path.display().to_string())
                    .collect(),
                totals: Totals::of(&sstables),
                sstables: sstables.iter().map(SstableInfo::of).collect(),
            })
        })
        .collect()
}

impl Totals {
    fn of(sstables: &[Sstable]) -> Self {
        let mut totals = Self { sstables: sstables.len(), ..Self::default() };
        for sstable in sstables {
            let stats = &sstable.statistics().stats;
            totals.data_bytes += sstable.data_len();
            totals.uncompressed_bytes += sstable.uncompressed_len();
            totals.partitions += stats.partitions();
            totals.rows += u64::try_from(stats.rows).unwrap_or(0);
        }
        totals
    }
}

impl SstableInfo {
    fn of(sstable: &Sstable) -> Self {
        let (statistics, compression) = (sstable.statistics(), sstable.compression());
        let (stats, header) = (&statistics.stats, &statistics.header);
        let columns = |columns: &[outpour_sstable::HeaderColumn]| {
            let info = |c: &outpour_sstable::HeaderColumn| ColumnInfo {
                name: c.name.clone(),
                java_type: c.java_type.clone(),
            };
            columns.iter().map(info).collect()
        };
        let partitioner = &statistics.partitioner;
        Self {
            name: sstable.name().to_owned(),
            version: sstable.descriptor().version.to_string(),
            format: sstable.descriptor().format.to_string(),
            data_file: sstable.data_name().to_owned(),
            data_bytes: sstable.data_len(),
            uncompressed_bytes: sstable.uncompressed_len(),
            compressor: compression.map(|info| info.compressor.name().to_owned()),
            chunk_bytes: compression.map(|info| info.chunk_len),
            partitioner: partitioner.rsplit('.').next().unwrap_or(partitioner).to_owned(),
            partitions: stats.partitions(),
            rows: stats.rows,
            cells: stats.cells,
            timestamp_min: stats.timestamp_min,
            timestamp_max: stats.timestamp_max,
            local_deletion_time_min: stats.local_deletion_time_min,
            local_deletion_time_max: stats.local_deletion_time_max,
            ttl_min: stats.ttl_min,
            ttl_max: stats.ttl_max,
            tombstones: stats.tombstones.iter().map(|bin| bin.count).sum(),
            level: stats.level,
            repaired_at_ms: stats.repaired_at_ms,
            partition_key_type: header.partition_key_type.clone(),
            clustering_types: header.clustering_types.clone(),
            static_columns: columns(&header.statics),
            regular_columns: columns(&header.regulars),
        }
    }
}
