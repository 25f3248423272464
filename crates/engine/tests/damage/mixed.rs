//! Files that do not belong together, are not there, or are no files of an SSTable at all.

use std::fs;

use crate::copy::{Change, Copy, component_of};
use crate::table::{Table, tables};
use crate::verdict::{Counts, Runs, assert_none};

const CASES: [&str; 12] = [
    "basic_da",
    "basic_oa",
    "collections_nb",
    "counters_nb",
    "damage_da",
    "damage_nb",
    "dropped_nb",
    "gens_lww_nb",
    "liveness_only_nb",
    "many_parts_nb",
    "statics_nb",
    "vector_varlen_da",
];

/// Tries all changes that `changes` makes of each table's files; `kind` says which these are.
fn each_table(
    kind: &str,
    changes: impl Fn(&Copy, &[Copy]) -> Vec<(String, Vec<Change>)>,
) -> Counts {
    let tables = tables(&CASES);
    let copies: Vec<_> = tables.iter().map(|table| Copy::of(&table.home)).collect();
    let (mut counts, mut violations) = (Counts::default(), Vec::new());
    for (table, copy) in tables.iter().zip(&copies) {
        let mut runs = Runs::new(table, copy.path());
        for (what, changes) in changes(copy, &copies) {
            copy.while_changed(&changes, || runs.must_be_right(copy.path(), &what));
        }
        counts += runs.counts;
        violations.append(&mut runs.violations);
    }
    println!("{kind}: {} errors, {} right", counts.errors, counts.right);
    assert_none(&violations);
    counts
}

fn change(name: &str, bytes: &[u8]) -> Change {
    (name.to_owned(), Some(bytes.to_vec()))
}

#[test]
fn components_of_another_sstable_of_the_table() {
    let counts = each_table("another SSTable", |copy, _| {
        let mut changes = Vec::new();
        for (name, own) in copy.files() {
            for other in copy.names(component_of(name)).into_iter().filter(|other| other != name) {
                let bytes = copy.bytes(other);
                changes.push((format!("{other} as {name}"), vec![change(name, bytes)]));
                let both = vec![change(name, bytes), change(other, own)];
                changes.push((format!("{name} and {other} exchanged"), both));
            }
        }
        changes
    });
    assert!(counts.errors > 100, "{counts:?}");
}

#[test]
fn components_of_another_table() {
    let counts = each_table("another table", |copy, copies| {
        let mut changes = Vec::new();
        for name in copy.files().keys() {
            for other in copies.iter().filter(|other| other.path() != copy.path()) {
                let Some(first) = other.names(component_of(name)).first().copied() else {
                    continue;
                };
                let what = format!("{first} of {} as {name}", other.path().display());
                changes.push((what, vec![change(name, other.bytes(first))]));
            }
        }
        changes
    });
    assert!(counts.errors > 1000, "{counts:?}");
}

#[test]
fn another_component_of_the_sstable() {
    let counts = each_table("another component", |copy, _| {
        let mut changes = Vec::new();
        for prefix in copy.prefixes() {
            for (name, _) in copy.files().iter().filter(|(name, _)| name.starts_with(prefix)) {
                for (other, bytes) in copy.files().iter().filter(|(o, _)| o.starts_with(prefix)) {
                    if name != other {
                        changes.push((format!("{other} as {name}"), vec![change(name, bytes)]));
                    }
                }
            }
        }
        changes
    });
    assert!(counts.errors > 1000, "{counts:?}");
}

#[test]
fn foreign_bytes() {
    let pages = [
        Vec::new(),
        b"not an SSTable\n".to_vec(),
        b"\x7fELF\x02\x01\x01\0".to_vec(),
        vec![0; 5000],
        vec![0xff; 5000],
    ];
    let counts = each_table("foreign bytes", |copy, _| {
        let mut changes = Vec::new();
        for name in copy.files().keys() {
            for (n, page) in pages.iter().enumerate() {
                changes.push((format!("bytes {n} as {name}"), vec![change(name, page)]));
            }
        }
        changes
    });
    assert!(counts.errors > 500, "{counts:?}");
}

#[test]
fn components_that_are_not_there() {
    let counts = each_table("not there", |copy, _| {
        let without = |name: &String| (format!("no {name}"), vec![(name.clone(), None)]);
        copy.files().keys().map(without).collect()
    });
    assert!(counts.errors > 100, "{counts:?}");
}

/// Only what says the same twice may go: half of an SSTable must not pass for none.
#[test]
fn sstables_of_which_only_parts_are_there() {
    let counts = each_table("the only one there", |copy, _| {
        let mut changes = Vec::new();
        for prefix in copy.prefixes() {
            let names: Vec<_> = copy.files().keys().filter(|n| n.starts_with(prefix)).collect();
            for kept in &names {
                let gone = names.iter().filter(|name| *name != kept);
                let gone = gone.map(|name| ((*name).clone(), None)).collect();
                changes.push((format!("of {prefix} only {kept}"), gone));
            }
        }
        changes
    });
    assert!(counts.errors > 100 && counts.right == 0, "{counts:?}");
}

#[test]
fn directories_in_place_of_files() {
    let mut violations = Vec::new();
    for table in &tables(&CASES[..4]) {
        let copy = Copy::of(&table.home);
        let mut runs = Runs::new(table, copy.path());
        for (name, bytes) in copy.files() {
            let path = copy.path().join(name);
            fs::remove_file(&path).unwrap();
            fs::create_dir(&path).unwrap();
            runs.must_be_right(copy.path(), &format!("a directory as {name}"));
            fs::remove_dir(&path).unwrap();
            fs::write(&path, bytes).unwrap();
        }
        assert!(runs.counts.errors > 0, "{}", table.name);
        violations.append(&mut runs.violations);
    }
    assert_none(&violations);
}

/// The files are whole, but no table has both.
#[test]
fn sstables_of_another_table_beside() {
    let tables = tables(&["statics_nb", "tombstones_nb", "collections_nb", "counters_nb"]);
    let beside = |table: &Table, other: &Table| {
        let copy = Copy::of(&table.home);
        for (name, bytes) in Copy::of(&other.home).files() {
            fs::write(copy.path().join(name.replacen("nb-", "nb-77", 1)), bytes).unwrap();
        }
        table.rows(copy.path())
    };
    for table in &tables {
        for other in tables.iter().filter(|other| other.name != table.name) {
            let message = beside(table, other).unwrap_err();
            assert!(message.contains("nb-77"), "{message}");
            assert!(message.contains("the schema does not fit this file"), "{message}");
        }
    }
}
