//! The SSTables of Cassandra 3 and of Scylla: those of `nb` written again as these write them, and then
//! damaged. Rows are the same bytes in all of them; what differs is around them.

use std::collections::BTreeMap;

use outpour_codec::{Reader, vint};
use outpour_sstable::{Format, Statistics, Version};
use outpour_storage::{Directory, MemoryDirectory};

use crate::copy::{Copy, component_of};
use crate::statistics::Parts;
use crate::sweep::{Sweep, Totals, Work, sweep_all};
use crate::table::tables;
use crate::verdict::assert_none;

const CASES: [&str; 10] = [
    "collections_nb",
    "compact_storage_nb41",
    "counters_nb",
    "damage_nb",
    "dropped_nb",
    "gens_lww_nb",
    "liveness_only_nb",
    "statics_nb",
    "tombstones_nb",
    "ttl_nb",
];

/// Tables of the same rows as others, whose compressors Cassandra 3 has not, or which change nothing here.
const OTHER_COMPRESSORS: [&str; 4] =
    ["damage_nb.deflate", "damage_nb.noop", "damage_nb.snappy", "damage_nb.zstd"];

/// Changes to each file of each version where not all are tried.
const SAMPLE: usize = 12;
/// Of Cassandra 3.0.0 to 3.11, and of Scylla.
pub(crate) const VERSIONS: [&str; 6] = ["ma", "mb", "mc", "md", "me", "scylla"];

/// The types of the parts of Statistics.db.
const COMPACTION: u32 = 1;
const STATS: u32 = 2;
const HEADER: u32 = 3;

/// The SSTables of `copy`, which are of version `nb`, as `version` has them.
pub(crate) fn of_version(copy: &Copy, version: &str) -> Copy {
    let letters = if version == "scylla" { "me" } else { version };
    let files = copy.files().iter().map(|(name, bytes)| {
        let renamed = match name.strip_prefix("nb-") {
            Some(rest) => format!("{letters}-{rest}"),
            None => name.clone(),
        };
        (renamed, converted(name, bytes, version))
    });
    let mut files: BTreeMap<_, _> = files.collect();
    if version == "scylla" {
        for prefix in copy.prefixes() {
            let name = prefix.replacen("nb-", "me-", 1) + "Scylla.db";
            files.insert(name, vec![0; 4]);
        }
    }
    Copy::with(files)
}

fn converted(name: &str, bytes: &[u8], version: &str) -> Vec<u8> {
    match component_of(name) {
        "CompressionInfo.db" => without_max_compressed_len(bytes),
        "Filter.db" => with_reversed_words(bytes),
        "Statistics.db" if version == "scylla" => statistics_of_scylla(bytes),
        "Statistics.db" => {
            let mut statistics = Parts::parse(bytes);
            for (part, bytes) in &mut statistics.parts {
                if *part == STATS {
                    *bytes = stats_of(bytes, version);
                }
            }
            statistics.plain_file()
        }
        "TOC.txt" if version == "scylla" => [bytes, b"Scylla.db\n"].concat(),
        _ => bytes.to_vec(),
    }
}

/// CompressionInfo.db without the length from which on chunks are stored raw.
fn without_max_compressed_len(bytes: &[u8]) -> Vec<u8> {
    let (at, _) = max_compressed_len(bytes);
    [&bytes[..at], &bytes[at + 4..]].concat()
}

/// The length from which on chunks are stored raw, and where it stands.
fn max_compressed_len(info: &[u8]) -> (usize, i32) {
    let mut r = Reader::new(info);
    r.short_bytes().unwrap();
    for _ in 0..2 * r.u32().unwrap() {
        r.short_bytes().unwrap();
    }
    r.u32().unwrap();
    (r.offset(), r.i32().unwrap())
}

/// Filter.db with its words in the other byte order.
fn with_reversed_words(bytes: &[u8]) -> Vec<u8> {
    let (head, words) = bytes.split_at(8);
    let mut converted = head.to_vec();
    for word in words.chunks(8) {
        converted.extend(word.iter().rev());
    }
    converted
}

/// The STATS part with the fields that `version` has.
fn stats_of(nb: &[u8], version: &str) -> Vec<u8> {
    let fields = StatsFields::of(nb);
    let mut stats = nb[..fields.lower_bound].to_vec();
    if version >= "mb" {
        stats.extend(&nb[fields.lower_bound..fields.intervals]);
    }
    if version >= "mc" {
        stats.extend(&nb[fields.intervals..fields.pending_repair]);
    }
    if version >= "me" {
        stats.extend(&nb[fields.host_id..fields.end]);
    }
    stats
}

/// Where some fields of the STATS part of `nb` start.
struct StatsFields {
    lower_bound: usize,
    intervals: usize,
    pending_repair: usize,
    host_id: usize,
    end: usize,
}

