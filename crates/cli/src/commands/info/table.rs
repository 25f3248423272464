//! What is told of a table, as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use outpour_engine::{
    Bucket, ColumnInfo, Distribution, DropTime, Droppable, SstableInfo, TableInfo, Totals,
};

use super::quantity::{
    bytes, date, microseconds, milliseconds, number, or_unknown, percent, seconds, size, span,
};
use crate::terminal::{count, safe};

/// The width of labels.
const LABEL: usize = 13;
/// The longest text of a key or clustering value that is shown whole.
const SHOWN_LEN: usize = 60;
/// The most lines of a histogram, and the longest bar.
const ROWS_MAX: usize = 16;
const BAR_LEN: usize = 30;

/// Lines of a label and a text each.
#[derive(Default)]
struct Lines(String);

impl Lines {
    /// Leaves one line free.
    fn paragraph(&mut self) {
        if !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    fn add(&mut self, indent: usize, label: &str, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{:indent$}{label:<LABEL$} {}", "", safe(text));
    }
}

pub(super) fn text(table: &TableInfo) -> String {
    let mut lines = Lines::default();
    let _ = writeln!(lines.0, "{}", safe(&title(table)));
    for directory in &table.directories {
        lines.add(2, "directory", directory);
    }
    let versions = versions(&table.sstables);
    totals(&table.totals, &versions, &mut lines);
    for sstable in &table.sstables {
        self::sstable(sstable, &mut lines);
    }
    for error in &table.errors {
        let name = error.name.as_deref().unwrap_or("schema");
        lines.paragraph();
        let _ = writeln!(lines.0, "  {}", safe(name));
        lines.add(4, "error", &error.message);
    }
    lines.0
}

/// The table's name, if it is known.
fn title(table: &TableInfo) -> String {
    match (&table.keyspace, &table.table, table.directories.first()) {
        (Some(keyspace), Some(name), _) => format!("{keyspace}.{name}"),
        (None, Some(name), _) => name.clone(),
        (_, None, Some(directory)) => {
            format!("table of unknown name in {directory}")
        }
        _ => "table of unknown name".to_owned(),
    }
}

fn versions(sstables: &[SstableInfo]) -> String {
    let mut counts = BTreeMap::<&str, usize>::new();
    for sstable in sstables {
        *counts.entry(&sstable.version).or_default() += 1;
    }
    match counts.len() {
        0 | 1 => counts.keys().copied().collect(),
        _ => counts.iter().map(|(v, n)| format!("{n} {v}")).collect::<Vec<_>>().join(", "),
    }
}

fn totals(totals: &Totals, versions: &str, lines: &mut Lines) {
    lines.add(2, "holds", &holds(totals, versions));
    if totals.sstables == 0 {
        return;
    }
    let mut stored = format!(
        "{} on disk; Data.db {} stored, {} uncompressed",
        bytes(totals.disk_bytes),
        bytes(totals.data_bytes),
        bytes(totals.uncompressed_bytes)
    );
    if let Some(ratio) = totals.compression_ratio {
        let _ = write!(stored, ", ratio {ratio:.3}");
    }
    lines.add(2, "size", &stored);
    let content = content(totals.rows, totals.partitions, totals.cells);
    let merging = if totals.sstables > 1 { ", before merging" } else { "" };
    lines.add(2, "content", &format!("{content}{merging}"));
    times(2, totals, lines);
    droppable(2, totals.tombstones, &totals.droppable, lines);
    drop_times(&totals.drop_times, lines);
    tokens(2, totals.first_token.as_deref(), totals.last_token.as_deref(), lines);
    distribution(2, "partitions", &totals.partition_sizes, size, lines);
    histogram("partitions by bytes", &totals.partition_sizes, size, lines);
    distribution(2, "cells each", &totals.partition_cells, number, lines);
    histogram("partitions by cells", &totals.partition_cells, number, lines);
}

/// How many SSTables there are, and what compaction and repair have made of them.
fn holds(totals: &Totals, versions: &str) -> String {
    let mut sstables = count(totals.sstables as u64, "SSTable");
    if totals.sstables == 0 {
        return sstables;
    }
    let _ = write!(sstables, " ({versions})");
    if totals.levels.iter().any(|level| level.level > 0) {
        let level = |l: &outpour_engine::LevelInfo| format!("L{} {}", l.level, l.sstables);
        let levels: Vec<_> = totals.levels.iter().map(level).collect();
        let _ = write!(sstables, ", by level: {}", levels.join(", "));
    }
    let repaired = match totals.repaired {
        0 => "not repaired".to_owned(),
        all if all == totals.sstables => "repaired".to_owned(),
        some => format!("{some} repaired"),
    };
    let _ = write!(sstables, ", {repaired}");
    if totals.pending_repair > 0 {
        let _ = write!(sstables, ", {} pending repair", totals.pending_repair);
    }
    sstables
}

fn content(rows: u64, partitions: u64, cells: u64) -> String {
    format!(
        "{} in {}, {}",
        count(rows, "row"),
        count(partitions, "partition"),
        count(cells, "cell")
    )
}

/// What an SSTable and a table have in common.
trait Times {
    /// First and last write, first and last deletion or expiry
    fn bounds(&self) -> [Option<i64>; 4];
    /// Least and greatest
    fn ttls(&self) -> (i32, i32);
}

impl Times for Totals {
    fn bounds(&self) -> [Option<i64>; 4] {
        let deletions = [self.local_deletion_time_min, self.local_deletion_time_max];
        [self.timestamp_min, self.timestamp_max, deletions[0], deletions[1]]
    }

