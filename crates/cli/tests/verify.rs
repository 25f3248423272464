//! What `verify` says of files that a real Cassandra wrote, and of those files damaged.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::{Case, cases, copy, outpour, record};

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.case == name).unwrap()
}

/// Status, standard output and standard error of `verify` over `directory` with the schema of `case`.
fn verify(case: &Case, directory: &Path, more: &[&str]) -> (i32, String, String) {
    let mut arguments = case.arguments("verify");
    arguments[1] = directory.to_str().unwrap().to_owned();
    let done = outpour().args(&arguments).args(more).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (done.status.code().unwrap(), text(done.stdout), text(done.stderr))
}

#[test]
fn an_ok_line_tells_what_was_there() {
    let case = case("gens_lww_nb");
    let (status, out, said) = verify(&case, Path::new(&case.sstables()), &[]);
    let line = |id| {
        format!(
            "nb-{id}-big: ok: 5 rows in 4 partitions: Data.db, Index.db, Summary.db, Statistics.db, Filter.db, CompressionInfo.db, Digest.crc32, TOC.txt\n"
        )
    };
    assert_eq!((status, &*out, &*said), (0, &*(line(1) + &line(2)), ""));
}

#[test]
fn quiet_prints_findings_alone() {
    let case = case("gens_lww_nb");
    let copy = copy(Path::new(&case.sstables()));
    let nothing = (0, String::new(), String::new());
    assert_eq!(verify(&case, copy.path(), &["--quiet"]), nothing);
    fs::remove_file(copy.path().join("nb-2-big-Index.db")).unwrap();
    let (status, out, said) = verify(&case, copy.path(), &["-q"]);
    assert_eq!((status, out.lines().count(), &*said), (1, 1, ""));
    assert!(
        out.starts_with("nb-2-big: ") && out.contains("nb-2-big-Index.db: is missing"),
        "{out}"
    );
}

#[test]
fn threads_change_nothing() {
    for name in ["fuzz4_nb", "counters_fz1", "wide_da"] {
        let case = case(name);
        let copy = copy(Path::new(&case.sstables()));
        let data = support::largest_data_file(copy.path());
        let mut bytes = fs::read(&data).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        fs::write(&data, bytes).unwrap();
        let one = verify(&case, copy.path(), &["--threads", "1"]);
        assert_eq!(one.0, 1);
        for threads in ["2", "7"] {
            assert_eq!(verify(&case, copy.path(), &["--threads", threads]), one, "{name}");
            let small = ["--threads", threads, "--memory", "16MiB"];
            assert_eq!(verify(&case, copy.path(), &small), one, "{name}");
        }
    }
}

#[test]
fn components_that_are_rebuilt_and_gone_are_findings() {
    let case = case("gens_lww_nb");
    let copy = copy(Path::new(&case.sstables()));
    for component in ["Filter.db", "Summary.db"] {
        fs::remove_file(copy.path().join(format!("nb-1-big-{component}"))).unwrap();
    }
    let (status, out, _) = verify(&case, copy.path(), &["-q"]);
    assert_eq!((status, out.lines().count()), (1, 2), "{out}");
    for (line, component) in out.lines().zip(["Filter.db", "Summary.db"]) {
        assert!(line.contains(&format!("nb-1-big-{component}: is missing; TOC.txt lists it")));
    }
    fs::remove_file(copy.path().join("nb-1-big-TOC.txt")).unwrap();
    assert_eq!(verify(&case, copy.path(), &["-q"]).0, 0);
}

