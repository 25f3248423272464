//! Partitions.db of format bti (`io/sstable/format/bti/PartitionIndex.java`, Cassandra 5.0): a trie
//! of the partition keys.
//!
//! ```text
//! trie │ u16 length, first key │ u16 length, last key │ footer
//! footer     i64 where the first key stands │ i64 key count │ i64 where the root node starts
//! payload    bits 1 to 7:  signed value of so many bytes
//!            bits 8 to 15: u8 low bits of the key's second Murmur3 half │ value of bits - 7 bytes
//! value      0 or more: place of the partition's entry in Rows.db
//!            less:      the complement of its place in the uncompressed bytes of Data.db
//! ```
//! A key of the trie is the byte-comparable form of token and partition key, cut where it differs
//! from its neighbours.

use std::sync::Arc;

use outpour_codec::Reader;
use outpour_storage::ReadAt;

use super::trie::{Payload, TrieWalk, signed};
use crate::read::Blocks;
use crate::{Error, Result};

const FOOTER_LEN: u64 = 24;
/// Payload bits that tell of a hash byte.
const HAS_HASH: u8 = 8;
/// Both keys with their lengths.
const KEYS_LEN_MAX: u64 = 2 * (2 + u16::MAX as u64);
/// The least bytes of a node with a payload.
const ENTRY_LEN_MIN: u64 = 2;

/// The partitions of Partitions.db in their order.
#[derive(Debug)]
pub(crate) struct Partitions {
    file: Blocks,
    footer: Footer,
    walk: TrieWalk,
    /// Unless the walk started elsewhere than at the first
    passed: Option<u64>,
}

/// What stands behind the trie.
#[derive(Debug, Clone)]
pub(crate) struct Footer {
    pub(crate) first_key: Vec<u8>,
    pub(crate) last_key: Vec<u8>,
    /// Where the first key stands
    pub(crate) keys_at: u64,
    count: u64,
    root: u64,
}

/// One partition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PartitionEntry {
    /// Where its trie node starts in Partitions.db
    pub(crate) at: u64,
    /// The low bits of the key's second Murmur3 half, if they were stored
    pub(crate) hash: Option<u8>,
    pub(crate) place: Place,
}

/// Where a partition is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// It starts there in the uncompressed bytes of Data.db
    Data(u64),
    /// Rows.db has an entry for it there
    Rows(u64),
}

impl Partitions {
    /// Reads the footer.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes, Io.
    pub(crate) fn open(file: Arc<dyn ReadAt>) -> Result<Self> {
        let footer = Footer::read(&*file)?;
        let walk = TrieWalk::new(footer.root);
        Ok(Self { file: Blocks::scattered(file), footer, walk, passed: Some(0) })
    }

    /// What stands behind the trie.
    pub(crate) fn footer(&self) -> &Footer {
        &self.footer
    }

    /// What stands behind the trie, and no more.
    pub(crate) fn into_footer(self) -> Footer {
        self.footer
    }

    /// The path of Partitions.db.
    pub(crate) fn file_name(&self) -> &str {
        self.file.file_name()
    }

    /// The key of the entry that came last: a prefix of its byte-comparable form.
    pub(crate) fn key_prefix(&self) -> &[u8] {
        self.walk.path()
    }

    /// The next partition; `None` behind the last one.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes and for another number of partitions than the
    /// footer tells, Io.
    pub(crate) fn next(&mut self) -> Result<Option<PartitionEntry>> {
        let payload = self.walk.next(&mut self.file)?;
        if let Some(passed) = &mut self.passed {
            *passed += u64::from(payload.is_some());
            let passed = *passed;
            self.check_count(passed, payload.is_none())?;
        }
        payload.map(|payload| self.entry(payload)).transpose()
    }

    /// Goes on with the first partition whose byte-comparable key is `target` or greater, or one whose
    /// entry is cut off where it still leads to `target`.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes, Io.
    pub(crate) fn seek(&mut self, target: &[u8]) -> Result<()> {
        self.passed = None;
        self.walk.seek(target, &mut self.file)
    }

