use std::ops::Range;

use crate::SchemaError;

/// How many tokens a statement may have: far more than any that declares a table or type.
const TOKENS_MAX: usize = 1 << 20;

/// What Cassandra says above a table that it shows in a comment, since CQL cannot create it again
/// (`ColumnFamilyStoreCQLHelper`, 3.0 and 3.11; `CompactTableMetadata.appendCqlTo`, 4.0 to 5.0).
const SHOWN_TABLE: &str = "Approximate structure, for reference";

/// A word, literal or symbol of CQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What it is
    pub kind: Kind,
    /// Without quotes; unquoted names in lower case
    pub text: String,
    /// Byte in the source
    pub at: usize,
}

/// What a [`Token`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A name or keyword
    Word,
    /// A name in double quotes
    Quoted,
    /// A string in single quotes or `$$`
    String,
    /// Any other character
    Symbol,
}

/// Cuts CQL text into tokens, statement by statement.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    shown_tables: Vec<Range<usize>>,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, tokens: Vec::new(), shown_tables: Vec::new() }
    }

    /// Starts within `text`: places are counted from its start.
    pub(crate) fn within(text: &'a str, range: Range<usize>) -> Self {
        let text = text.get(..range.end).unwrap_or(text);
        Self { at: range.start, ..Self::new(text) }
    }

    /// The tokens of the next statement, without its semicolon; `None` at the end.
    pub(crate) fn statement(&mut self) -> Result<Option<Vec<Token>>, SchemaError> {
        while let Some(c) = self.rest().chars().next() {
            self.next(c)?;
            if self.tokens.last().is_some_and(|t| t.kind == Kind::Symbol && t.text == ";") {
                self.tokens.pop();
                return Ok(Some(std::mem::take(&mut self.tokens)));
            }
            if self.tokens.len() > TOKENS_MAX {
                return Err(self.error(&format!("a statement of more than {TOKENS_MAX} words")));
            }
        }
        let last = std::mem::take(&mut self.tokens);
        Ok(if last.is_empty() { None } else { Some(last) })
    }

    /// Where the comments seen so far show tables.
    pub(crate) fn shown_tables(self) -> Vec<Range<usize>> {
        self.shown_tables
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&mut self, c: char) -> Result<(), SchemaError> {
        let rest = self.rest();
        if c.is_whitespace() {
            self.at += c.len_utf8();
        } else if rest.starts_with("--") || rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let len = comment.find("*/").ok_or_else(|| self.unclosed("comment"))?;
            self.comment(&comment[..len]);
        } else if let Some(string) = rest.strip_prefix("$$") {
            let len = string.find("$$").ok_or_else(|| self.unclosed("$$ string"))?;
            self.push(Kind::String, string[..len].to_owned(), len + 4);
        } else if c == '"' {
            self.quoted('"', Kind::Quoted)?;
        } else if c == '\'' {
            self.quoted('\'', Kind::String)?;
        } else if is_word(c) {
            let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            self.push(Kind::Word, rest[..len].to_lowercase(), len);
        } else {
            self.push(Kind::Symbol, c.to_string(), c.len_utf8());
        }
        Ok(())
    }

    fn comment(&mut self, comment: &str) {
        let start = self.at + 2;
        let end = start + comment.len();
        let table = comment
            .find(SHOWN_TABLE)
            .and_then(|at| Some(at + comment.get(at..)?.find("CREATE TABLE")?));
        self.shown_tables.extend(table.map(|at| start + at..end));
        self.at = end + 2;
    }

    fn push(&mut self, kind: Kind, text: String, len: usize) {
        self.tokens.push(Token { kind, text, at: self.at });
        self.at += len;
    }

    /// A doubled quote stands for itself.
    fn quoted(&mut self, quote: char, kind: Kind) -> Result<(), SchemaError> {
        let mut content = String::new();
        let mut chars = self.rest().char_indices().skip(1).peekable();
        while let Some((i, c)) = chars.next() {
            if c != quote {
                content.push(c);
            } else if chars.next_if(|(_, next)| *next == quote).is_some() {
                content.push(quote);
            } else {
                self.push(kind, content, i + 1);
                return Ok(());
            }
        }
        Err(self.unclosed("quote"))
    }

    fn unclosed(&self, what: &str) -> SchemaError {
        self.error(&format!("a {what} that is not closed"))
    }

    fn error(&self, what: &str) -> SchemaError {
        SchemaError::new(format!("{}: {what}", place(self.text, self.at)))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Line and column of a byte, counted from 1.
pub(crate) fn place(text: &str, at: usize) -> String {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("line {line}, column {column}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        let mut lexer = Lexer::new(text);
        let mut statements = Vec::new();
        while let Some(tokens) = lexer.statement().unwrap() {
            statements.push(tokens.into_iter().map(|token| token.text).collect());
        }
        statements
    }

    #[test]
    fn quotes_and_comments_hide_semicolons() {
        let text = "\u{feff}A \"B;\"\"c\" 'it''s ;' $$ ;' $$ -- x;\n// y;\n/* z; */ 1.5; ; d";
        let first = ["a", "B;\"c", "it's ;", " ;' ", "1", ".", "5"];
        assert_eq!(words(text), [&first[..], &[], &["d"]]);
        assert_eq!(words(" -- nothing"), [[""; 0]; 0]);
    }

    #[test]
    fn what_is_not_closed_is_refused() {
        for text in ["a;\n  'x", "\"", "$$ $", "/* *"] {
            let mut lexer = Lexer::new(text);
            let error = std::iter::from_fn(|| lexer.statement().transpose()).find_map(Result::err);
            assert!(error.unwrap().to_string().contains("not closed"), "{text}");
        }
        let mut lexer = Lexer::within("a;\n  'x'", 2..6);
        assert!(lexer.statement().unwrap_err().to_string().starts_with("line 2, column 3"));
    }
}
