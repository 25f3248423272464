//! Parts of tables, found by their indexes, beside what a scan of all shows there.

use outpour_cql::{Partitioner, RingPosition};
use outpour_filter::{ClusteringBound, ClusteringRange, Restriction, TokenRange};

use super::{Opened, Row, index_files};
use crate::golden::Golden;
use crate::scan::Splits;
use crate::{Component, Error, ScanOptions, Sstable};

impl Opened<'_> {
    fn partitioner(&self) -> Partitioner {
        self.sstables[0].partitioner().unwrap()
    }

    /// The serialized partition key of a row.
    fn key(&self, row: &Row) -> Vec<u8> {
        let columns = self.golden.table.partition_key.len();
        let values = row[..columns].iter().map(|value| value.as_deref().unwrap_or_default());
        if columns == 1 {
            return values.flatten().copied().collect();
        }
        let component = |value: &[u8]| [&(value.len() as u16).to_be_bytes(), value, &[0]].concat();
        values.flat_map(component).collect()
    }

    /// Of one partition the rows from `first` to `last`, of which `values` clustering values are
    /// compared, both inclusive or not; and what a scan should show.
    fn some_rows(
        &self,
        partition: &[Row],
        (first, last): (usize, usize),
        (values, inclusive): (usize, bool),
    ) -> (Restriction, Vec<Row>) {
        let keys_len = self.golden.table.partition_key.len();
        let prefix = |row: &Row| row[keys_len..keys_len + values].to_vec();
        let bound = |row: usize| {
            let values = prefix(&partition[row]).into_iter().map(Option::unwrap_or_default);
            Some(ClusteringBound { values: values.collect(), inclusive })
        };
        let is_first = |row: &Row| prefix(row) == prefix(&partition[first]);
        let is_last = |row: &Row| prefix(row) == prefix(&partition[last]);
        let start = partition.iter().position(is_first).unwrap();
        let after_first = partition.iter().rposition(is_first).unwrap() + 1;
        let end = partition.iter().rposition(is_last).unwrap() + 1;
        let before_last = partition.iter().position(is_last).unwrap();
        let range = if inclusive { start..end } else { after_first..before_last.max(after_first) };
        let mut restriction = keys(vec![self.key(&partition[0])], self.partitioner());
        restriction.clustering = ClusteringRange { start: bound(first), end: bound(last) };
        (restriction, partition[range].to_vec())
    }

    /// Partitions of a scan whose rows have all clustering values.
    fn partitions<'r>(&self, whole: &'r [Row]) -> Vec<&'r [Row]> {
        let table = &self.golden.table;
        let start = table.partition_key.len();
        let has_values =
            |row: &Row| row[start..][..table.clustering.len()].iter().all(Option::is_some);
        let chunks = whole.chunk_by(|a, b| self.key(a) == self.key(b));
        chunks.filter(|rows| rows.iter().all(has_values)).collect()
    }

    fn within(&self, restriction: &Restriction, len: Option<u64>) -> Result<Vec<Row>, Error> {
        let budget = &self.options.budget;
        let splits = Splits::within(&self.sstables, restriction, len, budget)?;
        let (mut rows, mut audit) = (Vec::new(), splits.audit());
        let opened = Self {
            options: ScanOptions { rows: restriction.clustering.clone(), ..self.options.clone() },
            sstables: self.sstables.clone(),
            golden: self.golden,
        };
        for split in splits {
            if !audit.is_next(&split) {
                rows.extend(opened.rows(&audit.rest(&split), &mut audit)?);
                break;
            }
            rows.extend(opened.rows(&split, &mut audit)?);
        }
        audit.finish()?;
        Ok(rows)
    }
}

fn keys(mut keys: Vec<Vec<u8>>, partitioner: Partitioner) -> Restriction {
    keys.sort_by_cached_key(|key| (partitioner.token(key), key.clone()));
    keys.dedup();
    Restriction { keys: Some(keys), ..tokens(vec![]) }
}

fn tokens(tokens: Vec<TokenRange>) -> Restriction {
    let clustering = ClusteringRange::default();
    Restriction { keys: None, tokens, clustering, answers: Vec::new() }
}

