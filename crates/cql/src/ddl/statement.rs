use super::lexer::{Kind, Token, place};
use super::type_text::{RawType, parse_type};
use crate::SchemaError;

/// A name, and the keyspace before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) keyspace: Option<String>,
    pub(super) name: String,
}

/// A column as a statement declares it.
#[derive(Debug, Clone)]
pub(super) struct RawColumn {
    pub(super) name: String,
    pub(super) raw_type: RawType,
    pub(super) is_static: bool,
}

/// A statement that matters, with types not yet resolved.
#[derive(Debug, Clone)]
pub(super) enum Statement {
    Use(String),
    CreateType { name: Name, fields: Vec<(String, RawType)> },
    AddField { name: Name, field: (String, RawType) },
    RenameFields { name: Name, renames: Vec<(String, String)> },
    CreateTable(RawTable),
    CreateView(RawView),
    AddColumns { table: Name, columns: Vec<RawColumn> },
    DropColumns { table: Name, columns: Vec<String>, timestamp_us: i64 },
    DropCompactStorage { table: Name },
}

/// CREATE TABLE.
#[derive(Debug, Clone)]
pub(super) struct RawTable {
    pub(super) name: Name,
    pub(super) columns: Vec<RawColumn>,
    pub(super) key: RawKey,
    pub(super) options: Options,
}

/// CREATE MATERIALIZED VIEW.
#[derive(Debug, Clone)]
pub(super) struct RawView {
    pub(super) name: Name,
    pub(super) base: Name,
    /// Empty: all of the base table
    pub(super) columns: Vec<String>,
    pub(super) key: RawKey,
    pub(super) options: Options,
}

/// PRIMARY KEY.
#[derive(Debug, Clone, Default)]
pub(super) struct RawKey {
    pub(super) partition: Vec<String>,
    pub(super) clustering: Vec<String>,
}

/// The options of WITH that matter.
#[derive(Debug, Clone, Default)]
pub(super) struct Options {
    pub(super) id: Option<[u8; 16]>,
    pub(super) descending: Vec<String>,
    pub(super) is_compact: bool,
}

/// Parses one statement; `None` for one that does not matter.
pub(super) fn parse(text: &str, tokens: &[Token]) -> Result<Option<Statement>, SchemaError> {
    let mut p = Parser { text, tokens, at: 0 };
    if p.words(&["use"]) {
        return Ok(Some(Statement::Use(p.name()?)));
    }
    if p.words(&["create", "type"]) {
        return p.create_type().map(Some);
    }
    if p.words(&["create", "table"]) || p.words(&["create", "columnfamily"]) {
        return p.create_table().map(Statement::CreateTable).map(Some);
    }
    if p.words(&["create", "materialized", "view"]) {
        return p.create_view().map(Statement::CreateView).map(Some);
    }
    if p.words(&["alter", "table"]) || p.words(&["alter", "columnfamily"]) {
        return p.alter_table();
    }
    if p.words(&["alter", "type"]) {
        return p.alter_type();
    }
    Ok(None)
}

