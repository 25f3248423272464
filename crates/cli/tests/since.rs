//! `--since` beside the times that `dump` shows of the same files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use support::{Case, cases, export, lines, stdout};

/// Values of the primary key, as text.
type Key = Vec<String>;

/// Cases whose keys are ints and texts, which export and dump write alike.
const CASES: [&str; 10] = [
    "collections_nb",
    "compacted_nb",
    "fuzz2_nb",
    "fuzz3_nb41",
    "fuzz3_oa",
    "fuzz4_nb",
    "gens_lww_nb",
    "statics_nb",
    "tombstones_nb",
    "ttl_nb",
];

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn key_columns(case: &Case) -> Vec<String> {
    let mut columns = case.columns();
    columns.retain(|column| matches!(&*column.kind, "partition_key" | "clustering"));
    columns.sort_by_key(|column| (column.kind == "clustering", column.position));
    columns.into_iter().map(|column| column.name).collect()
}

/// The keys of the rows that are shown, in their order.
fn shown(case: &Case, more: &[&str]) -> Vec<Key> {
    let columns = key_columns(case);
    let rows = lines(&export(case, more).unwrap());
    rows.iter().map(|row| columns.iter().map(|name| text(&row[name])).collect()).collect()
}

/// The latest time in the liveness, cells and complex deletions of a row of a dump.
fn newest(row: &Value) -> i64 {
    let time = |value: &Value| value.as_str().map(|text| text.parse::<i64>().unwrap());
    let liveness = time(&row["liveness_info"]["tstamp"]);
    let cells = row["cells"].as_array().into_iter().flatten();
    let times = cells.flat_map(|cell| {
        let own = time(&cell["tstamp"]);
        [own, time(&cell["deletion_info"]["marked_deleted"])]
    });
    times.chain([liveness]).flatten().max().unwrap_or(i64::MIN)
}

/// When each row, and each partition's static cells (under its key alone), were last written.
fn times(case: &Case) -> BTreeMap<Key, i64> {
    let dump = stdout(&["dump", "-l", "-t", &case.sstables()]).unwrap();
    let mut times = BTreeMap::new();
    for partition in lines(&dump) {
        let key: Key = partition["partition"]["key"].as_array().unwrap().iter().map(text).collect();
        for row in partition["rows"].as_array().into_iter().flatten() {
            let clustering = row["clustering"].as_array().into_iter().flatten().map(text);
            let place = times.entry(key.iter().cloned().chain(clustering).collect());
            let time = place.or_insert(i64::MIN);
            *time = newest(row).max(*time);
        }
    }
    times
}

#[test]
fn rows_written_after_a_time() {
    let (mut asked, mut left_out) = (0, 0);
    for case in
        cases().iter().filter(|case| CASES.iter().any(|name| case.name() == format!("{name}/t")))
    {
        let all = shown(case, &[]);
        let times = times(case);
        let partition_len = case.columns().iter().filter(|c| c.kind == "partition_key").count();
        let newest = |key: &Key| {
            let of_row = times.get(key).copied().unwrap_or(i64::MIN);
            of_row.max(times.get(&key[..partition_len]).copied().unwrap_or(i64::MIN))
        };
        let places: BTreeSet<i64> = times.values().copied().collect();
        let step = places.len() / 12 + 1;
        for since in places.iter().step_by(step).chain([&(i64::MIN + 1), &i64::MAX]) {
            let expected: Vec<_> = all.iter().filter(|key| newest(key) > *since).cloned().collect();
            for threads in ["1", "2"] {
                let got = shown(case, &["--since", &since.to_string(), "--threads", threads]);
                assert_eq!(got, expected, "{} since {since}", case.name());
                asked += 1;
            }
            left_out += all.len() - expected.len();
        }
    }
    assert!(asked > 60 && left_out > 1000, "{left_out} rows left out in {asked} runs");
}
