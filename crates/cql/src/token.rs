use outpour_codec::{md5, murmur3_x64_128};

/// How a cluster orders its partitions (`dht/*Partitioner.java`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partitioner {
    /// By the first half of Murmur3
    Murmur3,
    /// By the absolute value of MD5
    Random,
    /// By the key's bytes
    ByteOrdered,
}

/// A partition's place in the ring. Partitions order by token, then by their keys' bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token(i128);

/// A place on the ring in front of partitions: a partition stands behind it if its own is not less.
/// In the order of partitions; several may have the same.
///
/// Murmur3 and Random: the token, counted from that of the empty key. ByteOrdered: the first 16 bytes
/// of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RingPosition(pub u128);

/// A partitioner whose order is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("partitioner {0} is not supported")]
pub struct UnknownPartitioner(String);

impl Partitioner {
    /// The partitioner of a class name, simple or in Cassandra's own package.
    ///
    /// # Errors
    /// [`UnknownPartitioner`] for any other name, LocalPartitioner among them: its order is that of
    /// an index, not of a table.
    pub fn parse(class: &str) -> Result<Self, UnknownPartitioner> {
        match class.strip_prefix("org.apache.cassandra.dht.").unwrap_or(class) {
            "Murmur3Partitioner" => Ok(Self::Murmur3),
            "RandomPartitioner" => Ok(Self::Random),
            "ByteOrderedPartitioner" => Ok(Self::ByteOrdered),
            _ => Err(UnknownPartitioner(class.to_owned())),
        }
    }

    /// The token of a partition key. All keys of ByteOrderedPartitioner have the same: their bytes
    /// alone order them.
    #[inline]
    #[must_use]
    pub fn token(self, key: &[u8]) -> Token {
        Token(match self {
            Self::Murmur3 => i128::from(murmur3(key)),
            Self::Random => random(key),
            Self::ByteOrdered => 0,
        })
    }

    /// The place of a partition on the ring.
    #[must_use]
    pub fn ring_position(self, key: &[u8]) -> RingPosition {
        self.ring_position_of(self.token(key), key)
    }

    /// The place on the ring of a partition whose token is known.
    #[inline]
    #[must_use]
    pub fn ring_position_of(self, Token(token): Token, key: &[u8]) -> RingPosition {
        RingPosition(match self {
            Self::Murmur3 => (token - i128::from(i64::MIN)) as u128,
            Self::Random => (token as u128).wrapping_add(1),
            Self::ByteOrdered => {
                let mut first = [0; 16];
                first.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
                u128::from_be_bytes(first)
            }
        })
    }

    /// The place on the ring of all partitions of a token; none if tokens do not order them.
    #[must_use]
    pub fn ring_position_of_token(self, token: i128) -> Option<RingPosition> {
        (self != Self::ByteOrdered).then(|| self.ring_position_of(Token(token), &[]))
    }

    /// The last place on the ring.
    #[must_use]
    pub fn last_position(self) -> RingPosition {
        RingPosition(match self {
            Self::Murmur3 => u128::from(u64::MAX),
            Self::Random => 1 << 127,
            Self::ByteOrdered => u128::MAX,
        })
    }
}

impl RingPosition {
    /// The place behind it; none behind the last one.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        self.0.checked_add(1).map(Self)
    }
}

impl Token {
    /// The number that Cassandra shows.
    #[must_use]
    pub fn value(self) -> i128 {
        self.0
    }
}

/// `i64::MIN` is kept for the start of the ring, which the empty key has.
fn murmur3(key: &[u8]) -> i64 {
    match (key.is_empty(), murmur3_x64_128(key)[0]) {
        (true, _) => i64::MIN,
        (false, i64::MIN) => i64::MAX,
        (false, token) => token,
    }
}

/// 0 to 2^127; that bound itself does not fit `i128`, and saturates: no hash reaches it in practice.
fn random(key: &[u8]) -> i128 {
    if key.is_empty() { -1 } else { i128::from_be_bytes(md5(key)).saturating_abs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_cassandra() {
        let ramp: Vec<u8> = (0xf0..=0xff).chain([0xff, 0xfe]).collect();
        let cases: &[(&[u8], i128, i128)] = &[
            (b"", i128::from(i64::MIN), -1),
            (b"a", -8_839_064_797_231_613_815, 16_955_237_001_963_240_173_058_271_559_858_726_497),
            (
                b"key1",
                1_573_573_083_296_714_675,
                81_509_516_161_424_251_288_255_223_397_843_705_139,
            ),
            (
                &[0, 0, 0, 1],
                -4_069_959_284_402_364_209,
                19_580_090_105_725_936_846_312_850_328_329_299_579,
            ),
            (&[0xff], -4_442_228_696_663_692_417, 463_733_602_705_843_015_805_947_089_201_357_461),
            (
                &[0x80; 15],
                -5_979_218_241_483_680_930,
                13_280_204_011_591_186_848_128_873_956_240_242_409,
            ),
            (
                "日本".as_bytes(),
                -7_507_319_893_842_418_264,
                103_341_369_634_063_465_466_164_320_543_046_703_539,
            ),
            (&ramp, -7_636_323_917_443_578_043, 69_962_390_331_527_000_902_337_987_669_471_055_865),
            (
                b"0123456789abcdef",
                5_467_490_433_528_156_583,
                85_333_767_196_036_966_698_723_792_217_724_685_509,
            ),
        ];
        for (key, murmur3, random) in cases {
            assert_eq!(Partitioner::Murmur3.token(key).value(), *murmur3, "{key:02x?}");
            assert_eq!(Partitioner::Random.token(key).value(), *random, "{key:02x?}");
        }
    }

    #[test]
    fn bytes_are_ordered_by_keys_alone() {
        let token = |key| Partitioner::ByteOrdered.token(key);
        assert_eq!(token(b"a"), token(b""));
    }

    #[test]
    fn positions_order_as_partitions_do() {
        for partitioner in [Partitioner::Murmur3, Partitioner::Random, Partitioner::ByteOrdered] {
            let mut keys: Vec<_> = (0..999_u32).map(|i| i.to_be_bytes().repeat(5)).collect();
            keys.extend([vec![], vec![0], vec![0xff; 20]]);
            keys.sort_by_key(|key| (partitioner.token(key), key.clone()));
            assert!(keys.is_sorted_by_key(|key| partitioner.ring_position(key)));
            assert!(partitioner.ring_position(&keys[999]) <= partitioner.last_position());
            assert_eq!(partitioner.ring_position(b""), RingPosition(0));
        }
        let first = Partitioner::ByteOrdered.ring_position(b"ab");
        assert_eq!(first.0 >> 112, 0x6162);
    }

    #[test]
    fn only_partitioners_of_tables_are_known() {
        let parse = Partitioner::parse;
        let full = "org.apache.cassandra.dht.ByteOrderedPartitioner";
        assert_eq!(parse(full), Ok(Partitioner::ByteOrdered));
        assert_eq!(parse("RandomPartitioner"), Ok(Partitioner::Random));
        for class in ["org.apache.cassandra.dht.LocalPartitioner", "OrderPreservingPartitioner"] {
            assert!(parse(class).unwrap_err().to_string().contains(class));
        }
    }
}
