//! What `info` tells of files that a real Cassandra wrote, beside what its sstablemetadata told of them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use support::{Case, cases, copy, outpour, repository};

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.case == name).unwrap()
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    let done = outpour().arg("info").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
}

fn parsed(arguments: &[&str]) -> Value {
    let (status, out, said) = run(arguments);
    assert_eq!(status, 0, "{said}");
    serde_json::from_str(&out).unwrap()
}

/// What sstablemetadata told of an SSTable.
struct Metadata(String);

impl Metadata {
    /// The text behind `label` of its line.
    fn field(&self, label: &str) -> &str {
        let line = self.0.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix(": "));
        line.unwrap_or_else(|| panic!("no {label}"))
    }

    /// The number in parentheses at the end of a field, as times have it.
    fn number(&self, label: &str) -> Value {
        let field = self.field(label);
        let text = field.rsplit_once('(').map_or(field, |(_, text)| text.trim_end_matches(')'));
        match text.parse::<i64>().unwrap_or_else(|_| panic!("{label}: {field}")) {
            i64::MAX | i64::MIN => Value::Null,
            number => json!(number),
        }
    }

    /// The number that a field starts with.
    fn leading(&self, label: &str) -> i64 {
        self.field(label).split(' ').next().unwrap().parse().unwrap()
    }

    /// Bounds and counts of a histogram, and its percentiles by name.
    fn histogram(&self, title: &str) -> (Vec<[i64; 2]>, Vec<(String, i64)>) {
        let section = self.0.split(&format!("{title}: \n")).nth(1).unwrap();
        let lines = section.lines().skip(1).take_while(|line| line.starts_with("   "));
        let (mut buckets, mut percentiles) = (Vec::new(), Vec::new());
        for line in lines {
            if let Some((bound, count)) = line.split_once('|') {
                let bound = bound.split_whitespace().next().unwrap().parse().unwrap();
                let count = count.split_whitespace().next().unwrap().trim_end_matches('(');
                buckets.push([bound, count.parse().unwrap()]);
            } else if line.trim() != "Percentiles" {
                let mut words = line.split_whitespace();
                let name = words.next().unwrap().to_owned();
                percentiles.push((name, words.next().unwrap().parse().unwrap()));
            }
        }
        (buckets, percentiles)
    }
}

/// The SSTables of which sstablemetadata told, what it told, and the second when it was asked.
fn goldens() -> Vec<(String, Metadata, String)> {
    let mut found = Vec::new();
    for case in cases() {
        let metadata = Path::new(&case.sstables()).with_file_name("metadata");
        for name in case.sstable_names() {
            let Ok(text) = fs::read_to_string(metadata.join(format!("{name}.txt"))) else {
                continue;
            };
            let now = text.lines().next().unwrap().strip_prefix("now: ").unwrap().to_owned();
            let data = format!("{}/{name}-Data.db", case.sstables());
            found.push((data, Metadata(text), now));
        }
    }
    assert!(found.len() >= 11, "{} SSTables", found.len());
    found
}

fn is_near(info: &Value, told: &str) -> bool {
    let (got, told) = (info.to_string().parse::<f64>(), told.parse::<f64>().unwrap());
    got.is_ok_and(|got| (got - told).abs() <= 1e-5 * told.abs().max(1.0))
}

