//! Durations (`cql3/Duration.java`, 3.10 to 5.0).

use outpour_codec::vint;

/// The units, in the order that they must come in, and how many of a part they are.
const UNITS: [(&str, Part, i64); 10] = [
    ("y", Part::Months, 12),
    ("mo", Part::Months, 1),
    ("w", Part::Days, 7),
    ("d", Part::Days, 1),
    ("h", Part::Nanoseconds, 3_600_000_000_000),
    ("m", Part::Nanoseconds, 60_000_000_000),
    ("s", Part::Nanoseconds, 1_000_000_000),
    ("ms", Part::Nanoseconds, 1_000_000),
    ("us", Part::Nanoseconds, 1_000),
    ("ns", Part::Nanoseconds, 1),
];

#[derive(Debug, Clone, Copy)]
enum Part {
    Months,
    Days,
    Nanoseconds,
}

/// Months, days and nanoseconds, all of one sign.
#[derive(Debug, Default)]
struct Duration([i64; 3]);

/// The bytes of a duration's text.
pub(super) fn value(text: &str) -> Option<Vec<u8>> {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    let Duration([months, days, nanoseconds]) = match rest.strip_prefix('P') {
        Some(iso) if iso.contains('-') => alternative(iso)?,
        Some(iso) => designated(iso)?,
        None => units(rest, |unit| unit.to_lowercase().replace('µ', "u"))?,
    };
    let (months, days) = (i32::try_from(months).ok()?, i32::try_from(days).ok()?);
    let mut bytes = Vec::new();
    for part in [months.into(), days.into(), nanoseconds] {
        vint::write_signed(sign * part, &mut bytes);
    }
    Some(bytes)
}

impl Duration {
    fn add(&mut self, part: Part, count: i64, factor: i64) -> Option<()> {
        let part = self.0.get_mut(part as usize)?;
        *part = part.checked_add(count.checked_mul(factor)?)?;
        Some(())
    }
}

/// Digits and a unit, one behind the other, each unit at most once and the larger one first.
fn units(mut text: &str, unit_name: impl Fn(&str) -> String) -> Option<Duration> {
    let mut duration = Duration::default();
    let mut next = 0;
    while !text.is_empty() {
        let digits = text.find(|c: char| !c.is_ascii_digit())?;
        let (count, rest) = text.split_at_checked(digits)?;
        let len = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (unit, rest) = rest.split_at_checked(len)?;
        let unit = unit_name(unit);
        let at = UNITS.iter().position(|(name, ..)| *name == unit)?;
        let (_, part, factor) = UNITS.get(at)?;
        if at < next {
            return None;
        }
        duration.add(*part, count.parse().ok()?, *factor)?;
        (next, text) = (at + 1, rest);
    }
    (next > 0).then_some(duration)
}

/// `1Y2M3DT4H5M6S` or `2W`, behind the P.
fn designated(text: &str) -> Option<Duration> {
    if text.ends_with('W') {
        return units(text, |unit| if unit == "W" { "w".to_owned() } else { String::new() });
    }
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    let of_date = |unit: &str| match unit {
        "Y" => "y".to_owned(),
        "M" => "mo".to_owned(),
        "D" => "d".to_owned(),
        _ => String::new(),
    };
    let of_time = |unit: &str| match unit {
        "H" => "h".to_owned(),
        "M" => "m".to_owned(),
        "S" => "s".to_owned(),
        _ => String::new(),
    };
    let mut duration = if date.is_empty() { Duration::default() } else { units(date, of_date)? };
    if !time.is_empty() {
        let Duration([_, _, nanoseconds]) = units(time, of_time)?;
        duration.0[2] = nanoseconds;
    }
    Some(duration)
}

/// `YYYY-MM-DDThh:mm:ss`, behind the P.
fn alternative(text: &str) -> Option<Duration> {
    const WIDTHS: [usize; 6] = [4, 2, 2, 2, 2, 2];
    const SEPARATORS: &str = "--T::";
    let mut duration = Duration::default();
    let mut rest = text;
    for (i, (width, unit)) in WIDTHS.iter().zip(["y", "mo", "d", "h", "m", "s"]).enumerate() {
        if let Some(separator) = i.checked_sub(1).and_then(|i| SEPARATORS.chars().nth(i)) {
            rest = rest.strip_prefix(separator)?;
        }
        let (digits, behind) = rest.split_at_checked(*width)?;
        let (_, part, factor) = UNITS.iter().find(|(name, ..)| *name == unit)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        duration.add(*part, digits.parse().ok().filter(|_| is_number)?, *factor)?;
        rest = behind;
    }
    rest.is_empty().then_some(duration)
}
