//! `float` and `double`: the shortest digits that read back as the same number, in the layout of
//! Java or of C.

use super::integer::{self, two_digits};

/// A machine float.
pub(crate) trait Float: zmij::Float + Copy + Into<f64> + std::fmt::LowerExp {
    /// Below this, a number has so few bits that one digit can be all that it needs.
    const NORMAL_MIN: f64;

    /// The least number that C writes without an exponent: the one whose text is 0.0001.
    const PLAIN_MIN: f64;

    /// The digits that name every number: cqlsh writes larger numbers with an exponent, if told
    /// to print that many.
    const DIGITS_MAX: i32;
}

impl Float for f32 {
    const NORMAL_MIN: f64 = f32::MIN_POSITIVE as f64;
    const PLAIN_MIN: f64 = 1e-4_f32 as f64;
    const DIGITS_MAX: i32 = 9;
}

impl Float for f64 {
    const NORMAL_MIN: f64 = Self::MIN_POSITIVE;
    const PLAIN_MIN: f64 = 1e-4;
    const DIGITS_MAX: i32 = 17;
}

/// Appends the text of Java's `Double.toString` or `Float.toString` as JSON: what JSON has no
/// number for is a string.
#[inline]
pub(crate) fn append_java<F: Float>(value: F, out: &mut Vec<u8>) {
    let magnitude = value.into().abs();
    if (1e-3..1e7).contains(&magnitude) || magnitude == 0.0 {
        out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else {
        append_java_exponent(value, out);
    }
}

fn append_java_exponent<F: Float>(value: F, out: &mut Vec<u8>) {
    let wide: f64 = value.into();
    if let Some(name) = name_of_special(wide) {
        out.push(b'"');
        out.extend_from_slice(name);
        out.push(b'"');
        return;
    }
    if wide < 0.0 {
        out.push(b'-');
    }
    let digits = java_digits(value);
    digits.append_with_point(out);
    if digits.len == 1 {
        out.extend_from_slice(b".0");
    }
    out.push(b'E');
    integer::append(digits.exponent, out);
}

/// Appends the text of Java's `Double.toString` or `Float.toString`.
pub(crate) fn append_java_shown<F: Float>(value: F, out: &mut Vec<u8>) {
    match name_of_special(value.into()) {
        Some(name) => out.extend_from_slice(name),
        None => append_java(value, out),
    }
}

/// Java prints two digits at least: where one would do and there is a choice, the nearest two
/// (`Double.MIN_VALUE` is 4.9E-324).
fn java_digits<F: Float>(value: F) -> Digits {
    let digits = Digits::of(zmij::Buffer::new().format_finite(value).as_bytes());
    let wide: f64 = value.into();
    if digits.len == 1 && wide.abs() < F::NORMAL_MIN {
        return Digits::of(format!("{value:.1e}").as_bytes());
    }
    digits
}

/// Appends the text of C's `%.*g` with all digits that are needed, as cqlsh prints floats with
/// `FLOATPRECISION = 9` and `DOUBLEPRECISION = 17`, but no more digits.
#[inline]
pub(crate) fn append_c<F: Float>(value: F, out: &mut Vec<u8>) {
    let magnitude = value.into().abs();
    if (F::PLAIN_MIN..1e9).contains(&magnitude) || magnitude == 0.0 {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(value).as_bytes();
        out.extend_from_slice(text.strip_suffix(b".0").unwrap_or(text));
    } else {
        append_c_exponent(value, out);
    }
}

fn append_c_exponent<F: Float>(value: F, out: &mut Vec<u8>) {
    let wide: f64 = value.into();
    if let Some(name) = name_of_special(wide) {
        return out.extend_from_slice(name);
    }
    if wide < 0.0 {
        out.push(b'-');
    }
    let digits = Digits::of(zmij::Buffer::new().format_finite(value).as_bytes());
    if (0..F::DIGITS_MAX).contains(&digits.exponent) {
        return digits.append_plain(out);
    }
    digits.append_with_point(out);
    out.extend_from_slice(if digits.exponent < 0 { b"e-" } else { b"e+" });
    let exponent = digits.exponent.unsigned_abs();
    if exponent < 100 {
        out.extend_from_slice(&two_digits(exponent));
    } else {
        integer::append(exponent, out);
    }
}

fn name_of_special(value: f64) -> Option<&'static [u8]> {
    match value {
        _ if value.is_nan() => Some(b"NaN"),
        f64::INFINITY => Some(b"Infinity"),
        f64::NEG_INFINITY => Some(b"-Infinity"),
        _ => None,
    }
}

/// The significant digits of a number other than 0.
struct Digits {
    digits: [u8; 20],
    len: usize,
    /// The power of ten of the first digit.
    exponent: i32,
}

