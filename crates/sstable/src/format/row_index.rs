//! Rows.db of format bti (`io/sstable/format/bti/RowIndexReader.java`, `TrieIndexEntry.java`,
//! Cassandra 5.0): for each partition of two or more blocks a trie of them and an entry.
//!
//! ```text
//! trie │ entry
//! entry      u16 length, key │ vint position in Data.db
//!            signed vint from behind the key back to the trie's root node │ vint block count
//!            partition deletion
//! payload    signed offset in the partition, bits & 7 bytes
//!            [deletion that is open at the block's start, if bits & 8]
//! ```
//! A key of the trie separates a block from the one before, so the first one is empty; one more
//! stands behind the last block, with the offset of the byte that ends the partition.

use outpour_codec::vint;

use super::deletion::DeletionTime;
use super::trie::{TrieWalk, signed};
use crate::Result;
use crate::read::{Blocks, Span, Stop};

const HAS_DELETION: u8 = 8;

/// An entry of Rows.db.
#[derive(Debug)]
pub(crate) struct RowIndexEntry {
    /// Where it starts in Rows.db
    pub(crate) at: u64,
    pub(crate) key: Vec<u8>,
    /// Where the partition starts in the uncompressed bytes of Data.db
    pub(crate) data_position: u64,
    pub(crate) deletion: DeletionTime,
    block_count: u64,
    root: u64,
}

/// A block, or the end behind the last one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowBlock {
    /// Where its trie node starts in Rows.db
    pub(crate) at: u64,
    /// Where it starts in the partition
    pub(crate) offset: u64,
    /// The range tombstone that is open at its start; live if none is
    pub(crate) open: DeletionTime,
}

impl RowIndexEntry {
    /// Reads the entry at `at` of Rows.db.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes, Io.
    pub(crate) fn read(file: &mut Blocks, at: u64) -> Result<Self> {
        let read = |bytes: &[u8], place: &mut usize| {
            let key = Span::read_short(bytes, place)?;
            let key = key.of(bytes).unwrap_or_default().to_vec();
            let unsigned =
                |place: &mut usize| vint::read_unsigned(bytes, place).ok_or(Stop::Incomplete);
            let data_position = unsigned(place)?;
            let root = vint::read_signed(bytes, place).ok_or(Stop::Incomplete)?;
            let root = (at + 2 + key.len() as u64).wrapping_add_signed(root);
            let block_count = unsigned(place)?;
            let deletion = DeletionTime::decode_in_rows(bytes, place)?;
            Ok(Self { at, key, data_position, deletion, block_count, root })
        };
        let (entry, _) = file.decode(at, "row index entry", read)?;
        if entry.root >= at {
            return Err(file.corrupt(
                at,
                "root of the row index",
                format!("0 to {at}"),
                entry.root,
            ));
        }
        if entry.block_count < 2 || entry.block_count > at {
            let expected = format!("2 to {at}");
            return Err(file.corrupt(at, "block count", expected, entry.block_count));
        }
        Ok(entry)
    }

    /// Its blocks.
    pub(crate) fn blocks(&self) -> RowBlocks {
        RowBlocks {
            walk: TrieWalk::new(self.root),
            entry_at: self.at,
            left: self.block_count + 1,
            previous: None,
        }
    }
}

/// The blocks of a partition, and the end behind them, in their order.
#[derive(Debug)]
pub(crate) struct RowBlocks {
    walk: TrieWalk,
    entry_at: u64,
    left: u64,
    previous: Option<u64>,
}

impl RowBlocks {
    /// The separator of the block that came last.
    pub(crate) fn separator(&self) -> &[u8] {
        self.walk.path()
    }

    /// The next block of the partition in Rows.db `file`; `None` behind the end.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes, Io.
    pub(crate) fn next(&mut self, file: &mut Blocks) -> Result<Option<RowBlock>> {
        let payload = self.walk.next(file)?;
        let block = match payload {
            Some(payload) => {
                let read =
                    |bytes: &[u8], place: &mut usize| read_payload(bytes, place, payload.bits);
                let ((offset, open), _) = file.decode(payload.at, "payload", read)?;
                Some(RowBlock { at: payload.node_at, offset, open })
            }
            None => None,
        };
        self.check(file, block)?;
        Ok(block)
    }

    fn check(&mut self, file: &Blocks, block: Option<RowBlock>) -> Result<()> {
        let Some(block) = block else {
            return match self.left {
                0 => Ok(()),
                left => {
                    let expected = format!("{left} less, as in the trie");
                    Err(file.corrupt(self.entry_at, "block count", expected, "that of the entry"))
                }
            };
        };
        if self.left == 0 {
            let expected = "as many as in the trie";
            return Err(file.corrupt(self.entry_at, "block count", expected, "fewer"));
        }
        if let Some(previous) = self.previous.filter(|previous| *previous >= block.offset) {
            let expected = format!("more than {previous}");
            return Err(file.corrupt(block.at, "offset of the block", expected, block.offset));
        }
        self.previous = Some(block.offset);
        self.left -= 1;
        Ok(())
    }
}