#[test]
fn all_is_as_sstablemetadata_tells_it() {
    for (data, told, now) in goldens() {
        let info = parsed(&[&data, "--json", "--now", &now, "--gc-grace", "0"]);
        let sstable = &info["tables"][0]["sstables"][0];
        for (field, label) in [
            ("timestamp_min", "Minimum timestamp"),
            ("timestamp_max", "Maximum timestamp"),
            ("local_deletion_time_min", "SSTable min local deletion time"),
            ("local_deletion_time_max", "SSTable max local deletion time"),
        ] {
            assert_eq!(
                sstable[field].to_string(),
                told.number(label).to_string(),
                "{data} {label}"
            );
        }
        for (field, label) in [
            ("ttl_min", "TTL min"),
            ("ttl_max", "TTL max"),
            ("level", "SSTable Level"),
            ("cells", "totalColumnsSet"),
            ("rows", "totalRows"),
        ] {
            let number = told.leading(label).to_string();
            assert_eq!(sstable[field].to_string(), number, "{data} {label}");
        }
        for (field, label) in [("first", "First token"), ("last", "Last token")] {
            let (token, key) = told.field(label).split_once(" (").unwrap();
            assert_eq!(sstable[format!("{field}_token")], token, "{data}");
            assert_eq!(sstable[format!("{field}_key")], key.strip_suffix(')').unwrap(), "{data}");
        }
        let covered = told.field("Covered clusterings");
        // Without values they are all; of a table without clustering columns it is said in brackets.
        let is_all = covered == "ALL" || covered == "[, ]";
        assert_eq!(
            clustering(&sstable["clustering"]).as_deref(),
            Some(covered).filter(|_| !is_all)
        );
        let compressor = told.field("Compressor").rsplit('.').next().unwrap();
        assert_eq!(sstable["compressor"], compressor);
        assert!(is_near(&sstable["compression_ratio"], told.field("Compression ratio")));
        let ratio = told.field("Estimated droppable tombstones");
        assert!(is_near(&sstable["droppable"]["ratio"], ratio), "{data} {ratio} {sstable}");
        assert_eq!(sstable["originating_host_id"], told.field("Originating host id"));
        assert_eq!(
            (&sstable["pending_repair"], told.field("Pending repair")),
            (&Value::Null, "--")
        );
        assert!(is_near(&sstable["bloom_filter_fp_chance"], told.field("Bloom Filter FP chance")));
        assert_eq!(
            sstable["encoding"]["ttl_min"].to_string(),
            told.leading("EncodingStats minTTL").to_string()
        );
        let timestamp = told.number("EncodingStats minTimestamp").to_string();
        assert_eq!(sstable["encoding"]["timestamp_min"].to_string(), timestamp);
    }
}

/// The bounds as sstablemetadata prints them.
fn clustering(of: &Value) -> Option<String> {
    of.as_object()?;
    let values = |side: &str| {
        let values = of[side].as_array().unwrap().iter();
        values.map(|value| value.as_str().unwrap_or_default()).collect::<Vec<_>>().join(":")
    };
    let bracket = |side: &str, closed, open| if of[side] == true { closed } else { open };
    Some(format!(
        "{}{}, {}{}",
        bracket("start_inclusive", '[', '('),
        values("start"),
        values("end"),
        bracket("end_inclusive", ']', ')')
    ))
}

#[test]
fn histograms_are_as_sstablemetadata_tells_them() {
    for (data, told, _) in goldens() {
        let info = parsed(&[&data, "--json"]);
        let sstable = &info["tables"][0]["sstables"][0];
        for (field, title) in
            [("partition_sizes", "Partition Size"), ("partition_cells", "Column Count")]
        {
            let (buckets, percentiles) = told.histogram(title);
            assert!(!buckets.is_empty() && percentiles.len() == 7, "{data} {title}");
            let of = &sstable[field];
            let got: Vec<_> = of["buckets"].as_array().unwrap().iter().collect();
            let got: Vec<_> = got
                .iter()
                .map(|b| [b["to"].as_i64().unwrap(), b["count"].as_i64().unwrap()])
                .collect();
            assert_eq!(got, buckets, "{data} {title}");
            for (name, value) in percentiles {
                let name = match &*name {
                    "Min" => "min".to_owned(),
                    "Max" => "max".to_owned(),
                    percent => format!("p{}", percent.trim_end_matches("th")),
                };
                assert_eq!(of[&*name].as_i64(), Some(value), "{data} {title} {name}");
            }
        }
        let (times, _) = told.histogram("Estimated tombstone drop times");
        let bin =
            |bin: &Value| [bin["time"].as_f64().unwrap() as i64, bin["count"].as_i64().unwrap()];
        let got: Vec<_> = sstable["drop_times"].as_array().unwrap().iter().map(bin).collect();
        assert_eq!(got, times, "{data}");
    }
}

