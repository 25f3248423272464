use std::fmt::Write as _;
use std::io::{self, Write as _};

use outpour_engine::{self as engine, Error, SstableInfo, TableInfo};

use super::{Outcome, output_error};
use crate::arguments::Info;

pub(super) fn run(info: &Info) -> Result<Outcome, Error> {
    let tables = engine::info(&info.source.options())?;
    let text = match info.json {
        true => format!("{:#}\n", serde_json::json!({ "tables": tables })),
        false => tables.iter().map(table_text).collect::<Vec<_>>().join("\n"),
    };
    io::stdout().write_all(text.as_bytes()).map_err(|e| output_error(&e))?;
    Ok(Outcome::Done)
}

fn table_text(table: &TableInfo) -> String {
    let mut text = String::new();
    let unknown = || "?".to_owned();
    let keyspace = table.keyspace.clone().unwrap_or_else(unknown);
    let name = table.table.clone().unwrap_or_else(unknown);
    let totals = &table.totals;
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{keyspace}.{name}");
    for directory in &table.directories {
        let _ = writeln!(text, "  in {directory}");
    }
    let _ = writeln!(
        text,
        "  {} SSTables, {} stored, {} uncompressed; before merging {} rows in {} partitions",
        totals.sstables,
        bytes(totals.data_bytes),
        bytes(totals.uncompressed_bytes),
        totals.rows,
        totals.partitions,
    );
    for sstable in &table.sstables {
        sstable_text(sstable, &mut text);
    }
    text
}

fn sstable_text(sstable: &SstableInfo, text: &mut String) {
    let compression = match (&sstable.compressor, sstable.chunk_bytes) {
        (Some(compressor), Some(chunk)) => {
            format!("{compressor}, chunks of {}", bytes(chunk as u64))
        }
        _ => "not compressed".to_owned(),
    };
    let lines = [
        (
            "data",
            format!(
                "{} stored, {} uncompressed, {compression}",
                bytes(sstable.data_bytes),
                bytes(sstable.uncompressed_bytes)
            ),
        ),
        (
            "rows",
            format!(
                "{} in {} partitions, {} cells, {} tombstones and expiring cells",
                sstable.rows, sstable.partitions, sstable.cells, sstable.tombstones
            ),
        ),
        ("written", format!("{} to {} µs", sstable.timestamp_min, sstable.timestamp_max)),
        ("ttl", format!("{} to {} s", sstable.ttl_min, sstable.ttl_max)),
        ("level", sstable.level.to_string()),
        ("partitioner", sstable.partitioner.clone()),
    ];
    let _ = writeln!(text, "\n  {}", sstable.name);
    for (label, value) in lines {
        let _ = writeln!(text, "    {label:<12} {value}");
    }
}

/// Bytes in the largest unit that leaves a whole number before the point.
fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{count} B"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}
