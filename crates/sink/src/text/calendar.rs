//! Days since 1970-01-01 in the proleptic Gregorian calendar.

use super::integer::{self, two_digits};

const DAYS_PER_ERA: i64 = 146_097;
const YEARS_PER_ERA: i64 = 400;

/// Days from 0000-03-01, where the first era starts, to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

/// Days since 1970 whose year has four digits: 0000-01-01 to 9999-12-31.
const FOUR_DIGIT_YEARS: std::ops::Range<i64> = -719_528..2_932_897;

/// A year of the ISO calendar (0 is 1 BC), and a month and day that count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Date {
    year: i64,
    month: u32,
    day: u32,
}

impl Date {
    /// Years start in March, so that the leap day is a year's last, and come in eras of 400.
    #[inline(always)]
    fn of(days: i64) -> Self {
        let shifted = days + DAYS_TO_1970;
        let era = shifted.div_euclid(DAYS_PER_ERA);
        let day_of_era = shifted.rem_euclid(DAYS_PER_ERA) as u32;
        let leaps = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
        let year_of_era = (day_of_era - leaps) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let march_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = era * YEARS_PER_ERA + i64::from(year_of_era) + i64::from(month <= 2);
        Self { year, month, day }
    }
}

/// Appends `2024-02-29`; a year outside 0–9999 has a sign and at least four digits
/// (`java.time.LocalDate.toString`).
#[inline]
pub(crate) fn append(days: i64, out: &mut Vec<u8>) {
    match four_digit_year(days) {
        Some(text) => out.extend_from_slice(&text),
        None => append_signed(Date::of(days), out),
    }
}

/// `2024-02-29`, if the year has no sign.
#[inline(always)]
pub(crate) fn four_digit_year(days: i64) -> Option<[u8; 10]> {
    if !FOUR_DIGIT_YEARS.contains(&days) {
        return None;
    }
    let date = Date::of(days);
    let ([y0, y1], [y2, y3]) =
        (two_digits(date.year as u32 / 100), two_digits(date.year as u32 % 100));
    let [dash, m0, m1, _, d0, d1] = month_and_day(date);
    Some([y0, y1, y2, y3, dash, m0, m1, dash, d0, d1])
}

#[inline(always)]
fn month_and_day(date: Date) -> [u8; 6] {
    let ([m0, m1], [d0, d1]) = (two_digits(date.month), two_digits(date.day));
    [b'-', m0, m1, b'-', d0, d1]
}

#[cold]
fn append_signed(date: Date, out: &mut Vec<u8>) {
    out.push(if date.year < 0 { b'-' } else { b'+' });
    let year = date.year.unsigned_abs();
    for limit in [1_000, 100, 10] {
        if year < limit {
            out.push(b'0');
        }
    }
    integer::append(year, out);
    out.extend_from_slice(&month_and_day(date));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(days: i64) -> String {
        let mut out = Vec::new();
        append(days, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn known_days() {
        assert_eq!(text(0), "1970-01-01");
        assert_eq!(text(19_782), "2024-02-29");
        assert_eq!(text(-1), "1969-12-31");
        assert_eq!(text(11_016), "2000-02-29");
        assert_eq!(text(-25_509), "1900-02-28");
        assert_eq!(text(-25_508), "1900-03-01");
    }

    /// The ends of `date` as Cassandra 5.0.9 prints them.
    #[test]
    fn ends_of_the_date_type() {
        assert_eq!(text(i64::from(i32::MIN)), "-5877641-06-23");
        assert_eq!(text(i64::from(i32::MAX)), "+5881580-07-11");
    }

    #[test]
    fn years_of_four_digits_end() {
        let range = FOUR_DIGIT_YEARS;
        assert_eq!(text(range.start), "0000-01-01");
        assert_eq!(text(range.start - 1), "-0001-12-31");
        assert_eq!(text(range.end - 1), "9999-12-31");
        assert_eq!(text(range.end), "+10000-01-01");
    }

    /// Counts through 800 years day by day with the rules as people know them.
    #[test]
    fn follows_a_counted_calendar() {
        let (mut year, mut month, mut day) = (1599, 1, 1);
        for days in -135_505.. {
            assert_eq!(Date::of(days), Date { year, month, day });
            let leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
            let last = match month {
                2 => 28 + u32::from(leap),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (month, day) = if day == last { (month + 1, 1) } else { (month, day + 1) };
            if month == 13 {
                (year, month) = (year + 1, 1);
            }
            if year == 2400 {
                return;
            }
        }
    }
}
