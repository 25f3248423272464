//! Keys whose bytes, compared unsigned, order as their values do (`utils/bytecomparable/ByteSource.java`
//! and `ByteComparable.md`, version OSS50): what the tries of format bti are made of.
//!
//! ```text
//! partition key   40 │ token │ 40 │ key, escaped │ 38
//! token           Murmur3: 8 bytes, sign bit flipped · Random: as a varint · ByteOrdered: the key, escaped
//! escaped         bytes; 00 FE … FE FF for a run of zeros, with one FE less than zeros
//!                 then 00; or FE if the bytes end with a zero
//! varint          up to 6 bytes: variable length, else ff │ u8 length - 7 │ bytes without leading 00
//!                 negative: all of that inverted
//! variable length as many leading ones as bytes in all, a 0, the number; negative: inverted
//! ```

use outpour_cql::Partitioner;

/// Before each component of a key.
const NEXT_COMPONENT: u8 = 0x40;
/// Behind the last one.
const TERMINATOR: u8 = 0x38;

/// The byte-comparable form of token and partition key.
pub(crate) fn partition_key(partitioner: Partitioner, key: &[u8], out: &mut Vec<u8>) {
    out.push(NEXT_COMPONENT);
    let token = partitioner.token(key).value();
    match partitioner {
        Partitioner::Murmur3 => {
            out.extend_from_slice(&(token as i64 ^ i64::MIN).to_be_bytes());
        }
        Partitioner::Random => varint(token, out),
        Partitioner::ByteOrdered => escaped(key, out),
    }
    out.push(NEXT_COMPONENT);
    escaped(key, out);
    out.push(TERMINATOR);
}

fn escaped(bytes: &[u8], out: &mut Vec<u8>) {
    let mut after_zero = false;
    for byte in bytes {
        match (after_zero, byte) {
            (true, 0) => out.push(0xfe),
            (true, _) => out.extend_from_slice(&[0xff, *byte]),
            (false, _) => out.push(*byte),
        }
        after_zero = *byte == 0;
    }
    out.push(if after_zero { 0xfe } else { 0 });
}

fn varint(value: i128, out: &mut Vec<u8>) {
    let inverted = if value < 0 { 0xff } else { 0 };
    let bytes = value.to_be_bytes();
    let sign_len = bytes.iter().take_while(|byte| **byte == inverted).count();
    let magnitude = &bytes[sign_len..];
    if magnitude.len() < 7 {
        return variable_length(value as i64, out);
    }
    out.push(0xff ^ inverted);
    out.push((magnitude.len() - 7) as u8 ^ inverted);
    out.extend_from_slice(magnitude);
}

fn variable_length(value: i64, out: &mut Vec<u8>) {
    let inverted = if value < 0 { 0xff } else { 0 };
    let magnitude = (value ^ value >> 63) as u64;
    let len = (64 - (magnitude | 1).leading_zeros() as usize) / 7 + 1;
    let start = out.len();
    if len >= 9 {
        out.push(0xff);
        out.extend_from_slice(&(magnitude | 1 << 63).to_be_bytes());
    } else {
        let ones = u64::from(0xff_u8 << (8 - len)) << (8 * len - 8);
        out.extend_from_slice(&(magnitude | ones).to_be_bytes()[8 - len..]);
    }
    for byte in &mut out[start..] {
        *byte ^= inverted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes_of(write: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        write(&mut out);
        out
    }

    fn is_ordered<T>(values: impl IntoIterator<Item = T>, write: impl Fn(T, &mut Vec<u8>)) -> bool {
        let keys = values.into_iter().map(|value| {
            let mut out = Vec::new();
            write(value, &mut out);
            out
        });
        keys.is_sorted_by(|a, b| a < b)
    }

    #[test]
    fn zeros_are_escaped() {
        for (plain, expected) in [
            (&b""[..], &[0][..]),
            (b"a", &[0x61, 0]),
            (&[0], &[0, 0xfe]),
            (&[0, 0, 0, 7], &[0, 0xfe, 0xfe, 0xff, 7, 0]),
            (&[7, 0, 0], &[7, 0, 0xfe, 0xfe]),
            (&[0, 0xff], &[0, 0xff, 0xff, 0]),
        ] {
            assert_eq!(bytes_of(|out| escaped(plain, out)), expected, "{plain:02x?}");
        }
        let sorted: [&[u8]; 8] =
            [&[], &[0], &[0, 0], &[0, 0, 1], &[0, 1], &[0, 0xff], &[1], &[1, 0]];
        assert!(is_ordered(sorted, escaped));
    }

    #[test]
    fn numbers_of_variable_length() {
        for (value, expected) in [
            (0, &[0x80][..]),
            (1, &[0x81]),
            (-1, &[0x7f]),
            (63, &[0xbf]),
            (64, &[0xc0, 0x40]),
            (-64, &[0x40]),
            (-65, &[0x3f, 0xbf]),
        ] {
            assert_eq!(bytes_of(|out| variable_length(value, out)), expected, "{value}");
        }
        let powers = (0..63).flat_map(|bit| [(1_i64 << bit) - 1, 1 << bit]).chain([i64::MAX]);
        let mut values: Vec<_> = powers.flat_map(|value| [value, !value, -value]).collect();
        values.sort_unstable();
        values.dedup();
        assert!(is_ordered(values.iter().copied(), variable_length));
        let widened = (0..127).map(|bit| 1_i128 << bit);
        let mut values: Vec<_> = widened.flat_map(|value| [value, value - 1, -value]).collect();
        values.sort_unstable();
        values.dedup();
        assert!(is_ordered(values, varint));
    }

    #[test]
    fn keys_of_partitioners() {
        let key = |partitioner| bytes_of(|out| partition_key(partitioner, b"0", out));
        assert_eq!(key(Partitioner::ByteOrdered), [0x40, 0x30, 0, 0x40, 0x30, 0, 0x38]);
        let token = Partitioner::Murmur3.token(b"0").value() as i64;
        let mut expected = vec![0x40];
        expected.extend_from_slice(&(token as u64 ^ 1 << 63).to_be_bytes());
        expected.extend_from_slice(&[0x40, 0x30, 0, 0x38]);
        assert_eq!(key(Partitioner::Murmur3), expected);
        let random = key(Partitioner::Random);
        assert_eq!(random[..3], [0x40, 0xff, 9]);
        let token = Partitioner::Random.token(b"0").value();
        assert_eq!(random[3..19], token.to_be_bytes());
    }
}
