//! Conditions on the token of the partition key.

use outpour_cql::{Literal, Partitioner};

use super::{Operator, Reader, Result, not_if};
use crate::{Column, Comparison, Predicate};

impl Reader<'_> {
    pub(super) fn token(&mut self) -> Result<Predicate> {
        let at = self.p.at();
        let key = self.token_of(Self::column)?;
        let names = || self.table.partition_key.iter().map(|column| &column.name);
        if !key.iter().map(|column| &column.name).eq(names()) {
            let names: Vec<_> = names().map(String::as_str).collect();
            let message = format!("token() is of the partition key: token({})", names.join(", "));
            return Err(self.p.message(at, &message));
        }
        let negated = self.p.words(&["not"]);
        if self.p.words(&["between"]) {
            let low = self.place()?;
            self.p.expect_words(&["and"])?;
            let high = self.place()?;
            let between = [(Comparison::GreaterOrEqual, low), (Comparison::LessOrEqual, high)];
            let compare = |(comparison, token)| self.compare_token(&key, comparison, token);
            return Ok(not_if(negated, Predicate::And(between.map(compare).into())));
        }
        if negated {
            return Err(self.p.error("BETWEEN"));
        }
        let operator: Operator = self.operator()?;
        let token = self.place()?;
        Ok(operator.apply(|comparison| self.compare_token(&key, comparison, token)))
    }

    /// `token(…)` with the partition key's columns, or their values, in parentheses.
    fn token_of<T>(&mut self, item: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let at = self.p.at();
        self.p.expect_words(&["token"])?;
        if self.partitioner == Partitioner::ByteOrdered {
            let message = "ByteOrderedPartitioner has no tokens to compare";
            return Err(self.p.message(at, message));
        }
        let items = self.in_parentheses(item)?;
        if items.len() == self.table.partition_key.len() {
            return Ok(items);
        }
        let names: Vec<_> = self.table.partition_key.iter().map(|c| c.name.as_str()).collect();
        let message = format!("token() is of the partition key: token({})", names.join(", "));
        Err(self.p.message(at, &message))
    }

    fn compare_token(&self, key: &[Column], comparison: Comparison, token: i128) -> Predicate {
        // Nothing is before the ring's start: as an upper bound it is the ring's end.
        let is_upper = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
        let (first, last) = tokens(self.partitioner);
        let is_end = is_upper && token == first;
        let (comparison, token) = match is_end {
            true => (Comparison::LessOrEqual, last),
            false => (comparison, token),
        };
        Predicate::Token { key: key.to_vec(), partitioner: self.partitioner, comparison, token }
    }

    /// A token: a number, or that of a key.
    fn place(&mut self) -> Result<i128> {
        if self.p.is_words(&["token"]) {
            return self.token_of_values();
        }
        let literal = Literal::parse(&mut self.p)?;
        let (first, last) = tokens(self.partitioner);
        let token = literal.integer().filter(|token| (first..=last).contains(token));
        token.ok_or_else(|| {
            let message = format!("expected a token, {first} to {last}, or token(…)");
            self.p.message(literal.at(), &message)
        })
    }

    fn token_of_values(&mut self) -> Result<i128> {
        let literals = self.token_of(|reader| Literal::parse(&mut reader.p))?;
        let columns = self.table.partition_key.iter().zip(&literals);
        let values = columns.map(|(column, literal)| {
            self.bind(literal, &format!("column {}", column.name), &column.cql_type)
        });
        let key = crate::restrict::partition_key(&values.collect::<Result<Vec<_>>>()?);
        let key = key.ok_or_else(|| self.p.error("a shorter key before this"))?;
        Ok(self.partitioner.token(&key).value())
    }
}

/// The first and the last token.
pub(crate) fn tokens(partitioner: Partitioner) -> (i128, i128) {
    match partitioner {
        Partitioner::Murmur3 => (i64::MIN.into(), i64::MAX.into()),
        Partitioner::Random => (-1, i128::MAX),
        Partitioner::ByteOrdered => (0, 0),
    }
}
