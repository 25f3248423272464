mod restricted;

use arrow_array::Array;
use arrow_array::cast::AsArray;

use super::{Audit, Scan, Split, Splits};
use crate::golden::{Golden, options, sstables};
use crate::{Component, Error, Projection, ScanOptions, Sstable};

type Row = Vec<Option<Vec<u8>>>;

struct Opened<'a> {
    golden: &'a Golden,
    sstables: Vec<Sstable>,
    options: ScanOptions,
}

impl<'a> Opened<'a> {
    fn new(golden: &'a Golden) -> Self {
        let files = sstables(golden.files.clone());
        let sstables = files.iter().map(|files| Sstable::open(files).unwrap()).collect();
        Self { golden, sstables, options: options(64 << 20) }
    }

    /// The rows of `split`, as bytes, and the audit of it.
    fn rows(&self, split: &Split, audit: &mut Audit) -> Result<Vec<Row>, Error> {
        let table = &self.golden.table;
        let projection = Projection::all(table).raw();
        let mut scan = Scan::of_split(table, &self.sstables, split, &projection, &self.options)?;
        let mut rows = Vec::new();
        while let Some(scanned) = scan.next_batch()? {
            let record = &scanned.batch.record;
            let columns: Vec<_> = record.columns().iter().map(AsArray::as_binary::<i32>).collect();
            let value = |row: usize| {
                columns.iter().map(move |c| c.is_valid(row).then(|| c.value(row).to_vec()))
            };
            rows.extend((0..record.num_rows()).map(|row| value(row).collect::<Row>()));
        }
        audit.add(&scan.coverage());
        Ok(rows)
    }

    fn whole(&self) -> Vec<Row> {
        let mut audit = Splits::new(&self.sstables, 1).audit();
        let rows = self.rows(&Split::whole(self.sstables.len()), &mut audit).unwrap();
        audit.finish().unwrap();
        rows
    }

    /// The rows of at most `count` splits, and how many splits there were in which the index was right.
    fn in_splits(&self, count: u64) -> (Vec<Row>, usize) {
        let (mut rows, mut right) = (Vec::new(), 0);
        let splits = Splits::new(&self.sstables, count);
        let mut audit = splits.audit();
        for split in splits {
            if !audit.is_next(&split) {
                rows.extend(self.rows(&audit.rest(&split), &mut audit).unwrap());
                break;
            }
            rows.extend(self.rows(&split, &mut audit).unwrap());
            right += 1;
        }
        audit.finish().unwrap();
        (rows, right)
    }
}

#[test]
fn splits_together_are_the_whole() {
    let (mut tables, mut splits, mut with_tries) = (0, 0, 0);
    for (case, golden) in Golden::all() {
        let opened = Opened::new(&golden);
        with_tries += opened.sstables.iter().filter(|s| s.descriptor().version.has_tries()).count();
        let whole = opened.whole();
        for count in [1, 2, 7, 64] {
            let (rows, made) = opened.in_splits(count);
            assert!(rows == whole, "{case} in {made} splits");
            assert!(made as u64 <= count, "{case} in {made} splits, not {count}");
            splits += made;
        }
        tables += 1;
    }
    assert!(splits > 15 * tables, "{splits} splits of {tables} tables");
    assert!(tables > 95 && with_tries > 30, "{tables} tables, {with_tries} SSTables with tries");
}

/// Cuts at every byte of the index components, and flips a bit of each, or, with OUTPOUR_DAMAGE=all, every
/// bit.
#[test]
fn damaged_indexes_hide_no_rows() {
    let is_exhaustive = std::env::var("OUTPOUR_DAMAGE").is_ok_and(|value| value == "all");
    let mut count = 0;
    for case in ["gens_lww_nb", "many_parts_nb", "many_parts_da", "wide_da", "basic_da"] {
        let golden = Golden::open(case);
        let whole = Opened::new(&golden).whole();
        for name in index_files(&golden) {
            let content = golden.content(&name);
            for at in 0..content.len().min(600) {
                let bits = if is_exhaustive { 0..8 } else { at % 8..at % 8 + 1 };
                let flipped = bits.map(|bit| {
                    let mut flipped = content.clone();
                    flipped[at] ^= 1 << bit;
                    flipped
                });
                for damaged in flipped.chain([content[..at].to_vec()]) {
                    let files = golden.with(&name, damaged);
                    let damaged = Golden { table: golden.table.clone(), files };
                    let (rows, _) = Opened::new(&damaged).in_splits(7);
                    assert!(rows == whole, "{case}: {name} damaged at {at}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > if is_exhaustive { 9000 } else { 1000 }, "{count} versions");
}

fn index_files(golden: &Golden) -> Vec<String> {
    let index = [Component::Index, Component::Summary, Component::Partitions, Component::Rows];
    let mut names = Vec::new();
    for files in sstables(golden.files.clone()) {
        for component in index.iter().filter(|component| files.has(component)) {
            names.push(files.descriptor().file_name(component));
        }
    }
    names
}
