//! Variable-length integers of Cassandra (`utils/vint/VIntCoding.java`, all releases).
//!
//! ```text
//! unsigned   first byte: n leading 1 bits, a 0 bit, high value bits │ n bytes, big-endian
//!            n = 8: the first byte is FF and holds no value bits
//! signed     zigzag: (v << 1) ^ (v >> 63), then unsigned
//! ```
//! Writers use the shortest form; readers accept longer ones, as Cassandra does.

/// The longest encoding, in bytes.
pub const LEN_MAX: usize = 9;

/// Reads an unsigned integer at `*at` and moves `*at` behind it; `None` if `bytes` end first.
#[inline(always)]
pub fn read_unsigned(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let first = *bytes.get(*at)?;
    if first < 0x80 {
        *at += 1;
        return Some(u64::from(first));
    }
    read_long(bytes, at, first)
}

#[inline]
fn read_long(bytes: &[u8], at: &mut usize, first: u8) -> Option<u64> {
    let extra = first.leading_ones() as usize;
    let tail = bytes.get(*at + 1..*at + 1 + extra)?;
    let high = if extra >= 7 { 0 } else { u64::from(first) & (0x7f >> extra) };
    let value = tail.iter().fold(high, |value, byte| value << 8 | u64::from(*byte));
    *at += 1 + extra;
    Some(value)
}

/// Reads a signed integer at `*at` and moves `*at` behind it; `None` if `bytes` end first.
#[inline]
pub fn read_signed(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let zigzag = read_unsigned(bytes, at)?;
    Some((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64))
}

/// Appends the shortest form of `value`.
pub fn write_unsigned(value: u64, out: &mut Vec<u8>) {
    let len = (639 - 9 * (value | 1).leading_zeros() as usize) >> 6;
    if len == LEN_MAX {
        out.push(0xff);
        out.extend_from_slice(&value.to_be_bytes());
        return;
    }
    let extra = len - 1;
    let marked = value | !(0xff_u64 >> extra) << (8 * extra) & 0xff << (8 * extra);
    out.extend_from_slice(&marked.to_be_bytes()[8 - len..]);
}

/// Appends the shortest form of `value`.
pub fn write_signed(value: i64, out: &mut Vec<u8>) {
    write_unsigned((value << 1 ^ value >> 63) as u64, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    #[test]
    fn cassandra_examples() {
        let unsigned: &[(u64, &str)] = &[
            (0, "00"),
            (127, "7f"),
            (128, "8080"),
            (16383, "bfff"),
            (16384, "c04000"),
            (2_097_151, "dfffff"),
            (u64::from(u32::MAX), "f0ffffffff"),
            ((1 << 56) - 1, "feffffffffffffff"),
            (1 << 56, "ff0100000000000000"),
            (u64::MAX, "ffffffffffffffffff"),
        ];
        for (value, text) in unsigned {
            let mut out = Vec::new();
            write_unsigned(*value, &mut out);
            assert_eq!(hex(&out), *text);
            let mut at = 0;
            assert_eq!(read_unsigned(&out, &mut at), Some(*value));
            assert_eq!(at, out.len());
        }
        let signed: &[(i64, &str)] = &[
            (0, "00"),
            (-1, "01"),
            (1, "02"),
            (-64, "7f"),
            (64, "8080"),
            (-65, "8081"),
            (i64::MAX, "fffffffffffffffffe"),
            (i64::MIN, "ffffffffffffffffff"),
        ];
        for (value, text) in signed {
            let mut out = Vec::new();
            write_signed(*value, &mut out);
            assert_eq!(hex(&out), *text);
            assert_eq!(read_signed(&out, &mut 0), Some(*value));
        }
    }

    #[test]
    fn longer_forms_are_read() {
        assert_eq!(read_unsigned(&[0x80, 5], &mut 0), Some(5));
        assert_eq!(read_unsigned(&[0xf8, 0, 0, 0, 0, 5], &mut 0), Some(5));
        assert_eq!(read_unsigned(&[0xfe, 0, 0, 0, 0, 0, 0, 5], &mut 0), Some(5));
    }

    #[test]
    fn every_truncation_is_noticed() {
        for shift in 0..64 {
            let mut out = Vec::new();
            write_unsigned(1 << shift, &mut out);
            for len in 0..out.len() {
                assert_eq!(read_unsigned(&out[..len], &mut 0), None);
            }
        }
    }
}
