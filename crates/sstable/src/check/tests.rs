use std::collections::BTreeMap;

use outpour_storage::MemoryDirectory;

use super::*;
use crate::ErrorKind;
use crate::golden::{Golden, options, sstables};

/// What is wrong with all SSTables that `files` holds, by all checks.
fn findings(table: &Table, files: MemoryDirectory) -> Vec<Error> {
    let check = |files: &SstableFiles| {
        let sstable = Sstable::open(files).unwrap();
        sstable.check_content(table, &[], &options(64 << 20))
    };
    sstables(files).iter().flat_map(check).collect()
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
            assert!(finding.path().contains("/t/sstables/"), "{finding}");
        }
        if findings.is_empty() {
            *unnoticed.entry(at).or_default() |= bit;
        }
    }
    unnoticed
}

fn unnoticed_flips(golden: &Golden, name: &str) -> BTreeMap<usize, u8> {
    unnoticed_flips_by(golden, name, |files| findings(&golden.table, files))
}

#[test]
fn nothing_is_wrong_with_tables_of_cassandra() {
    let mut count = 0;
    for (case, golden) in Golden::all() {
        let findings = findings(&golden.table, golden.files);
        assert!(findings.is_empty(), "{case}: {findings:?}");
        count += 1;
    }
    assert!(count >= 51, "{count} cases");
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

/// A deletion that is none has a local deletion time all the same, which says nothing. The last block
/// may or may not hold the byte that ends the partition, so its width may be less by one.
#[test]
fn flips_of_a_promoted_index_that_matter_are_noticed() {
    let unnoticed = unnoticed_flips(&Golden::open("wide_nb64k"), "nb-1-big-Index.db");
    let last_width = (73, 2);
    assert_eq!(unnoticed, (9..13).map(|at| (at, 0xff)).chain([last_width]).collect());
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
    let check = |files| summary::check(&sstables(files)[0]).err().into_iter().collect();
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

#[test]
fn a_truncated_component_is_noticed() {
    for (case, name) in [
        ("basic_oa", "oa-1-big-Index.db"),
        ("basic_oa", "oa-1-big-Summary.db"),
        ("basic_oa", "oa-1-big-Filter.db"),
        ("wide_rt_nb", "nb-1-big-Index.db"),
        ("wide_da", "da-1-bti-Partitions.db"),
        ("wide_da", "da-1-bti-Rows.db"),
    ] {
        let golden = Golden::open(case);
        let whole = golden.content(name);
        for len in 0..whole.len() {
            let findings = findings(&golden.table, golden.with(name, whole[..len].to_vec()));
            assert!(!findings.is_empty(), "{case} {name}, {len} bytes");
        }
    }
}

#[test]
fn each_damaged_component_is_told_of() {
    let golden = Golden::open("basic_oa");
    let mut files = golden.files.clone();
    for name in ["oa-1-big-Index.db", "oa-1-big-Summary.db", "oa-2-big-Filter.db"] {
        let mut bytes = golden.content(name);
        let at = bytes.len() / 2 + 2;
        bytes[at] ^= 0xff;
        files.insert(name, bytes);
    }
    let findings = findings(&golden.table, files);
    let paths: Vec<_> = findings.iter().map(|e| e.path().rsplit('/').next().unwrap()).collect();
    assert_eq!(paths, ["oa-1-big-Index.db", "oa-1-big-Summary.db", "oa-2-big-Filter.db"]);
    assert!(findings.iter().all(|e| e.offset().is_some()));
}

#[test]
fn a_key_is_shown_in_part() {
    assert_eq!(Hex(&[0xab, 0]).to_string(), "0xab00");
    let long = Hex(&[1; 33]).to_string();
    assert_eq!(long, format!("0x{}… of 33 bytes", "01".repeat(32)));
}

/// `statistics` with its checksums made right again.
fn with_checksums(mut statistics: Vec<u8>) -> Vec<u8> {
    let word = |bytes: &[u8], at: usize| {
        u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    };
    let count = word(&statistics, 0);
    let starts: Vec<_> = (0..count).map(|i| word(&statistics, 8 + 8 * i + 4)).collect();
    for (i, start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(statistics.len()) - 4;
        let crc = outpour_codec::crc32(&statistics[*start..end]);
        statistics[end..end + 4].copy_from_slice(&crc.to_be_bytes());
    }
    statistics
}

/// What is wrong with the table if the bytes of its only Statistics.db are those; `None` if it is refused.
fn findings_with_statistics(golden: &Golden, name: &str, bytes: Vec<u8>) -> Option<Vec<Error>> {
    let files = sstables(golden.with(name, with_checksums(bytes)));
    let options = options(64 << 20);
    let mut found = Vec::new();
    for files in &files {
        let sstable = Sstable::open(files).ok()?;
        found.extend(sstable.check_content(&golden.table, &[], &options));
        let projection = crate::Projection::all(&golden.table);
        let scan = crate::Scan::new(&golden.table, &[sstable], &projection, &options);
        let scanned = scan.and_then(|mut scan| {
            while scan.next_batch()?.is_some() {}
            Ok(())
        });
        found.extend(scanned.err());
    }
    Some(found)
}

/// Flips a bit of each byte of the stats part, whatever else the checksums would tell. What is not
/// noticed tells of nothing in Data.db: places in the commit log, the level, repairs and the host; or it
/// is read by no one, as the first bound of a histogram is, which stands there twice.
#[test]
fn every_field_of_the_stats_that_tells_of_data_is_compared() {
    for (case, name) in [
        ("range_boundary_nb", "nb-1-big-Statistics.db"),
        ("basic_oa", "oa-1-big-Statistics.db"),
        ("counters_nb", "nb-1-big-Statistics.db"),
    ] {
        let golden = Golden::open(case);
        let original = golden.content(name);
        let files = sstables(golden.files.clone());
        let stats = Sstable::open(&files[0]).unwrap().statistics().stats.clone();
        let places = stats.places;
        let unread = [
            places.partition_sizes + 4..places.partition_sizes + 12,
            places.partition_cells + 4..places.partition_cells + 12,
            places.timestamps - 12..places.timestamps,
            // Less than the tolerance
            places.compression_ratio + 2..places.compression_ratio + 8,
            places.tombstones..places.tombstones + 4,
            places.clustering - 12..places.clustering,
            places.rows + 8..places.partition_deletions,
        ];
        let end = if stats.key_range.is_some() { places.key_range + 8 } else { places.rows + 8 };
        let start = if case == "basic_oa" { places.partition_sizes } else { places.timestamps };
        for at in start..end {
            let mut bytes = original.clone();
            bytes[at as usize] ^= 1 << (at % 8);
            let found = findings_with_statistics(&golden, name, bytes);
            let is_noticed = found.as_ref().is_none_or(|found| !found.is_empty());
            let is_unread = unread.iter().any(|range| range.contains(&at));
            assert!(is_noticed || is_unread, "{case}, byte {at} of {places:?}");
            // What is told stands near the byte.
            let near =
                |error: &Error| error.path().ends_with("Data.db") || error.offset().is_some();
            assert!(found.iter().flatten().all(near), "{found:?}");
        }
    }
}
