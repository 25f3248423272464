use crate::text::{clock, integer};

const MICROSECONDS_PER_SECOND: i64 = 1_000_000;
const NANOSECONDS_PER_SECOND: i64 = 1_000_000_000;

/// The seconds that `java.time.Instant` has.
const INSTANTS: std::ops::RangeInclusive<i64> = -31_557_014_167_219_200..=31_556_889_864_403_199;

/// How times are shown: as ISO 8601 or as numbers, in quotes either way (`JsonTransformer.dateString`).
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeText {
    pub(super) raw: bool,
}

impl TimeText {
    /// Appends a time in microseconds. Before 1970 and behind 2262 sstabledump's fraction of a second
    /// does not belong to the second, and so it does not here: only numbers are exact there.
    #[inline]
    pub(super) fn append_microseconds(self, time: i64, out: &mut Vec<u8>) {
        out.push(b'"');
        if self.raw {
            integer::append(time, out);
        } else {
            let nanoseconds = time.saturating_mul(1_000).rem_euclid(NANOSECONDS_PER_SECOND);
            clock::append_instant(time / MICROSECONDS_PER_SECOND, nanoseconds as u32, out);
        }
        out.push(b'"');
    }

    /// Appends a time in seconds.
    #[inline]
    pub(super) fn append_seconds(self, time: i64, out: &mut Vec<u8>) {
        out.push(b'"');
        match self.raw || !INSTANTS.contains(&time) {
            true => integer::append(time, out),
            false => clock::append_instant(time, 0, out),
        }
        out.push(b'"');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn microseconds(time: i64) -> String {
        let mut out = Vec::new();
        TimeText { raw: false }.append_microseconds(time, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// As sstabledump 5.0.9 prints them.
    #[test]
    fn fractions_of_far_times_are_those_of_sstabledump() {
        assert_eq!(microseconds(1_500_000), "\"1970-01-01T00:00:01.500Z\"");
        assert_eq!(microseconds(-1), "\"1970-01-01T00:00:00.999999Z\"");
        assert_eq!(microseconds(i64::MAX), "\"+294247-01-10T04:00:54.854775807Z\"");
    }
}
