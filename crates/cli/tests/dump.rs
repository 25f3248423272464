//! `outpour dump` beside what the real sstabledump printed for the same files.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use support::{Case, cases, copy, largest_data_file, lines, outpour, same, stdout};

/// Cases whose text is not sstabledump's: NaN is null there, the year of an instant loses its era, the
/// digits of floats are the JVM's; it fails at empty booleans.
const OTHER_TEXT: [&str; 4] =
    ["empty_vs_null_nb", "types_scalar_da", "types_scalar_nb", "types_scalar_nb40"];

/// Runs `check` with the golden of each SSTable that ends in `suffix`, and returns how many there are.
fn each_golden(suffix: &str, check: impl Fn(&Case, &str, &str) -> Result<(), String>) -> usize {
    let (mut checked, mut failures) = (0, Vec::new());
    for case in cases() {
        for sstable in case.sstable_names() {
            let Some(golden) = case.golden(&format!("dump/{sstable}.{suffix}")) else { continue };
            checked += 1;
            let data = format!("{}/{sstable}-Data.db", case.sstables());
            if let Err(problem) = check(&case, &data, &golden) {
                failures.push(format!("{} {sstable}: {problem}", case.name()));
            }
        }
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
    checked
}

fn dump(case: &Case, data: &str, more: &[&str]) -> Result<String, String> {
    let mut arguments = vec!["dump", data, "--now", &case.now];
    arguments.extend(more);
    stdout(&arguments)
}

/// The text is equal byte for byte; where it cannot be, as JSON.
fn compare(case: &Case, golden: &str, got: &str, is_lines: bool) -> Result<(), String> {
    if !OTHER_TEXT.contains(&case.case.as_str()) {
        let (golden, got) = (golden.trim_end(), got.trim_end());
        let line = golden.lines().zip(got.lines()).position(|(want, got)| want != got);
        return match golden == got {
            true => Ok(()),
            false => Err(format!("line {line:?} of {} and {}", golden.len(), got.len())),
        };
    }
    let parse = |text: &str| -> Result<Vec<Value>, serde_json::Error> {
        match is_lines {
            true => text.lines().map(serde_json::from_str).collect(),
            false => serde_json::from_str(text),
        }
    };
    let got = parse(got).map_err(|e| e.to_string())?;
    let Ok(golden) = parse(golden) else {
        // sstabledump broke off in the middle of a value.
        return (!got.is_empty()).then_some(()).ok_or_else(|| "nothing was dumped".into());
    };
    match same(&golden.into(), &got.into()) {
        true => Ok(()),
        false => Err("the JSON differs".into()),
    }
}

#[test]
fn json_is_that_of_sstabledump() {
    let checked = each_golden("json", |case, data, golden| {
        compare(case, golden, &dump(case, data, &[])?, false)
    });
    assert!(checked > 65, "{checked}");
}

#[test]
fn lines_with_raw_times_are_those_of_sstabledump() {
    let checked = each_golden("lt.jsonl", |case, data, golden| {
        compare(case, golden, &dump(case, data, &["-l", "-t"])?, true)
    });
    assert!(checked > 140, "{checked}");
}

#[test]
fn debug_lines_are_those_of_sstabledump() {
    let checked = each_golden("d.txt", |case, data, golden| {
        compare(case, golden, &dump(case, data, &["-d"])?, true)
    });
    assert!(checked > 15, "{checked}");
}

#[test]
fn keys_are_those_of_sstabledump() {
    let checked = each_golden("e.json", |case, data, golden| {
        compare(case, golden, &dump(case, data, &["-e"])?, false)
    });
    assert!(checked > 15, "{checked}");
}

/// A multi-cell UDT, at which sstabledump -d runs out of memory.
#[test]
fn debug_lines_tell_fields_apart() {
    let case = cases().into_iter().find(|case| case.case == "types_nested_nb").unwrap();
    let text = dump(&case, &format!("{}/nb-1-big-Data.db", case.sstables()), &["-d"]).unwrap();
    let first = text.lines().next().unwrap();
    assert!(
        first.ends_with(
            "]: (null, 'x') | del(h)=deletedAt=1796080198089372, localDeletion=1796080198, \
             [h[n]=later ts=1796080198111670], \
             [h[i]=<tombstone> ts=1796080198111670 ldt=1796080198]"
        ),
        "{first}"
    );
}

/// The key of a line, as -k and -x take it.
fn key_of(line: &str) -> String {
    let partition: Value = serde_json::from_str(line).unwrap();
    let key = partition["partition"]["key"].as_array().unwrap();
    let parts: Vec<_> = key.iter().map(|part| part.as_str().unwrap().replace(':', "\\:")).collect();
    if key.len() == 1 { key[0].as_str().unwrap().to_owned() } else { parts.join(":") }
}

#[test]
fn keys_choose_partitions() {
    let mut checked = 0;
    for case in cases().iter().filter(|case| case.case != "big_cell_nb") {
        for sstable in case.sstable_names() {
            let data = format!("{}/{sstable}-Data.db", case.sstables());
            let all = dump(case, &data, &["-l"]).unwrap();
            let all: Vec<_> = all.lines().collect();
            let (Some(first), Some(last)) = (all.first(), all.last()) else { continue };
            if all.len() < 2 || all.len() > 500 {
                continue;
            }
            checked += 1;
            let (first, last) = (key_of(first), key_of(last));
            let chosen = |of: &dyn Fn(&str) -> bool| -> String {
                let lines = all.iter().filter(|line| of(&key_of(line)));
                lines.map(|line| format!("{line}\n")).collect()
            };
            let dump = |arguments: &[&str]| {
                let text = dump(case, &data, &[&["-l"], arguments].concat());
                text.unwrap_or_else(|e| panic!("{data}: {e}"))
            };
            assert_eq!(
                dump(&["-k", &last, "-k", &first]),
                chosen(&|key| key == first || key == last)
            );
            assert_eq!(dump(&["--key", &first]), chosen(&|key| key == first), "{data}");
            assert_eq!(dump(&["-x", &last]), chosen(&|key| key != last), "{data}");
            assert_eq!(dump(&["-k", &last, "-x", &last]), "", "{data}");
            assert_eq!(dump(&["-k", "no key of any type"]), "", "{data}");
        }
    }
    assert!(checked > 50, "{checked}");
}

#[test]
fn threads_and_memory_change_nothing() {
    for case in cases() {
        for form in [&["-l"][..], &["-d"], &["--lossless"]] {
            let run = |more: &[&str]| {
                let home = case.sstables();
                stdout(&[&["dump", &home, "--quiet"], form, more].concat())
                    .unwrap_or_else(|e| panic!("{}: {e}", case.name()))
            };
            let alone = run(&["--threads", "1"]);
            assert!(alone == run(&["--threads", "2", "--memory", "16MiB"]), "{}", case.name());
        }
    }
}

/// A directory's SSTables are dumped in turn, each as if it were alone.
#[test]
fn a_directory_is_dumped_one_by_one() {
    for case in cases().iter().filter(|case| case.sstable_names().len() > 1) {
        let all = dump(case, &case.sstables(), &["-l"]).unwrap();
        let single = |sstable: &&str| {
            dump(case, &format!("{}/{sstable}-Data.db", case.sstables()), &["-l"]).unwrap()
        };
        let single: Vec<_> = case.sstable_names().iter().map(single).collect();
        let (all, single): (BTreeSet<_>, String) = (all.lines().collect(), single.concat());
        assert_eq!(all, single.lines().collect(), "{}", case.name());
    }
}

/// Flips a bit in the middle of Data.db, and cuts its last byte off.
#[test]
fn damage_is_an_error_in_every_form() {
    let changes: [fn(&mut Vec<u8>); 2] = [
        |data| {
            let middle = data.len() / 2;
            data[middle] ^= 0x10;
        },
        |data| {
            data.pop();
        },
    ];
    for case in cases().iter().filter(|case| case.case.starts_with("basic_")) {
        for change in changes {
            let copied = copy(Path::new(&case.sstables()));
            let data_file = largest_data_file(copied.path());
            let mut data = std::fs::read(&data_file).unwrap();
            change(&mut data);
            std::fs::write(&data_file, data).unwrap();
            for form in ["-t", "-l", "-d", "-e", "--lossless", "--key=0"] {
                let done = outpour().arg("dump").arg(&data_file).args([form, "-q"]).output();
                let done = done.unwrap();
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                assert_eq!(done.status.code(), Some(1), "{} {form}: {said}", case.name());
                assert!(said.contains("-Data.db: "), "{said}");
            }
        }
    }
}

#[test]
fn a_schema_must_fit() {
    let all = cases();
    let case = |name: &str| all.iter().find(|case| case.case == name).unwrap();
    let data = case("statics_nb").sstables();
    let arguments = case("collections_nb").arguments("dump");
    let schema = &arguments[3];
    let done = outpour().args(["dump", &data, "--schema", schema]).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.contains("the schema does not fit this file"), "{said}");
}

#[test]
fn a_lossless_dump_names_keys_where_a_schema_tells_them() {
    let case = cases().into_iter().find(|case| case.case == "keys_composite_desc_nb").unwrap();
    let arguments = case.arguments("dump");
    let mut arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    arguments.push("--lossless");
    let with_schema = lines(&stdout(&arguments).unwrap());
    let head = &with_schema[0]["sstable"];
    assert_eq!(head["partition_key"]["names"].as_array().unwrap().len(), 2);
    assert_eq!(head["table"], "t");
    let without = lines(&stdout(&["dump", &case.sstables(), "--lossless", "-q"]).unwrap());
    assert_eq!(without[0]["sstable"]["partition_key"]["names"], Value::Null);
    assert_eq!(with_schema[1..], without[1..]);
}