/// Keys that are there, and as many that are not.
fn some_keys(opened: &Opened<'_>, whole: &[Row]) -> Vec<Vec<u8>> {
    let mut keys: Vec<_> = whole.iter().map(|row| opened.key(row)).collect();
    keys.dedup();
    let step = keys.len() / 20 + 1;
    let there: Vec<_> = keys.into_iter().step_by(step).collect();
    let others = there.iter().map(|key| {
        let mut other = key.clone();
        match other.last_mut() {
            Some(last) => *last ^= 0x55,
            None => other.push(1),
        }
        other
    });
    others.chain(there.clone()).collect()
}

#[test]
fn keys_are_found() {
    let (mut tables, mut found) = (0, 0);
    for (case, golden) in Golden::all() {
        let opened = Opened::new(&golden);
        let whole = opened.whole();
        let partitioner = opened.partitioner();
        for some in some_keys(&opened, &whole).chunks(3) {
            let restriction = keys(some.to_vec(), partitioner);
            let rows = opened.within(&restriction, None).unwrap();
            let places: Vec<_> = some.iter().map(|key| partitioner.ring_position(key)).collect();
            let is_wanted =
                |row: &&Row| places.contains(&partitioner.ring_position(&opened.key(row)));
            let expected: Vec<_> = whole.iter().filter(is_wanted).cloned().collect();
            assert!(rows == expected, "{case}: {some:02x?}");
            found += rows.len();
        }
        tables += 1;
    }
    assert!(tables > 50 && found > 20 * tables, "{found} rows of {tables} tables");
}

/// All tables with clustering columns, and all their long partitions at many places.
#[test]
fn rows_of_partitions_are_found() {
    let (mut found, mut ranges) = (0, 0);
    for (case, golden) in Golden::all() {
        let opened = Opened::new(&golden);
        let whole = opened.whole();
        let clustering = golden.table.clustering.len();
        if clustering == 0 {
            continue;
        }
        for partition in opened.partitions(&whole).into_iter().take(5) {
            let len = partition.len();
            for (first, last) in [(0, len - 1), (len / 2, len / 2), (len / 3, len - 1 - len / 3)]
                .into_iter()
                .chain((0..len).step_by(len / 4 + 1).map(|first| (first, len - 1)))
                .chain((0..len).step_by(len / 4 + 1).map(|last| (0, last)))
            {
                for form in (1..=clustering).flat_map(|values| [(values, true), (values, false)]) {
                    if first > last {
                        continue;
                    }
                    let (restriction, expected) = opened.some_rows(partition, (first, last), form);
                    let mut rows = opened.within(&restriction, None).unwrap();
                    // Others may be shown too: static values alone, and rows behind.
                    rows.retain(|row| expected.contains(row));
                    assert!(rows == expected, "{case}: {restriction:?}");
                    found += rows.len();
                    ranges += 1;
                }
            }
        }
    }
    assert!(ranges > 1500 && found > 20_000, "{found} rows of {ranges} ranges");
}

#[test]
fn ranges_of_tokens_are_found() {
    let mut found = 0;
    for (case, golden) in Golden::all() {
        let opened = Opened::new(&golden);
        let whole = opened.whole();
        let partitioner = opened.partitioner();
        if partitioner == Partitioner::ByteOrdered || whole.is_empty() {
            continue;
        }
        let token = |row: &Row| partitioner.token(&opened.key(row)).value();
        let (low, high) = (token(&whole[whole.len() / 3]), token(&whole[whole.len() * 2 / 3]));
        let (start, end) = match partitioner {
            Partitioner::Random => (-1, i128::MAX),
            _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
        };
        for ranges in [
            vec![(low, high)],
            vec![(low, low), (high.max(low + 1), end)],
            vec![(low + 1, high), (high + 1, end)],
            vec![(start, low - 1)],
            vec![],
        ] {
            let ranges: Vec<_> = ranges
                .iter()
                .filter(|(first, last)| first <= last)
                .map(|(first, last)| TokenRange { first: *first, last: *last })
                .collect();
            let is_wanted = |row: &&Row| ranges.iter().any(|range| range.contains(token(row)));
            let expected: Vec<_> = whole.iter().filter(is_wanted).cloned().collect();
            for len in [None, Some(1), Some(10_000)] {
                let rows = opened.within(&tokens(ranges.clone()), len).unwrap();
                assert!(rows == expected, "{case}: {ranges:?} by {len:?}");
                found += rows.len();
            }
        }
    }
    assert!(found > 20_000, "{found} rows");
}

