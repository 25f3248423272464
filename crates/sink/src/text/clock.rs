//! Instants and times of day.

use super::calendar;
use super::integer::{self, two_digits};

const MILLISECONDS_PER_DAY: i64 = 86_400_000;
const SECONDS_PER_DAY: i64 = 86_400;
const NANOSECONDS_PER_SECOND: i64 = 1_000_000_000;

/// The milliseconds that cqlsh writes as a date: years 1 to 9999, as Python has them.
const PYTHON_YEARS: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

/// Appends `2024-01-01 00:00:00.123Z` (`TimestampType.toJSONString`, but with the year's sign).
#[inline]
pub(crate) fn append_json_timestamp(milliseconds: i64, out: &mut Vec<u8>) {
    append_timestamp(milliseconds, b' ', b"Z", out);
}

/// Appends `2024-01-01T00:00:00.123Z` (`TimestampType.getString`, but with the year's sign).
#[inline]
pub(crate) fn append_shown_timestamp(milliseconds: i64, out: &mut Vec<u8>) {
    append_timestamp(milliseconds, b'T', b"Z", out);
}

/// Appends `2024-01-01 00:00:00.123+0000`, or the milliseconds themselves in years that Python has
/// not (cqlsh's `format_value_timestamp`).
#[inline]
pub(crate) fn append_csv_timestamp(milliseconds: i64, out: &mut Vec<u8>) {
    if PYTHON_YEARS.contains(&milliseconds) {
        append_timestamp(milliseconds, b' ', b"+0000", out);
    } else {
        integer::append(milliseconds, out);
    }
}

#[inline(always)]
fn append_timestamp(milliseconds: i64, separator: u8, zone: &[u8], out: &mut Vec<u8>) {
    let days = milliseconds.div_euclid(MILLISECONDS_PER_DAY);
    let mut time = time_of_day(milliseconds.rem_euclid(MILLISECONDS_PER_DAY) as u32);
    time[0] = separator;
    if let Some(date) = calendar::four_digit_year(days) {
        let mut text = [b' '; 23];
        text[..10].copy_from_slice(&date);
        text[10..].copy_from_slice(&time);
        out.extend_from_slice(&text);
    } else {
        calendar::append(days, out);
        out.extend_from_slice(&time);
    }
    out.extend_from_slice(zone);
}

#[inline(always)]
fn time_of_day(milliseconds: u32) -> [u8; 13] {
    let (second, millisecond) = (milliseconds / 1_000, milliseconds % 1_000);
    let [h0, h1, colon, m0, m1, _, s0, s1] = hour_minute_second(second);
    let ([f1, f2], f0) = (two_digits(millisecond % 100), b'0' + (millisecond / 100) as u8);
    [b' ', h0, h1, colon, m0, m1, colon, s0, s1, b'.', f0, f1, f2]
}

/// Appends `2024-01-01T00:00:00.123456Z`: as many digits of the second's fraction, in threes, as it
/// needs (`java.time.Instant.toString`).
#[inline]
pub(crate) fn append_instant(seconds: i64, nanoseconds: u32, out: &mut Vec<u8>) {
    calendar::append(seconds.div_euclid(SECONDS_PER_DAY), out);
    out.push(b'T');
    out.extend_from_slice(&hour_minute_second(seconds.rem_euclid(SECONDS_PER_DAY) as u32));
    if nanoseconds > 0 {
        append_fraction(nanoseconds, out);
        let zeros = if nanoseconds.is_multiple_of(1_000_000) {
            6
        } else if nanoseconds.is_multiple_of(1_000) {
            3
        } else {
            0
        };
        out.truncate(out.len() - zeros);
    }
    out.push(b'Z');
}

/// Appends a `date` as cqlsh does: `2024-02-29`, or the days since 1970 in years that Python has
/// not (the driver's `Date.__str__`).
pub(crate) fn append_csv_date(days: i32, out: &mut Vec<u8>) {
    if PYTHON_YEARS.contains(&(i64::from(days) * MILLISECONDS_PER_DAY)) {
        calendar::append(i64::from(days), out);
    } else {
        integer::append(days, out);
    }
}

/// Appends `01:12:05.394017000` (`TimeType`). A value that is no time of day keeps its sign and
/// its hours.
#[inline]
pub(crate) fn append_time(nanoseconds: i64, out: &mut Vec<u8>) {
    let second = nanoseconds / NANOSECONDS_PER_SECOND;
    if !(0..86_400).contains(&second) || nanoseconds < 0 {
        return append_odd_time(nanoseconds, out);
    }
    out.extend_from_slice(&hour_minute_second(second as u32));
    append_fraction((nanoseconds % NANOSECONDS_PER_SECOND) as u32, out);
}

