//! The binary's answers for tables that a real Cassandra wrote, beside what that Cassandra answered.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use std::fs;
use std::path::Path;

use support::{Case, cases, compare, export, lines, outpour, repository, stdout};

/// Runs `check` on each case and tells all that fail.
fn each_table(golden: &str, check: impl Fn(&Case, &str) -> Result<(), String>) {
    let mut failures = Vec::new();
    let mut checked = 0;
    for case in cases() {
        let Some(text) = case.golden(golden) else { continue };
        checked += 1;
        if let Err(problem) = check(&case, &text) {
            failures.push(format!("{}: {problem}", case.name()));
        }
    }
    assert!(checked > 4, "only {checked} cases have {golden}");
    assert!(
        failures.is_empty(),
        "{} of {checked} failed:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

#[test]
fn rows_are_those_of_select_json() {
    each_table("select.jsonl", |case, golden| compare(golden, &export(case, &[])?, false));
}

#[test]
fn bytes_are_those_that_the_protocol_carries() {
    each_table("select.raw.jsonl", |case, golden| {
        compare(golden, &export(case, &["--values", "raw"])?, false)
    });
}

#[test]
fn write_times_are_those_of_writetime() {
    each_table("writetime.jsonl", |case, golden| {
        compare(golden, &export(case, &["--writetime"])?, true)
    });
}

#[test]
fn threads_and_memory_change_nothing() {
    each_table("select.jsonl", |case, _| {
        let alone = export(case, &["--threads", "1"])?;
        let small = export(case, &["--threads", "2", "--memory", "16MiB"])?;
        if alone == small { Ok(()) } else { Err("the output differs".into()) }
    });
}

#[test]
fn info_tells_names_versions_and_sizes() {
    for case in cases() {
        let home = case.sstables();
        let out = stdout(&["info", &home, "--json"]).unwrap();
        let info: serde_json::Value = serde_json::from_str(&out).unwrap();
        let sstables = info["tables"][0]["sstables"].as_array().unwrap();
        let mut names: Vec<_> = sstables.iter().map(|s| s["name"].as_str().unwrap()).collect();
        let mut expected: Vec<_> = case.sstable_names();
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!(names, expected, "{}", case.name());
        for sstable in sstables {
            let data = format!("{home}/{}-Data.db", sstable["name"].as_str().unwrap());
            let len = Path::new(&data).metadata().unwrap().len();
            assert_eq!(sstable["data_bytes"].to_string(), len.to_string());
            assert!(sstable["rows"].to_string().parse::<u64>().is_ok());
        }
    }
}

#[test]
fn verify_finds_nothing_wrong() {
    for case in cases() {
        let arguments = case.arguments("verify");
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let out = stdout(&arguments).unwrap_or_else(|e| panic!("{}: {e}", case.name()));
        assert_eq!(out.matches(": ok").count(), case.sstable_names().len(), "{out}");
    }
}

#[test]
fn schemas_that_are_printed_give_the_same_rows() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("schema.cql");
    each_table("select.jsonl", |case, _| {
        let arguments = case.arguments("schema");
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        std::fs::write(&file, stdout(&arguments)?).unwrap();
        let file = file.to_str().unwrap();
        let table = case.qualified();
        let again =
            ["export", &case.sstables(), "--schema", file, "--table", &table, "--now", &case.now];
        // A view is printed as the table that it is stored as: which rows it hides is not said.
        if case.name().starts_with("view") || stdout(&again)? == export(case, &[])? {
            return Ok(());
        }
        Err("the output differs".into())
    });
}

/// Flips a bit in the middle of Data.db, and cuts its last byte off.
#[test]
fn damaged_data_is_an_error() {
    let changes: [fn(&mut Vec<u8>); 2] = [
        |data| {
            let middle = data.len() / 2;
            data[middle] ^= 0x10;
        },
        |data| {
            data.pop();
        },
    ];
    for case in cases() {
        for change in changes {
            let copy = support::copy(Path::new(&case.sstables()));
            let data = support::largest_data_file(copy.path());
            let mut bytes = std::fs::read(&data).unwrap();
            change(&mut bytes);
            std::fs::write(&data, bytes).unwrap();
            for verb in ["verify", "export"] {
                let mut arguments = case.arguments(verb);
                arguments[1] = copy.path().to_str().unwrap().to_owned();
                let done = outpour().args(&arguments).output().unwrap();
                assert_eq!(done.status.code(), Some(1), "{verb} {}", case.name());
            }
        }
    }
}

fn sample(name: &str) -> String {
    repository().join("testdata/sample").join(name).to_str().unwrap().to_owned()
}

fn sample_now() -> String {
    std::fs::read_to_string(sample("now")).unwrap().trim().to_owned()
}

#[test]
fn a_data_directory_needs_no_schema_file() {
    for table in ["orders", "visits"] {
        let golden = std::fs::read_to_string(sample(&format!("{table}.jsonl"))).unwrap();
        let (data, name) = (sample("data"), format!("shop.{table}"));
        let out = stdout(&["export", &data, "--table", &name, "--now", &sample_now()]).unwrap();
        compare(&golden, &out, false).unwrap();
    }
}

#[test]
fn a_snapshot_has_its_schema_beside_it() {
    let shop = std::fs::read_dir(sample("data/shop")).unwrap();
    for entry in shop.flatten() {
        let directory = entry.path();
        let name = directory.file_name().unwrap().to_str().unwrap().split('-').next().unwrap();
        let golden = std::fs::read_to_string(sample(&format!("{name}.jsonl"))).unwrap();
        let snapshot = directory.join("snapshots/sample");
        let out = stdout(&["export", snapshot.to_str().unwrap(), "--now", &sample_now()]).unwrap();
        compare(&golden, &out, false).unwrap();
    }
}

/// Names of key columns differ, and columns without values are not known: values are compared.
#[test]
fn a_schema_made_of_headers_shows_the_same_values() {
    let values = |row: &serde_json::Value| {
        let values = row.as_object().unwrap().values().filter(|value| !value.is_null());
        let mut values: Vec<_> = values.map(ToString::to_string).collect();
        values.sort_unstable();
        values
    };
    each_table("select.raw.jsonl", |case, golden| {
        let schema = std::fs::read_to_string(&case.arguments("schema")[3]).unwrap();
        // Headers know neither what was dropped nor what a view hides.
        if schema.contains("ALTER TABLE") || schema.contains("CREATE MATERIALIZED VIEW") {
            return Ok(());
        }
        let source = case.sstables();
        let inferred = ["export", &source, "--infer-schema", "--now", &case.now, "--values", "raw"];
        let (got, expected) = (lines(&stdout(&inferred)?), lines(golden));
        let same = got.iter().map(values).eq(expected.iter().map(values));
        if same { Ok(()) } else { Err("the values differ".into()) }
    });
}

/// As in snapshots of 5.0, which have no types that are only used inside collections and tuples.
#[test]
fn types_that_the_schema_does_not_declare_come_from_the_files() {
    let case = cases().into_iter().find(|case| case.case == "types_nested_nb").unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("schema.cql");
    let mut arguments = case.arguments("export");
    let text = std::fs::read_to_string(&arguments[3]).unwrap();
    let statements = text.split_inclusive(';').filter(|s| !s.contains("CREATE TYPE"));
    let without_types: String = statements.collect();
    assert!(without_types.len() < text.len());
    std::fs::write(&file, without_types).unwrap();
    file.to_str().unwrap().clone_into(&mut arguments[3]);
    let done = outpour().args(&arguments).output().unwrap();
    let message = String::from_utf8(done.stderr).unwrap();
    assert!(message.contains("is taken from the files' headers"), "{message}");
    let golden = case.golden("select.jsonl").unwrap();
    compare(&golden, &String::from_utf8(done.stdout).unwrap(), false).unwrap();
}

#[test]
fn several_tables_must_be_chosen_from() {
    let done = outpour().args(["export", &sample("data")]).output().unwrap();
    assert_eq!(done.status.code(), Some(1));
    let message = String::from_utf8(done.stderr).unwrap();
    assert!(message.contains("shop.orders, shop.visits"), "{message}");
}

#[test]
fn columns_limit_and_formats() {
    let (data, now) = (sample("data"), sample_now());
    let base = ["export", &data, "--table", "shop.orders", "--now", &now];
    let run = |more: &[&str]| stdout(&[&base[..], more].concat()).unwrap();
    let rows = lines(&run(&["--columns", "total,item", "--limit", "7"]));
    assert_eq!(rows.len(), 7);
    assert_eq!(rows[0].as_object().unwrap().keys().collect::<Vec<_>>(), ["total", "item"]);
    let array: Vec<serde_json::Value> = serde_json::from_str(&run(&["--format", "json"])).unwrap();
    assert_eq!(array, lines(&run(&[])));
    let csv = run(&["--format", "csv", "--columns", "item,paid", "--limit", "1"]);
    assert_eq!(csv.lines().next(), Some("item,paid"));
    assert_eq!(run(&["--limit", "0"]), "");
    assert_eq!(run(&["--limit", "0", "--format", "json"]), "[]\n");
}

#[test]
fn a_column_is_shown_once() {
    let (data, now) = (sample("data"), sample_now());
    let base = ["export", &data, "--table", "shop.orders", "--now", &now];
    for column in ["total", "customer", "placed", "name"] {
        let twice = format!("{column},item,{column}");
        let error = stdout(&[&base[..], &["--columns", &twice]].concat()).unwrap_err();
        assert!(error.contains(&format!("column {column} is asked for twice")), "{error}");
    }
}

#[test]
fn csv_is_that_of_cqlsh() {
    let home = repository().join("testdata/csv");
    let mut compared = 0;
    for case in cases() {
        let Ok(golden) = std::fs::read_to_string(home.join(format!("{}.csv", case.case))) else {
            continue;
        };
        let header = golden.lines().next().unwrap_or_default().to_owned();
        let columns = header.trim_end().replace('"', "");
        let out = export(&case, &["--format", "csv", "--columns", &columns]).unwrap();
        assert_eq!(out, golden, "{}", case.name());
        compared += 1;
    }
    assert!(compared >= 4, "only {compared} goldens");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    use std::io::{BufRead, BufReader};
    let case = cases().into_iter().find(|case| case.case == "many_parts_nb").unwrap();
    let mut child = outpour()
        .args(case.arguments("export"))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    drop(reader);
    let done = child.wait_with_output().unwrap();
    assert_eq!((done.status.code(), done.stderr.len()), (Some(0), 0));
}

#[test]
fn an_output_file_is_complete_or_absent() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("orders.jsonl");
    let (data, now) = (sample("data"), sample_now());
    let base = ["export", &data, "--table", "shop.orders", "--now", &now];
    let output = ["--output", file.to_str().unwrap()];
    assert_eq!(stdout(&[&base[..], &output].concat()).unwrap(), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), stdout(&base).unwrap());
    std::fs::remove_file(&file).unwrap();
    let wrong = [&base[..], &output, &["--columns", "nope"]].concat();
    assert!(stdout(&wrong).is_err());
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn a_schema_that_does_not_fit_names_column_and_types() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("schema.cql");
    let case = cases().into_iter().find(|case| case.case == "gens_lww_nb").unwrap();
    for (columns, said) in [
        ("p int, c int, v text, w bigint", vec!["w", "bigint", "int"]),
        ("p int, c text, v text, w int", vec!["c", "text", "int"]),
        ("p int, c int, v text", vec!["column w"]),
        ("p text, c int, v text, w int", vec!["p", "text", "int"]),
    ] {
        let text = format!("CREATE TABLE gens_lww_nb.t ({columns}, PRIMARY KEY (p, c));");
        std::fs::write(&file, text).unwrap();
        let mut arguments = case.arguments("export");
        arguments[3] = file.to_str().unwrap().to_owned();
        let done = outpour().args(&arguments).output().unwrap();
        let message = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{columns}");
        assert!(said.iter().all(|word| message.contains(word)), "{columns}: {message}");
        assert!(done.stdout.is_empty());
    }
}

