//! Filter.db (`utils/BloomFilterSerializer.java`, `utils/obs/OffHeapBitSet.java`): a Bloom filter of
//! the partition keys.
//!
//! ```text
//! i32 hash count │ i32 word count │ word count × 8 bytes
//! bit i of the filter is bit i & 7 of byte i >> 3 behind the counts            na+
//!                        bit i & 63 of word i >> 6, words being big-endian     ..me
//! ```

use std::sync::Arc;

use outpour_codec::{Reader, bloom_bits};
use outpour_run::{Budget, Reservation};
use outpour_storage::ReadAt;

use crate::{Error, Result, Version};

const HEAD_LEN: u64 = 8;
/// Cassandra's own is 20 (`utils/BloomCalculations.java`).
const HASH_COUNT_MAX: u32 = 64;

/// The Bloom filter of an SSTable.
#[derive(Debug)]
pub(crate) struct Filter {
    file: Arc<dyn ReadAt>,
    hash_count: u32,
    bit_count: u64,
    /// What the number of a bit's byte is changed by to find it in the file
    byte_order: u64,
    /// All bits, if the budget has room for them
    words: Option<(Vec<u8>, Reservation)>,
}

impl Filter {
    /// Reads its head.
    ///
    /// # Errors
    /// Corrupt for counts that no Cassandra writes, Io.
    pub(crate) fn open(file: Arc<dyn ReadAt>, version: Version) -> Result<Self> {
        let mut head = [0; HEAD_LEN as usize];
        file.read_at(0, &mut head)?;
        let mut r = Reader::new(&head);
        let counts = (|| Ok((r.u32()?, r.u32()?)))();
        let (hash_count, word_count) = counts.map_err(|e| Error::decode(file.name(), 0, e))?;
        let byte_count = 8 * u64::from(word_count);
        if !(1..=HASH_COUNT_MAX).contains(&hash_count) {
            let expected = format!("1 to {HASH_COUNT_MAX}");
            return Err(Error::corrupt(file.name(), 0, "hash count", expected, hash_count));
        }
        if word_count == 0 || file.len() != HEAD_LEN + byte_count {
            let expected = format!("1 or more, for a file of {} bytes", file.len());
            return Err(Error::corrupt(file.name(), 4, "word count", expected, word_count));
        }
        let byte_order = if version.has_big_endian_filter() { 7 } else { 0 };
        Ok(Self { file, hash_count, bit_count: 8 * byte_count, byte_order, words: None })
    }

    /// With all bits in memory, if `budget` has room for them: for one that is asked for many keys.
    ///
    /// # Errors
    /// Io.
    pub(crate) fn in_memory(mut self, budget: &Budget) -> Result<Self> {
        let byte_count = self.bit_count / 8;
        if let Ok(reservation) = budget.reserve(byte_count, "a Bloom filter") {
            let mut bytes = vec![0; byte_count as usize];
            self.file.read_at(HEAD_LEN, &mut bytes)?;
            self.words = Some((bytes, reservation));
        }
        Ok(self)
    }

    /// Whether it may hold `key`; if not, it certainly does not, unless it is damaged.
    ///
    /// # Errors
    /// Io.
    pub(crate) fn may_hold(&self, key: &[u8]) -> Result<bool> {
        Ok(self.missing_bit(key)?.is_none())
    }

    /// Checks that the filter holds `key`.
    ///
    /// # Errors
    /// Corrupt with the byte whose bit is missing, Io.
    pub(crate) fn check(&self, key: &[u8]) -> Result<()> {
        let Some((bit, place, byte)) = self.missing_bit(key)? else { return Ok(()) };
        let at = HEAD_LEN + place;
        let expected = format!("bit {bit} set for key {}", crate::check::Hex(key));
        let got = format!("{byte:#010b}");
        Err(Error::corrupt(self.file.name(), at, "Bloom filter", expected, got))
    }

