use crate::SchemaError;

/// A word, literal or symbol of CQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Without quotes; unquoted names in lower case
    pub(super) text: String,
    /// Byte in the source
    pub(super) at: usize,
    pub(super) end: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or keyword
    Word,
    /// A name in double quotes
    Quoted,
    /// A string in single quotes or `$$`
    String,
    /// Any other character
    Symbol,
}

/// CQL text as tokens, and its `/* */` comments.
pub(super) struct Lexed<'a> {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<&'a str>,
}

/// Cuts `text` into tokens.
pub(super) fn lex(text: &str) -> Result<Lexed<'_>, SchemaError> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), comments: Vec::new() };
    while let Some(c) = lexer.peek() {
        lexer.next(c)?;
    }
    Ok(Lexed { tokens: lexer.tokens, comments: lexer.comments })
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<&'a str>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self, c: char) -> Result<(), SchemaError> {
        let rest = self.rest();
        if c.is_whitespace() {
            self.at += c.len_utf8();
        } else if rest.starts_with("--") || rest.starts_with("//") {
            self.at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with("/*") {
            let len = rest.find("*/").ok_or_else(|| self.unclosed("comment"))?;
            self.comments.push(&rest[2..len]);
            self.at += len + 2;
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

    fn push(&mut self, kind: Kind, text: String, len: usize) {
        self.tokens.push(Token { kind, text, at: self.at, end: self.at + len });
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
        SchemaError::new(format!("{}: a {what} is not closed", place(self.text, self.at)))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Line and column of a byte, counted from 1.
pub(super) fn place(text: &str, at: usize) -> String {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("line {line}, column {column}")
}
