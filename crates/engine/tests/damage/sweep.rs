//! Each component cut off at a length, and with one bit flipped.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use crate::copy::{Copy, component_of};
use crate::limits;
use crate::table::{Table, tables};
use crate::verdict::{Counts, Runs, assert_none};

/// Every kind of file: formats, compressors, raw chunks, no compression, generations, statics,
/// collections, counters, dropped columns, all kinds of tombstones.
const CASES: [&str; 14] = [
    "basic_oa",
    "collections_nb",
    "comp_minratio_pad_nb",
    "counters_nb",
    "damage_da",
    "damage_nb",
    "dropped_nb",
    "gens_lww_nb",
    "liveness_only_nb",
    "range_boundary_da",
    "statics_nb",
    "tombstones_nb",
    "ttl_2046_oa",
    "vector_varlen_da",
];
/// Changes to each file where not all are tried.
const SAMPLE: usize = 60;
/// Tables are shared out to so many threads.
const THREADS: usize = 2;

/// Lengths to cut to, or bits to flip.
fn chosen(count: usize, sample: usize) -> Vec<usize> {
    let step = if limits::is_exhaustive() { 1 } else { count.div_ceil(sample).max(1) };
    // An odd step, so that not the same bit of each byte is taken.
    (0..count).step_by(step | 1).collect()
}

/// By component.
#[derive(Debug, Default, Clone)]
pub(crate) struct Totals {
    files: usize,
    bytes: usize,
    pub(crate) cut: Counts,
    pub(crate) flipped: Counts,
    /// Other rows that nothing in the files can tell from the right ones
    pub(crate) unnoticed: Vec<String>,
}

/// How files are swept.
#[derive(Clone, Copy)]
pub(crate) struct Sweep {
    /// Lengths to cut each file to, and bits of it to flip, where not all are tried
    pub(crate) sample: usize,
    /// Whether nothing in the files can tell a file's changed bytes from its own
    pub(crate) is_unnoticeable: fn(name: &str, own: &[u8], changed: &[u8]) -> bool,
}

fn sweep(path: &Path, runs: &mut Runs<'_>, how: Sweep) -> Totals {
    let bytes = fs::read(path).unwrap();
    let (directory, name) = (path.parent().unwrap(), path.file_name().unwrap().to_str().unwrap());
    let mut totals = Totals { files: 1, bytes: bytes.len(), ..Totals::default() };
    for len in chosen(bytes.len(), how.sample) {
        fs::write(path, &bytes[..len]).unwrap();
        runs.must_be_right(directory, &format!("{name} cut to {len} bytes"));
    }
    totals.cut = std::mem::take(&mut runs.counts);
    let mut changed = bytes.clone();
    for bit in chosen(8 * bytes.len(), how.sample) {
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(path, &changed).unwrap();
        let violations = runs.violations.len();
        runs.must_be_right(directory, &format!("{name} with bit {bit} flipped"));
        if runs.violations.len() > violations && (how.is_unnoticeable)(name, &bytes, &changed) {
            totals.unnoticed.append(&mut runs.violations.split_off(violations));
        }
        changed[bit / 8] ^= 1 << (bit % 8);
    }
    totals.flipped = std::mem::take(&mut runs.counts);
    fs::write(path, bytes).unwrap();
    totals
}

#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) totals: BTreeMap<String, Totals>,
    pub(crate) violations: Vec<String>,
}

impl Report {
    fn add(&mut self, component: &str, totals: Totals) {
        let sum = self.totals.entry(component.to_owned()).or_default();
        sum.files += totals.files;
        sum.bytes += totals.bytes;
        sum.cut += totals.cut;
        sum.flipped += totals.flipped;
        sum.unnoticed.extend(totals.unnoticed);
    }

    pub(crate) fn print(&self) {
        println!(
            "| component | files | bytes | cut off: errors | right rows | bit flipped: errors | right rows |"
        );
        println!("|---|---|---|---|---|---|---|");
        for (component, Totals { files, bytes, cut, flipped, .. }) in &self.totals {
            let (cut, flipped) = ((cut.errors, cut.right), (flipped.errors, flipped.right));
            println!(
                "| {component} | {files} | {bytes} | {} | {} | {} | {} |",
                cut.0, cut.1, flipped.0, flipped.1
            );
        }
        for told in self.totals.values().flat_map(|totals| &totals.unnoticed) {
            println!("not to be noticed: {told}");
        }
    }
}

/// The files of a table, to be damaged.
pub(crate) struct Work {
    pub(crate) table: Table,
    pub(crate) copy: Copy,
}

impl Work {
    fn sweep(&self, report: &Mutex<Report>, how: Sweep) {
        let mut runs = Runs::new(&self.table, self.copy.path());
        for name in self.copy.files().keys() {
            let totals = sweep(&self.copy.path().join(name), &mut runs, how);
            report.lock().unwrap().add(component_of(name), totals);
        }
        report.lock().unwrap().violations.append(&mut runs.violations);
    }
}

/// Changes each file of all the work.
pub(crate) fn sweep_all(work: Vec<Work>, how: Sweep) -> Report {
    let (work, report) = (Mutex::new(work.into_iter()), Mutex::default());
    let next = || work.lock().unwrap().next();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(work) = next() {
                    work.sweep(&report, how);
                }
            });
        }
    });
    report.into_inner().unwrap()
}

#[test]
fn every_length_and_bit() {
    let tables = tables(&CASES).into_iter();
    let work = tables.map(|table| Work { copy: Copy::of(&table.home), table });
    let report =
        sweep_all(work.collect(), Sweep { sample: SAMPLE, is_unnoticeable: |_, _, _| false });
    report.print();
    assert_none(&report.violations);
    let components: Vec<_> = report.totals.keys().map(String::as_str).collect();
    let expected = [
        "CRC.db",
        "CompressionInfo.db",
        "Data.db",
        "Digest.crc32",
        "Filter.db",
        "Index.db",
        "Partitions.db",
        "Rows.db",
        "Statistics.db",
        "Summary.db",
        "TOC.txt",
    ];
    assert_eq!(components, expected);
    // What a checksum covers is never read when it is damaged.
    for component in ["Data.db", "Statistics.db"] {
        let Totals { cut, flipped, .. } = &report.totals[component];
        assert_eq!((cut.right, flipped.right), (0, 0), "{component}");
        assert!(cut.errors > 0 && flipped.errors > 0, "{component}");
    }
}