    /// A bit of `key` that is not set: its number in its byte, the byte's place behind the head, and
    /// the byte.
    fn missing_bit(&self, key: &[u8]) -> Result<Option<(u64, u64, u8)>> {
        for bit in bloom_bits(key, self.hash_count, self.bit_count) {
            let place = (bit / 8) ^ self.byte_order;
            let byte = self.byte(place)?;
            if byte >> (bit % 8) & 1 == 0 {
                return Ok(Some((bit % 8, place, byte)));
            }
        }
        Ok(None)
    }

    fn byte(&self, at: u64) -> Result<u8> {
        if let Some((bytes, _)) = &self.words {
            return Ok(bytes.get(at as usize).copied().unwrap_or_default());
        }
        let mut byte = [0];
        self.file.read_at(HEAD_LEN + at, &mut byte)?;
        Ok(byte[0])
    }
}

#[cfg(test)]
mod tests {
    use outpour_storage::{Directory, MemoryDirectory};

    use super::*;
    use crate::ErrorKind;

    /// Of five keys, "0" to "4" (Cassandra 5.0).
    const FIVE_KEYS: [u8; 24] = [
        0, 0, 0, 5, 0, 0, 0, 2, 0x84, 0x42, 0x21, 0x06, 0x00, 0x01, 0x04, 0x00, 0x00, 0xa6, 0x02,
        0x20, 0x04, 0x00, 0xc0, 0x08,
    ];

    fn open(bytes: &[u8], memory: u64) -> Result<Filter> {
        let file = MemoryDirectory::of("/d", [("f", bytes)]).open("f")?;
        Filter::open(file, Version::Nb)?.in_memory(&Budget::new(memory))
    }

    #[test]
    fn a_filter_of_cassandra_in_memory_and_in_its_file() {
        for (memory, is_in_memory) in [(16, true), (15, false)] {
            let filter = open(&FIVE_KEYS, memory).unwrap();
            assert_eq!(filter.words.is_some(), is_in_memory);
            for key in ["0", "1", "2", "3", "4"] {
                filter.check(key.as_bytes()).unwrap();
                assert!(filter.may_hold(key.as_bytes()).unwrap());
            }
            assert!(!filter.may_hold(b"5").unwrap());
            let error = filter.check(b"5").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            let at = error.offset().unwrap() as usize;
            assert!((8..24).contains(&at));
            assert!(error.to_string().contains("for key 0x35"), "{error}");
            assert!(error.to_string().contains(&format!("{:#010b}", FIVE_KEYS[at])), "{error}");
        }
    }

    #[test]
    fn words_of_cassandra_3_are_big_endian() {
        let mut bytes = FIVE_KEYS;
        for word in bytes[8..].chunks_exact_mut(8) {
            word.reverse();
        }
        let file = MemoryDirectory::of("/d", [("f", bytes)]).open("f").unwrap();
        for memory in [0, 16] {
            let budget = Budget::new(memory);
            let open = |version| {
                Filter::open(Arc::clone(&file), version).unwrap().in_memory(&budget).unwrap()
            };
            let filter = open(Version::Me);
            for key in ["0", "1", "2", "3", "4"] {
                filter.check(key.as_bytes()).unwrap();
            }
            assert!(filter.check(b"5").is_err());
            let filter = open(Version::Na);
            assert!((0..5).any(|key| filter.check(key.to_string().as_bytes()).is_err()));
        }
    }

    #[test]
    fn counts_that_do_not_fit_are_refused() {
        for len in 0..FIVE_KEYS.len() {
            assert_eq!(open(&FIVE_KEYS[..len], 100).unwrap_err().kind(), ErrorKind::Corrupt);
        }
        for (at, byte, what) in [
            (3, 0, "hash count"),
            (0, 1, "hash count"),
            (7, 3, "word count"),
            (4, 0xff, "word count"),
        ] {
            let mut bytes = FIVE_KEYS;
            bytes[at] = byte;
            let error = open(&bytes, 100).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
        let empty = [0, 0, 0, 5, 0, 0, 0, 0];
        assert!(open(&empty, 100).unwrap_err().to_string().contains("word count"));
    }
}
