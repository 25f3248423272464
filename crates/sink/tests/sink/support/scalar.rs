//! The texts that JSON and CSV share, made the slow way.

use num_bigint::BigInt;

/// Lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn uuid(bytes: &[u8]) -> String {
    let digits = hex(bytes);
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

pub(crate) fn varint(bytes: &[u8]) -> String {
    BigInt::from_signed_bytes_be(bytes).to_string()
}

/// The specification of Java's `BigDecimal.toString`, step by step.
pub(crate) fn decimal(bytes: &[u8]) -> String {
    let scale = i64::from(i32::from_be_bytes(bytes[..4].try_into().unwrap()));
    let unscaled = varint(&bytes[4..]);
    let (sign, digits) = match unscaled.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", unscaled.as_str()),
    };
    let exponent = digits.len() as i64 - 1 - scale;
    if scale == 0 {
        return unscaled;
    }
    if scale > 0 && exponent >= -6 {
        let padded = format!("{digits:0>width$}", width = scale as usize + 1);
        let (integer, fraction) = padded.split_at(padded.len() - scale as usize);
        return format!("{sign}{integer}.{fraction}");
    }
    let fraction = if digits.len() > 1 { format!(".{}", &digits[1..]) } else { String::new() };
    let plus = if exponent > 0 { "+" } else { "" };
    format!("{sign}{}{fraction}E{plus}{exponent}", &digits[..1])
}

pub(crate) fn duration(months: i32, days: i32, nanoseconds: i64) -> String {
    let negative = months < 0 || days < 0 || nanoseconds < 0;
    let (months, days) = (months.unsigned_abs(), days.unsigned_abs());
    let total = nanoseconds.unsigned_abs();
    let parts = [
        (u64::from(months / 12), "y"),
        (u64::from(months % 12), "mo"),
        (u64::from(days), "d"),
        (total / 3_600_000_000_000, "h"),
        (total / 60_000_000_000 % 60, "m"),
        (total / 1_000_000_000 % 60, "s"),
        (total / 1_000_000 % 1_000, "ms"),
        (total / 1_000 % 1_000, "us"),
        (total % 1_000, "ns"),
    ];
    let text: String =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, unit)| format!("{n}{unit}")).collect();
    format!("{}{text}", if negative { "-" } else { "" })
}

/// Counts years and months from 1970, or from 400 years before or after as often as needed.
pub(crate) fn date(days: i64) -> String {
    let is_leap = |year: i64| year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let mut year = 1970 + 400 * days.div_euclid(146_097);
    let mut left = days.rem_euclid(146_097);
    while left >= 365 + i64::from(is_leap(year)) {
        left -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    let february = 28 + i64::from(is_leap(year));
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    let sign = if year < 0 {
        "-"
    } else if year > 9999 {
        "+"
    } else {
        ""
    };
    format!("{sign}{:04}-{month:02}-{:02}", year.abs(), left + 1)
}

/// Date and time of day to the millisecond.
pub(crate) fn date_time(milliseconds: i64) -> String {
    let of_day = milliseconds.rem_euclid(86_400_000);
    let nanoseconds = time(of_day * 1_000_000);
    format!("{} {}", date(milliseconds.div_euclid(86_400_000)), &nanoseconds[..12])
}

pub(crate) fn time(nanoseconds: i64) -> String {
    let second = nanoseconds / 1_000_000_000;
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    format!("{hour:02}:{minute:02}:{:02}.{:09}", second % 60, nanoseconds % 1_000_000_000)
}

/// Sign, digits and the exponent of the first of them: the shortest that read back the same, but at
/// least `digits_min`, and of those the nearest.
pub(crate) fn digits(value: f64, single: bool, digits_min: usize) -> (&'static str, String, i32) {
    let shortest = if single { format!("{:e}", value as f32) } else { format!("{value:e}") };
    let (mantissa, _) = shortest.split_once('e').unwrap();
    let len = mantissa.chars().filter(char::is_ascii_digit).count().max(digits_min);
    let nearest = format!("{value:.*e}", len - 1);
    let (mantissa, exponent) = nearest.split_once('e').unwrap();
    let sign = if mantissa.starts_with('-') { "-" } else { "" };
    let digits = mantissa.chars().filter(char::is_ascii_digit).collect();
    (sign, digits, exponent.parse().unwrap())
}

/// The number without an exponent; no point if it is whole.
pub(crate) fn plain(digits: &str, exponent: i32) -> String {
    if exponent < 0 {
        return format!("0.{}{digits}", "0".repeat(-exponent as usize - 1));
    }
    let integer_len = exponent as usize + 1;
    let padded = format!("{digits:0<integer_len$}");
    match padded.split_at(integer_len) {
        (integer, "") => integer.to_owned(),
        (integer, fraction) => format!("{integer}.{fraction}"),
    }
}

/// The first digit, and the others behind a point.
pub(crate) fn pointed(digits: &str) -> String {
    if digits.len() == 1 { digits.to_owned() } else { format!("{}.{}", &digits[..1], &digits[1..]) }
}
