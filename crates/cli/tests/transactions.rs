//! Transaction logs that a stopped or copied node left beside its files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use std::fs;
use std::path::Path;

use support::{Case, cases, copy, outpour, record};

const LOG: &str = "nb_txn_compaction_5a9bb1b0-cf0c-11ef-9c5b-1f3a2c7d8e90.log";

/// A table of the SSTables `nb-1-big` and `nb-2-big`.
fn case() -> Case {
    cases().into_iter().find(|case| case.case == "gens_lww_nb").unwrap()
}

/// The rows of `directory`, or the message.
fn rows(case: &Case, directory: &Path) -> Result<String, String> {
    let mut arguments = case.arguments("export");
    arguments[1] = directory.to_str().unwrap().to_owned();
    let done = outpour().args(&arguments).output().unwrap();
    match done.status.code() {
        Some(0) => Ok(String::from_utf8(done.stdout).unwrap()),
        code => {
            assert_eq!((code, done.stdout.len()), (Some(1), 0));
            Err(String::from_utf8(done.stderr).unwrap())
        }
    }
}

/// The rows that are seen beside a log of these records.
fn rows_beside(records: &[(&str, Option<&str>)]) -> Result<String, String> {
    let case = case();
    let copy = copy(Path::new(&case.sstables()));
    let line = |(kind, sstable): &(&str, Option<&str>)| record(kind, copy.path(), *sstable);
    fs::write(copy.path().join(LOG), records.iter().map(line).collect::<String>()).unwrap();
    rows(&case, copy.path())
}

#[test]
fn what_is_left_out_is_told() {
    let case = case();
    let copy = copy(Path::new(&case.sstables()));
    let lines = |records: &[(&str, Option<&str>)]| -> String {
        records.iter().map(|(kind, sstable)| record(kind, copy.path(), *sstable)).collect()
    };
    let compaction = [("ADD", Some("nb-2-big")), ("REMOVE", Some("nb-1-big"))];
    let committed = [&compaction[..], &[("COMMIT", None)]].concat();
    for (log, reason) in [(&compaction[..], "not completed"), (&committed, "replaced them")] {
        fs::write(copy.path().join(LOG), lines(log)).unwrap();
        let mut arguments = case.arguments("export");
        arguments[1] = copy.path().to_str().unwrap().to_owned();
        let done = outpour().args(&arguments).output().unwrap();
        let told = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.success() && told.lines().count() == 1, "{told}");
        assert!(told.contains("left out: 1") && told.contains(reason), "{told}");
        assert!(told.contains(LOG), "{told}");
    }
}

/// The rows of some SSTables alone.
fn rows_of(sstables: &[&str]) -> String {
    let case = case();
    let copy = copy(Path::new(&case.sstables()));
    for entry in fs::read_dir(copy.path()).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if !sstables.iter().any(|sstable| name.starts_with(sstable)) {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    rows(&case, copy.path()).unwrap()
}

#[test]
fn what_an_unfinished_transaction_wrote_is_left_out() {
    let both = rows_of(&["nb-1-", "nb-2-"]);
    let first = rows_of(&["nb-1-"]);
    assert_ne!(both, first);
    for ending in [None, Some(("ABORT", None))] {
        let flush: Vec<_> = [("ADD", Some("nb-2-big"))].into_iter().chain(ending).collect();
        assert_eq!(rows_beside(&flush).unwrap(), first, "{ending:?}");
    }
    assert_eq!(rows_beside(&[("ADD", Some("nb-2-big")), ("COMMIT", None)]).unwrap(), both);
}

#[test]
fn what_a_committed_transaction_replaced_is_left_out() {
    let compaction = [("ADD", Some("nb-2-big")), ("REMOVE", Some("nb-1-big"))];
    let committed = [&compaction[..], &[("COMMIT", None)]].concat();
    assert_eq!(rows_beside(&committed).unwrap(), rows_of(&["nb-2-"]));
    assert_eq!(rows_beside(&compaction).unwrap(), rows_of(&["nb-1-"]));
}

#[test]
fn a_damaged_log_is_an_error() {
    let case = case();
    let copy = copy(Path::new(&case.sstables()));
    let line = |kind, sstable| record(kind, copy.path(), sstable);
    let added = line("ADD", Some("nb-2-big"));
    let committed = line("COMMIT", None);
    let logs = [
        added.replace("nb-2", "nb-1") + &committed,
        format!("{added}{}", committed.replace("][", "][1")),
        format!("not a record\n{added}{committed}"),
    ];
    for log in logs {
        fs::write(copy.path().join(LOG), &log).unwrap();
        let message = rows(&case, copy.path()).unwrap_err();
        assert!(message.contains(LOG), "{log}{message}");
        assert!(message.contains("nodetool snapshot"), "{message}");
    }
}
