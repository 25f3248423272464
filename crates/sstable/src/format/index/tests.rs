use outpour_storage::{Directory, MemoryDirectory};

use super::super::clustering::BoundKind;
use super::*;
use crate::ErrorKind;

const WIDTHS: [Width; 1] = [Width::Fixed(4)];

/// A short partition "a" at 0, a long one "bc" at 200.
fn two_entries() -> Vec<u8> {
    [&[0, 1, b'a', 0, 0, 0, 2, b'b', b'c', 0x80, 200][..], &promoted()].concat()
}

/// Its vint size, and then: header of 9 bytes, deleted partition; rows 1 to 5, then up to the start
/// of a range behind 7, which is open; row 8 to the end of the range.
fn promoted() -> Vec<u8> {
    let mut bytes = vec![9];
    bytes.extend([0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 9]);
    bytes.push(2);
    let first = block(&[4, 0, 0, 0, 0, 1], &[7, 0, 1, 0, 0, 0, 0, 7], 9, 70_000, true);
    let second = block(&[4, 0, 0, 0, 0, 8], &[6, 0, 0], 70_009, 31, false);
    bytes.extend([&first[..], &second].concat());
    bytes.extend([0, first.len() as u32].map(u32::to_be_bytes).concat());
    let mut sized = Vec::new();
    vint::write_unsigned(bytes.len() as u64, &mut sized);
    [sized, bytes].concat()
}

fn block(first: &[u8], last: &[u8], offset: u64, width: i64, is_open: bool) -> Vec<u8> {
    let mut bytes = [first, last].concat();
    vint::write_unsigned(offset, &mut bytes);
    vint::write_signed(width - WIDTH_BASE, &mut bytes);
    bytes.push(u8::from(is_open));
    if is_open {
        bytes.extend([0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4]);
    }
    bytes
}

fn file(bytes: &[u8]) -> Arc<dyn ReadAt> {
    MemoryDirectory::of("/d", [("f", bytes)]).open("f").unwrap()
}

/// The entries, and how many blocks they have.
fn read_all(bytes: &[u8]) -> Result<Vec<(Vec<u8>, u64, usize)>> {
    let file = file(bytes);
    let mut entries = IndexEntries::new(Arc::clone(&file), Version::Nb);
    let mut blocks = IndexBlocks::new(&file, Version::Nb, WIDTHS.to_vec());
    let (mut entry, mut found) = (IndexEntry::default(), Vec::new());
    while entries.next(&mut entry)? {
        blocks.start(entry.promoted);
        let mut count = 0;
        while blocks.next()?.is_some() {
            count += 1;
        }
        assert!(blocks.is_at_end());
        found.push((entry.key.clone(), entry.data_position, count));
    }
    Ok(found)
}

#[test]
fn entries_of_short_and_long_partitions() {
    let expected = [(b"a".to_vec(), 0, 0), (b"bc".to_vec(), 200, 2)];
    assert_eq!(read_all(&two_entries()).unwrap(), expected);
}

#[test]
fn blocks_of_a_promoted_index() {
    let file = file(&two_entries());
    let mut entries = IndexEntries::new(Arc::clone(&file), Version::Nb);
    let mut entry = IndexEntry::default();
    assert!(entries.next(&mut entry).unwrap() && entries.next(&mut entry).unwrap());
    let index = entry.promoted.unwrap();
    assert_eq!((entry.at, index.header_len, index.block_count), (5, 9, 2));
    assert_eq!(index.deletion, DeletionTime { marked_for_delete_at: 9, local_deletion_time: 7 });
    let mut blocks = IndexBlocks::new(&file, Version::Nb, WIDTHS.to_vec());
    blocks.start(entry.promoted);
    let first = blocks.next().unwrap().unwrap();
    let bytes = [0, 0, 0, 1, 0, 0, 0, 7];
    assert!(first.first.is(None, &[Span::new(0, 4)], &bytes));
    assert!(first.last.is(Some(BoundKind::ExclusiveStart), &[Span::new(4, 4)], &bytes));
    assert!(!first.last.is(None, &[Span::new(4, 4)], &bytes));
    assert_eq!((first.offset, first.width), (9, 70_000));
    assert_eq!(first.open, DeletionTime { marked_for_delete_at: 4, local_deletion_time: 3 });
    let second = blocks.next().unwrap().unwrap();
    assert!(second.last.is(Some(BoundKind::InclusiveEnd), &[], &[]));
    assert_eq!((second.offset, second.width, second.open), (70_009, 31, DeletionTime::LIVE));
    assert!(blocks.next().unwrap().is_none());
}