    fn check_count(&self, passed: u64, is_at_end: bool) -> Result<()> {
        let count = self.footer.count;
        if passed <= count && (!is_at_end || passed == count) {
            return Ok(());
        }
        let at = self.file.file_len() - 16;
        let or_more = if is_at_end { "" } else { " or more" };
        let expected = format!("{passed}{or_more}, as in the trie");
        Err(self.file.corrupt(at, "key count", expected, format!("{count} in the footer")))
    }

    fn entry(&mut self, payload: Payload) -> Result<PartitionEntry> {
        let hash_len = usize::from(payload.bits & HAS_HASH != 0);
        let value_len = usize::from(payload.bits & 7) + hash_len;
        let bytes = self.file.at(payload.at, hash_len + value_len)?;
        let Some((hash, value)) =
            bytes.get(..hash_len + value_len).and_then(|bytes| bytes.split_at_checked(hash_len))
        else {
            let got = format!("{} up to the end of the file", bytes.len());
            return Err(self.file.corrupt(payload.at, "payload", "more bytes", got));
        };
        let value = signed(value);
        let place = match u64::try_from(value) {
            Ok(at) => Place::Rows(at),
            Err(_) => Place::Data(!value as u64),
        };
        Ok(PartitionEntry { at: payload.node_at, hash: hash.first().copied(), place })
    }
}

impl Footer {
    fn read(file: &dyn ReadAt) -> Result<Self> {
        let Some(keys_end) = file.len().checked_sub(FOOTER_LEN) else {
            let expected = format!("{FOOTER_LEN} bytes or more");
            return Err(Error::corrupt(file.name(), None, "file length", expected, file.len()));
        };
        let mut words = [0; FOOTER_LEN as usize];
        file.read_at(keys_end, &mut words)?;
        let mut footer =
            Self::parse(&words).map_err(|e| Error::decode(file.name(), keys_end, e))?;
        footer.check(file.name(), keys_end)?;
        (footer.first_key, footer.last_key) = read_keys(file, footer.keys_at, keys_end)?;
        Ok(footer)
    }

    /// A negative number becomes one that is too large.
    fn parse(words: &[u8]) -> outpour_codec::Result<Self> {
        let mut r = Reader::new(words);
        let mut word = || r.i64().map(|word| word as u64);
        let (keys_at, count, root) = (word()?, word()?, word()?);
        Ok(Self { first_key: Vec::new(), last_key: Vec::new(), keys_at, count, root })
    }

    fn check(&self, file: &str, footer_at: u64) -> Result<()> {
        let fields = [
            ("place of the first key", self.keys_at, keys_at_least(footer_at), footer_at),
            ("key count", self.count, 1, self.keys_at / ENTRY_LEN_MIN),
            ("place of the root node", self.root, 0, self.keys_at.saturating_sub(1)),
        ];
        for (at, (what, got, least, most)) in (footer_at..).step_by(8).zip(fields) {
            if !(least..=most).contains(&got) {
                return Err(Error::corrupt(file, at, what, format!("{least} to {most}"), got));
            }
        }
        Ok(())
    }
}

fn keys_at_least(footer_at: u64) -> u64 {
    footer_at.saturating_sub(KEYS_LEN_MAX)
}

fn read_keys(file: &dyn ReadAt, keys_at: u64, keys_end: u64) -> Result<(Vec<u8>, Vec<u8>)> {
    let mut bytes = vec![0; (keys_end - keys_at) as usize];
    file.read_at(keys_at, &mut bytes)?;
    let mut r = Reader::new(&bytes);
    let mut key = || r.short_bytes().map(<[u8]>::to_vec);
    let keys = (|| Ok((key()?, key()?)))().map_err(|e| Error::decode(file.name(), keys_at, e))?;
    match r.remaining() {
        0 => Ok(keys),
        left => {
            let at = keys_end - left as u64;
            let expected = format!("to end at {keys_end}");
            Err(Error::corrupt(file.name(), at, "first and last key", expected, at))
        }
    }
}

