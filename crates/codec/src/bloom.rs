use crate::murmur3_x64_128;

/// The bits that a key sets in a Bloom filter of `bit_count` bits with `hash_count` hashes
/// (`utils/BloomFilter.java`, since 3.0): a filter that lacks one of them does not hold the key.
/// None if the filter has no bits.
///
/// ```text
/// bit i = |(h2 + i × h1) rem bit count|      h1, h2: Murmur3 of the key, wrapping
/// ```
pub fn bloom_bits(key: &[u8], hash_count: u32, bit_count: u64) -> impl Iterator<Item = u64> {
    let [h1, h2] = murmur3_x64_128(key);
    let bit_count = i64::try_from(bit_count).unwrap_or(i64::MAX);
    let hashes = (0..i64::from(hash_count)).map(move |i| h2.wrapping_add(i.wrapping_mul(h1)));
    hashes.filter_map(move |hash| hash.checked_rem(bit_count)).map(i64::unsigned_abs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Filter.db of the keys "0" to "4" (Cassandra 5.0), after its two counts.
    const FIVE_KEYS: [u8; 16] = [
        0x84, 0x42, 0x21, 0x06, 0x00, 0x01, 0x04, 0x00, 0x00, 0xa6, 0x02, 0x20, 0x04, 0x00, 0xc0,
        0x08,
    ];

    fn holds(key: &[u8]) -> bool {
        let is_set = |bit: u64| FIVE_KEYS[bit as usize / 8] >> (bit % 8) & 1 == 1;
        bloom_bits(key, 5, 128).all(is_set)
    }

    #[test]
    fn a_filter_of_cassandra_holds_its_keys_and_nothing_else_is_set() {
        let keys: [&[u8]; 5] = [b"0", b"1", b"2", b"3", b"4"];
        assert!(keys.iter().all(|key| holds(key)));
        let mut bits = [0_u8; 16];
        for bit in keys.iter().flat_map(|key| bloom_bits(key, 5, 128)) {
            bits[bit as usize / 8] |= 1 << (bit % 8);
        }
        assert_eq!(bits, FIVE_KEYS);
        assert!(!holds(b"5") && !holds(b""));
    }

    #[test]
    fn bits_stay_in_the_filter() {
        for (hash_count, bit_count) in [(1, 1), (20, 64), (5, u64::MAX)] {
            let bits: Vec<_> = bloom_bits(b"key", hash_count, bit_count).collect();
            assert_eq!(bits.len(), hash_count as usize);
            assert!(bits.iter().all(|bit| *bit < bit_count));
        }
        assert_eq!(bloom_bits(b"key", 5, 0).count(), 0);
    }
}