#[test]
fn a_key_of_many_reads_little() {
    for case in ["many_parts_nb", "many_parts_da"] {
        let golden = Golden::open(case);
        let opened = Opened::new(&golden);
        let whole = opened.whole();
        let before = opened.options.progress.bytes_read();
        let key = opened.key(&whole[whole.len() / 2]);
        let rows = opened.within(&keys(vec![key], opened.partitioner()), None).unwrap();
        assert_eq!(rows.len(), 1);
        let read = opened.options.progress.bytes_read() - before;
        let len: u64 = opened.sstables.iter().map(Sstable::data_len).sum();
        assert!(read > 0 && read < len * 3 / 4, "{case}: {read} bytes of {len}");
    }
}

/// Rows are right, or there is an error; whatever an index or filter tells.
#[test]
fn damaged_indexes_hide_no_keys() {
    let (mut count, mut failed) = (0, 0);
    for case in ["gens_lww_nb", "many_parts_nb", "many_parts_da"] {
        let golden = Golden::open(case);
        let opened = Opened::new(&golden);
        let whole = opened.whole();
        let partitioner = opened.partitioner();
        let some = some_keys(&opened, &whole);
        let restriction = keys(some.clone(), partitioner);
        let expected = opened.within(&restriction, None).unwrap();
        let places: Vec<RingPosition> =
            some.iter().map(|key| partitioner.ring_position(key)).collect();
        let names = index_files(&golden);
        for name in names.iter().chain(&component_files(&golden, &Component::Filter)) {
            let content = golden.content(name);
            for at in (0..content.len()).step_by(content.len() / 50 + 1) {
                let mut flipped = content.clone();
                flipped[at] ^= 1 << (at % 8);
                for damaged in [flipped, content[..at].to_vec()] {
                    let files = golden.with(name, damaged);
                    let damaged = Golden { table: golden.table.clone(), files };
                    let opened = Opened::new(&damaged);
                    count += 1;
                    let Ok(mut rows) = opened.within(&restriction, None) else {
                        failed += 1;
                        continue;
                    };
                    // Without the index more is read; a filter takes it out.
                    rows.retain(|row| {
                        places.contains(&partitioner.ring_position(&opened.key(row)))
                    });
                    assert!(rows == expected, "{case}: {name} damaged at {at}");
                }
            }
        }
    }
    assert!(count > 400 && failed < count / 10, "{failed} of {count} versions failed");
}

fn component_files(golden: &Golden, component: &Component) -> Vec<String> {
    let sstables = crate::golden::sstables(golden.files.clone());
    let with = sstables.iter().filter(|files| files.has(component));
    with.map(|files| files.descriptor().file_name(component)).collect()
}

/// The same for rows of long partitions.
#[test]
fn damaged_indexes_hide_no_rows_of_a_partition() {
    let (mut count, mut failed) = (0, 0);
    for case in ["wide_da", "wide_rt_nb", "wide_nb64k"] {
        let golden = Golden::open(case);
        let opened = Opened::new(&golden);
        let whole = opened.whole();
        let partitions = opened.partitions(&whole);
        let longest = partitions.into_iter().max_by_key(|rows| rows.len()).unwrap();
        let last = longest.len() - 1;
        let (restriction, expected) =
            opened.some_rows(longest, (last * 3 / 4, last * 7 / 8), (1, true));
        for name in index_files(&golden) {
            let content = golden.content(&name);
            for at in (0..content.len().min(1500)).step_by(2) {
                let mut flipped = content.clone();
                flipped[at] ^= 1 << (at % 8);
                let files = golden.with(&name, flipped);
                let damaged = Golden { table: golden.table.clone(), files };
                count += 1;
                match Opened::new(&damaged).within(&restriction, None) {
                    Ok(rows) => {
                        let is_wanted = |row: &&Row| expected.contains(row);
                        let rows: Vec<_> = rows.iter().filter(is_wanted).cloned().collect();
                        assert!(rows == expected, "{case}: {name} damaged at {at}");
                    }
                    Err(_) => failed += 1,
                }
            }
        }
    }
    assert!(count > 300 && failed < count / 10, "{failed} of {count} versions failed");
}
