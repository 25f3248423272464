//! Text that names and values of files cannot break: what steers a terminal is escaped.

use std::borrow::Cow;

/// `text` as one line with its end.
pub(crate) fn line(text: &str) -> String {
    let mut line = safe(text).into_owned();
    line.push('\n');
    line
}

/// `text` with control characters, and those that change the direction of text, escaped.
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match steers(char) {
            true => out.extend(char.escape_default()),
            false => out.push(char),
        }
    }
    Cow::Owned(out)
}

fn steers(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A number with its digits in groups, and the noun.
pub(crate) fn count(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(i128::from(number)))
}

/// A number with its digits in groups of three.
pub(crate) fn grouped(number: i128) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::new();
    if number < 0 {
        out.push('-');
    }
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        assert_eq!(safe("plain äöü 漢字"), "plain äöü 漢字");
        assert_eq!(safe("a\u{1b}[2Jb\nc\u{7}"), "a\\u{1b}[2Jb\\nc\\u{7}");
        assert_eq!(safe("a\u{202e}b\u{9b}"), "a\\u{202e}b\\u{9b}");
        assert_eq!(line("x\r"), "x\\r\n");
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(-999), "-999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(-12_345), "-12,345");
        assert_eq!((count(1, "row"), count(2000, "row")), ("1 row".into(), "2,000 rows".into()));
    }
}
