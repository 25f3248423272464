//! Damaged files end in an error or in the right rows; never in other rows, in fewer, or in a panic.
//!
//! Each component of each table is cut off at a length, or has one bit flipped. `OUTPOUR_DAMAGE=all`
//! takes every length and every bit (some minutes in a release build); else a part of them, spread
//! evenly, is taken. The counts are printed: run with `--nocapture` to see them.

#![allow(clippy::unwrap_used, clippy::panic)] // A test.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use outpour_engine::{
    ExportOptions, Format, OnCorrupt, SchemaOptions, SourceOptions, Values, export,
};
use outpour_run::{Cancel, Progress};

/// Every kind of file: formats, compressors, raw chunks, no compression, generations, tombstones.
const TABLES: [&str; 14] = [
    "basic_da",
    "basic_oa",
    "collections_nb",
    "comp_minratio_pad_nb",
    "comp_none_nb",
    "counters_nb",
    "dropped_nb",
    "gens_lww_nb",
    "liveness_only_nb",
    "range_boundary_da",
    "statics_nb",
    "tombstones_nb",
    "ttl_2046_oa",
    "vector_varlen_da",
];
/// Changes to each component where not all are tried.
const SAMPLE: usize = 120;
const MEMORY: u64 = 16 << 20;

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    errors: usize,
    right: usize,
}

struct Table {
    name: String,
    home: PathBuf,
    schema: PathBuf,
    now: i64,
}

fn tables() -> Vec<Table> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cassandra");
    let wanted = |name: &&&str| all.join(name).exists();
    let table = |name: &&str| {
        let case = all.join(name);
        let meta = fs::read_to_string(case.join("meta.json")).unwrap();
        let now = meta.split("\"now\":").nth(1).unwrap().trim_start();
        let now = now.split(|c: char| !c.is_ascii_digit()).next().unwrap();
        Table {
            name: format!("{name}.t"),
            home: case.join("t/sstables"),
            schema: case.join("schema.cql"),
            now: now.parse().unwrap(),
        }
    };
    TABLES.iter().filter(wanted).map(table).collect()
}

impl Table {
    /// The rows of the files in `directory`, or why there are none.
    fn rows(&self, directory: &Path) -> Result<Vec<u8>, String> {
        let options = ExportOptions {
            source: SourceOptions {
                paths: vec![directory.to_owned()],
                table: Some(self.name.clone()),
            },
            schema: SchemaOptions { file: Some(self.schema.clone()), infer: false },
            columns: None,
            limit: None,
            now: self.now,
            write_times: true,
            ttls: false,
            format: Format::JsonLines,
            values: Values::Raw,
            memory: MEMORY,
            threads: 1,
            on_corrupt: OnCorrupt::Fail,
        };
        let mut out = Vec::new();
        let (cancel, progress) = (Cancel::default(), Progress::default());
        match export(&options, &mut out, (&cancel, &progress), &mut |_| {}) {
            Ok(_) => Ok(out),
            Err(e) => Err(e.to_string()),
        }
    }
}

/// Lengths to cut to, or bits to flip.
fn chosen(count: usize) -> Vec<usize> {
    let all = std::env::var("OUTPOUR_DAMAGE").is_ok_and(|value| value == "all");
    let step = if all { 1 } else { count.div_ceil(SAMPLE).max(1) };
    // An odd step, so that not the same bit of each byte is taken.
    (0..count).step_by(step | 1).collect()
}

struct Sweep<'a> {
    table: &'a Table,
    right: Vec<u8>,
    scratch: tempfile::TempDir,
    violations: Vec<String>,
}

impl Sweep<'_> {
    fn try_change(&mut self, what: &str, counts: &mut Counts) {
        let rows = || self.table.rows(self.scratch.path());
        match catch_unwind(AssertUnwindSafe(rows)) {
            Ok(Err(_)) => counts.errors += 1,
            Ok(Ok(rows)) if rows == self.right => counts.right += 1,
            Ok(Ok(_)) => self.violations.push(format!("{} {what}: other rows", self.table.name)),
            Err(_) => self.violations.push(format!("{} {what}: a panic", self.table.name)),
        }
    }

    fn component(&mut self, name: &str) -> (Counts, Counts) {
        let (mut cut, mut flipped) = (Counts::default(), Counts::default());
        let path = self.scratch.path().join(name);
        let bytes = fs::read(&path).unwrap();
        for len in chosen(bytes.len()) {
            fs::write(&path, &bytes[..len]).unwrap();
            self.try_change(&format!("{name} cut to {len}"), &mut cut);
        }
        for bit in chosen(8 * bytes.len()) {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, bytes).unwrap();
            self.try_change(&format!("{name} bit {bit}"), &mut flipped);
        }
        fs::write(&path, bytes).unwrap();
        (cut, flipped)
    }
}

fn component_of(name: &str) -> String {
    name.rsplit('-').next().unwrap_or(name).to_owned()
}

#[test]
fn damage_ends_in_an_error_or_in_the_right_rows() {
    let mut totals = BTreeMap::<String, (Counts, Counts)>::new();
    let mut violations = Vec::new();
    for table in &tables() {
        let scratch = tempfile::tempdir().unwrap();
        let mut names = Vec::new();
        for entry in fs::read_dir(&table.home).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            fs::copy(entry.path(), scratch.path().join(&name)).unwrap();
            names.push(name);
        }
        names.sort();
        let right = table.rows(scratch.path()).unwrap();
        assert!(!right.is_empty(), "{}", table.name);
        let mut sweep = Sweep { table, right, scratch, violations: Vec::new() };
        for name in names {
            let (cut, flipped) = sweep.component(&name);
            let total = totals.entry(component_of(&name)).or_default();
            total.0.errors += cut.errors;
            total.0.right += cut.right;
            total.1.errors += flipped.errors;
            total.1.right += flipped.right;
        }
        violations.append(&mut sweep.violations);
    }
    println!("{:<24} {:>28} {:>28}", "", "cut: errors, right rows", "flipped: errors, right rows");
    for (component, (cut, flipped)) in &totals {
        let show = |counts: &Counts| format!("{}, {}", counts.errors, counts.right);
        println!("{component:<24} {:>28} {:>28}", show(cut), show(flipped));
    }
    assert!(violations.is_empty(), "{}:\n{}", violations.len(), violations.join("\n"));
    assert!(totals.len() >= 10, "components: {:?}", totals.keys());
}