#[test]
fn totals_are_those_of_all_sstables() {
    for case in cases() {
        let info = parsed(&[&case.sstables(), "--json"]);
        let table = &info["tables"][0];
        let (totals, sstables) = (&table["totals"], table["sstables"].as_array().unwrap());
        assert_eq!(table["errors"], json!([]));
        let sum = |field: &str| sstables.iter().map(|s| s[field].as_i64().unwrap()).sum::<i64>();
        for field in [
            "rows",
            "cells",
            "partitions",
            "data_bytes",
            "uncompressed_bytes",
            "disk_bytes",
            "tombstones",
        ] {
            assert_eq!(totals[field].as_i64(), Some(sum(field)), "{} {field}", case.name());
        }
        let known =
            |field: &str| sstables.iter().filter_map(|s| s[field].as_i64()).collect::<Vec<_>>();
        assert_eq!(totals["timestamp_min"].as_i64(), known("timestamp_min").into_iter().min());
        assert_eq!(totals["timestamp_max"].as_i64(), known("timestamp_max").into_iter().max());
        for field in ["partition_sizes", "partition_cells"] {
            let counts = |of: &Value| {
                of["buckets"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|b| b["count"].as_i64().unwrap())
                    .sum::<i64>()
            };
            assert_eq!(counts(&totals[field]), sum("partitions"), "{}", case.name());
        }
        let files = fs::read_dir(case.sstables()).unwrap().flatten();
        let names = case.sstable_names();
        let is_of_one =
            |name: &str| names.iter().any(|sstable| name.starts_with(&format!("{sstable}-")));
        let bytes: u64 = files
            .filter(|f| is_of_one(f.file_name().to_str().unwrap()))
            .map(|f| f.metadata().unwrap().len())
            .sum();
        assert_eq!(totals["disk_bytes"].as_u64(), Some(bytes), "{}", case.name());
    }
}

/// The text of a table, line by line.
#[test]
fn the_text_of_a_table() {
    let case = case("gens_lww_nb");
    let schema = format!("{}/../../schema.cql", case.sstables());
    let (status, out, said) =
        run(&[&case.sstables(), "--schema", &schema, "--now", "2036-01-01", "--gc-grace", "0"]);
    assert_eq!((status, &*said), (0, ""));
    let directory = fs::canonicalize(case.sstables()).unwrap();
    let out = out.replace(directory.to_str().unwrap(), "DIRECTORY");
    let expected = repository().join("testdata/info/gens_lww_nb.txt");
    if std::env::var_os("OUTPOUR_BLESS").is_some() {
        fs::write(&expected, &out).unwrap();
    }
    assert_eq!(out, fs::read_to_string(expected).unwrap());
}

#[test]
fn files_get_the_name_that_their_schema_declares() {
    let case = case("gens_lww_nb");
    let copy = copy(Path::new(&case.sstables()));
    let path = copy.path().to_str().unwrap();
    let unnamed = parsed(&[path, "--json"]);
    assert_eq!(unnamed["tables"][0]["table"], Value::Null);
    let (_, text, _) = run(&[path]);
    assert!(text.starts_with("table of unknown name") && !text.contains('?'), "{text}");
    let schema = format!("{}/../../schema.cql", case.sstables());
    fs::copy(&schema, copy.path().join("schema.cql")).unwrap();
    for arguments in [&[path, "--json"][..], &[&case.sstables(), "--json", "--schema", &schema]] {
        let named = parsed(arguments);
        let table = &named["tables"][0];
        assert_eq!((&table["keyspace"], &table["table"]), (&json!("gens_lww_nb"), &json!("t")));
        let columns = table["sstables"][0]["regular_columns"].as_array().unwrap();
        assert!(columns.iter().all(|column| column["dropped"] == false));
    }
    // Files of another table do not get that name.
    let other = self::case("wide_rt_nb");
    let (status, out, _) = run(&[&other.sstables(), "--json", "--schema", &schema]);
    let info: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &info["tables"][0]["table"]), (1, &Value::Null));
    assert!(info["tables"][0]["errors"][0]["message"].as_str().unwrap().contains("does not fit"));
}

