use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Seconds since 1970 at which years become too long for any time of a row.
const YEAR_10000: i64 = 253_402_300_800;

/// A time in seconds since 1970: a number, or ISO 8601, in UTC unless it has an offset.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    if let Ok(seconds) = text.parse() {
        return match seconds {
            YEAR_10000.. => {
                Err(format!("{seconds} is behind the year 9999: use seconds, not milliseconds"))
            }
            _ => Ok(seconds),
        };
    }
    iso(text).map(Timestamp::as_second).ok_or_else(|| {
        format!("{text:?} is no time: use seconds since 1970 or ISO 8601, as 2026-01-31T12:00:00Z")
    })
}

/// A time in microseconds since 1970: a number, or ISO 8601, in UTC unless it has an offset.
pub(crate) fn parse_micros(text: &str) -> Result<i64, String> {
    if let Ok(micros) = text.parse() {
        return Ok(micros);
    }
    iso(text).map(Timestamp::as_microsecond).ok_or_else(|| {
        format!(
            "{text:?} is no time: use microseconds since 1970 or ISO 8601, as 2026-01-31T12:00:00Z"
        )
    })
}

fn iso(text: &str) -> Option<Timestamp> {
    let utc = || TimeZone::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
    text.parse().ok().or_else(utc)
}

/// The clock.
pub(crate) fn now() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since_1970.as_secs() as i64
}

#[cfg(test)]
mod tests {
    use super::{parse, parse_micros};

    #[test]
    fn seconds_and_iso() {
        assert_eq!(parse("1796080779"), Ok(1_796_080_779));
        assert_eq!(parse("1970-01-02T00:00:00Z"), Ok(86_400));
        assert_eq!(parse("1970-01-02T01:00:00+01:00"), Ok(86_400));
        assert_eq!(parse("1970-01-02T00:00:00"), Ok(86_400));
        assert_eq!(parse("1970-01-02"), Ok(86_400));
        assert!(parse("yesterday").is_err());
        assert!(parse("1796080779000").unwrap_err().contains("not milliseconds"));
        assert_eq!(parse("253402300799"), Ok(253_402_300_799));
    }

    #[test]
    fn microseconds_and_iso() {
        assert_eq!(parse_micros("1796080779000001"), Ok(1_796_080_779_000_001));
        assert_eq!(parse_micros("-5"), Ok(-5));
        assert_eq!(parse_micros("1970-01-02T00:00:00.000007Z"), Ok(86_400_000_007));
        assert_eq!(parse_micros("1970-01-02"), Ok(86_400_000_000));
        assert!(parse_micros("now").is_err());
    }
}
