//! Summary.db of format big (`io/sstable/indexsummary/IndexSummary.java`, Cassandra 5.0): a sample
//! of the entries of Index.db.
//!
//! ```text
//! i32 min index interval │ i32 entry count │ i64 size of offsets and entries │ i32 sampling level
//! i32 entry count at full sampling
//! entry count × u32 where each entry starts, from the first offset on       little-endian
//! entry count × (key │ i64 position in Index.db)                            little-endian
//! i32 length, first key of the SSTable │ i32 length, last key
//! ```
//! An entry's key ends 8 bytes before the next entry starts. At full sampling, level 128, each
//! entry of Index.db whose number is a multiple of the interval has one here; below that some of
//! these are left out, never the first.

use std::fmt::Display;
use std::sync::Arc;

use outpour_codec::Reader;
use outpour_storage::ReadAt;

use crate::read::Blocks;
use crate::{Error, Result};

const HEAD_LEN: u64 = 24;
/// `Downsampling.BASE_SAMPLING_LEVEL`
const FULL_SAMPLING: u32 = 128;
const KEY_LEN_MAX: u64 = u16::MAX as u64;

/// The head of Summary.db, and the keys at its end.
#[derive(Debug)]
pub(crate) struct Summary {
    offsets: Blocks,
    entries: Blocks,
    /// Sampled are entries of Index.db whose number is a multiple of this
    pub(crate) interval: u64,
    sampling_level: u32,
    /// Entries that there would be at full sampling; 0 if Scylla did not tell
    pub(crate) full_count: u64,
    /// Entries that there are
    pub(crate) count: u64,
    size: u64,
    pub(crate) first_key: Vec<u8>,
    pub(crate) last_key: Vec<u8>,
    next: u64,
}

/// One entry of Summary.db.
#[derive(Debug)]
pub(crate) struct SummaryEntry {
    /// Where it starts in Summary.db
    pub(crate) at: u64,
    pub(crate) key: Vec<u8>,
    /// Where the entry of the same key starts in Index.db
    pub(crate) index_position: u64,
}

impl Summary {
    /// Where the entry count at full sampling stands.
    pub(crate) const FULL_COUNT_AT: u64 = 20;

    /// Reads the head and the first and last key.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes, Io.
    pub(crate) fn open(file: Arc<dyn ReadAt>) -> Result<Self> {
        let mut head = [0; HEAD_LEN as usize];
        file.read_at(0, &mut head)?;
        let mut r = Reader::new(&head);
        let fields = (|| Ok((r.u32()?, r.u32()?, r.i64()? as u64, r.u32()?, r.u32()?)))();
        let (interval, count, size, sampling_level, full_count) =
            fields.map_err(|e| Error::decode(file.name(), 0, e))?;
        let mut summary = Self {
            offsets: Blocks::scattered(Arc::clone(&file)),
            entries: Blocks::scattered(file),
            interval: u64::from(interval),
            sampling_level,
            full_count: u64::from(full_count),
            count: u64::from(count),
            size,
            first_key: Vec::new(),
            last_key: Vec::new(),
            next: 0,
        };
        summary.check_head()?;
        (summary.first_key, summary.last_key) = summary.read_keys()?;
        Ok(summary)
    }

    /// The error for the field `what` at `at` of Summary.db.
    #[cold]
    pub(crate) fn corrupt(
        &self,
        at: u64,
        what: impl Display,
        expected: impl Display,
        got: impl Display,
    ) -> Error {
        self.entries.corrupt(at, what, expected, got)
    }

    /// Whether no entry was left out.
    pub(crate) fn is_full(&self) -> bool {
        self.sampling_level == FULL_SAMPLING
    }

    /// Where the first key's length stands.
    pub(crate) fn keys_at(&self) -> u64 {
        HEAD_LEN + self.size
    }

