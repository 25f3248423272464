//! Numbers.
//!
//! ```text
//! tinyint, smallint, int, timestamp   as stored, sign bit flipped
//! bigint          variable length: as many leading ones as bytes in all, a 0, the number
//!                 negative: of the complement, all bits inverted
//! varint          of up to 6 bytes, leading sign bytes not counted: as bigint
//!                 else FF │ vint length - 7 │ bytes; negative: 00 │ vint, inverted │ bytes
//! float, double   as stored; sign bit flipped, or all bits inverted if it is set
//! decimal         zero: 80
//!                 u8 80 if positive + 40 + or - n │ exponent, n bytes │ pairs of digits │ 00
//! ```
//! A decimal is ± 0.p1 p2 … × 100^exponent, with pairs of digits p. The exponent is negated, and n
//! subtracted, as the number and the exponent are negative. Each pair is stored with 80 added;
//! of a negative number the first is - p1, rounded down, and the others are what remains.

use num_bigint::{BigInt, Sign};
use outpour_codec::vint;

use super::{fixed, invert};
use crate::CqlType;

/// Clustering values have at most so many bytes; making digits of more would take long.
const DECIMAL_LEN_MAX: usize = 1 << 16;

/// Appends the form of a value that is not empty.
pub(super) fn write(cql_type: &CqlType, value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    match cql_type {
        CqlType::Tinyint => signed::<1>(value, out),
        CqlType::Smallint => signed::<2>(value, out),
        CqlType::Int => signed::<4>(value, out),
        CqlType::Timestamp => signed::<8>(value, out),
        CqlType::Bigint => {
            variable_length(i64::from_be_bytes(value.try_into().ok()?), out);
            Some(())
        }
        CqlType::Varint => {
            varint(value, out);
            Some(())
        }
        CqlType::Float => fixed::<4>(value, out, float),
        CqlType::Double => fixed::<8>(value, out, float),
        CqlType::Decimal => decimal(value, out),
        _ => None,
    }
}

fn signed<const N: usize>(value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    fixed::<N>(value, out, |mut bytes| {
        bytes[0] ^= 0x80;
        bytes
    })
}

fn float<const N: usize>(mut bytes: [u8; N]) -> [u8; N] {
    match bytes[0] & 0x80 {
        0 => bytes[0] ^= 0x80,
        _ => invert(&mut bytes),
    }
    bytes
}

/// A number in two's complement, of one byte or more.
pub(super) fn varint(bytes: &[u8], out: &mut Vec<u8>) {
    let is_negative = bytes.first().is_some_and(|byte| byte & 0x80 != 0);
    let sign = if is_negative { 0xff } else { 0 };
    let sign_len = bytes.iter().take_while(|byte| **byte == sign).count();
    let significant = bytes.get(sign_len..).unwrap_or_default();
    let Some(more) = significant.len().checked_sub(7) else {
        let start = -i64::from(is_negative);
        let number = significant.iter().fold(start, |number, byte| number << 8 | i64::from(*byte));
        return variable_length(number, out);
    };
    let start = out.len();
    out.push(0xff);
    vint::write_unsigned(more as u64, out);
    if is_negative {
        invert(&mut out[start..]);
    }
    out.extend_from_slice(significant);
}

fn variable_length(number: i64, out: &mut Vec<u8>) {
    let magnitude = (number ^ number >> 63) as u64;
    // Seven bits a byte, and a sign.
    let len = (64 - (magnitude | 1).leading_zeros() as usize) / 7 + 1;
    let start = out.len();
    if len >= 9 {
        out.push(0xff);
        out.extend_from_slice(&(magnitude | 1 << 63).to_be_bytes());
    } else {
        let ones = u64::from(0xff_u8 << (8 - len)) << (8 * len - 8);
        out.extend_from_slice(&(magnitude | ones).to_be_bytes()[8 - len..]);
    }
    if number < 0 {
        invert(&mut out[start..]);
    }
}

fn decimal(value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (scale, unscaled) = value.split_first_chunk::<4>()?;
    if unscaled.is_empty() || unscaled.len() > DECIMAL_LEN_MAX {
        return None;
    }
    let (sign, magnitude) = BigInt::from_signed_bytes_be(unscaled).into_parts();
    if sign == Sign::NoSign {
        out.push(0x80);
        return Some(());
    }
    let is_negative = sign == Sign::Minus;
    let mut digits = magnitude.to_radix_be(10);
    let scale = i64::from(i32::from_be_bytes(*scale)) - digits.len() as i64;
    if scale % 2 != 0 {
        digits.insert(0, 0);
    }
    write_exponent(is_negative, -scale.div_euclid(2), out);
    write_digits(is_negative, digits, out);
    Some(())
}

fn write_exponent(is_negative: bool, exponent: i64, out: &mut Vec<u8>) {
    let modulated = if is_negative { -exponent } else { exponent };
    let len = 8 - modulated.unsigned_abs().leading_zeros() as usize / 8;
    let sign = if is_negative { 0 } else { 0x80 };
    out.push(match modulated < 0 {
        true => sign + 0x40 - len as u8,
        false => sign + 0x40 + len as u8,
    });
    out.extend_from_slice(&modulated.to_be_bytes()[8 - len..]);
}

/// Writes 0.`digits`.
fn write_digits(is_negative: bool, mut digits: Vec<u8>, out: &mut Vec<u8>) {
    let significant = digits.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
    digits.resize(significant.next_multiple_of(2), 0);
    let pairs = digits.as_chunks::<2>().0;
    for (i, [tens, ones]) in pairs.iter().enumerate() {
        let pair = 10 * tens + ones;
        let is_last = i + 1 == pairs.len();
        // What is rounded off below is made up for by all that follows.
        out.push(match (is_negative, i) {
            (false, _) => 0x80 + pair,
            (true, 0) => 0x80 - pair - u8::from(!is_last),
            (true, _) => 0x80 + 99 - pair + u8::from(is_last),
        });
    }
    out.push(0);
}