#[test]
fn nothing_to_check_is_no_success() {
    let case = case("gens_lww_nb");
    let copy = copy(Path::new(&case.sstables()));
    // A flush that did not end: the only SSTable is not part of the table.
    for entry in fs::read_dir(copy.path()).unwrap().flatten() {
        if entry.file_name().to_str().unwrap().starts_with("nb-2-") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    let log = "nb_txn_flush_5a9bb1b0-cf0c-11ef-9c5b-1f3a2c7d8e90.log";
    let line = record("ADD", copy.path(), Some("nb-1-big"));
    fs::write(copy.path().join(log), line).unwrap();
    for verb in ["verify", "info", "export"] {
        let path = copy.path().to_str().unwrap();
        let mut arguments = vec![verb, path];
        let given = case.arguments("verify");
        arguments.extend(given[2..].iter().map(String::as_str));
        let done = outpour().args(arguments).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!((done.status.code(), done.stdout.len()), (Some(1), 0), "{verb}: {said}");
        assert!(said.contains("no SSTables of gens_lww_nb.t are there"), "{verb}: {said}");
    }
}

#[test]
fn every_damaged_chunk_is_told() {
    let case = case("many_parts_nb");
    let copy = copy(Path::new(&case.sstables()));
    let data = support::largest_data_file(copy.path());
    let mut bytes = fs::read(&data).unwrap();
    for at in [1000, bytes.len() / 2, bytes.len() - 100] {
        bytes[at] ^= 1;
    }
    fs::write(&data, bytes).unwrap();
    let (status, out, _) = verify(&case, copy.path(), &["--json"]);
    assert_eq!(status, 1);
    let verdict: Value = serde_json::from_str(out.trim_end()).unwrap();
    assert_eq!(verdict["ok"], false);
    let findings = verdict["findings"].as_array().unwrap();
    let is_chunk = |f: &&Value| f["message"].as_str().unwrap().contains("CRC-32 of the chunk");
    let places: Vec<_> =
        findings.iter().filter(is_chunk).map(|f| f["offset"].as_u64().unwrap()).collect();
    assert_eq!((places.len(), places[0]), (3, 0), "{out}");
    assert!(places.is_sorted());
    assert!(findings[0]["message"].as_str().unwrap().contains("Digest.crc32"));
    for component in verdict["components"].as_array().unwrap() {
        assert_eq!(component["ok"] == false, component["name"] == "Data.db", "{component}");
    }
}

#[test]
fn one_bad_sstable_hides_no_other() {
    let case = case("gens_lww_nb");
    let copy = copy(Path::new(&case.sstables()));
    fs::write(copy.path().join("lb-9-big-Data.db"), "old").unwrap();
    fs::write(copy.path().join("lb-9-big-Index.db"), "old").unwrap();
    fs::write(copy.path().join("nb-1-big-Statistics.db"), "none").unwrap();
    let (status, out, _) = verify(&case, copy.path(), &[]);
    assert_eq!(status, 1);
    let lines: Vec<_> = out.lines().collect();
    assert_eq!(lines.len(), 3, "{out}");
    assert!(lines[0].starts_with("nb-1-big: ") && lines[0].contains("Statistics.db"), "{out}");
    assert!(lines[1].starts_with("nb-2-big: ok"), "{out}");
    assert!(lines[2].starts_with("lb-9-big: ") && lines[2].contains("before 3.0"), "{out}");
}

#[test]
fn tokens_outside_the_ranges_are_findings() {
    let case = case("many_parts_nb");
    let home = case.sstables();
    let all = ["--token-range", "-9223372036854775808,9223372036854775807"];
    assert_eq!(verify(&case, Path::new(&home), &all).0, 0);
    let halves =
        ["--token-range=0,-9223372036854775808", "--token-range", "-9223372036854775808,0"];
    assert_eq!(verify(&case, Path::new(&home), &halves).0, 0);
    let half = ["--token-range", "-9223372036854775808,0", "-q"];
    let (status, out, _) = verify(&case, Path::new(&home), &half);
    assert_eq!((status, out.lines().count()), (1, 1));
    assert!(out.contains("token: expected (-9223372036854775808, 0], got "), "{out}");
    assert!(out.contains("at offset "), "{out}");
}

#[test]
fn no_schema_is_needed() {
    for name in ["wide_da", "dropped_nb", "types_nested_nb"] {
        let case = case(name);
        let done = outpour().args(["verify", &case.sstables()]).output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{name}");
    }
}

/// A schema of another table, or another table's SSTable among those of this one.
#[test]
fn an_sstable_that_does_not_fit_the_schema_is_a_finding() {
    let case = case("gens_lww_nb");
    let copy = copy(Path::new(&case.sstables()));
    let other = cases().into_iter().find(|case| case.case == "wide_rt_nb").unwrap();
    for entry in fs::read_dir(other.sstables()).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap().replacen("nb-1-", "nb-3-", 1);
        fs::copy(entry.path(), copy.path().join(name)).unwrap();
    }
    let (status, out, _) = verify(&case, copy.path(), &["-q"]);
    assert_eq!(status, 1);
    assert!(out.lines().count() >= 1 && out.lines().all(|line| line.starts_with("nb-3-big: ")));
    assert!(out.contains("the schema does not fit this file"), "{out}");
}

#[test]
fn who_stops_reading_does_not_hear_that_all_is_well() {
    use std::process::Stdio;
    let case = case("gens_lww_nb");
    let mut child = outpour()
        .args(case.arguments("verify"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), done.stderr.len()), (Some(1), 0));
}
