//! Conditions on rows: those that a real Cassandra answered with ALLOW FILTERING, and those that the rows
//! themselves answer.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use serde_json::Value;
use support::{Case, cases, export, lines, outpour, repository, stdout};

/// The columns of the primary key, in its order.
fn key_columns(case: &Case) -> Vec<String> {
    let columns = case.columns();
    let of = |kind: &str| {
        let mut found: Vec<_> = columns.iter().filter(|column| column.kind == kind).collect();
        found.sort_by_key(|column| column.position);
        found.into_iter().map(|column| column.name.clone()).collect::<Vec<_>>()
    };
    [of("partition_key"), of("clustering")].concat()
}

fn count(case: &Case, condition: &str, more: &[&str]) -> Result<String, String> {
    let arguments = case.arguments("count");
    let mut arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    arguments.extend(["--where", condition]);
    arguments.extend(more);
    Ok(stdout(&arguments)?.trim().to_owned())
}

/// The rows' primary keys, sorted: with IN on the partition key Cassandra keeps another order.
fn keys(case: &Case, condition: &str, columns: &[String]) -> Result<Vec<String>, String> {
    let shown = columns.join(",");
    let text = export(case, &["--columns", &shown, "--where", condition])?;
    let key = |row: Value| columns.iter().map(|column| row[column].clone()).collect::<Value>();
    Ok(sorted(lines(&text).into_iter().map(key)))
}

fn sorted(keys: impl Iterator<Item = Value>) -> Vec<String> {
    let mut keys: Vec<_> = keys.map(|key| key.to_string()).collect();
    keys.sort();
    keys
}

#[test]
fn rows_are_those_of_cassandra() {
    let (mut asked, mut failures) = (0, Vec::new());
    for case in cases() {
        let Some(answers) = case.golden("where.jsonl") else { continue };
        let columns = key_columns(&case);
        for answer in lines(&answers) {
            let condition = answer["where"].as_str().unwrap();
            let expected = sorted(answer["rows"].as_array().unwrap().iter().cloned());
            asked += 1;
            match keys(&case, condition, &columns) {
                Ok(got) if got == expected => {}
                got => failures.push(format!("{condition}: got {got:?}, expected {expected:?}")),
            }
            if asked % 16 == 0 {
                assert_eq!(count(&case, condition, &[]), Ok(expected.len().to_string()));
            }
        }
    }
    assert!(asked > 900, "only {asked} conditions");
    assert!(failures.is_empty(), "{} of {asked}:\n{}", failures.len(), failures.join("\n"));
}

/// A column is null in the rows in which no bytes are.
#[test]
fn null_is_what_the_rows_have_as_null() {
    let mut asked = 0;
    for case in cases() {
        let Some(raw) = case.golden("select.raw.jsonl") else { continue };
        let rows = lines(&raw);
        let columns = case.columns();
        for column in columns.iter().filter(|c| c.kind != "partition_key").take(4) {
            let name = &column.name;
            let Some(nulls) = rows.iter().map(|row| row.get(name).map(Value::is_null)).collect()
            else {
                continue;
            };
            let nulls: Vec<bool> = nulls;
            let nulls = nulls.iter().filter(|is_null| **is_null).count();
            asked += 1;
            for (condition, expected) in [("IS NULL", nulls), ("IS NOT NULL", rows.len() - nulls)] {
                let condition = format!("\"{name}\" {condition}");
                let got = count(&case, &condition, &[]);
                assert_eq!(got, Ok(expected.to_string()), "{}: {condition}", case.name());
            }
        }
    }
    assert!(asked > 100, "only {asked} columns");
}