#[test]
fn damage_is_skipped_only_when_asked_for_and_reported() {
    let case = cases().into_iter().find(|case| case.case == "many_parts_nb").unwrap();
    let copy = support::copy(Path::new(&case.sstables()));
    let data = support::largest_data_file(copy.path());
    let mut bytes = std::fs::read(&data).unwrap();
    bytes[10] ^= 1;
    std::fs::write(&data, bytes).unwrap();
    let mut arguments = case.arguments("export");
    arguments[1] = copy.path().to_str().unwrap().to_owned();
    arguments.extend(["--on-corrupt".to_owned(), "skip".to_owned()]);
    let done = outpour().args(&arguments).output().unwrap();
    assert_eq!(done.status.code(), Some(3));
    let message = String::from_utf8(done.stderr).unwrap();
    assert!(message.contains("left out") && message.contains("of 1500 rows"), "{message}");
    let golden = case.golden("select.jsonl").unwrap();
    let kept = String::from_utf8(done.stdout).unwrap();
    // The first chunk is gone; the partitions behind it are all there, in order.
    let kept = lines(&kept);
    assert!(kept.len() > 500 && kept.len() < 1500, "{}", kept.len());
    assert!(lines(&golden).ends_with(&kept));
}

#[test]
fn usage_errors_end_with_two() {
    for arguments in [&["export"][..], &["export", "x", "--format", "xml"], &["pour"]] {
        let done = outpour().args(arguments).output().unwrap();
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
    }
    let help = stdout(&["export", "--help"]).unwrap();
    assert!(help.contains("Examples:") && help.contains("Exit status"));
}