impl StatsFields {
    fn of(nb: &[u8]) -> Self {
        let mut r = Reader::new(nb);
        for _ in 0..2 {
            let pairs = r.u32().unwrap() as usize;
            r.take(16 * pairs).unwrap();
        }
        // Commit log position, times, TTLs, ratio
        r.take(12 + 16 + 8 + 8 + 8 + 4).unwrap();
        let bins = r.u32().unwrap() as usize;
        // Bins, level, repaired at
        r.take(16 * bins + 4 + 8).unwrap();
        for _ in 0..2 {
            for _ in 0..r.u32().unwrap() {
                r.short_bytes().unwrap();
            }
        }
        // Counter shards, cells, rows
        r.take(1 + 8 + 8).unwrap();
        let lower_bound = r.offset();
        r.take(12).unwrap();
        let intervals = r.offset();
        let count = r.u32().unwrap() as usize;
        r.take(24 * count).unwrap();
        let pending_repair = r.offset();
        assert_eq!(r.u8().unwrap(), 0, "a pending repair");
        r.u8().unwrap();
        let host_id = r.offset();
        if r.flag("host id").unwrap() {
            r.take(16).unwrap();
        }
        Self { lower_bound, intervals, pending_repair, host_id, end: r.offset() }
    }
}

/// As Scylla writes it: the header first in the table of contents and last in the file, its columns by name
/// alone, another cardinality, static rows counted that are empty.
fn statistics_of_scylla(nb: &[u8]) -> Vec<u8> {
    let mut statistics = Parts::parse(nb);
    for (part, bytes) in &mut statistics.parts {
        match *part {
            COMPACTION => *bytes = [&[0; 4], &24_u32.to_be_bytes()[..], &[0; 24]].concat(),
            STATS => *bytes = stats_of(bytes, "me"),
            HEADER => *bytes = with_columns_by_name(bytes),
            _ => {}
        }
    }
    let file = statistics.plain_file();
    // Entries of 8 bytes behind the count: the last one comes first.
    let (entries, parts) = file[4..].split_at(8 * statistics.parts.len());
    let (others, header) = entries.split_at(entries.len() - 8);
    [&file[..4], header, others, parts].concat()
}

fn with_columns_by_name(header: &[u8]) -> Vec<u8> {
    let mut r = Reader::new(header);
    for _ in 0..3 {
        r.unsigned_vint().unwrap();
    }
    r.vint_bytes().unwrap();
    for _ in 0..r.unsigned_vint().unwrap() {
        r.vint_bytes().unwrap();
    }
    let mut sorted = header[..r.offset()].to_vec();
    for _ in 0..2 {
        let count = r.unsigned_vint().unwrap();
        let mut columns: Vec<_> =
            (0..count).map(|_| (r.vint_bytes().unwrap(), r.vint_bytes().unwrap())).collect();
        columns.sort_unstable();
        vint::write_unsigned(count, &mut sorted);
        for text in columns.into_iter().flat_map(|(name, java_type)| [name, java_type]) {
            vint::write_unsigned(text.len() as u64, &mut sorted);
            sorted.extend(text);
        }
    }
    assert_eq!((r.remaining(), sorted.len()), (0, header.len()));
    sorted
}

/// Tables of `nb` that hold no raw chunk, which these versions do not know.
fn work(version: &str) -> Vec<Work> {
    let mut work = Vec::new();
    let tables = tables(&CASES).into_iter();
    for table in tables.filter(|table| !OTHER_COMPRESSORS.contains(&table.name.as_str())) {
        let copy = Copy::of(&table.home);
        if may_hold_raw_chunks(&copy) {
            continue;
        }
        let older = of_version(&copy, version);
        assert_eq!(table.rows(older.path()), table.rows(copy.path()), "{} {version}", table.name);
        work.push(Work { table, copy: older });
    }
    work
}

fn may_hold_raw_chunks(copy: &Copy) -> bool {
    let names = copy.names("CompressionInfo.db").into_iter();
    names.map(|name| copy.bytes(name)).any(|info| max_compressed_len(info).1 != i32::MAX)
}

/// A header is as good as its own if it differs in the name of a column only: where the table has another
/// column of this name and type, no other file tells that its cells are not meant.
fn is_renamed_column(name: &str, own: &[u8], changed: &[u8]) -> bool {
    if !name.ends_with("Statistics.db") {
        return false;
    }
    let version = Version::parse(&name[..2], Format::Big, name).unwrap();
    let header = |bytes: &[u8]| {
        let files = MemoryDirectory::of("/", [(name, bytes.to_vec())]);
        Statistics::read(&*files.open(name).unwrap(), version).unwrap().header
    };
    let (own, mut changed) = (header(own), header(changed));
    let columns = own.statics.iter().chain(&own.regulars);
    let mut renamed = 0;
    for (own, changed) in columns.zip(changed.statics.iter_mut().chain(&mut changed.regulars)) {
        renamed += usize::from(own.name != changed.name);
        changed.name.clone_from(&own.name);
    }
    renamed == 1 && format!("{own:?}") == format!("{changed:?}")
}

#[test]
fn every_length_and_bit_of_older_versions() {
    for version in VERSIONS {
        let work = work(version);
        println!("{version}: {} tables", work.len());
        let report = sweep_all(work, Sweep { sample: SAMPLE, is_unnoticeable: is_renamed_column });
        report.print();
        assert_none(&report.violations);
        // What no writer's own checksum covers, and another file does.
        for component in ["CompressionInfo.db", "Data.db"] {
            let Totals { cut, flipped, .. } = &report.totals[component];
            assert_eq!((cut.right, flipped.right), (0, 0), "{version} {component}");
            assert!(cut.errors > 0 && flipped.errors > 0, "{version} {component}");
        }
        let Totals { cut, flipped, unnoticed, .. } = &report.totals["Statistics.db"];
        assert!(cut.right == 0 && flipped.errors > 20 && unnoticed.len() < 4, "{version}");
    }
}