#[cfg(test)]
mod tests {
    use outpour_storage::{Directory, MemoryDirectory};

    use super::*;
    use crate::ErrorKind;

    /// Of five keys, "0" to "4", under ByteOrderedPartitioner (Cassandra 5.0).
    const FIVE_KEYS: [u8; 58] = [
        0x08, 0x09, 0xff, 0x08, 0x37, 0xe9, 0x08, 0xdd, 0xd1, 0x08, 0x02, 0xb9, 0x08, 0x2f, 0xa1,
        0xa0, 0x30, 0x04, 0x00, 0xf0, 0x0c, 0x00, 0x90, 0x06, 0x00, 0x30, 0x1b, 0x40, 0x00, 0x01,
        0x30, 0x00, 0x01, 0x34, 0, 0, 0, 0, 0, 0, 0, 0x1c, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0,
        0, 0, 0x1a,
    ];

    fn open(bytes: &[u8]) -> Result<Partitions> {
        Partitions::open(MemoryDirectory::of("/d", [("f", bytes)]).open("f")?)
    }

    fn entries(bytes: &[u8]) -> Result<Vec<PartitionEntry>> {
        let mut partitions = open(bytes)?;
        std::iter::from_fn(|| partitions.next().transpose()).collect()
    }

    #[test]
    fn a_file_of_cassandra() {
        let footer = open(&FIVE_KEYS).unwrap().footer;
        assert_eq!((&*footer.first_key, &*footer.last_key), (&b"0"[..], &b"4"[..]));
        let found = entries(&FIVE_KEYS).unwrap();
        let places: Vec<_> = found.iter().map(|entry| entry.place).collect();
        assert_eq!(places, [0, 22, 46, 70, 94].map(Place::Data));
        let hashes: Vec<_> = found.iter().filter_map(|entry| entry.hash).collect();
        assert_eq!(hashes, [0x09, 0x37, 0xdd, 0x02, 0x2f]);
        let nodes: Vec<_> = found.iter().map(|entry| entry.at).collect();
        assert_eq!(nodes, [0, 3, 6, 9, 12]);
    }

    #[test]
    fn payloads_without_hash_and_with_places_in_rows() {
        // Leaves "a": place 0x7f in Rows.db, no hash; "b": -0x8000 in 2 bytes, hash 7.
        let mut bytes = vec![0x01, 0x7f, 0x09, 0x07, 0x80, 0x00, 0x50, 2, b'a', b'b', 6, 4];
        bytes.extend_from_slice(&[0, 1, b'a', 0, 1, b'b']);
        bytes.extend([12_u64, 2, 6].map(u64::to_be_bytes).concat());
        let found: Vec<_> =
            entries(&bytes).unwrap().iter().map(|entry| (entry.hash, entry.place)).collect();
        assert_eq!(found, [(None, Place::Rows(0x7f)), (Some(7), Place::Data(0x7fff))]);
    }

    #[test]
    fn every_truncation_is_noticed() {
        for len in 0..FIVE_KEYS.len() {
            let error = entries(&FIVE_KEYS[..len]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{len}: {error}");
        }
    }

    #[test]
    fn footers_that_do_not_fit_are_refused() {
        for (at, byte, what) in [
            (41, 0x1d, "length: expected 304 bytes more"),
            (41, 0x22, "length: expected 2 bytes more, got 0"),
            (41, 0x23, "place of the first key: expected 0 to 34, got 35"),
            (34, 0x80, "place of the first key"),
            (49, 0, "key count: expected 1 to 14, got 0"),
            (49, 15, "key count: expected 1 to 14, got 15"),
            (49, 4, "key count: expected 5 or more, as in the trie, got 4"),
            (49, 6, "key count: expected 5, as in the trie, got 6"),
            (57, 0x1c, "place of the root node: expected 0 to 27, got 28"),
            (50, 0xff, "place of the root node"),
        ] {
            let mut bytes = FIVE_KEYS;
            bytes[at] = byte;
            let error = entries(&bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
