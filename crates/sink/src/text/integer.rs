//! Integers in decimal.

use num_bigint::BigInt;

use crate::Error;

/// Appends a machine integer.
#[inline(always)]
pub(crate) fn append(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Two ASCII digits of `value`, which is below 100.
#[inline(always)]
pub(crate) fn two_digits(value: u32) -> [u8; 2] {
    [b'0' + (value / 10) as u8, b'0' + (value % 10) as u8]
}

/// Appends a varint: a big-endian two's complement integer of any length but 0
/// (`IntegerType`; redundant sign bytes are read as `BigInteger` reads them).
pub(crate) fn append_varint(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    match bytes.len() {
        0 => return Err(Error::corrupt("a varint of at least 1 byte", "0 bytes")),
        1..=8 => append(sign_extended(bytes) as i64, out),
        9..=16 => append(sign_extended(bytes), out),
        _ => out.extend_from_slice(BigInt::from_signed_bytes_be(bytes).to_string().as_bytes()),
    }
    Ok(())
}

fn sign_extended(bytes: &[u8]) -> i128 {
    let sign = bytes.first().map_or(0, |first| i128::from(*first as i8 >> 7));
    bytes.iter().fold(sign, |value, byte| value << 8 | i128::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        append_varint(bytes, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn varints_of_all_lengths() {
        assert_eq!(text(&[0]), "0");
        assert_eq!(text(&[0xff]), "-1");
        assert_eq!(text(&[0, 0x80]), "128");
        assert_eq!(text(&[0xff, 0xff, 0x80]), "-128");
        assert_eq!(text(&[0, 0x80, 0, 0, 0, 0, 0, 0, 0]), "9223372036854775808");
        let mut smallest = [0; 16];
        smallest[0] = 0x80;
        assert_eq!(text(&smallest), "-170141183460469231731687303715884105728");
        let mut larger = [0; 17];
        larger[1] = 0x80;
        assert_eq!(text(&larger), "170141183460469231731687303715884105728");
        assert!(append_varint(&[], &mut Vec::new()).is_err());
    }

    #[test]
    fn machine_and_big_integers_agree() {
        for len in 1..=16 {
            for first in [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff] {
                let mut bytes = vec![0x5a; len];
                bytes[0] = first;
                assert_eq!(text(&bytes), BigInt::from_signed_bytes_be(&bytes).to_string());
            }
        }
    }
}
