//! CQL's WHERE, with OR, NOT and parentheses, as a [`Predicate`].
//!
//! ```text
//! any       all (OR all)*
//! all       one (AND one)*
//! one       NOT one │ '(' any ')' │ relation
//! relation  path op value │ path [NOT] IN '(' value, … ')' │ path [NOT] BETWEEN value AND value
//!           path [NOT] LIKE string │ path [NOT] CONTAINS [KEY] value │ path IS [NOT] NULL
//!           token '(' name, … ')' op place │ token '(' name, … ')' [NOT] BETWEEN place AND place
//!           '(' path, … ')' op tuple │ '(' path, … ')' [NOT] IN '(' tuple, … ')'
//! path      name ('.' field │ '[' key or index ']')*
//! op        = │ != │ < │ <= │ > │ >=
//! place     integer │ token '(' value, … ')'
//! ```

mod path;
mod relation;
mod row;
#[cfg(test)]
mod tests;
mod token;

pub(crate) use token::tokens;

use outpour_cql::syntax::{self, DEPTH_MAX, Kind, Parser};
use outpour_cql::{CqlType, Literal, Partitioner, SchemaError, Table};

use crate::{Comparison, FilterError, Predicate};

type Result<T> = std::result::Result<T, SchemaError>;

impl Predicate {
    /// Reads a condition on the rows of `table`.
    ///
    /// # Errors
    /// [`FilterError::Text`] with line and column of what is wrong.
    pub fn parse(
        text: &str,
        table: &Table,
        partitioner: Partitioner,
    ) -> std::result::Result<Self, FilterError> {
        let tokens = syntax::tokens(text)?;
        let mut reader = Reader { p: Parser::new(text, &tokens), table, partitioner };
        let predicate = reader.any(0)?;
        if !reader.p.is_at_end() {
            return Err(reader.p.error("AND, OR or the end").into());
        }
        Ok(predicate)
    }
}

struct Reader<'a> {
    p: Parser<'a>,
    table: &'a Table,
    partitioner: Partitioner,
}

/// An operator, as written.
#[derive(Debug, Clone, Copy)]
enum Operator {
    Is(Comparison),
    Differs,
}

impl Operator {
    /// The condition that `make` makes of a comparison.
    fn apply(self, make: impl FnOnce(Comparison) -> Predicate) -> Predicate {
        match self {
            Self::Is(comparison) => make(comparison),
            Self::Differs => not(make(Comparison::Equal)),
        }
    }

    fn is_equality(self) -> bool {
        matches!(self, Self::Is(Comparison::Equal) | Self::Differs)
    }
}

fn not(predicate: Predicate) -> Predicate {
    Predicate::Not(Box::new(predicate))
}

fn not_if(negated: bool, predicate: Predicate) -> Predicate {
    if negated { not(predicate) } else { predicate }
}

impl<'a> Reader<'a> {
    fn any(&mut self, depth: usize) -> Result<Predicate> {
        let mut parts = vec![self.all(depth)?];
        while self.p.words(&["or"]) {
            parts.push(self.all(depth)?);
        }
        Ok(one_or(parts, Predicate::Or))
    }

    fn all(&mut self, depth: usize) -> Result<Predicate> {
        let mut parts = vec![self.one(depth)?];
        while self.p.words(&["and"]) {
            parts.push(self.one(depth)?);
        }
        Ok(one_or(parts, Predicate::And))
    }

    fn one(&mut self, depth: usize) -> Result<Predicate> {
        if depth >= DEPTH_MAX {
            return Err(self.p.error(&format!("conditions nested at most {DEPTH_MAX} deep")));
        }
        if self.p.words(&["not"]) {
            return Ok(not(self.one(depth + 1)?));
        }
        if self.is_row() {
            return self.row();
        }
        if self.p.symbol("(") {
            let inner = self.any(depth + 1)?;
            self.p.expect(")")?;
            return Ok(inner);
        }
        if self.p.is_words(&["token"]) && self.is_symbol_ahead(1, &["("]) {
            return self.token();
        }
        self.relation()
    }

    fn operator(&mut self) -> Result<Operator> {
        let or_equal = |p: &mut Parser<'_>, with, without| {
            Operator::Is(if p.symbol("=") { with } else { without })
        };
        let p = &mut self.p;
        if p.symbol("=") {
            Ok(Operator::Is(Comparison::Equal))
        } else if p.symbol("<") {
            Ok(or_equal(p, Comparison::LessOrEqual, Comparison::Less))
        } else if p.symbol(">") {
            Ok(or_equal(p, Comparison::GreaterOrEqual, Comparison::Greater))
        } else if p.is_symbol("!") && self.is_symbol_ahead(1, &["="]) {
            self.p.take();
            self.p.expect("=")?;
            Ok(Operator::Differs)
        } else {
            Err(self.p.error("an operator (=, !=, <, <=, >, >=, IN, LIKE, CONTAINS, BETWEEN, IS)"))
        }
    }

    fn is_symbol_ahead(&self, ahead: usize, symbols: &[&str]) -> bool {
        let token = self.p.peek_ahead(ahead);
        token.is_some_and(|t| t.kind == Kind::Symbol && symbols.contains(&t.text.as_str()))
    }

    /// Takes a value of `cql_type`, which `name` is compared with.
    fn value(&mut self, name: &str, cql_type: &CqlType) -> Result<Vec<u8>> {
        let literal = Literal::parse(&mut self.p)?;
        self.bind(&literal, name, cql_type)
    }

    fn bind(&self, literal: &Literal, name: &str, cql_type: &CqlType) -> Result<Vec<u8>> {
        if literal.is_null() {
            let hint = format!("{name}: nothing compares with null; use IS NULL or IS NOT NULL");
            return Err(self.p.message(literal.at(), &hint));
        }
        let value = literal.value(cql_type);
        value.map_err(|e| self.p.message(e.at, &format!("{name}: {e}")))
    }

    /// Items between parentheses, separated by commas.
    fn in_parentheses<T>(&mut self, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.p.expect("(")?;
        let mut items = Vec::new();
        while !self.p.symbol(")") {
            if !items.is_empty() {
                self.p.expect(",")?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }
}

/// The only part, or all of them.
fn one_or(mut parts: Vec<Predicate>, all: impl FnOnce(Vec<Predicate>) -> Predicate) -> Predicate {
    match parts.len() {
        1 => parts.remove(0),
        _ => all(parts),
    }
}
