use super::lexer::{Kind, Token, place};
use super::scan;
use crate::SchemaError;

/// Reads the tokens of one statement.
pub struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
}

/// A name, and the keyspace before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub(crate) keyspace: Option<String>,
    pub(crate) name: String,
}

impl<'a> Parser<'a> {
    /// Starts at the first of `tokens`, which `text` was cut into.
    pub fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens, at: 0 }
    }

    /// The next token.
    pub fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    /// Takes the next token.
    pub fn take(&mut self) -> Option<&'a Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// What is expected at the next token, with its place and what is there.
    pub fn error(&self, expected: &str) -> SchemaError {
        let got = self.peek().map_or("the end of the statement", |token| token.text.as_str());
        self.message(self.at(), &format!("expected {expected}, got {got}"))
    }

    /// Whether these keywords come next.
    pub fn is_words(&self, words: &[&str]) -> bool {
        let next = self.tokens.get(self.at..self.at + words.len());
        next.is_some_and(|next| {
            next.iter().zip(words).all(|(t, word)| t.kind == Kind::Word && t.text == *word)
        })
    }

    /// Takes these keywords, if all of them come next.
    pub fn words(&mut self, words: &[&str]) -> bool {
        let found = self.is_words(words);
        self.at += if found { words.len() } else { 0 };
        found
    }

    /// Takes this symbol, if it comes next.
    pub fn symbol(&mut self, symbol: &str) -> bool {
        let found = self.peek().is_some_and(|t| t.kind == Kind::Symbol && t.text == symbol);
        self.at += usize::from(found);
        found
    }

    /// Takes this symbol.
    ///
    /// # Errors
    /// Something else comes next.
    pub fn expect(&mut self, symbol: &str) -> Result<(), SchemaError> {
        if self.symbol(symbol) { Ok(()) } else { Err(self.error(&format!("{symbol:?}"))) }
    }

    /// Takes these keywords.
    ///
    /// # Errors
    /// Something else comes next.
    pub fn expect_words(&mut self, words: &[&str]) -> Result<(), SchemaError> {
        if self.words(words) {
            return Ok(());
        }
        Err(self.error(&words.join(" ").to_uppercase()))
    }

    /// That nothing comes any more.
    ///
    /// # Errors
    /// Something does.
    pub fn expect_end(&self) -> Result<(), SchemaError> {
        if self.is_at_end() { Ok(()) } else { Err(self.error("';'")) }
    }

    /// Whether nothing comes any more.
    pub fn is_at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Takes a name.
    ///
    /// # Errors
    /// None comes next.
    pub fn name(&mut self) -> Result<String, SchemaError> {
        match self.peek() {
            Some(token) if matches!(token.kind, Kind::Word | Kind::Quoted) => {
                self.at += 1;
                Ok(token.text.clone())
            }
            _ => Err(self.error("a name")),
        }
    }

    pub(crate) fn qualified(&mut self) -> Result<Name, SchemaError> {
        let first = self.name()?;
        Ok(match self.symbol(".") {
            true => Name { keyspace: Some(first), name: self.name()? },
            false => Name { keyspace: None, name: first },
        })
    }

    /// Comma-separated items up to a closing parenthesis, after the opening one.
    ///
    /// # Errors
    /// Those of `item`, or something else comes between and behind them.
    pub fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, SchemaError>,
    ) -> Result<Vec<T>, SchemaError> {
        let mut items = Vec::new();
        if self.symbol(")") {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.symbol(")") {
                return Ok(items);
            }
            self.expect(",")?;
        }
    }

    /// One item, or several in parentheses.
    pub(crate) fn one_or_list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, SchemaError>,
    ) -> Result<Vec<T>, SchemaError> {
        if self.symbol("(") { self.list(item) } else { Ok(vec![item(self)?]) }
    }

    /// `a TO b AND c TO d`.
    pub(crate) fn renames(&mut self) -> Result<Vec<(String, String)>, SchemaError> {
        let mut renames = Vec::new();
        loop {
            let old = self.name()?;
            self.expect_words(&["to"])?;
            renames.push((old, self.name()?));
            if !self.words(&["and"]) {
                return Ok(renames);
            }
        }
    }

    /// Moves on until `found`, outside of parentheses that open meanwhile; whether it was.
    pub(crate) fn skip_until(&mut self, found: impl Fn(&Self) -> bool) -> bool {
        let mut open = 0_usize;
        while !self.is_at_end() {
            if open == 0 && found(self) {
                return true;
            }
            match self.take() {
                Some(t) if t.kind == Kind::Symbol && "([{".contains(&t.text) => open += 1,
                Some(t) if t.kind == Kind::Symbol && ")]}".contains(&t.text) => {
                    open = open.saturating_sub(1);
                }
                _ => {}
            }
        }
        false
    }

    /// Whether this symbol comes next.
    pub fn is_symbol(&self, symbol: &str) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Symbol && t.text == symbol)
    }

    /// A UUID is several tokens.
    pub(crate) fn uuid(&mut self) -> Result<[u8; 16], SchemaError> {
        let text = self.text_of(scan::uuid).ok_or_else(|| self.error("a UUID"))?;
        Ok(scan::uuid_bytes(text))
    }

    /// Where the next token starts in the text; behind the last one at the end.
    #[must_use]
    pub fn at(&self) -> usize {
        // What is missing at the end of a statement is missed behind its last token.
        let end = || self.tokens.last().map_or(0, |token| token.at + token.text.len());
        self.peek().map_or_else(end, |token| token.at)
    }

    /// The token `ahead` tokens behind the next one.
    #[must_use]
    pub fn peek_ahead(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + ahead)
    }

    /// Takes the tokens of a literal that is several of them, such as a number or UUID: `scan` tells
    /// how long it is in the text that starts with the next token.
    pub fn text_of(&mut self, scan: impl FnOnce(&str) -> Option<usize>) -> Option<&'a str> {
        let start = self.peek()?.at;
        let rest = self.text.get(start..)?;
        let text = rest.get(..scan(rest)?)?;
        while self.peek().is_some_and(|token| token.at < start + text.len()) {
            self.at += 1;
        }
        Some(text)
    }

    /// A message about the place `at` of the text.
    #[must_use]
    pub fn message(&self, at: usize, message: &str) -> SchemaError {
        SchemaError::new(format!("{}: {message}", place(self.text, at)))
    }

    pub(crate) fn integer(&mut self) -> Result<i64, SchemaError> {
        let sign = if self.symbol("-") { "-" } else { "" };
        let value = self.peek().and_then(|token| format!("{sign}{}", token.text).parse().ok());
        let value = value.ok_or_else(|| self.error("a number"))?;
        self.at += 1;
        Ok(value)
    }
}
