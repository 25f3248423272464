use outpour_cql::Table;
use outpour_sstable::{HeaderColumn, Sstable};
use serde::Serialize;

use crate::{Error, ErrorKind, Result};

/// The version of the lossless form; one that is read differently has another.
const FORM: u32 = 1;

/// The first line of a lossless dump: docs/dump.md.
#[derive(Serialize)]
struct Head<'a> {
    form: u32,
    name: &'a str,
    version: &'a str,
    keyspace: Option<&'a str>,
    table: Option<&'a str>,
    partitioner: &'a str,
    partition_key: Key<'a>,
    clustering: Key<'a>,
    statics: Vec<HeadColumn<'a>>,
    regulars: Vec<HeadColumn<'a>>,
    timestamp_min: i64,
    local_deletion_time_min: i64,
    ttl_min: i32,
    partitions: u64,
    rows: i64,
    level: i32,
    repaired_at_ms: Option<i64>,
    pending_repair: Option<String>,
    is_transient: bool,
    originating_host_id: Option<String>,
    bloom_filter_fp_chance: f64,
}

/// Names of columns, where a schema tells them, and the Java types.
#[derive(Serialize)]
struct Key<'a> {
    names: Option<Vec<&'a str>>,
    types: Vec<&'a str>,
}

#[derive(Serialize)]
struct HeadColumn<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    java_type: &'a str,
}

/// What the files tell of `sstable`, and `table` of its names, as a JSON object.
pub(crate) fn head(sstable: &Sstable, table: Option<&Table>) -> Result<String> {
    let statistics = sstable.statistics();
    let (header, stats) = (&statistics.header, &statistics.stats);
    let names = table.map(|table| table.partition_key.iter().map(|c| c.name.as_str()).collect());
    let clustering =
        table.map(|table| table.clustering.iter().map(|c| c.column.name.as_str()).collect());
    let head = Head {
        form: FORM,
        name: sstable.name(),
        version: sstable.descriptor().version.letters(),
        keyspace: table.map(|table| table.keyspace.as_str()),
        table: table.map(|table| table.name.as_str()),
        partitioner: &statistics.partitioner,
        partition_key: Key { names, types: vec![&header.partition_key_type] },
        clustering: Key {
            names: clustering,
            types: header.clustering_types.iter().map(String::as_str).collect(),
        },
        statics: columns(&header.statics),
        regulars: columns(&header.regulars),
        timestamp_min: header.timestamp_min,
        local_deletion_time_min: header.local_deletion_time_min,
        ttl_min: header.ttl_min,
        partitions: stats.partitions(),
        rows: stats.rows,
        level: stats.level,
        repaired_at_ms: stats.repaired_at_ms,
        pending_repair: stats.pending_repair.map(hex),
        is_transient: stats.is_transient,
        originating_host_id: stats.originating_host_id.map(hex),
        bloom_filter_fp_chance: statistics.bloom_filter_fp_chance,
    };
    serde_json::to_string(&head).map_err(|e| Error::new(ErrorKind::Invalid, e.to_string()))
}

fn columns(columns: &[HeaderColumn]) -> Vec<HeadColumn<'_>> {
    columns.iter().map(|HeaderColumn { name, java_type }| HeadColumn { name, java_type }).collect()
}

fn hex(bytes: [u8; 16]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
