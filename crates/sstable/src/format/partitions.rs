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

use super::trie::{Payload, TrieWalk};
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
    passed: u64,
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
        Ok(Self { file: Blocks::scattered(file), footer, walk, passed: 0 })
    }

    /// What stands behind the trie.
    pub(crate) fn footer(&self) -> &Footer {
        &self.footer
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
        self.passed += u64::from(payload.is_some());
        if self.passed > self.footer.count || (payload.is_none() && self.passed < self.footer.count)
        {
            let at = self.file.file_len() - 16;
            let got = format!("{} in the footer", self.footer.count);
            let expected = match payload {
                Some(_) => format!("{} or more, as in the trie", self.passed),
                None => format!("{}, as in the trie", self.passed),
            };
            return Err(self.file.corrupt(at, "key count", expected, got));
        }
        payload.map(|payload| self.entry(payload)).transpose()
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
        let value = super::trie::signed(value);
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
        let mut bytes = [0; FOOTER_LEN as usize];
        file.read_at(keys_end, &mut bytes)?;
        let mut r = Reader::at(&bytes, keys_end as usize);
        let mut word = || r.i64().map(|word| word as u64);
        let words = (|| Ok((word()?, word()?, word()?)))();
        let (keys_at, count, root) = words.map_err(|e| Error::decode(file.name(), 0, e))?;
        let check = |is_good: bool, at: u64, what: &'static str, expected: String, got: u64| {
            if is_good { Ok(()) } else { Err(Error::corrupt(file.name(), at, what, expected, got)) }
        };
        let keys_at_least = keys_end.saturating_sub(KEYS_LEN_MAX);
        let in_range = (keys_at_least..=keys_end).contains(&keys_at);
        let expected = format!("{keys_at_least} to {keys_end}");
        check(in_range, keys_end, "place of the first key", expected, keys_at)?;
        let count_max = keys_at / ENTRY_LEN_MIN;
        let expected = format!("1 to {count_max} in {keys_at} bytes");
        check((1..=count_max).contains(&count), keys_end + 8, "key count", expected, count)?;
        let expected = format!("0 to {keys_at}");
        check(root < keys_at, keys_end + 16, "place of the root node", expected, root)?;
        let (first_key, last_key) = read_keys(file, keys_at, keys_end)?;
        Ok(Self { first_key, last_key, keys_at, count, root })
    }
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
