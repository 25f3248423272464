/// MurmurHash3 x64 128 with seed 0, as Cassandra computes it (`utils/MurmurHash.java`, all
/// releases): the 0 to 15 bytes behind the last whole block are **sign-extended**, so any of them
/// above 0x7f gives another hash than the standard algorithm.
///
/// The first half is the token of Murmur3Partitioner; both feed the bloom filter.
#[must_use]
pub fn murmur3_x64_128(key: &[u8]) -> [i64; 2] {
    let (mut h1, mut h2) = (0_u64, 0_u64);
    let (blocks, tail) = key.as_chunks::<16>();
    for block in blocks {
        let [k1, k2] = halves(block);
        h1 = (h1 ^ mix_k1(k1)).rotate_left(27).wrapping_add(h2);
        h1 = h1.wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ mix_k2(k2)).rotate_left(31).wrapping_add(h1);
        h2 = h2.wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    if tail.len() > 8 {
        h2 ^= mix_k2(sign_extended(&tail[8..]));
    }
    if !tail.is_empty() {
        h1 ^= mix_k1(sign_extended(&tail[..tail.len().min(8)]));
    }
    finish(h1 ^ key.len() as u64, h2 ^ key.len() as u64)
}

fn halves(block: &[u8; 16]) -> [u64; 2] {
    let both = u128::from_le_bytes(*block);
    [both as u64, (both >> 64) as u64]
}

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

fn mix_k1(k1: u64) -> u64 {
    k1.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix_k2(k2: u64) -> u64 {
    k2.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn sign_extended(tail: &[u8]) -> u64 {
    let extended = tail.iter().map(|byte| i64::from(*byte as i8) as u64);
    extended.enumerate().fold(0, |word, (i, byte)| word ^ byte << (8 * i))
}

fn finish(h1: u64, h2: u64) -> [i64; 2] {
    let h1 = h1.wrapping_add(h2);
    let h2 = h2.wrapping_add(h1);
    let (h1, h2) = (avalanche(h1), avalanche(h2));
    let h1 = h1.wrapping_add(h2);
    [h1 as i64, h2.wrapping_add(h1) as i64]
}

fn avalanche(k: u64) -> u64 {
    let k = (k ^ k >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let k = (k ^ k >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_cassandra() {
        let block: Vec<u8> = (0x30..0x3a).chain(0x61..0x67).collect();
        let cases: &[(&[u8], i64)] = &[
            (b"a", -8_839_064_797_231_613_815),
            (b"key1", 1_573_573_083_296_714_675),
            (&[0, 0, 0, 1], -4_069_959_284_402_364_209),
            (&[0xff], -4_442_228_696_663_692_417),
            (&[0x80; 15], -5_979_218_241_483_680_930),
            (&[0xe6, 0x97, 0xa5, 0xe6, 0x9c, 0xac], -7_507_319_893_842_418_264),
            (&block, 5_467_490_433_528_156_583),
        ];
        for (key, token) in cases {
            assert_eq!(murmur3_x64_128(key)[0], *token, "{key:02x?}");
        }
        assert_eq!(murmur3_x64_128(&[0xff])[1], 0xac0b_bee7_ce75_42c7_u64 as i64);
    }
}
