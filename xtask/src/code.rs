//! Rust sources without what only looks like code.

/// The text with comments and literals blanked; lines and columns stay where they are.
pub(crate) fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let token = Token::first(rest);
        let (seen, after) = rest.split_at(token.len);
        if token.is_code {
            masked.push_str(seen);
        } else {
            blank(seen, &mut masked);
        }
        rest = after;
    }
    masked
}

/// Masked code with the items blanked that only tests have.
pub(crate) fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut product = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        let (before, item) = rest.split_at(at);
        let end = item_end(item, MARK.len()).unwrap_or(item.len());
        product.push_str(before);
        blank(&item[..end], &mut product);
        rest = &item[end..];
    }
    product + rest
}

/// Where the item ends that stands at `from` of masked code: behind its braces or its semicolon.
pub(crate) fn item_end(code: &str, from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(from) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 && matches!(byte, b';' | b'}') {
            return Some(at + 1);
        }
    }
    None
}

fn blank(text: &str, masked: &mut String) {
    masked.extend(text.chars().map(|char| if char == '\n' { '\n' } else { ' ' }));
}

struct Token {
    len: usize,
    is_code: bool,
}

impl Token {
    fn first(text: &str) -> Self {
        if let Some(len) = opaque_len(text) {
            return Self { len, is_code: false };
        }
        let word = text.find(|char: char| !is_word(char)).unwrap_or(text.len());
        let first = text.chars().next().map_or(0, char::len_utf8);
        Self { len: word.max(first), is_code: true }
    }
}

fn is_word(char: char) -> bool {
    char == '_' || char.is_alphanumeric()
}

/// The length of the comment or literal that the text starts with.
fn opaque_len(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if text.starts_with("/*") {
        return Some(block_comment_len(text));
    }
    match text.as_bytes().first()? {
        b'"' => Some(quoted_len(text, b'"')),
        b'\'' => char_len(text),
        _ => raw_string_len(text),
    }
}

fn block_comment_len(text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, pair) in text.as_bytes().windows(2).enumerate() {
        match pair {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 2;
        }
    }
    text.len()
}

fn quoted_len(text: &str, quote: u8) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        if byte == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    text.len()
}

/// The length of a character literal; a lifetime is none.
fn char_len(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    let (_, first) = chars.next()?;
    let (_, second) = chars.next()?;
    (first == '\\' || second == '\'').then(|| quoted_len(text, b'\''))
}

fn raw_string_len(text: &str) -> Option<usize> {
    let prefix = ["r", "br", "cr"].into_iter().find(|prefix| {
        let after = text.strip_prefix(prefix).map(|after| after.trim_start_matches('#'));
        after.is_some_and(|after| after.starts_with('"'))
    })?;
    let open = text.find('"')? + 1;
    let closing = format!("\"{}", "#".repeat(open - 1 - prefix.len()));
    let len = text[open..].find(&closing).map(|at| open + at + closing.len());
    Some(len.unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        for (text, masked) in [
            ("a(); // {\nb", "a();     \nb"),
            ("/* { /* */ } */ a", "                a"),
            (r#"f("\"{", 1)"#, "f(     , 1)"),
            (r##"f(r#"{"}"#)"##, "f(        )"),
            (r#"br"\" + b"{""#, "      + b   "),
            (r"['{', '\'', '\u{7d}']", "[   ,     ,         ]"),
            ("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)"),
            ("r#type + bar\"}\"", "r#type + bar   "),
            ("'ä' ü", "    ü"),
        ] {
            assert_eq!(mask(text), masked, "{text}");
        }
    }

    #[test]
    fn an_unclosed_literal_ends_with_the_text() {
        for text in ["\"a", "/* a", "r#\"a\"", "'\\", "'"] {
            assert_eq!(mask(text).len(), text.len());
        }
    }

    #[test]
    fn only_the_items_of_tests_are_left_out() {
        let code =
            "#[cfg(test)]\nmod a;\nfn b() {}\n#[cfg(test)]\nfn c(x: [u8; 2]) { {} }\nfn d();";
        let product = without_tests(code);
        let words: Vec<_> = product.split_whitespace().collect();
        assert_eq!(words, ["fn", "b()", "{}", "fn", "d();"]);
        assert_eq!(product.lines().count(), code.lines().count());
    }
}