    fn check_head(&self) -> Result<()> {
        let corrupt = |at, what, expected: String, got: u64| {
            Err(self.entries.corrupt(at, what, expected, got))
        };
        let int_max = i32::MAX as u64;
        if !(1..=int_max).contains(&self.interval) {
            return corrupt(0, "min index interval", format!("1 to {int_max}"), self.interval);
        }
        let most = self.entries.file_len().saturating_sub(HEAD_LEN + 8);
        if self.size > most {
            return corrupt(8, "size of the entries", format!("0 to {most}"), self.size);
        }
        // An offset and a position for each.
        let most = self.size / 12;
        if !(1..=most).contains(&self.count) {
            return corrupt(4, "entry count", format!("1 to {most}"), self.count);
        }
        if !(1..=FULL_SAMPLING).contains(&self.sampling_level) {
            let got = u64::from(self.sampling_level);
            return corrupt(16, "sampling level", format!("1 to {FULL_SAMPLING}"), got);
        }
        let is_full_count = match self.is_full() {
            // Scylla does not always tell it.
            true if self.full_count == 0 => return Ok(()),
            true => self.full_count == self.count,
            false => (self.count..=int_max).contains(&self.full_count),
        };
        if !is_full_count {
            let expected = format!("{} or, when sampled down, more", self.count);
            return corrupt(
                Self::FULL_COUNT_AT,
                "entry count at full sampling",
                expected,
                self.full_count,
            );
        }
        Ok(())
    }

    fn read_keys(&mut self) -> Result<(Vec<u8>, Vec<u8>)> {
        let at = self.keys_at();
        let len = self.entries.file_len() - at;
        let most = 2 * (4 + KEY_LEN_MAX);
        if len > most {
            let expected = format!("at most {most} bytes");
            return Err(self.entries.corrupt(at, "first and last key", expected, len));
        }
        let mut r = Reader::at(self.entries.at(at, len as usize)?, at as usize);
        let mut key = || {
            let len = r.count("key length", 1)?;
            r.take(len).map(<[u8]>::to_vec)
        };
        let keys = (|| Ok((key()?, key()?)))();
        let left = r.remaining();
        let keys = keys.map_err(|e| Error::decode(self.entries.file_name(), 0, e))?;
        match left {
            0 => Ok(keys),
            left => Err(self.entries.corrupt(at, "bytes behind the last key", 0, left)),
        }
    }

    /// The next entry; `None` behind the last one.
    ///
    /// # Errors
    /// Corrupt for entries that do not follow each other, Io.
    pub(crate) fn next(&mut self) -> Result<Option<SummaryEntry>> {
        if self.next == self.count {
            return Ok(None);
        }
        self.next += 1;
        self.entry(self.next - 1).map(Some)
    }

    /// Entry number `index` of those that there are.
    ///
    /// # Errors
    /// Corrupt if the next one does not follow it, Io.
    pub(crate) fn entry(&mut self, index: u64) -> Result<SummaryEntry> {
        let first = 4 * self.count;
        let start = self.offset(index)?;
        let end = if index + 1 == self.count { self.size } else { self.offset(index + 1)? };
        let len = end.saturating_sub(start);
        let is_start = if index == 0 { start == first } else { start > first };
        if !is_start || !(8..=KEY_LEN_MAX + 8).contains(&len) || end > self.size {
            let at = HEAD_LEN + 4 * index;
            let expected = format!("ascending offsets from {first} to {}", self.size);
            let got = format!("{start}, then {end}");
            return Err(self.entries.corrupt(at, "offset of an entry", expected, got));
        }
        let at = HEAD_LEN + start;
        let bytes = self.entries.at(at, len as usize)?;
        let entry = bytes.get(..len as usize).and_then(<[u8]>::split_last_chunk::<8>);
        let (key, position) = entry.unwrap_or((&[], &[0; 8]));
        Ok(SummaryEntry { at, key: key.to_vec(), index_position: u64::from_le_bytes(*position) })
    }

    fn offset(&mut self, index: u64) -> Result<u64> {
        let bytes = self.offsets.at(HEAD_LEN + 4 * index, 4)?;
        let word = bytes.first_chunk::<4>().copied().unwrap_or_default();
        Ok(u64::from(u32::from_le_bytes(word)))
    }
}

