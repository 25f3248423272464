use super::lexer::{Kind, Token, place};
use crate::SchemaError;

/// Reads the tokens of one statement.
pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
}

/// A name, and the keyspace before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) keyspace: Option<String>,
    pub(super) name: String,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens, at: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn next(&mut self) -> Option<&'a Token> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    pub(super) fn error(&self, expected: &str) -> SchemaError {
        // What is missing at the end of a statement is missed behind its last token.
        let last = self.tokens.last().map_or(0, |token| token.at + token.text.len());
        let at = self.peek().map_or(last, |token| token.at);
        let got = self.peek().map_or("the end of the statement", |token| token.text.as_str());
        SchemaError::new(format!("{}: expected {expected}, got {got}", place(self.text, at)))
    }

    /// Whether these keywords come next.
    pub(super) fn is_words(&self, words: &[&str]) -> bool {
        let next = self.tokens.get(self.at..self.at + words.len());
        next.is_some_and(|next| {
            next.iter().zip(words).all(|(t, word)| t.kind == Kind::Word && t.text == *word)
        })
    }

    /// Takes these keywords, if all of them come next.
    pub(super) fn words(&mut self, words: &[&str]) -> bool {
        let found = self.is_words(words);
        self.at += if found { words.len() } else { 0 };
        found
    }

    pub(super) fn symbol(&mut self, symbol: &str) -> bool {
        let found = self.peek().is_some_and(|t| t.kind == Kind::Symbol && t.text == symbol);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, symbol: &str) -> Result<(), SchemaError> {
        if self.symbol(symbol) { Ok(()) } else { Err(self.error(&format!("{symbol:?}"))) }
    }

    pub(super) fn expect_words(&mut self, words: &[&str]) -> Result<(), SchemaError> {
        if self.words(words) {
            return Ok(());
        }
        Err(self.error(&words.join(" ").to_uppercase()))
    }

    pub(super) fn expect_end(&self) -> Result<(), SchemaError> {
        if self.is_at_end() { Ok(()) } else { Err(self.error("';'")) }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    pub(super) fn name(&mut self) -> Result<String, SchemaError> {
        match self.peek() {
            Some(token) if matches!(token.kind, Kind::Word | Kind::Quoted) => {
                self.at += 1;
                Ok(token.text.clone())
            }
            _ => Err(self.error("a name")),
        }
    }

    pub(super) fn qualified(&mut self) -> Result<Name, SchemaError> {
        let first = self.name()?;
        Ok(match self.symbol(".") {
            true => Name { keyspace: Some(first), name: self.name()? },
            false => Name { keyspace: None, name: first },
        })
    }

    /// Comma-separated items up to a closing parenthesis, after the opening one.
    pub(super) fn list<T>(
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
    pub(super) fn one_or_list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, SchemaError>,
    ) -> Result<Vec<T>, SchemaError> {
        if self.symbol("(") { self.list(item) } else { Ok(vec![item(self)?]) }
    }

    /// `a TO b AND c TO d`.
    pub(super) fn renames(&mut self) -> Result<Vec<(String, String)>, SchemaError> {
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
    pub(super) fn skip_until(&mut self, found: impl Fn(&Self) -> bool) -> bool {
        let mut open = 0_usize;
        while !self.is_at_end() {
            if open == 0 && found(self) {
                return true;
            }
            match self.next() {
                Some(t) if t.kind == Kind::Symbol && "([{".contains(&t.text) => open += 1,
                Some(t) if t.kind == Kind::Symbol && ")]}".contains(&t.text) => {
                    open = open.saturating_sub(1);
                }
                _ => {}
            }
        }
        false
    }

    pub(super) fn is_symbol(&self, symbol: &str) -> bool {
        self.peek().is_some_and(|t| t.kind == Kind::Symbol && t.text == symbol)
    }

    /// A UUID is several tokens.
    pub(super) fn uuid(&mut self) -> Result<[u8; 16], SchemaError> {
        let start = self.peek().map_or(self.text.len(), |token| token.at);
        let rest = self.text.get(start..).unwrap_or_default();
        let text: String = rest.chars().take(36).filter(|c| *c != '-').collect();
        let value = u128::from_str_radix(&text, 16).ok().filter(|_| text.len() == 32);
        let value = value.ok_or_else(|| self.error("a UUID"))?;
        while self.peek().is_some_and(|token| token.at < start + 36) {
            self.at += 1;
        }
        Ok(value.to_be_bytes())
    }

    pub(super) fn integer(&mut self) -> Result<i64, SchemaError> {
        let sign = if self.symbol("-") { "-" } else { "" };
        let value = self.peek().and_then(|token| format!("{sign}{}", token.text).parse().ok());
        let value = value.ok_or_else(|| self.error("a number"))?;
        self.at += 1;
        Ok(value)
    }
}