/// Types whose values are equal only if their bytes are, and the function that makes one of bytes.
const BY_BYTES: [(&str, &str); 12] = [
    ("int", "blobAsInt"),
    ("bigint", "blobAsBigint"),
    ("smallint", "blobAsSmallint"),
    ("tinyint", "blobAsTinyint"),
    ("text", "blobAsText"),
    ("ascii", "blobAsAscii"),
    ("uuid", "blobAsUuid"),
    ("timeuuid", "blobAsTimeuuid"),
    ("timestamp", "blobAsTimestamp"),
    ("date", "blobAsDate"),
    ("inet", "blobAsInet"),
    ("blob", "blobAsBlob"),
];

/// In each table, for a value of each column of a plain type: the rows that have it, as text and as bytes.
#[test]
fn equal_values_are_those_with_the_same_bytes() {
    let mut asked = 0;
    for case in cases() {
        let Some(raw) = case.golden("select.raw.jsonl") else { continue };
        let rows = lines(&raw);
        for column in case.columns().iter().take(6) {
            let Some((_, function)) = BY_BYTES.iter().find(|(name, _)| *name == column.cql_type)
            else {
                continue;
            };
            let value = |row: &Value| row[&column.name].as_str().map(str::to_owned);
            let Some(wanted) = rows.iter().filter_map(value).nth(rows.len() / 3) else { continue };
            if wanted.len() > 1000 {
                continue;
            }
            let condition = format!("\"{}\" = {function}(0x{wanted})", column.name);
            let expected: Vec<_> =
                rows.iter().filter(|row| value(row).as_ref() == Some(&wanted)).cloned().collect();
            let got = export(&case, &["--values", "raw", "--where", &condition]).unwrap();
            assert_eq!(lines(&got), expected, "{}: {condition}", case.name());
            assert_eq!(count(&case, &condition, &[]), Ok(expected.len().to_string()));
            asked += 1;
        }
    }
    assert!(asked > 100, "only {asked} columns");
}

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.name() == name).unwrap()
}

#[test]
fn a_limit_counts_the_rows_that_are_left() {
    let case = case("where_nb/t");
    let all = export(&case, &["--where", "i > 0", "--columns", "id"]).unwrap();
    let some = export(&case, &["--where", "i > 0", "--columns", "id", "--limit", "3"]).unwrap();
    assert_eq!(some.lines().count(), 3);
    assert!(all.starts_with(&some) && all.lines().count() > 3);
}

/// What is shown does not depend on what is looked at, nor on the format.
#[test]
fn columns_of_the_condition_are_not_shown() {
    let case = case("where_nb/t");
    let condition = "token(id) > 0 AND (i > 0 OR ud.zip IS NULL) AND fl != [1]";
    for more in [
        &["--columns", "tx,id"][..],
        &["--columns", "id,i,fl"],
        &["--columns", "id", "--writetime"],
        &["--columns", "id", "--format", "csv"],
        &["--columns", "id", "--format", "json"],
        &["--values", "raw"],
        &["--columns", "tx", "--values", "raw"],
        &[],
    ] {
        let all = export(&case, more).unwrap();
        let with = [more, &["--where", condition]].concat();
        let some = export(&case, &with).unwrap();
        let none = export(&case, &[more, &["--where", "id < -5"]].concat()).unwrap();
        assert!(some.lines().count() > none.lines().count(), "{more:?}");
        let is_line = |line: &str| {
            let line = line.trim_end_matches(',');
            all.lines().any(|one| one.trim_end_matches(',') == line)
        };
        assert!(some.lines().all(is_line), "{more:?}\n{some}");
    }
}

