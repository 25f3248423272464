//! Timestamps, dates and times of day (`serializers/{TimestampSerializer, SimpleDateSerializer,
//! TimeSerializer}.java`, 4.0 to 6.0).

use crate::CqlType;

const DAY_MS: i64 = 86_400_000;
const DAY_NS: i64 = 86_400_000_000_000;

pub(super) fn is_time(cql_type: &CqlType) -> bool {
    matches!(
        cql_type,
        CqlType::Timestamp | CqlType::LegacyTimestamp | CqlType::Date | CqlType::Time
    )
}

/// The bytes of a value whose text is digits or a form of its type.
pub(super) fn value(text: &str, cql_type: &CqlType) -> Option<Vec<u8>> {
    match cql_type {
        CqlType::Date => date(text).map(|days| days.to_be_bytes().to_vec()),
        CqlType::Time => time(text).map(|time_ns| time_ns.to_be_bytes().to_vec()),
        _ => timestamp(text).map(|time_ms| time_ms.to_be_bytes().to_vec()),
    }
}

/// Days with 2^31 as 1970-01-01.
fn date(text: &str) -> Option<u32> {
    if let Some(days) = raw(text) {
        return u32::try_from(days?).ok();
    }
    let mut rest = text;
    let days = take_date(&mut rest)?;
    let days = u32::try_from(days.checked_add(1 << 31)?).ok()?;
    rest.is_empty().then_some(days)
}

/// Nanoseconds of the day.
fn time(text: &str) -> Option<i64> {
    let time_ns = match raw(text) {
        Some(time_ns) => time_ns?,
        None => {
            let mut rest = text;
            let time_ns = take_time(&mut rest, true)?;
            rest.is_empty().then_some(time_ns)?
        }
    };
    (0..DAY_NS).contains(&time_ns).then_some(time_ns)
}

/// Milliseconds since 1970. Without a zone it is UTC: the database takes its own there.
fn timestamp(text: &str) -> Option<i64> {
    if let Some(time_ms) = raw(text) {
        return time_ms;
    }
    let mut rest = text;
    let days = take_date(&mut rest)?;
    let time_ns = match rest.strip_prefix([' ', 'T']) {
        Some(behind) if behind.starts_with(|c: char| c.is_ascii_digit()) => {
            rest = behind;
            take_time(&mut rest, false)?
        }
        _ => 0,
    };
    let offset_ms = zone_ms(rest.strip_prefix(' ').unwrap_or(rest))?;
    days.checked_mul(DAY_MS)?.checked_add(time_ns / 1_000_000)?.checked_sub(offset_ms)
}

/// A text that is nothing but an integer; its value, if that fits.
fn raw(text: &str) -> Option<Option<i64>> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_integer.then(|| text.parse().ok())
}

/// `Z`, `UTC`, `GMT`, `+02`, `+0200`, `+02:00`; nothing is UTC.
fn zone_ms(text: &str) -> Option<i64> {
    if matches!(text, "" | "Z" | "UTC" | "GMT") {
        return Some(0);
    }
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let mut rest = digits;
    let hours = take_number(&mut rest, 2)?;
    let minutes = match rest.strip_prefix(':').unwrap_or(rest) {
        "" if rest.is_empty() => 0,
        behind => {
            rest = behind;
            take_number(&mut rest, 2)?
        }
    };
    (rest.is_empty() && hours <= 18 && minutes < 60).then(|| sign * (hours * 60 + minutes) * 60_000)
}

/// Takes `YYYY-MM-DD`, the year with more digits or a sign behind and before that; days since 1970.
fn take_date(rest: &mut &str) -> Option<i64> {
    let (sign, text) = match rest.split_at_checked(1)? {
        ("-", text) => (-1, text),
        ("+", text) => (1, text),
        _ => (1, *rest),
    };
    *rest = text;
    let width = text.find(|c: char| !c.is_ascii_digit())?;
    if !(4..=9).contains(&width) {
        return None;
    }
    let year = sign * take_number(rest, width)?;
    *rest = rest.strip_prefix('-')?;
    let month = take_number(rest, 2)?;
    *rest = rest.strip_prefix('-')?;
    let day = take_number(rest, 2)?;
    let is_day = (1..=12).contains(&month) && (1..=month_len(year, month)).contains(&day);
    is_day.then(|| days_from_civil(year, month, day))
}

fn month_len(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970 in the calendar of today. Years are counted from March, so that the leap day is
/// the last one.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Takes `HH:mm[:ss[.fffffffff]]`; nanoseconds of the day.
fn take_time(rest: &mut &str, needs_seconds: bool) -> Option<i64> {
    let hours = take_number(rest, 2)?;
    *rest = rest.strip_prefix(':')?;
    let minutes = take_number(rest, 2)?;
    let mut time_ns = (hours * 60 + minutes) * 60_000_000_000;
    let mut seconds = 0;
    if let Some(behind) = rest.strip_prefix(':') {
        *rest = behind;
        seconds = take_number(rest, 2)?;
        time_ns += seconds * 1_000_000_000 + take_fraction(rest)?;
    } else if needs_seconds {
        return None;
    }
    (hours < 24 && minutes < 60 && seconds < 60).then_some(time_ns)
}

/// Takes a point and 1 to 9 digits, if a point comes; nanoseconds.
fn take_fraction(rest: &mut &str) -> Option<i64> {
    let Some(behind) = rest.strip_prefix('.') else { return Some(0) };
    *rest = behind;
    let width = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
    if !(1..=9).contains(&width) {
        return None;
    }
    Some(take_number(rest, width)? * 10_i64.pow(9 - width as u32))
}

fn take_number(rest: &mut &str, width: usize) -> Option<i64> {
    let (digits, behind) = rest.split_at_checked(width)?;
    *rest = behind;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}
