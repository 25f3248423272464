//! `duration`: months, days and nanoseconds.

use super::integer;

const MONTH_UNITS: [(u64, &str); 2] = [(12, "y"), (1, "mo")];
const DAY_UNITS: [(u64, &str); 1] = [(1, "d")];
const NANOSECOND_UNITS: [(u64, &str); 6] = [
    (3_600_000_000_000, "h"),
    (60_000_000_000, "m"),
    (1_000_000_000, "s"),
    (1_000_000, "ms"),
    (1_000, "us"),
    (1, "ns"),
];

/// Appends the text of `cql3.Duration.toString` (cqlsh prints the same): one sign for all parts,
/// only units that are not 0. The zero duration has no text.
pub(crate) fn append(months: i32, days: i32, nanoseconds: i64, out: &mut Vec<u8>) {
    if months < 0 || days < 0 || nanoseconds < 0 {
        out.push(b'-');
    }
    append_units(u64::from(months.unsigned_abs()), &MONTH_UNITS, out);
    append_units(u64::from(days.unsigned_abs()), &DAY_UNITS, out);
    append_units(nanoseconds.unsigned_abs(), &NANOSECOND_UNITS, out);
}

fn append_units(mut amount: u64, units: &[(u64, &str)], out: &mut Vec<u8>) {
    for (size, name) in units {
        if amount >= *size {
            integer::append(amount / size, out);
            out.extend_from_slice(name.as_bytes());
            amount %= size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(months: i32, days: i32, nanoseconds: i64) -> String {
        let mut out = Vec::new();
        append(months, days, nanoseconds, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// As Cassandra 5.0.9 prints them.
    #[test]
    fn units() {
        assert_eq!(text(1, 2, 3), "1mo2d3ns");
        assert_eq!(text(0, 0, 0), "");
        assert_eq!(text(-14, -3, -14_706_007_008_009), "-1y2mo3d4h5m6s7ms8us9ns");
        assert_eq!(
            text(i32::MAX, i32::MAX, i64::MAX),
            "178956970y7mo2147483647d2562047h47m16s854ms775us807ns"
        );
    }

    #[test]
    fn smallest_parts_do_not_overflow() {
        assert_eq!(
            text(i32::MIN, i32::MIN, i64::MIN),
            "-178956970y8mo2147483648d2562047h47m16s854ms775us808ns"
        );
    }
}