#[test]
fn every_truncation_but_between_entries_is_noticed() {
    let bytes = two_entries();
    for len in 0..bytes.len() {
        match read_all(&bytes[..len]) {
            Ok(found) => assert!(len == 0 && found.is_empty() || len == 5 && found.len() == 1),
            Err(e) => assert_eq!(e.kind(), ErrorKind::Corrupt, "{len}: {e}"),
        }
    }
}

#[test]
fn what_no_cassandra_writes_is_refused() {
    let bytes = two_entries();
    // The sizes: 14 bytes of head, 30 and 16 of blocks, 8 of offsets.
    let promoted_at = 12;
    let blocks_at = promoted_at + 14;
    assert_eq!(bytes[promoted_at - 1], 68);
    for (at, byte, what) in [
        (promoted_at - 1, 69, "promoted index size: expected 0 to 68, got 69"),
        (promoted_at - 1, 67, "index block"),
        (promoted_at + 13, 1, "block count: expected 2 or more in 68 bytes, got 1"),
        (promoted_at + 13, 100, "block count"),
        (promoted_at, 10, "offset of the block: expected 10, got 9"),
        (blocks_at, 3, "clustering kind"),
        (blocks_at + 1, 4, "clustering header"),
        (blocks_at + 8, 2, "bound components: expected 0 to 1, got 2"),
        (blocks_at + 17, 2, "has open marker: expected 0 or 1, got 2"),
        (bytes.len() - 5, 1, "start of an index block: expected 0, got 1"),
        (bytes.len() - 1, 0, "start of an index block"),
    ] {
        let mut damaged = bytes.clone();
        damaged[at] = byte;
        let error = read_all(&damaged).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.to_string().contains(what), "{at}: {error}");
    }
}

/// A width that is none, and an entry whose blocks end before their offsets start.
#[test]
fn widths_and_gaps() {
    let none = block(&[4, 0, 0, 0, 0, 1], &[4, 0, 0, 0, 0, 1], 9, 0, false);
    let error = read_block(&none, &mut 0, Version::Nb, &WIDTHS).unwrap_err();
    assert!(matches!(error, Stop::Corrupt(corrupt) if corrupt.what == "width of the block"));
    let mut bytes = two_entries();
    let size_at = 11;
    bytes[size_at] += 1;
    bytes.insert(bytes.len() - 8, 0);
    assert!(read_all(&bytes).unwrap_err().to_string().contains("the end of the blocks"));
}

/// More entries than a block holds, with keys of all lengths.
#[test]
fn a_long_file() {
    let mut bytes = Vec::new();
    let lens: Vec<usize> = (0..3000).map(|i| i * 7919 % 500).chain([65_535, 0, 65_535]).collect();
    for (i, len) in lens.iter().enumerate() {
        bytes.extend((*len as u16).to_be_bytes());
        bytes.extend(std::iter::repeat_n(i as u8, *len));
        vint::write_unsigned(i as u64 * 1000, &mut bytes);
        bytes.push(0);
    }
    let found = read_all(&bytes).unwrap();
    assert_eq!(found.len(), lens.len());
    for (i, ((key, position, blocks), len)) in found.iter().zip(&lens).enumerate() {
        assert_eq!((key.len(), *position, *blocks), (*len, i as u64 * 1000, 0));
        assert!(key.iter().all(|byte| *byte == i as u8));
    }
}