#[cold]
fn append_odd_time(nanoseconds: i64, out: &mut Vec<u8>) {
    if nanoseconds < 0 {
        out.push(b'-');
    }
    let nanoseconds = nanoseconds.unsigned_abs();
    let second = nanoseconds / NANOSECONDS_PER_SECOND as u64;
    if second < 36_000 {
        out.push(b'0');
    }
    integer::append(second / 3_600, out);
    out.extend_from_slice(&hour_minute_second((second % 3_600) as u32)[2..]);
    append_fraction((nanoseconds % NANOSECONDS_PER_SECOND as u64) as u32, out);
}

#[inline]
fn hour_minute_second(second: u32) -> [u8; 8] {
    let [h0, h1] = two_digits(second / 3_600);
    let [m0, m1] = two_digits(second / 60 % 60);
    let [s0, s1] = two_digits(second % 60);
    [h0, h1, b':', m0, m1, b':', s0, s1]
}

#[inline]
fn append_fraction(mut nanoseconds: u32, out: &mut Vec<u8>) {
    let mut text = *b".nnnnnnnnn";
    for digit in text[1..].iter_mut().rev() {
        *digit = b'0' + (nanoseconds % 10) as u8;
        nanoseconds /= 10;
    }
    out.extend_from_slice(&text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T>(append: impl Fn(T, &mut Vec<u8>), value: T) -> String {
        let mut out = Vec::new();
        append(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn json_timestamps() {
        let json = |milliseconds| text(append_json_timestamp, milliseconds);
        assert_eq!(json(1_704_067_200_123), "2024-01-01 00:00:00.123Z");
        assert_eq!(json(-1), "1969-12-31 23:59:59.999Z");
        assert_eq!(json(-62_135_596_800_000), "0001-01-01 00:00:00.000Z");
        assert_eq!(json(i64::MAX), "+292278994-08-17 07:12:55.807Z");
        assert_eq!(json(i64::MIN), "-292275055-05-16 16:47:04.192Z");
        assert_eq!(json(-63_549_360_000_000), "-0044-03-15 00:00:00.000Z");
    }

    /// As cqlsh 6.2.2 prints them, but for the padding of the year and the last millisecond of
    /// 9999.
    #[test]
    fn csv_timestamps() {
        let csv = |milliseconds| text(append_csv_timestamp, milliseconds);
        assert_eq!(csv(1_704_067_200_123), "2024-01-01 00:00:00.123+0000");
        assert_eq!(csv(-62_135_596_800_000), "0001-01-01 00:00:00.000+0000");
        assert_eq!(csv(-62_135_596_800_001), "-62135596800001");
        assert_eq!(csv(253_402_300_799_999), "9999-12-31 23:59:59.999+0000");
        assert_eq!(csv(253_402_300_800_000), "253402300800000");
    }

    #[test]
    fn csv_dates() {
        let csv = |days| text(append_csv_date, days);
        assert_eq!(csv(19_782), "2024-02-29");
        assert_eq!(csv(-719_162), "0001-01-01");
        assert_eq!(csv(-719_163), "-719163");
        assert_eq!(csv(2_932_896), "9999-12-31");
        assert_eq!(csv(i32::MAX), "2147483647");
    }

    /// As Java 17 prints them.
    #[test]
    fn instants() {
        let instant = |seconds, nanoseconds| {
            text(|seconds, out| append_instant(seconds, nanoseconds, out), seconds)
        };
        assert_eq!(instant(0, 0), "1970-01-01T00:00:00Z");
        assert_eq!(instant(0, 27_000), "1970-01-01T00:00:00.000027Z");
        assert_eq!(instant(0, 1_000_000), "1970-01-01T00:00:00.001Z");
        assert_eq!(instant(1_796_081_023, 835_209_000), "2026-11-30T23:23:43.835209Z");
        assert_eq!(instant(-1, 999_999_999), "1969-12-31T23:59:59.999999999Z");
        assert_eq!(instant(253_402_300_800, 0), "+10000-01-01T00:00:00Z");
        assert_eq!(instant(-62_167_219_201, 0), "-0001-12-31T23:59:59Z");
    }

    #[test]
    fn shown_timestamps() {
        assert_eq!(text(append_shown_timestamp, 1_704_067_200_123), "2024-01-01T00:00:00.123Z");
        assert_eq!(text(append_shown_timestamp, -1), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn times() {
        let time = |nanoseconds| text(append_time, nanoseconds);
        assert_eq!(time(4_325_394_017_000), "01:12:05.394017000");
        assert_eq!(time(0), "00:00:00.000000000");
        assert_eq!(time(86_399_999_999_999), "23:59:59.999999999");
        assert_eq!(time(86_400_000_000_000), "24:00:00.000000000");
        assert_eq!(time(-1), "-00:00:00.000000001");
        assert_eq!(time(i64::MIN), "-2562047:47:16.854775808");
    }
}
