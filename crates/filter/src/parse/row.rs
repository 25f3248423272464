//! Conditions on several columns: `(a, b) > (1, 2)`.

use outpour_cql::Literal;
use outpour_cql::syntax::Kind;

use super::path::shown;
use super::{Reader, Result, not_if};
use crate::{Comparison, Path, Predicate};

impl Reader<'_> {
    /// Whether the parenthesis that comes next holds columns, and no condition.
    pub(super) fn is_row(&self) -> bool {
        let is_name = |ahead| {
            let token = self.p.peek_ahead(ahead);
            token.is_some_and(|t| matches!(t.kind, Kind::Word | Kind::Quoted))
        };
        self.p.is_symbol("(") && is_name(1) && self.is_symbol_ahead(2, &[",", ")"])
    }

    pub(super) fn row(&mut self) -> Result<Predicate> {
        let paths = self.in_parentheses(Self::path)?;
        let negated = self.p.words(&["not"]);
        if self.p.words(&["in"]) {
            let rows = self.in_parentheses(|reader| reader.row_values(&paths))?;
            let equal = |values| row(paths.clone(), Comparison::Equal, values);
            return Ok(not_if(negated, Predicate::Or(rows.into_iter().map(equal).collect())));
        }
        if negated {
            return Err(self.p.error("IN"));
        }
        let operator = self.operator()?;
        if !operator.is_equality() {
            paths.iter().try_for_each(|path| self.check_order(path))?;
        }
        let values = self.row_values(&paths)?;
        Ok(operator.apply(|comparison| row(paths, comparison, values)))
    }

    fn row_values(&mut self, paths: &[Path]) -> Result<Vec<Vec<u8>>> {
        let literal = Literal::parse(&mut self.p)?;
        let parts = literal.parts().filter(|parts| parts.len() == paths.len());
        let parts = parts.ok_or_else(|| {
            let message = format!("expected {} values in parentheses", paths.len());
            self.p.message(literal.at(), &message)
        })?;
        let bind = |(path, part): (&Path, &Literal)| self.bind(part, &shown(path), path.cql_type());
        paths.iter().zip(parts).map(bind).collect()
    }
}

fn row(paths: Vec<Path>, comparison: Comparison, values: Vec<Vec<u8>>) -> Predicate {
    Predicate::Row { paths, comparison, values }
}