#[test]
fn unnamed_directories_are_told_of_apart() {
    let (one, other) = (case("gens_lww_nb"), case("wide_rt_nb"));
    let info = parsed(&[&one.sstables(), &other.sstables(), "--json"]);
    let tables = info["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 2);
    assert!(tables.iter().all(|table| table["directories"].as_array().unwrap().len() == 1));
    // Two copies of one table are one, once it has a name.
    let copy = copy(Path::new(&one.sstables()));
    let schema = format!("{}/../../schema.cql", one.sstables());
    let copied = copy.path().to_str().unwrap();
    let info = parsed(&[&one.sstables(), copied, "--json", "--schema", &schema]);
    assert_eq!(info["tables"].as_array().unwrap().len(), 1);
    assert_eq!(info["tables"][0]["sstables"].as_array().unwrap().len(), 4);
}

#[test]
fn one_bad_sstable_is_told_beside_the_others() {
    let case = case("fuzz4_nb");
    let copy = copy(Path::new(&case.sstables()));
    let path = copy.path().to_str().unwrap();
    fs::write(copy.path().join("nb-2-big-Statistics.db"), "none").unwrap();
    fs::remove_file(copy.path().join("nb-3-big-Data.db")).unwrap();
    fs::write(copy.path().join("lb-9-big-Data.db"), "old").unwrap();
    let (status, out, _) = run(&[path, "--json"]);
    assert_eq!(status, 1);
    let info: Value = serde_json::from_str(&out).unwrap();
    let table = &info["tables"][0];
    let names = |of: &Value| -> Vec<String> {
        of.as_array().unwrap().iter().map(|s| s["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&table["sstables"]), ["nb-1-big", "nb-4-big"]);
    let mut bad = names(&table["errors"]);
    bad.sort();
    assert_eq!(bad, ["lb-9-big", "nb-2-big", "nb-3-big"]);
    let (status, text, _) = run(&[path]);
    assert_eq!(status, 1);
    for name in ["nb-1-big", "nb-4-big", "lb-9-big", "nb-2-big", "nb-3-big"] {
        assert!(text.contains(&format!("\n  {name}\n")), "{name}: {text}");
    }
    assert_eq!(text.matches("\n    error ").count(), 3, "{text}");
}

#[test]
fn a_damaged_summary_hides_nothing_else() {
    let case = case("gens_lww_nb");
    let copy = copy(Path::new(&case.sstables()));
    fs::write(copy.path().join("nb-1-big-Summary.db"), "none").unwrap();
    let (status, out, _) = run(&[copy.path().to_str().unwrap(), "--json"]);
    let info: Value = serde_json::from_str(&out).unwrap();
    let table = &info["tables"][0];
    assert_eq!((status, table["sstables"].as_array().unwrap().len()), (1, 2));
    assert_eq!(table["sstables"][0]["first_key"], Value::Null);
    assert!(table["sstables"][1]["first_key"].is_string());
    assert_eq!(table["errors"][0]["name"], "nb-1-big");
    // One that is not there is no error.
    fs::remove_file(copy.path().join("nb-1-big-Summary.db")).unwrap();
    assert_eq!(run(&[copy.path().to_str().unwrap()]).0, 0);
}

/// Keys and clustering values of any bytes do not reach the terminal.
#[test]
fn no_control_character_is_printed() {
    for case in cases() {
        let (status, out, _) = run(&[&case.sstables()]);
        assert_eq!(status, 0, "{}", case.name());
        let is_bad = |c: char| c.is_control() && c != '\n';
        assert!(!out.chars().any(is_bad), "{}: {out:?}", case.name());
    }
}

/// 500 times as much data, and as little time and memory: only Statistics.db, the head of
/// CompressionInfo.db and the ends of the index are read.
#[test]
fn the_size_of_the_data_does_not_matter() {
    let case = case("many_parts_nb");
    let copy = copy(Path::new(&case.sstables()));
    let data = support::largest_data_file(copy.path());
    // A hole that takes no space on disk.
    fs::OpenOptions::new().write(true).open(&data).unwrap().set_len(64 << 30).unwrap();
    let start = Instant::now();
    let info = parsed(&[copy.path().to_str().unwrap(), "--json"]);
    assert!(start.elapsed().as_secs() < 5);
    assert_eq!(info["tables"][0]["totals"]["data_bytes"].as_u64(), Some(64 << 30));
}

#[test]
fn help_tells_exit_statuses() {
    for command in ["info", "schema", "verify"] {
        let done = outpour().args([command, "--help"]).output().unwrap();
        let help = String::from_utf8(done.stdout).unwrap();
        assert!(help.contains("Exit status: 0 "), "{command}: {help}");
    }
}
