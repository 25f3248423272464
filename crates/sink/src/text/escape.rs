//! Strings as JSON, as cqlsh shows them, and as fields of CSV.

/// Whether a JSON string has to escape `byte`.
#[inline(always)]
pub(crate) fn is_special_in_json(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Appends `text` as the inside of a JSON string (Jackson's `JsonStringEncoder`, which
/// `JsonUtils.quoteAsJsonString` calls): only what JSON demands is escaped.
pub(crate) fn append_json(text: &[u8], out: &mut Vec<u8>) {
    append_escaping(text, is_special_in_json, out, |bytes, out| {
        append_json_escape(bytes[0], out);
        1
    });
}

fn append_json_escape(byte: u8, out: &mut Vec<u8>) {
    let letter = match byte {
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        b'"' | b'\\' => byte,
        _ => {
            let digit = b"0123456789ABCDEF"[usize::from(byte & 15)];
            return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', b'0' + (byte >> 4), digit]);
        }
    };
    out.extend_from_slice(&[b'\\', letter]);
}

/// Appends `text` as a JSON string.
pub(crate) fn append_json_string(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    append_json(text, out);
    out.push(b'"');
}

/// Where cqlsh shows text: always `\` twice and control characters as Python escapes
/// (`format_value_text`), and each place escapes something of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// In a literal between `'`, which is doubled
    Literal,
    /// The name of a field in a literal
    Name,
    /// As a field of CSV, where `"` and each `\` stand behind a `\`
    Field,
}

/// Whether `byte` cannot be shown as it is. U+0080 to U+00A0 are control characters for cqlsh, and
/// start with C2.
#[inline(always)]
pub(crate) fn is_special_when_shown(byte: u8) -> bool {
    matches!(byte, 0..=0x1f | b'\\' | 0x7f | 0xc2)
}

/// Appends `text` as cqlsh shows it, without the quotes around it.
pub(crate) fn append_shown(text: &[u8], shown: Shown, out: &mut Vec<u8>) {
    let backslash: &[u8] = if shown == Shown::Field { br"\\" } else { br"\" };
    let (quote, escaped_quote): (_, &[u8]) = match shown {
        Shown::Literal => (Some(b'\''), b"''"),
        Shown::Field => (Some(b'"'), br#"\""#),
        Shown::Name => (None, b""),
    };
    let is_special = |byte| Some(byte) == quote || is_special_when_shown(byte);
    append_escaping(text, is_special, out, |bytes, out| {
        match bytes {
            [byte, ..] if Some(*byte) == quote => out.extend_from_slice(escaped_quote),
            [0xc2, code @ 0x80..=0xa0, ..] => {
                append_python_escape(*code, backslash, out);
                return 2;
            }
            [0xc2, ..] => out.push(0xc2),
            _ => append_python_escape(bytes[0], backslash, out),
        }
        1
    });
}

/// Appends Python's `repr` of a backslash or a control character.
fn append_python_escape(code: u8, backslash: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(backslash);
    match code {
        b'\\' => out.extend_from_slice(backslash),
        b'\n' => out.push(b'n'),
        b'\r' => out.push(b'r'),
        b'\t' => out.push(b't'),
        _ => {
            out.push(b'x');
            super::hex::append(&[code], out);
        }
    }
}

/// Appends `text` as a field of CSV, as Python's `csv.writer` does with cqlsh's dialect: `"` and
/// `\` behind a `\`, and `"` around what holds a comma or the end of a line.
pub(crate) fn append_field(text: &[u8], out: &mut Vec<u8>) {
    let quoted = text.iter().any(|byte| matches!(byte, b',' | b'\r' | b'\n'));
    if quoted {
        out.push(b'"');
    }
    append_escaping(
        text,
        |byte| matches!(byte, b'"' | b'\\'),
        out,
        |bytes, out| {
            out.extend_from_slice(&[b'\\', bytes[0]]);
            1
        },
    );
    if quoted {
        out.push(b'"');
    }
}

/// Copies `text`; where a byte is special, `escape` appends something for the start of the bytes
/// that it is given, and returns how many of them, at least 1, that was.
#[inline(always)]
fn append_escaping(
    mut text: &[u8],
    is_special: impl Fn(u8) -> bool,
    out: &mut Vec<u8>,
    escape: impl Fn(&[u8], &mut Vec<u8>) -> usize,
) {
    while let Some(at) = text.iter().position(|byte| is_special(*byte)) {
        out.extend_from_slice(&text[..at]);
        let escaped = escape(&text[at..], out);
        text = &text[at + escaped..];
    }
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(append: impl Fn(&[u8], &mut Vec<u8>), value: &str) -> String {
        let mut out = Vec::new();
        append(value.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    /// As Cassandra 5.0.9 prints them.
    #[test]
    fn json() {
        let json = |value| text(append_json_string, value);
        assert_eq!(json("héllo 😀 / '"), r#""héllo 😀 / '""#);
        assert_eq!(json("\0\u{1f}\"\\/ tab\tnl\n"), r#""\u0000\u001F\"\\/ tab\tnl\n""#);
        assert_eq!(json("\u{8}\u{c}\r\u{b}"), r#""\b\f\r\u000B""#);
        assert_eq!(json("\u{7f}\u{2028}\u{80}"), "\"\u{7f}\u{2028}\u{80}\"");
        assert_eq!(json(""), r#""""#);
    }

    /// As cqlsh 6.2.2 prints them.
    #[test]
    fn shown_in_fields() {
        let field = |value| text(|text, out| append_shown(text, Shown::Field, out), value);
        assert_eq!(field("new\nline"), r"new\\nline");
        assert_eq!(field(r"back\slash"), r"back\\\\slash");
        assert_eq!(field(r#"\""#), r#"\\\\\""#);
        assert_eq!(field("sing'le"), "sing'le");
        assert_eq!(
            field("\0\u{1}\u{1f}\u{7f}\ra\u{80}\u{85}\u{a0}\u{ad}ÿ"),
            "\\\\x00\\\\x01\\\\x1f\\\\x7f\\\\ra\\\\x80\\\\x85\\\\xa0\u{ad}ÿ"
        );
    }

    #[test]
    fn shown_in_literals() {
        let literal = |value| text(|text, out| append_shown(text, Shown::Literal, out), value);
        assert_eq!(literal("it's"), "it''s");
        assert_eq!(literal("q\"q"), "q\"q");
        assert_eq!(literal("b\\s\n\u{85}"), r"b\\s\n\x85");
    }

    #[test]
    fn fields() {
        let field = |value| text(append_field, value);
        assert_eq!(field("a b"), "a b");
        assert_eq!(field("a,b"), "\"a,b\"");
        assert_eq!(field(r#"Up "q"#), r#"Up \"q"#);
        assert_eq!(field("['q\"q', 'b\\\\s']"), r#""['q\"q', 'b\\\\s']""#);
        assert_eq!(field("a\nb"), "\"a\nb\"");
    }
}
