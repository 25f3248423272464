//! `decimal`: a 32-bit scale, then the unscaled value as a varint (`DecimalType`).

use super::integer;
use crate::Error;

const SCALE_LEN: usize = 4;

/// The lowest power of ten of the first digit that is still written without an exponent.
const PLAIN_EXPONENT_MIN: i64 = -6;

/// Appends the text of Java's `BigDecimal.toString`, which is Python's `str(Decimal)` too.
pub(crate) fn append(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    let Some((scale, unscaled)) = bytes.split_first_chunk::<SCALE_LEN>() else {
        return Err(Error::corrupt(
            "a decimal of at least 5 bytes",
            format!("{} bytes", bytes.len()),
        ));
    };
    let start = out.len();
    integer::append_varint(unscaled, out)?;
    let digits_start = start + usize::from(out[start] == b'-');
    place_point(i64::from(i32::from_be_bytes(*scale)), digits_start, out);
    Ok(())
}

/// Puts the decimal point into the digits that end `out`.
fn place_point(scale: i64, digits_start: usize, out: &mut Vec<u8>) {
    if scale == 0 {
        return;
    }
    let len = (out.len() - digits_start) as i64;
    let exponent = len - 1 - scale;
    if scale < 0 || exponent < PLAIN_EXPONENT_MIN {
        return scientific(exponent, digits_start, out);
    }
    // At most 7 zeros: the exponent is at least -6.
    let zeros = (scale - len + 1).max(0) as usize;
    let padding = b"0000000";
    out.splice(digits_start..digits_start, padding.iter().take(zeros).copied());
    out.insert(out.len() - scale as usize, b'.');
}

fn scientific(exponent: i64, digits_start: usize, out: &mut Vec<u8>) {
    if out.len() - digits_start > 1 {
        out.insert(digits_start + 1, b'.');
    }
    out.extend_from_slice(if exponent > 0 { b"E+" } else { b"E" });
    integer::append(exponent, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(scale: i32, unscaled: &[u8]) -> String {
        let mut out = b"x".to_vec();
        append(&[&scale.to_be_bytes(), unscaled].concat(), &mut out).unwrap();
        String::from_utf8(out.split_off(1)).unwrap()
    }

    /// As Cassandra 5.0.9 and Python's `decimal` print them.
    #[test]
    fn scale_is_kept() {
        for (scale, unscaled, expected) in [
            (1, 15_i8, "1.5"),
            (2, 0, "0.00"),
            (20, 1, "1E-20"),
            (-5, -1, "-1E+5"),
            (1, 0, "0.0"),
            (i32::MAX, 1, "1E-2147483647"),
            (i32::MIN, 12, "1.2E+2147483649"),
            (0, -7, "-7"),
            (10, 0, "0E-10"),
            (-3, 0, "0E+3"),
            (6, 1, "0.000001"),
            (7, 1, "1E-7"),
            (7, 12, "0.0000012"),
            (8, 12, "1.2E-7"),
            (2, -5, "-0.05"),
            (1, -12, "-1.2"),
        ] {
            assert_eq!(text(scale, &unscaled.to_be_bytes()), expected, "{unscaled}, {scale}");
        }
    }

    #[test]
    fn many_digits() {
        let unscaled: num_bigint::BigInt =
            format!("{}0123456789", "1234567890".repeat(4)).parse().unwrap();
        let expected = format!("{}.0123456789", "1234567890".repeat(4));
        assert_eq!(text(10, &unscaled.to_signed_bytes_be()), expected);
    }

    #[test]
    fn short_bytes_are_refused() {
        for len in 0..=4 {
            assert!(append(&vec![0; len], &mut Vec::new()).is_err(), "{len}");
        }
    }
}