/// Reads the tokens of one statement.
pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
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
        let at = self.peek().map_or(self.text.len(), |token| token.at);
        let got = self.peek().map_or("the end", |token| token.text.as_str());
        SchemaError::new(format!("{}: expected {expected}, got {got}", place(self.text, at)))
    }

    /// Takes these keywords, if all of them come next.
    pub(super) fn words(&mut self, words: &[&str]) -> bool {
        let next = self.tokens.get(self.at..self.at + words.len());
        let found = next.is_some_and(|next| {
            next.iter().zip(words).all(|(t, word)| t.kind == Kind::Word && t.text == *word)
        });
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

    fn qualified(&mut self) -> Result<Name, SchemaError> {
        self.words(&["if", "not", "exists"]);
        self.words(&["if", "exists"]);
        let first = self.name()?;
        Ok(match self.symbol(".") {
            true => Name { keyspace: Some(first), name: self.name()? },
            false => Name { keyspace: None, name: first },
        })
    }

    /// Comma-separated items up to a closing parenthesis, after the opening one.
    fn list<T>(
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

    fn create_type(&mut self) -> Result<Statement, SchemaError> {
        let name = self.qualified()?;
        self.expect("(")?;
        let fields = self.list(|p| Ok((p.name()?, parse_type(p, 0)?)))?;
        Ok(Statement::CreateType { name, fields })
    }

    fn create_table(&mut self) -> Result<RawTable, SchemaError> {
        let name = self.qualified()?;
        self.expect("(")?;
        let mut key = RawKey::default();
        let columns = self.list(|p| p.table_item(&mut key))?.into_iter().flatten().collect();
        if key.partition.is_empty() {
            return Err(self.error("a PRIMARY KEY"));
        }
        Ok(RawTable { name, columns, key, options: self.options()? })
    }

    fn table_item(&mut self, key: &mut RawKey) -> Result<Option<RawColumn>, SchemaError> {
        if self.words(&["primary", "key"]) {
            *key = self.primary_key()?;
            return Ok(None);
        }
        let column = self.column()?;
        if self.words(&["primary", "key"]) {
            key.partition = vec![column.name.clone()];
        }
        Ok(Some(column))
    }

    fn column(&mut self) -> Result<RawColumn, SchemaError> {
        let name = self.name()?;
        let raw_type = parse_type(self, 0)?;
        let is_static = self.words(&["static"]);
        if self.words(&["masked", "with"]) {
            self.skip_mask()?;
        }
        Ok(RawColumn { name, raw_type, is_static })
    }

    /// `DEFAULT` or `function(arguments)`.
    fn skip_mask(&mut self) -> Result<(), SchemaError> {
        self.qualified()?;
        if self.symbol("(") {
            self.skip_until(|p| p.symbol(")"));
        }
        Ok(())
    }

    fn primary_key(&mut self) -> Result<RawKey, SchemaError> {
        self.expect("(")?;
        let partition = match self.symbol("(") {
            true => self.list(Self::name)?,
            false => vec![self.name()?],
        };
        let clustering = match self.symbol(",") {
            true => self.list(Self::name)?,
            false => {
                self.expect(")")?;
                Vec::new()
            }
        };
        Ok(RawKey { partition, clustering })
    }

    /// Moves on until `found` has taken something, outside parentheses that open meanwhile.
    fn skip_until(&mut self, mut found: impl FnMut(&mut Self) -> bool) -> bool {
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

    fn options(&mut self) -> Result<Options, SchemaError> {
        let mut options = Options::default();
        let mut more = self.words(&["with"]);
        if !more && !self.is_at_end() {
            return Err(self.error("WITH or the end of the statement"));
        }
        while more {
            self.option(&mut options)?;
            more = self.skip_until(|p| p.words(&["and"]));
        }
        Ok(options)
    }

    fn option(&mut self, options: &mut Options) -> Result<(), SchemaError> {
        if self.words(&["compact", "storage"]) {
            options.is_compact = true;
        } else if self.words(&["clustering", "order", "by"]) {
            self.expect("(")?;
            let order = self.list(|p| {
                let name = p.name()?;
                let descending = p.words(&["desc"]);
                p.words(&["asc"]);
                Ok(descending.then_some(name))
            })?;
            options.descending = order.into_iter().flatten().collect();
        } else if self.words(&["id"]) {
            self.expect("=")?;
            options.id = Some(self.uuid()?);
        }
        Ok(())
    }

    /// A UUID is several tokens.
    fn uuid(&mut self) -> Result<[u8; 16], SchemaError> {
        let start = self.peek().map_or(0, |token| token.at);
        let rest = self.text.get(start..).unwrap_or_default();
        let text: String = rest.chars().take(36).filter(|c| *c != '-').collect();
        let value = u128::from_str_radix(&text, 16).ok().filter(|_| text.len() == 32);
        let value = value.ok_or_else(|| self.error("a UUID"))?;
        while self.peek().is_some_and(|token| token.at < start + 36) {
            self.at += 1;
        }
        Ok(value.to_be_bytes())
    }

    fn create_view(&mut self) -> Result<RawView, SchemaError> {
        let name = self.qualified()?;
        if !self.words(&["as", "select"]) {
            return Err(self.error("AS SELECT"));
        }
        let mut columns = Vec::new();
        while !self.words(&["from"]) {
            match self.symbol("*") || self.symbol(",") {
                true => {}
                false => columns.push(self.name()?),
            }
        }
        let base = self.qualified()?;
        if !self.skip_until(|p| p.words(&["primary", "key"])) {
            return Err(self.error("a PRIMARY KEY"));
        }
        let key = self.primary_key()?;
        Ok(RawView { name, base, columns, key, options: self.options()? })
    }

    fn alter_table(&mut self) -> Result<Option<Statement>, SchemaError> {
        let table = self.qualified()?;
        if self.words(&["drop", "compact", "storage"]) {
            return Ok(Some(Statement::DropCompactStorage { table }));
        }
        if self.words(&["drop"]) {
            return self.drop_columns(table).map(Some);
        }
        if !self.words(&["add"]) {
            return Ok(None);
        }
        self.words(&["if", "not", "exists"]);
        let columns = match self.symbol("(") {
            true => self.list(Self::column)?,
            false => {
                let mut columns = vec![self.column()?];
                while self.symbol(",") {
                    columns.push(self.column()?);
                }
                columns
            }
        };
        Ok(Some(Statement::AddColumns { table, columns }))
    }

    fn drop_columns(&mut self, table: Name) -> Result<Statement, SchemaError> {
        self.words(&["if", "exists"]);
        let columns = match self.symbol("(") {
            true => self.list(Self::name)?,
            false => {
                let mut columns = vec![self.name()?];
                while self.symbol(",") {
                    columns.push(self.name()?);
                }
                columns
            }
        };
        let timestamp_us = match self.words(&["using", "timestamp"]) {
            true => self.integer()?,
            // Dropped now: none of the cells that are in a file is younger.
            false => i64::MAX,
        };
        Ok(Statement::DropColumns { table, columns, timestamp_us })
    }

    fn integer(&mut self) -> Result<i64, SchemaError> {
        let minus = self.symbol("-");
        let value = self.peek().and_then(|token| token.text.parse::<i64>().ok());
        let value = value.ok_or_else(|| self.error("a number"))?;
        self.at += 1;
        Ok(if minus { -value } else { value })
    }

    fn alter_type(&mut self) -> Result<Option<Statement>, SchemaError> {
        let name = self.qualified()?;
        if self.words(&["add"]) {
            self.words(&["if", "not", "exists"]);
            let field = (self.name()?, parse_type(self, 0)?);
            return Ok(Some(Statement::AddField { name, field }));
        }
        if !self.words(&["rename"]) {
            return Ok(None);
        }
        let mut renames = Vec::new();
        loop {
            let old = self.name()?;
            if !self.words(&["to"]) {
                return Err(self.error("TO"));
            }
            renames.push((old, self.name()?));
            if !self.words(&["and"]) {
                return Ok(Some(Statement::RenameFields { name, renames }));
            }
        }
    }
}