/// As ScyllaDB keeps some.
#[test]
fn sstables_in_staging_belong_to_the_table() {
    let case = cases().into_iter().find(|case| case.name().contains("gens_lww_nb")).unwrap();
    let temp = support::copy(Path::new(&case.sstables()));
    fs::create_dir(temp.path().join("staging")).unwrap();
    for entry in fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap()) {
        if entry.file_name().to_str().unwrap().starts_with("nb-2-") {
            fs::rename(entry.path(), temp.path().join("staging").join(entry.file_name())).unwrap();
        }
    }
    let mut arguments = case.arguments("export");
    let path = temp.path().display().to_string();
    for argument in &mut arguments {
        if *argument == case.sstables() {
            argument.clone_from(&path);
        }
    }
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    assert_eq!(stdout(&arguments), export(&case, &[]));
}

#[test]
fn a_report_that_cannot_be_written_is_no_panic() {
    let case = cases().remove(0);
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let verify = outpour().args(case.arguments("verify")).stdout(full()).output().unwrap();
    assert_eq!(verify.status.code(), Some(1));
    let message = String::from_utf8_lossy(&verify.stderr).into_owned();
    assert!(message.contains("No space left") && !message.contains("panicked"), "{message}");
    let arguments = ["export", &case.sstables(), "--infer-schema"];
    let told = outpour().args(arguments).stderr(full()).output().unwrap();
    assert_eq!(told.status.code(), Some(0));
}
