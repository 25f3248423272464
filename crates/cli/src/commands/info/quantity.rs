//! Numbers as people read them.

use jiff::Timestamp;

use crate::terminal::grouped;

/// Bytes in the largest unit that leaves a whole number before the point.
pub(super) fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{count} B"),
        _ => format!("{value:.1} {}", UNITS[unit]),
    }
}

/// A signed number of bytes, as histograms have them.
pub(super) fn size(count: i64) -> String {
    bytes(u64::try_from(count).unwrap_or(0))
}

/// A number that may not be known.
pub(super) fn or_unknown(number: Option<i64>, text: fn(i64) -> String) -> String {
    number.map_or_else(|| "?".to_owned(), text)
}

/// A number with its digits in groups.
pub(super) fn number(number: i64) -> String {
    grouped(i128::from(number))
}

/// A write time, which by convention is in microseconds: the date that it then is, and the number.
pub(super) fn microseconds(time: i64) -> String {
    match Timestamp::from_microsecond(time) {
        Ok(date) => format!("{} ({time} µs)", readable(date)),
        Err(_) => format!("{time} µs"),
    }
}

/// A time in seconds since 1970: the date and the number.
pub(super) fn seconds(time: i64) -> String {
    match Timestamp::from_second(time) {
        Ok(date) => format!("{} ({time} s)", readable(date)),
        Err(_) => format!("{time} s"),
    }
}

/// A time in seconds since 1970 as a date.
pub(super) fn date(time: i64) -> String {
    Timestamp::from_second(time).map_or_else(|_| format!("{time} s"), readable)
}

/// A time in milliseconds since 1970: the date and the number.
pub(super) fn milliseconds(time: i64) -> String {
    match Timestamp::from_millisecond(time) {
        Ok(date) => format!("{} ({time} ms)", readable(date)),
        Err(_) => format!("{time} ms"),
    }
}

fn readable(date: Timestamp) -> String {
    date.to_string().replacen('T', " ", 1)
}

/// A span of time: seconds, and about how many larger units they are.
pub(super) fn span(seconds: i64) -> String {
    let shown = format!("{} s", number(seconds));
    let (unit, name) = match seconds {
        172_800.. => (86_400.0, "d"),
        7_200.. => (3_600.0, "h"),
        120.. => (60.0, "min"),
        _ => return shown,
    };
    let units = seconds as f64 / unit;
    match units.fract() == 0.0 {
        true => format!("{shown} ({} {name})", number(units as i64)),
        false => format!("{shown} ({units:.1} {name})"),
    }
}

/// A part of a whole in percent.
pub(super) fn percent(part: f64) -> String {
    format!("{:.1} %", 100.0 * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_units() {
        for (count, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1536, "1.5 KiB"),
            (5 << 20, "5.0 MiB"),
            (u64::MAX, "16777216.0 TiB"),
        ] {
            assert_eq!(bytes(count), text);
        }
        assert_eq!(or_unknown(None, size), "?");
        assert_eq!(or_unknown(Some(2048), size), "2.0 KiB");
    }

    #[test]
    fn times_have_dates_where_there_are_any() {
        assert_eq!(
            microseconds(1_796_081_023_806_287),
            "2026-11-30 23:23:43.806287Z (1796081023806287 µs)"
        );
        assert_eq!(microseconds(i64::MAX), "9223372036854775807 µs");
        assert_eq!(microseconds(i64::MIN), "-9223372036854775808 µs");
        assert_eq!(seconds(0), "1970-01-01 00:00:00Z (0 s)");
        assert_eq!(seconds(i64::MAX), "9223372036854775807 s");
        assert_eq!(milliseconds(1), "1970-01-01 00:00:00.001Z (1 ms)");
        assert_eq!(date(60), "1970-01-01 00:01:00Z");
    }

    #[test]
    fn spans_have_units() {
        assert_eq!(
            [0, 119, 120, 7_200, 90_000, 864_000, 300_000_000].map(span),
            [
                "0 s",
                "119 s",
                "120 s (2 min)",
                "7,200 s (2 h)",
                "90,000 s (25 h)",
                "864,000 s (10 d)",
                "300,000,000 s (3472.2 d)"
            ]
        );
        assert_eq!(percent(0.25), "25.0 %");
    }
}