fn read_payload(bytes: &[u8], at: &mut usize, bits: u8) -> Result<(u64, DeletionTime), Stop> {
    let len = usize::from(bits & !HAS_DELETION);
    if len == 0 {
        return Err(Stop::corrupt(0, "bytes of the offset", "1 to 7", len));
    }
    let value = signed(bytes.get(..len).ok_or(Stop::Incomplete)?);
    let offset = u64::try_from(value)
        .map_err(|_| Stop::corrupt(0, "offset of the block", "0 or more", value))?;
    *at += len;
    let open = match bits & HAS_DELETION {
        0 => DeletionTime::LIVE,
        _ => DeletionTime::decode_in_rows(bytes, at)?,
    };
    Ok((offset, open))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use outpour_storage::{Directory, MemoryDirectory, ReadAt};

    use super::*;
    use crate::ErrorKind;

    /// Blocks at 4 and 300, the second under a range tombstone, and the end at 500; then the entry.
    fn rows() -> Vec<u8> {
        let mut bytes = vec![0x02, 0x01, 0xf4];
        bytes.extend([0x0a, 0x01, 0x2c]);
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 7]);
        bytes.extend([0x51, 2, 0x40, 0x41, 15, 18, 4]);
        assert_eq!(bytes.len(), ENTRY_AT as usize);
        // Key "k", data position 77, root 18 - 28 = -10, blocks, a live partition.
        bytes.extend([0, 1, b'k', 77, 19, 2, 0x80]);
        bytes
    }

    const ENTRY_AT: u64 = 25;

    fn file(bytes: &[u8]) -> Blocks {
        let file: Arc<dyn ReadAt> = MemoryDirectory::of("/d", [("f", bytes)]).open("f").unwrap();
        Blocks::scattered(file)
    }

    fn blocks(bytes: &[u8]) -> Result<Vec<(Vec<u8>, RowBlock)>> {
        let mut file = file(bytes);
        let entry = RowIndexEntry::read(&mut file, ENTRY_AT)?;
        let mut blocks = entry.blocks();
        let mut found = Vec::new();
        while let Some(block) = blocks.next(&mut file)? {
            found.push((blocks.separator().to_vec(), block));
        }
        Ok(found)
    }

    #[test]
    fn an_entry_and_its_blocks() {
        let entry = RowIndexEntry::read(&mut file(&rows()), ENTRY_AT).unwrap();
        assert_eq!((&*entry.key, entry.data_position), (&b"k"[..], 77));
        assert!(entry.deletion.is_live());
        let found = blocks(&rows()).unwrap();
        let places: Vec<_> =
            found.iter().map(|(separator, block)| (&separator[..], block.offset)).collect();
        assert_eq!(places, [(&[][..], 4), (&[0x40], 300), (&[0x41], 500)]);
        let open = DeletionTime { marked_for_delete_at: 9, local_deletion_time: 7 };
        let opens: Vec<_> = found.iter().map(|(_, block)| block.open).collect();
        assert_eq!(opens, [DeletionTime::LIVE, open, DeletionTime::LIVE]);
    }

    #[test]
    fn what_no_cassandra_writes_is_refused() {
        for (at, byte, what) in [
            (29, 14, "root of the row index: expected 0 to 25, got 35"),
            (29, 3, "root of the row index"),
            (30, 1, "block count: expected 2 to 25, got 1"),
            (30, 26, "block count: expected 2 to 25, got 26"),
            (30, 3, "block count: expected 1 less"),
            (31, 0x81, "deletion time"),
            (26, 200, "row index entry: expected all of it"),
            (1, 0, "offset of the block: expected more than 300, got 244"),
            (24, 0xff, "offset of the block: expected 0 or more, got -1"),
            (0, 0x08, "bytes of the offset: expected 1 to 7, got 0"),
        ] {
            let mut bytes = rows();
            bytes[at] = byte;
            let error = blocks(&bytes).map(|found| format!("{found:?}")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert!(error.to_string().contains(what), "{at}: {error}");
        }
    }

    #[test]
    fn places_behind_the_file_are_noticed() {
        for at in [rows().len() as u64, u64::MAX, i64::MAX as u64] {
            let error = RowIndexEntry::read(&mut file(&rows()), at).unwrap_err();
            assert_eq!((error.kind(), error.offset()), (ErrorKind::Corrupt, Some(at)));
        }
    }
}