#[test]
fn threads_and_memory_change_nothing() {
    for name in ["many_parts_nb/t", "wide_nb64k/t", "where_nb/t", "fuzz2_nb/t"] {
        let case = case(name);
        let columns = case.columns();
        let key = columns.iter().filter(|column| column.kind == "partition_key");
        let key: Vec<_> = key.map(|column| column.name.clone()).collect();
        let [key] = key.as_slice() else { panic!("{name} has several columns in its key") };
        let condition = format!("token({key}) > -4000000000000000000 AND \"{key}\" IS NOT NULL");
        let condition = condition.as_str();
        let alone = export(&case, &["--where", condition, "--threads", "1"]).unwrap();
        let more = ["--where", condition, "--threads", "4", "--memory", "32MiB"];
        assert_eq!(export(&case, &more).unwrap(), alone, "{name}");
        for threads in ["1", "4"] {
            let counted = count(&case, condition, &["--threads", threads]);
            assert_eq!(counted, Ok(alone.lines().count().to_string()), "{name}");
        }
    }
}

fn sample() -> (String, String) {
    let home = repository().join("testdata/sample");
    let now = std::fs::read_to_string(home.join("now")).unwrap().trim().to_owned();
    (home.join("data").to_str().unwrap().to_owned(), now)
}

#[test]
fn all_tables_are_counted() {
    let (data, now) = sample();
    let golden = |table: &str| {
        let path = repository().join(format!("testdata/sample/{table}.jsonl"));
        std::fs::read_to_string(path).unwrap().lines().count()
    };
    let (orders, visits) = (golden("orders"), golden("visits"));
    let all = stdout(&["count", &data, "--now", &now]).unwrap();
    assert_eq!(all, format!("{orders} shop.orders\n{visits} shop.visits\n"));
    let one = stdout(&["count", &data, "--now", &now, "--table", "shop.visits"]).unwrap();
    assert_eq!(one, format!("{visits}\n"));
}

#[test]
fn conditions_that_do_not_fit_are_refused() {
    let (data, now) = sample();
    let refused = |arguments: &[&str]| {
        let done = outpour().args(arguments).output().unwrap();
        assert_eq!((done.status.code(), done.stdout.len()), (Some(1), 0), "{arguments:?}");
        String::from_utf8(done.stderr).unwrap()
    };
    let table = ["--table", "shop.orders", "--now", &now];
    let with =
        |condition| refused(&[&["export", &data, "--where", condition][..], &table].concat());
    let error = with("item = 'x'");
    assert!(error.contains("--where: line 1, column 8: column item of type int"), "{error}");
    assert!(with("nope = 1").contains("there is no column nope"));
    assert!(with("item >").contains("expected a value, got the end"));
    // A condition is on one table.
    let error = refused(&["count", &data, "--now", &now, "--where", "item = 1"]);
    assert!(error.contains("choose one by --table"), "{error}");
}

/// The first clustering column narrows what is read of every partition.
#[test]
fn clustering_bounds_of_all_partitions() {
    let mut asked = 0;
    for case in cases() {
        let Some(golden) = case.golden("select.jsonl") else { continue };
        let columns = case.columns();
        let first = columns.iter().find(|c| c.kind == "clustering" && c.position == 0);
        let Some(first) = first.filter(|c| matches!(&*c.cql_type, "int" | "bigint")) else {
            continue;
        };
        let values =
            lines(&golden).iter().map(|row| row[&*first.name].as_i64()).collect::<Vec<_>>();
        let mut known: Vec<_> = values.iter().flatten().copied().collect();
        known.sort_unstable();
        known.dedup();
        for place in [0, known.len() / 3, known.len().saturating_sub(1)] {
            let Some(bound) = known.get(place).copied() else { continue };
            let expected = |holds: &dyn Fn(i64) -> bool| {
                values.iter().flatten().filter(|value| holds(**value)).count().to_string()
            };
            for (operator, expected) in [
                (">=", expected(&|value| value >= bound)),
                ("<", expected(&|value| value < bound)),
                ("=", expected(&|value| value == bound)),
            ] {
                let condition = format!("\"{}\" {operator} {bound}", first.name);
                for threads in ["1", "2"] {
                    let got = count(&case, &condition, &["--threads", threads]);
                    assert_eq!(got, Ok(expected.clone()), "{}: {condition}", case.name());
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 300, "only {asked} conditions");
}
