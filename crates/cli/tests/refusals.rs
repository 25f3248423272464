//! What ends a run: one message that tells file, reason and what to do, and nothing half written.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use std::fs;
use std::path::Path;

use support::{Case, cases, copy, outpour, stdout};

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.case == name).unwrap()
}

/// The message of `export` over `directory`, which must fail and print no rows.
fn refusal(case: &Case, directory: &Path, more: &[&str]) -> String {
    let mut arguments = case.arguments("export");
    arguments[1] = directory.to_str().unwrap().to_owned();
    let done = outpour().args(&arguments).args(more).output().unwrap();
    let message = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{message}");
    assert!(done.stdout.is_empty(), "{message}");
    assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    assert!(!message.contains("panicked"), "{message}");
    message
}

#[track_caller]
fn assert_says(message: &str, words: &[&str]) {
    for word in words {
        assert!(message.contains(word), "no {word:?} in {message:?}");
    }
}

#[test]
fn a_missing_component_is_named() {
    let case = case("tombstones_nb");
    for component in ["Data.db", "Index.db", "Statistics.db", "CompressionInfo.db"] {
        let copy = copy(Path::new(&case.sstables()));
        let name = format!("nb-1-big-{component}");
        fs::remove_file(copy.path().join(&name)).unwrap();
        assert_says(&refusal(&case, copy.path(), &[]), &[&name, "is missing", "restore"]);
    }
}

#[test]
fn a_component_that_is_a_directory_is_named() {
    let case = case("tombstones_nb");
    for component in ["Data.db", "Statistics.db", "CompressionInfo.db"] {
        let copy = copy(Path::new(&case.sstables()));
        let name = format!("nb-1-big-{component}");
        fs::remove_file(copy.path().join(&name)).unwrap();
        fs::create_dir(copy.path().join(&name)).unwrap();
        assert_says(&refusal(&case, copy.path(), &[]), &[&name]);
    }
}

/// Where CompressionInfo.db of a table with LZ4Compressor has the uncompressed length.
const DATA_LEN_AT: usize = 2 + "LZ4Compressor".len() + 4 + 4 + 4;

#[test]
fn damage_is_told_with_file_and_place() {
    let case = case("tombstones_nb");
    let places = [
        ("Data.db", 20, vec!["CRC-32", "expected", "got"]),
        ("Statistics.db", 2000, vec!["checksum", "expected", "got"]),
        ("CompressionInfo.db", DATA_LEN_AT + 6, vec!["chunk count", "expected", "got"]),
    ];
    for (component, at, words) in places {
        let copy = copy(Path::new(&case.sstables()));
        let name = format!("nb-1-big-{component}");
        let mut bytes = fs::read(copy.path().join(&name)).unwrap();
        bytes[at] ^= 0x40;
        fs::write(copy.path().join(&name), bytes).unwrap();
        let words = [&[name.as_str()], &words[..]].concat();
        assert_says(&refusal(&case, copy.path(), &[]), &words);
    }
}

#[test]
fn no_file_is_left_when_rows_end_in_damage() {
    let case = case("many_parts_nb");
    let copy = copy(Path::new(&case.sstables()));
    let data = support::largest_data_file(copy.path());
    let mut bytes = fs::read(&data).unwrap();
    // Rows before the last chunk have been written when it is met.
    let last = bytes.len() - 8;
    bytes[last] ^= 1;
    fs::write(&data, bytes).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let output = scratch.path().join("rows.jsonl");
    fs::write(&output, "older rows\n").unwrap();
    let output = output.to_str().unwrap();
    for format in ["jsonl", "json", "csv"] {
        for threads in ["1", "2"] {
            let more = ["--output", output, "--format", format, "--threads", threads];
            refusal(&case, copy.path(), &more);
            assert_eq!(fs::read_to_string(output).unwrap(), "older rows\n");
            assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
        }
    }
}

#[test]
fn versions_that_cannot_be_read_are_named() {
    let case = case("tombstones_nb");
    for version in ["md", "nc", "zz"] {
        let copy = copy(Path::new(&case.sstables()));
        for entry in fs::read_dir(copy.path()).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap().replacen("nb", version, 1);
            fs::rename(entry.path(), copy.path().join(name)).unwrap();
        }
        let name = format!("{version}-1-big");
        assert_says(&refusal(&case, copy.path(), &[]), &[&name, version]);
    }
}

#[test]
fn sources_without_tables_are_told() {
    let case = case("tombstones_nb");
    let empty = tempfile::tempdir().unwrap();
    let path = empty.path().to_str().unwrap();
    assert_says(&refusal(&case, empty.path(), &[]), &[path, "no SSTables"]);
    let absent = empty.path().join("absent");
    assert_says(&refusal(&case, &absent, &[]), &[absent.to_str().unwrap()]);
    let notes = empty.path().join("notes.txt");
    fs::write(&notes, "no SSTable").unwrap();
    assert_says(&refusal(&case, &notes, &[]), &[notes.to_str().unwrap(), "-Data.db"]);
}

#[test]
fn tables_and_columns_that_are_not_there_are_told() {
    let case = case("tombstones_nb");
    let home = case.sstables();
    let mut arguments = case.arguments("export");
    let table = arguments.iter().position(|word| *word == case.qualified()).unwrap();
    arguments[table] = "tombstones_nb.other".to_owned();
    let done = outpour().args(&arguments).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let message = String::from_utf8(done.stderr).unwrap();
    assert_says(&message, &["tombstones_nb.other", "tombstones_nb.t"]);
    let message = refusal(&case, Path::new(&home), &["--columns", "nope"]);
    assert_says(&message, &["nope"]);
}

#[test]
fn schemas_that_do_not_parse_are_told_with_their_place() {
    let case = case("tombstones_nb");
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("schema.cql");
    let mut arguments = case.arguments("export");
    let schema = arguments.iter().position(|word| word == "--schema").unwrap() + 1;
    arguments[schema] = file.to_str().unwrap().to_owned();
    for text in [
        "",
        "CREATE TABLE",
        "CREATE TABLE t (a int",
        "SELECT 1;",
        "\u{0}\u{1}",
        "CREATE TABLE k.t (a nope PRIMARY KEY);",
    ] {
        fs::write(&file, text).unwrap();
        let done = outpour().args(&arguments).output().unwrap();
        let message = String::from_utf8(done.stderr).unwrap();
        assert_eq!((done.status.code(), done.stdout.len()), (Some(1), 0), "{text:?}: {message}");
        assert_says(&message, &["schema.cql"]);
    }
}

#[test]
fn help_has_examples() {
    for command in ["export", "info", "schema", "verify"] {
        let help = stdout(&[command, "--help"]).unwrap();
        assert_says(&help, &["Examples:", &format!("outpour {command} ")]);
    }
}