    fn ttls(&self) -> (i32, i32) {
        (self.ttl_min, self.ttl_max)
    }
}

impl Times for SstableInfo {
    fn bounds(&self) -> [Option<i64>; 4] {
        let deletions = [self.local_deletion_time_min, self.local_deletion_time_max];
        [self.timestamp_min, self.timestamp_max, deletions[0], deletions[1]]
    }

    fn ttls(&self) -> (i32, i32) {
        (self.ttl_min, self.ttl_max)
    }
}

fn times(indent: usize, times: &impl Times, lines: &mut Lines) {
    let [written_first, written_last, deleted_first, deleted_last] = times.bounds();
    match (written_first, written_last) {
        (Some(first), Some(last)) if first == last => {
            lines.add(indent, "written", &microseconds(first));
        }
        (Some(first), Some(last)) => {
            lines.add(indent, "written from", &microseconds(first));
            lines.add(indent, "to", &microseconds(last));
        }
        _ => lines.add(indent, "written", "nothing that has a time"),
    }
    match (deleted_first, deleted_last) {
        (None, _) => lines.add(indent, "ends", "never: nothing is deleted or expires"),
        (Some(first), None) => {
            lines.add(indent, "ends from", &seconds(first));
            lines.add(indent, "to", "never: something lives without end");
        }
        (Some(first), Some(last)) => {
            lines.add(indent, "ends from", &seconds(first));
            lines.add(indent, "to", &format!("{}, all of it", seconds(last)));
        }
    }
    let ttl = match times.ttls() {
        (0, 0) => "none".to_owned(),
        (0, max) => format!("up to {}, some without", span(i64::from(max))),
        (min, max) if min == max => span(i64::from(max)),
        (min, max) => format!("{} to {}", span(i64::from(min)), span(i64::from(max))),
    };
    lines.add(indent, "TTL", &ttl);
}

fn droppable(indent: usize, tombstones: i64, droppable: &Droppable, lines: &mut Lines) {
    if tombstones == 0 {
        lines.add(indent, "tombstones", "none, and nothing expires");
        return;
    }
    let mut text = format!(
        "{} tombstones and expiring cells; droppable at {} with {} of grace: about {:.0}",
        number(tombstones),
        date(droppable.at),
        span(droppable.gc_grace_seconds),
        droppable.tombstones
    );
    if let Some(ratio) = droppable.ratio {
        let _ = write!(text, ", {} of the cells", percent(ratio));
    }
    lines.add(indent, "tombstones", &text);
}

fn tokens(indent: usize, first: Option<&str>, last: Option<&str>, lines: &mut Lines) {
    if let (Some(first), Some(last)) = (first, last) {
        lines.add(indent, "tokens", &format!("{first} to {last}"));
    }
}

fn distribution(
    indent: usize,
    label: &str,
    of: &Distribution,
    text: fn(i64) -> String,
    lines: &mut Lines,
) {
    if of.count == 0 {
        return;
    }
    let shown = |value| or_unknown(value, text);
    let line = format!(
        "{} to {}; half up to {}, 75 % {}, 95 % {}, 98 % {}, 99 % {}",
        shown(of.min),
        shown(of.max),
        shown(of.p50),
        shown(of.p75),
        shown(of.p95),
        shown(of.p98),
        shown(of.p99)
    );
    lines.add(indent, label, &line);
}

/// A line for each bucket, or for several together where there are many, with bars to scale.
fn histogram(title: &str, of: &Distribution, text: fn(i64) -> String, lines: &mut Lines) {
    let together = of.buckets.len().div_ceil(ROWS_MAX).max(1);
    let rows = of.buckets.chunks(together).filter_map(joined);
    let bound = |row: &Bucket| row.to.map_or_else(|| "more".to_owned(), text);
    bars(title, &rows.map(|row| (bound(&row), row.count)).collect::<Vec<_>>(), lines);
}

/// When what was deleted or expires is dropped, grace apart.
fn drop_times(times: &[DropTime], lines: &mut Lines) {
    let together = times.len().div_ceil(ROWS_MAX).max(1);
    let row = |times: &[DropTime]| {
        let last = times.last()?;
        let sum = times.iter().fold(0_i64, |sum, time| sum.saturating_add(time.count));
        Some((date(last.time as i64), sum))
    };
    let rows: Vec<_> = times.chunks(together).filter_map(row).collect();
    bars("tombstones and expiring cells by time", &rows, lines);
}

/// Counts beside their bounds. One alone says no more than the totals.
fn bars(title: &str, rows: &[(String, i64)], lines: &mut Lines) {
    if rows.len() < 2 {
        return;
    }
    let most = rows.iter().map(|row| row.1).max().unwrap_or(1).max(1) as f64;
    let total = rows.iter().map(|row| row.1 as f64).sum::<f64>().max(1.0);
    let width = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0);
    let digits = rows.iter().map(|row| number(row.1).len()).max().unwrap_or(0);
    lines.paragraph();
    let _ = writeln!(lines.0, "    {title}");
    for (bound, count) in rows {
        let part = *count as f64 / most;
        let bar = "#".repeat(((BAR_LEN as f64 * part).round() as usize).max(1));
        let (share, count) = (percent(*count as f64 / total), number(*count));
        let _ =
            writeln!(lines.0, "      up to {bound:>width$}  {count:>digits$} {share:>7}  {bar}");
    }
    lines.0.push('\n');
}

