//! How long a literal is that starts a text. Each is told by its form alone, and ends before
//! anything that could go on with it.

/// `8-4-4-4-12` hex digits.
pub(crate) fn uuid(text: &str) -> Option<usize> {
    let bytes = text.as_bytes().get(..36)?;
    let is_dash = |i: usize| matches!(i, 8 | 13 | 18 | 23);
    let fits =
        |(i, byte): (usize, &u8)| if is_dash(i) { *byte == b'-' } else { byte.is_ascii_hexdigit() };
    (bytes.iter().enumerate().all(fits) && ends(text, 36)).then_some(36)
}

/// The bytes of a text that [`uuid`] has found.
pub(crate) fn uuid_bytes(text: &str) -> [u8; 16] {
    let digits = text.chars().filter_map(|c| c.to_digit(16));
    digits.fold(0_u128, |value, digit| value << 4 | u128::from(digit)).to_be_bytes()
}

/// `0x` and hex digits.
pub(crate) fn hex(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let len = 2 + count(rest, u8::is_ascii_hexdigit);
    ends(text, len).then_some(len)
}

/// `-1`, `1.5`, `1.`, `1e-3`.
pub(crate) fn number(text: &str) -> Option<usize> {
    let sign = usize::from(text.starts_with('-'));
    let mut len = sign + digits(text, sign)?;
    if text.get(len..)?.starts_with('.') {
        len += 1 + digits(text, len + 1).unwrap_or(0);
    }
    if text.get(len..)?.starts_with(['e', 'E']) {
        let signed = usize::from(text.get(len + 1..)?.starts_with(['+', '-']));
        len += 1 + signed + digits(text, len + 1 + signed)?;
    }
    ends(text, len).then_some(len)
}

/// `1y2mo`, `-3h`; or as ISO 8601 has it, `P1Y2M3DT4H`, `P2W`, `P0001-02-03T04:05:06`.
pub(crate) fn duration(text: &str) -> Option<usize> {
    let sign = usize::from(text.starts_with('-'));
    let rest = text.get(sign..)?;
    let is_iso = rest.starts_with('P');
    let is_part = |c: char| c.is_alphanumeric() || (is_iso && matches!(c, '-' | ':'));
    let len = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let body = rest.get(..len)?;
    let starts =
        if is_iso { body.len() > 1 } else { body.starts_with(|c: char| c.is_ascii_digit()) };
    let has_digits_and_units = body.contains(|c: char| c.is_ascii_digit())
        && body.chars().all(|c| c.is_ascii_digit() || "yYmMoOwWdDhHsSuUnNµPT-:".contains(c))
        && (is_iso || body.ends_with(|c: char| c.is_alphabetic()));
    (starts && has_digits_and_units && ends(text, sign + len)).then_some(sign + len)
}

fn digits(text: &str, from: usize) -> Option<usize> {
    Some(count(text.get(from..)?, u8::is_ascii_digit)).filter(|count| *count > 0)
}

fn count(text: &str, fits: impl Fn(&u8) -> bool) -> usize {
    text.bytes().take_while(|byte| fits(byte)).count()
}

fn ends(text: &str, len: usize) -> bool {
    let next = text.get(len..).and_then(|rest| rest.chars().next());
    !next.is_some_and(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_told_by_their_form() {
        type Scan = fn(&str) -> Option<usize>;
        let cases: [(Scan, &[&str], &[&str]); 4] = [
            (
                uuid,
                &["5132b130-ae79-11e4-ab27-0800200c9a66", "ABCDEF12-0000-4000-8000-a08280a50dd9"],
                &[
                    "5132b130-ae79-11e4-ab27-0800200c9a6",
                    "5132b130+ae79-11e4-ab27-0800200c9a66",
                    "é",
                ],
            ),
            (hex, &["0x", "0Xff", "0x0"], &["0xg", "x0", "00x"]),
            (
                number,
                &["0", "-1", "1.5", "1.", "1e5", "-1.5E-10", "1E+2"],
                &["", "-", ".5", "1h", "1e", "1.5x", "e5"],
            ),
            (
                duration,
                &[
                    "1h",
                    "-1y2mo3w4d5h6m7s8ms9us10ns",
                    "5µs",
                    "P1Y",
                    "-P1M2DT3H",
                    "PT5S",
                    "P2W",
                    "P0001-02-03T04:05:06",
                    "3MO",
                ],
                &["1", "h", "P", "1x", "1.5h", "-", "1h5", "part"],
            ),
        ];
        for (scan, good, bad) in cases {
            for text in good {
                assert_eq!(scan(text), Some(text.len()), "{text}");
                for (behind, found) in [(" x", true), (")", true), ("g", false), ("_", false)] {
                    let longer = format!("{text}{behind}");
                    assert_eq!(scan(&longer) == Some(text.len()), found, "{longer}");
                }
            }
            for text in bad {
                assert_eq!(scan(text), None, "{text}");
            }
        }
    }

    #[test]
    fn a_uuid_has_the_bytes_of_its_digits() {
        let bytes = uuid_bytes("00010203-0405-0607-0809-0a0b0C0D0e0f");
        assert_eq!(bytes.to_vec(), (0..16).collect::<Vec<u8>>());
    }
}