impl Digits {
    /// Of `123.4`, `0.0001` or `1.5e-7`; the sign does not matter.
    fn of(text: &[u8]) -> Self {
        let (mantissa, power) = match text.iter().position(|byte| *byte == b'e') {
            Some(at) => (&text[..at], parse_exponent(&text[at + 1..])),
            None => (text, 0),
        };
        let mut this = Self { digits: [b'0'; 20], len: 0, exponent: power - 1 };
        let mut significant = 0;
        let mut in_fraction = false;
        for byte in mantissa.iter().filter(|byte| **byte != b'-') {
            let leading_zero = significant == 0 && *byte == b'0';
            match byte {
                b'.' => in_fraction = true,
                _ if leading_zero => this.exponent -= i32::from(in_fraction),
                _ => {
                    this.digits[significant] = *byte;
                    significant += 1;
                    this.exponent += i32::from(!in_fraction);
                    this.len = if *byte == b'0' { this.len } else { significant };
                }
            }
        }
        this
    }

    fn append_with_point(&self, out: &mut Vec<u8>) {
        out.push(self.digits[0]);
        if self.len > 1 {
            out.push(b'.');
            out.extend_from_slice(&self.digits[1..self.len]);
        }
    }

    /// Without an exponent; the number is 1 or more.
    fn append_plain(&self, out: &mut Vec<u8>) {
        let integer_len = self.exponent as usize + 1;
        out.extend_from_slice(&self.digits[..integer_len]);
        if self.len > integer_len {
            out.push(b'.');
            out.extend_from_slice(&self.digits[integer_len..self.len]);
        }
    }
}

fn parse_exponent(text: &[u8]) -> i32 {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
    let power = digits.fold(0, |power, digit| 10 * power + i32::from(digit - b'0'));
    if text.first() == Some(&b'-') { -power } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn java<F: Float>(value: F) -> String {
        let mut out = Vec::new();
        append_java(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn c<F: Float>(value: F) -> String {
        let mut out = Vec::new();
        append_c(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// As Cassandra 5.0.9 prints them on Java 19 and later.
    #[test]
    fn java_layout() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.001, "0.001"),
            (0.000_999, "9.99E-4"),
            (1e-5, "1.0E-5"),
            (-1.25e-7, "-1.25E-7"),
            (9_999_999.0, "9999999.0"),
            (9_999_999.999_999_998, "9999999.999999998"),
            (1e7, "1.0E7"),
            (12_345_678.9, "1.23456789E7"),
            (1e16, "1.0E16"),
            (1e23, "1.0E23"),
            (-1e300, "-1.0E300"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (5e-324, "4.9E-324"),
            (1e-323, "9.9E-324"),
            (f64::NAN, "\"NaN\""),
            (f64::INFINITY, "\"Infinity\""),
            (f64::NEG_INFINITY, "\"-Infinity\""),
        ] {
            assert_eq!(java(value), expected);
        }
    }

    #[test]
    fn java_layout_of_floats() {
        for (value, expected) in [
            (0.1_f32, "0.1"),
            (16_777_216.0, "1.6777216E7"),
            (f32::MAX, "3.4028235E38"),
            (1e-45, "1.4E-45"),
            (2.465_190_3e-32, "2.4651903E-32"),
            (0.001, "0.001"),
            (-100.0, "-100.0"),
        ] {
            assert_eq!(java(value), expected);
        }
    }

    /// The layout of cqlsh 6.2.2, less the digits that are not needed.
    #[test]
    fn c_layout() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (0.1, "0.1"),
            (100.0, "100"),
            (1e-4, "0.0001"),
            (9.5e-5, "9.5e-05"),
            (123_456_789.123_456_79, "123456789.12345679"),
            (1_234_567_890.5, "1234567890.5"),
            (1e16, "10000000000000000"),
            (12_345_678_901_234_568.0, "12345678901234568"),
            (1e17, "1e+17"),
            (-1e22, "-1e+22"),
            (1e23, "1e+23"),
            (f64::MAX, "1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(c(value), expected);
        }
        assert_eq!(c(999_999_940.0_f32), "999999940");
        assert_eq!(c(1e9_f32), "1e+09");
        assert_eq!(c(1e-4_f32), "0.0001");
        assert_eq!(c(1e-4_f32.next_down()), "9.999999e-05");
        assert_eq!(c(16_777_216.0_f32), "16777216");
        assert_eq!(c(1e-5_f32), "1e-05");
    }

    #[test]
    fn random_numbers_read_back() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..200_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let (double, float) = (f64::from_bits(state), f32::from_bits(state as u32));
            if double.is_finite() {
                assert_eq!(java(double).parse(), Ok(double));
                assert_eq!(c(double).parse(), Ok(double));
            }
            if float.is_finite() {
                assert_eq!(java(float).parse(), Ok(float));
                assert_eq!(c(float).parse(), Ok(float));
            }
        }
    }
}