fn joined(buckets: &[Bucket]) -> Option<Bucket> {
    let (first, last) = (buckets.first()?, buckets.last()?);
    let count = buckets.iter().fold(0_i64, |sum, bucket| sum.saturating_add(bucket.count));
    Some(Bucket { from: first.from, to: last.to, count })
}

fn sstable(info: &SstableInfo, lines: &mut Lines) {
    lines.paragraph();
    let _ = writeln!(lines.0, "  {}", safe(&info.name));
    let rows = u64::try_from(info.rows).unwrap_or(0);
    let cells = u64::try_from(info.cells).unwrap_or(0);
    lines.add(4, "content", &content(rows, info.partitions, cells));
    lines.add(4, "data", &data(info));
    let file =
        |file: &outpour_engine::ComponentInfo| format!("{} {}", file.name, bytes(file.bytes));
    let files: Vec<_> = info.components.iter().map(file).collect();
    lines.add(4, "files", &files.join(", "));
    times(4, info, lines);
    droppable(4, info.tombstones, &info.droppable, lines);
    keys(info, lines);
    distribution(4, "partitions", &info.partition_sizes, size, lines);
    distribution(4, "cells each", &info.partition_cells, number, lines);
    state(info, lines);
    columns(info, lines);
}

fn data(info: &SstableInfo) -> String {
    let sizes = format!(
        "{} stored, {} uncompressed",
        bytes(info.data_bytes),
        bytes(info.uncompressed_bytes)
    );
    match (&info.compressor, info.chunk_bytes) {
        (Some(compressor), Some(chunk)) => {
            let options = info.compressor_options.iter().map(|(k, v)| format!(", {k} {v}"));
            let options: String = options.collect();
            let ratio = info.compression_ratio;
            let ratio = ratio.map_or_else(String::new, |ratio| format!(", ratio {ratio:.3}"));
            format!("{sizes}, {compressor}{options}, chunks of {}{ratio}", bytes(chunk as u64))
        }
        _ => format!("{sizes}, not compressed"),
    }
}