#[cfg(test)]
mod tests {
    use outpour_storage::{Directory, MemoryDirectory};

    use super::*;
    use crate::ErrorKind;

    /// Of five keys, "0" to "4", of which the first is sampled (Cassandra 4.0).
    const FIVE_KEYS: [u8; 47] = [
        0, 0, 0, 0x80, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0x0d, 0, 0, 0, 0x80, 0, 0, 0, 1, 4, 0, 0,
        0, 0x30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x30, 0, 0, 0, 1, 0x34,
    ];

    fn open(bytes: &[u8]) -> Result<Summary> {
        Summary::open(MemoryDirectory::of("/d", [("f", bytes)]).open("f")?)
    }

    fn entries(bytes: &[u8]) -> Result<Vec<(Vec<u8>, u64, u64)>> {
        let mut summary = open(bytes)?;
        let next = || {
            let entry = summary.next().transpose()?;
            Some(entry.map(|entry| (entry.key, entry.index_position, entry.at)))
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn a_file_of_cassandra() {
        let summary = open(&FIVE_KEYS).unwrap();
        assert!(summary.is_full());
        assert_eq!((summary.interval, summary.full_count, summary.keys_at()), (128, 1, 37));
        assert_eq!((&*summary.first_key, &*summary.last_key), (&b"0"[..], &b"4"[..]));
        assert_eq!(entries(&FIVE_KEYS).unwrap(), [(b"0".to_vec(), 0, 28)]);
    }

    #[test]
    fn entries_of_different_lengths() {
        let mut bytes = [128_u32, 3].map(u32::to_be_bytes).concat();
        bytes.extend(41_u64.to_be_bytes());
        bytes.extend([64_u32, 6].map(u32::to_be_bytes).concat());
        bytes.extend([12_u32, 21, 32].map(u32::to_le_bytes).concat());
        for (key, position) in [(&b"a"[..], 0_u64), (b"bcd", 5000), (b"z", 1 << 40)] {
            bytes.extend_from_slice(key);
            bytes.extend(position.to_le_bytes());
        }
        bytes.extend([0, 0, 0, 1, b'a', 0, 0, 0, 2, b'z', b'z']);
        let expected = [(&b"a"[..], 0, 36), (b"bcd", 5000, 45), (b"z", 1 << 40, 56)]
            .map(|(k, p, a)| (k.to_vec(), p, a));
        assert_eq!(entries(&bytes).unwrap(), expected);
        assert!(!open(&bytes).unwrap().is_full());
        // The second entry starts before the first one, or behind the third.
        for start in [12_u8, 33] {
            bytes[28] = start;
            let error = entries(&bytes).unwrap_err();
            assert!(error.to_string().contains("offset of an entry"), "{error}");
        }
    }

    #[test]
    fn every_truncation_is_noticed() {
        for len in 0..FIVE_KEYS.len() {
            let error = entries(&FIVE_KEYS[..len]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{len}: {error}");
        }
        let longer = [&FIVE_KEYS[..], &[0]].concat();
        assert!(entries(&longer).unwrap_err().to_string().contains("bytes behind the last key"));
    }

    #[test]
    fn heads_that_do_not_fit_are_refused() {
        for (at, byte, what) in [
            (0, 0x80, "min index interval"),
            (3, 0, "min index interval"),
            (4, 0x7f, "entry count: expected 1 to 1"),
            (7, 0, "entry count: expected 1 to 1, got 0"),
            (8, 0x80, "size of the entries: expected 0 to 15"),
            (15, 16, "size of the entries: expected 0 to 15, got 16"),
            (19, 0, "sampling level"),
            (19, 129, "sampling level"),
            (23, 2, "entry count at full sampling"),
            (24, 5, "offset of an entry"),
            (40, 7, "key length"),
        ] {
            let mut bytes = FIVE_KEYS;
            bytes[at] = byte;
            let error = entries(&bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            assert!(error.to_string().contains(what), "{at}: {error}");
        }
    }
}
