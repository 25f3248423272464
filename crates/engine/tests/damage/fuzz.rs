//! Random changes behind the checksums, which are made right again: the decoders themselves are
//! reached. Rows may be others then, but the run ends, and in the memory that it was given.

use crate::bytes::{Random, mutate};
use crate::chunks::{Chunks, plain_files, uncompressed};
use crate::copy::{Change, Copy};
use crate::limits;
use crate::statistics::Parts;
use crate::table::tables;
use crate::verdict::{Counts, Runs, assert_none};

/// Every kind of value, row and deletion, and each compressor.
const CASES: [&str; 14] = [
    "basic_oa",
    "collections_nb",
    "compact_storage_nb41",
    "counters_nb",
    "damage_da",
    "damage_nb",
    "dropped_nb",
    "range_boundary_da",
    "statics_nb",
    "tombstones_nb",
    "ttl_2046_oa",
    "types_nested_nb",
    "types_scalar_nb",
    "vector_varlen_da",
];
/// Changes of each kind to all tables together, where not more are wanted.
const CHANGES: usize = 1000;

fn changes() -> usize {
    if limits::is_exhaustive() { 100 * CHANGES } else { CHANGES }
}

/// What is changed, and how.
struct Fuzz {
    component: &'static str,
    /// Makes of a table's files those that are to be changed
    prepare: fn(Copy) -> Copy,
    change: fn(&Copy, &str, &mut Random) -> Vec<Change>,
    judge: fn(&mut Runs<'_>, &Copy, &str),
}

impl Fuzz {
    /// Seeds count up over all tables.
    fn run(&self) -> Counts {
        let (mut counts, mut violations) = (Counts::default(), Vec::new());
        let tables = tables(&CASES);
        let share = changes().div_ceil(tables.len()) as u64;
        for (n, table) in (0..).zip(&tables) {
            let copy = (self.prepare)(Copy::of(&table.home));
            let mut runs = Runs::new(table, copy.path());
            self.run_table(&copy, n * share..(n + 1) * share, &mut runs);
            counts += runs.counts;
            violations.append(&mut runs.violations);
        }
        println!("{}: {} errors, {} with rows", self.component, counts.errors, counts.right);
        assert_none(&violations);
        counts
    }

    fn run_table(&self, copy: &Copy, seeds: std::ops::Range<u64>, runs: &mut Runs<'_>) {
        let names = copy.names(self.component);
        for seed in seeds.filter(|_| !names.is_empty()) {
            let mut random = Random::new(seed);
            let name = names[random.below(names.len())];
            let changes = (self.change)(copy, name, &mut random);
            copy.while_changed(&changes, || {
                (self.judge)(runs, copy, &format!("{name}, seed {seed}"));
            });
        }
    }
}

fn may_differ(runs: &mut Runs<'_>, copy: &Copy, change: &str) {
    runs.must_end(copy.path(), change);
}

fn must_be_right(runs: &mut Runs<'_>, copy: &Copy, change: &str) {
    runs.must_be_right(copy.path(), change);
}

fn dumps_may_differ(runs: &mut Runs<'_>, copy: &Copy, change: &str) {
    runs.dumps_must_end(copy.path(), change);
}

#[test]
fn statistics_with_right_checksums() {
    let change = |copy: &Copy, name: &str, random: &mut Random| {
        let mut statistics = Parts::parse(copy.bytes(name));
        let part = random.below(statistics.parts.len());
        mutate(&mut statistics.parts[part].1, random);
        vec![(name.to_owned(), Some(statistics.file()))]
    };
    let fuzz = Fuzz { component: "Statistics.db", prepare: |copy| copy, change, judge: may_differ };
    let counts = fuzz.run();
    assert!(counts.errors > changes() / 4 && counts.right > changes() / 4, "{counts:?}");
}

#[test]
fn stored_chunks_with_right_checksums() {
    let change = |copy: &Copy, name: &str, random: &mut Random| {
        let info = name.replace("Data.db", "CompressionInfo.db");
        if !copy.files().contains_key(&info) {
            return Vec::new();
        }
        let mut chunks = Chunks::parse(copy.bytes(&info), copy.bytes(name));
        let chunk = random.below(chunks.stored.len());
        mutate(&mut chunks.stored[chunk], random);
        let (table, data) = chunks.files();
        vec![(info, Some(table)), (name.to_owned(), Some(data))]
    };
    let fuzz = Fuzz { component: "Data.db", prepare: |copy| copy, change, judge: may_differ };
    assert!(fuzz.run().errors > changes());
}

fn mutate_rows(copy: &Copy, name: &str, random: &mut Random) -> Vec<Change> {
    let mut data = copy.bytes(name).to_vec();
    mutate(&mut data, random);
    plain_files(name, data).into()
}

#[test]
fn rows_with_right_checksums() {
    let (prepare, change): (fn(Copy) -> Copy, _) = (|copy| uncompressed(&copy), mutate_rows);
    let counts = Fuzz { component: "Data.db", prepare, change, judge: may_differ }.run();
    assert!(counts.errors > changes() && counts.right > changes() / 10, "{counts:?}");
}

#[test]
fn dumps_of_rows_with_right_checksums() {
    let (prepare, change): (fn(Copy) -> Copy, _) = (|copy| uncompressed(&copy), mutate_rows);
    let counts = Fuzz { component: "Data.db", prepare, change, judge: dumps_may_differ }.run();
    assert!(counts.errors > changes() && counts.right > changes() / 10, "{counts:?}");
}

/// Nothing protects it, but what it says of the data is seen to be wrong there.
#[test]
fn compression_info() {
    let change = |copy: &Copy, name: &str, random: &mut Random| {
        let mut bytes = copy.bytes(name).to_vec();
        mutate(&mut bytes, random);
        vec![(name.to_owned(), Some(bytes))]
    };
    let fuzz = Fuzz {
        component: "CompressionInfo.db",
        prepare: |copy| copy,
        change,
        judge: must_be_right,
    };
    assert!(fuzz.run().errors > changes() / 2);
}