fn keys(info: &SstableInfo, lines: &mut Lines) {
    if let (Some(first), Some(last)) = (&info.first_key, &info.last_key) {
        let with_token = |key: &str, token: &Option<String>| match token {
            Some(token) => format!("{} (token {token})", shortened(key)),
            None => shortened(key),
        };
        lines.add(4, "first key", &with_token(first, &info.first_token));
        lines.add(4, "last key", &with_token(last, &info.last_token));
    }
    if let Some(clustering) = &info.clustering {
        let values = |values: &[Option<String>]| {
            let value = |v: &Option<String>| v.as_deref().map_or("null".to_owned(), shortened);
            values.iter().map(value).collect::<Vec<_>>().join(", ")
        };
        let side = |inclusive| if inclusive { "" } else { " exclusive" };
        let line = format!(
            "({}){} to ({}){}",
            values(&clustering.start),
            side(clustering.start_inclusive),
            values(&clustering.end),
            side(clustering.end_inclusive)
        );
        lines.add(4, "clustering", &line);
    }
    if let Some(coverage) = info.token_space_coverage {
        lines.add(4, "coverage", &format!("{} of the token space", percent(coverage)));
    }
}

/// Compaction, repair and origin.
fn state(info: &SstableInfo, lines: &mut Lines) {
    lines.add(4, "level", &info.level.to_string());
    let repaired = info.repaired_at_ms.map_or_else(|| "no".to_owned(), milliseconds);
    lines.add(4, "repaired", &repaired);
    if let Some(session) = &info.pending_repair {
        lines.add(4, "held by", &format!("repair session {session}"));
    }
    if info.transient {
        lines.add(4, "transient", "yes: replicas that are not full");
    }
    if let Some(host) = &info.originating_host_id {
        lines.add(4, "written by", &format!("node {host}"));
    }
    for log in &info.commit_log {
        let line = format!(
            "segment {} at {} to segment {} at {}",
            log.from_segment, log.from_position, log.until_segment, log.until_position
        );
        lines.add(4, "commit log", &line);
    }
    if info.has_legacy_counter_shards {
        lines.add(4, "counters", "with shards as Cassandra wrote them before 2.1");
    }
    if info.has_partition_deletions == Some(true) {
        lines.add(4, "deletions", "of whole partitions too");
    }
    let chance = percent(info.bloom_filter_fp_chance);
    lines.add(4, "Bloom filter", &format!("{chance} false positives"));
    lines.add(4, "partitioner", &info.partitioner);
}

fn columns(info: &SstableInfo, lines: &mut Lines) {
    let java = |name: &str| name.replace("org.apache.cassandra.db.marshal.", "");
    let mut key = java(&info.partition_key_type);
    if !info.clustering_types.is_empty() {
        let types: Vec<_> = info.clustering_types.iter().map(|t| java(t)).collect();
        let _ = write!(key, "; clustering {}", types.join(", "));
    }
    lines.add(4, "key", &key);
    let column = |column: &ColumnInfo| {
        let cql_type = column.cql_type.clone().unwrap_or_else(|| java(&column.java_type));
        let dropped = if column.dropped == Some(true) { " (dropped)" } else { "" };
        format!("{} {cql_type}{dropped}", column.name)
    };
    for (label, columns) in [("static", &info.static_columns), ("columns", &info.regular_columns)] {
        if !columns.is_empty() {
            lines.add(4, label, &columns.iter().map(column).collect::<Vec<_>>().join(", "));
        }
    }
}

/// The start of a long text.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN_LEN) {
        Some((end, _)) => {
            let more = text.chars().count() - SHOWN_LEN;
            format!("{}… and {}", &text[..end], count(more as u64, "more character"))
        }
        None => text.to_owned(),
    }
}
