use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use outpour_cql::{Schema, Table};
use outpour_run::{Budget, Cancel, Progress};
use outpour_storage::{Directory, LocalDirectory, MemoryDirectory, read_whole};

use super::*;
use crate::{ErrorKind, list_sstables};

/// A table of `testdata/cassandra`, in memory.
struct Golden {
    table: Table,
    files: MemoryDirectory,
}

impl Golden {
    fn open(case: &str) -> Self {
        let home =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cassandra").join(case);
        let text = fs::read_to_string(home.join("schema.cql")).unwrap();
        let schema = Schema::parse(&text).unwrap();
        let table = schema.tables().iter().find(|table| table.name == "t").unwrap().clone();
        let directory = LocalDirectory::open(&home.join("t/sstables")).unwrap();
        Self { table, files: MemoryDirectory::copy_of(&directory).unwrap() }
    }

    fn content(&self, name: &str) -> Vec<u8> {
        read_whole(&*self.files.open(name).unwrap(), u64::MAX).unwrap()
    }

    /// What is wrong with all SSTables that `files` holds, by all checks.
    fn findings(&self, files: MemoryDirectory) -> Vec<Error> {
        let check = |files: &SstableFiles| {
            let sstable = Sstable::open(files).unwrap();
            sstable.check_indexes(&self.table, &options(64 << 20))
        };
        let directory: Arc<dyn Directory> = Arc::new(files);
        list_sstables(&[directory]).unwrap().iter().flat_map(check).collect()
    }

    fn with(&self, name: &str, bytes: Vec<u8>) -> MemoryDirectory {
        let mut files = self.files.clone();
        files.insert(name, bytes);
        files
    }
}

fn options(memory: u64) -> ScanOptions {
    ScanOptions {
        now: 0,
        budget: Budget::new(memory),
        cancel: Cancel::default(),
        progress: Progress::default(),
        skip_corrupt: false,
    }
}

/// Flips each bit of the file `name` and returns, for each byte whose flips `check` does not notice
/// all, the bits that it does not.
fn unnoticed_flips_by(
    golden: &Golden,
    name: &str,
    check: impl Fn(MemoryDirectory) -> Vec<Error>,
) -> BTreeMap<usize, u8> {
    let original = golden.content(name);
    let mut unnoticed = BTreeMap::new();
    for (at, bit) in (0..original.len()).flat_map(|at| (0..8).map(move |bit| (at, 1 << bit))) {
        let mut bytes = original.clone();
        bytes[at] ^= bit;
        let findings = check(golden.with(name, bytes));
        for finding in &findings {
            assert_eq!(finding.kind(), ErrorKind::Corrupt, "{finding}");
            assert!(finding.path().starts_with(golden.files.location()), "{finding}");
        }
        if findings.is_empty() {
            *unnoticed.entry(at).or_default() |= bit;
        }
    }
    unnoticed
}

fn unnoticed_flips(golden: &Golden, name: &str) -> BTreeMap<usize, u8> {
    assert!(golden.findings(golden.files.clone()).is_empty());
    unnoticed_flips_by(golden, name, |files| golden.findings(files))
}

#[test]
fn every_flipped_bit_of_an_index_is_noticed() {
    for (case, name) in [
        ("basic_oa", "oa-1-big-Index.db"),
        ("basic_da", "da-1-bti-Partitions.db"),
        ("wide_da", "da-1-bti-Partitions.db"),
        ("wide_rt_nb", "nb-1-big-Index.db"),
    ] {
        let unnoticed = unnoticed_flips(&Golden::open(case), name);
        assert!(unnoticed.is_empty(), "{case} {name}: {unnoticed:02x?}");
    }
}

/// A deletion that is none has a local deletion time all the same, which says nothing.
#[test]
fn flips_in_a_live_deletion_change_nothing() {
    let unnoticed = unnoticed_flips(&Golden::open("wide_nb64k"), "nb-1-big-Index.db");
    assert_eq!(unnoticed, (9..13).map(|at| (at, 0xff)).collect());
}

/// A separator may be any key between its neighbours: 19 flips of 2,096 leave it one.
#[test]
fn flips_in_rows_that_matter_are_noticed() {
    let unnoticed = unnoticed_flips(&Golden::open("wide_da"), "da-1-bti-Rows.db");
    let bits: u32 = unnoticed.values().map(|bits| bits.count_ones()).sum();
    assert_eq!(bits, 19, "{unnoticed:02x?}");
}

/// A sample of all entries, of which there are few, fits any interval that is large enough.
#[test]
fn every_flipped_bit_of_a_summary_but_its_interval_is_noticed() {
    let unnoticed = unnoticed_flips(&Golden::open("basic_oa"), "oa-1-big-Summary.db");
    assert!(unnoticed.keys().all(|at| *at < 4), "{unnoticed:02x?}");
    let check = |files| {
        let directory: Arc<dyn Directory> = Arc::new(files);
        summary::check(&list_sstables(&[directory]).unwrap()[0]).err().into_iter().collect()
    };
    let golden = Golden::open("many_parts_nb");
    let unnoticed = unnoticed_flips_by(&golden, "nb-1-big-Summary.db", check);
    assert!(unnoticed.is_empty(), "{unnoticed:02x?}");
}

/// A bit that no key sets may be set; each that one sets must be.
#[test]
fn a_bit_that_a_filter_lacks_is_noticed() {
    let golden = Golden::open("basic_oa");
    let name = "oa-1-big-Filter.db";
    let filter = golden.content(name);
    let unnoticed = unnoticed_flips(&golden, name);
    let bits_at = 8;
    for (at, byte) in filter.iter().enumerate().skip(bits_at) {
        assert_eq!(unnoticed.get(&at).copied().unwrap_or(0), !byte, "byte {at}");
    }
}
