use outpour_cql::{CqlType, Literal};

use super::path::shown;
use super::{Reader, Result, not_if};
use crate::{Comparison, Part, Path, Pattern, Predicate};

impl Reader<'_> {
    /// A condition on one path.
    pub(super) fn relation(&mut self) -> Result<Predicate> {
        let path = self.path()?;
        if self.p.words(&["is"]) {
            let negated = self.p.words(&["not"]);
            self.p.expect_words(&["null"])?;
            return Ok(not_if(negated, Predicate::IsNull(path)));
        }
        let negated = self.p.words(&["not"]);
        if self.p.words(&["in"]) {
            Ok(not_if(negated, self.in_list(path)?))
        } else if self.p.words(&["between"]) {
            Ok(not_if(negated, self.between(path)?))
        } else if self.p.words(&["like"]) {
            Ok(not_if(negated, self.like(path)?))
        } else if self.p.words(&["contains"]) {
            Ok(not_if(negated, self.contains(path)?))
        } else if negated {
            Err(self.p.error("IN, BETWEEN, LIKE or CONTAINS"))
        } else {
            self.comparison(path)
        }
    }

    fn comparison(&mut self, path: Path) -> Result<Predicate> {
        let operator = self.operator()?;
        if !operator.is_equality() {
            self.check_order(&path)?;
        }
        let value = self.value(&shown(&path), path.cql_type())?;
        Ok(operator.apply(|comparison| Predicate::Compare { path, comparison, value }))
    }

    /// Durations have no order, nor has what holds them.
    pub(super) fn check_order(&self, path: &Path) -> Result<()> {
        if !has_duration(path.cql_type()) {
            return Ok(());
        }
        let message = format!("{}: durations have no order", shown(path));
        Err(self.p.message(self.p.at(), &message))
    }

    fn in_list(&mut self, path: Path) -> Result<Predicate> {
        let (name, cql_type) = (shown(&path), path.cql_type().clone());
        let values = self.in_parentheses(|reader| reader.value(&name, &cql_type))?;
        Ok(Predicate::In { path, values })
    }

    fn between(&mut self, path: Path) -> Result<Predicate> {
        self.check_order(&path)?;
        let (name, cql_type) = (shown(&path), path.cql_type().clone());
        let low = self.value(&name, &cql_type)?;
        self.p.expect_words(&["and"])?;
        let high = self.value(&name, &cql_type)?;
        let compare =
            |comparison, value| Predicate::Compare { path: path.clone(), comparison, value };
        Ok(Predicate::And(vec![
            compare(Comparison::GreaterOrEqual, low),
            compare(Comparison::LessOrEqual, high),
        ]))
    }

    fn like(&mut self, path: Path) -> Result<Predicate> {
        let literal = Literal::parse(&mut self.p)?;
        if !matches!(path.cql_type(), CqlType::Text | CqlType::Ascii) {
            let message = format!("{}: LIKE is for text", shown(&path));
            return Err(self.p.message(literal.at(), &message));
        }
        let pattern = literal.string().and_then(pattern);
        let pattern = pattern.ok_or_else(|| {
            let message = "expected a pattern in single quotes with something beside %";
            self.p.message(literal.at(), message)
        })?;
        Ok(Predicate::Like { path, pattern })
    }

    fn contains(&mut self, path: Path) -> Result<Predicate> {
        let part = if self.p.words(&["key"]) { Part::Keys } else { Part::Values };
        let cql_type = match (part, path.cql_type()) {
            (Part::Keys, CqlType::Map(key, _)) => Some(key),
            (Part::Values, CqlType::Map(_, inner)) => Some(inner),
            (Part::Values, CqlType::List(inner) | CqlType::Set(inner)) => Some(inner),
            _ => None,
        };
        let name = shown(&path);
        let Some(cql_type) = cql_type.cloned() else {
            let allowed = if part == Part::Keys { "a map" } else { "a list, set or map" };
            let message = format!("{name} is not {allowed}");
            return Err(self.p.message(self.p.at(), &message));
        };
        let value = self.value(&name, &cql_type)?;
        Ok(Predicate::Contains { path, part, value })
    }
}

fn has_duration(cql_type: &CqlType) -> bool {
    *cql_type == CqlType::Duration || cql_type.inner().into_iter().any(has_duration)
}

/// `%` at either end stands for any text (`cql3/restrictions/SingleColumnRestriction.java`).
fn pattern(text: &str) -> Option<Pattern> {
    let (prefix_free, rest) = match text.strip_prefix('%') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (suffix_free, content) = match rest.strip_suffix('%') {
        Some(content) => (true, content),
        None => (false, rest),
    };
    let pattern = match (prefix_free, suffix_free) {
        (false, false) => Pattern::Whole,
        (false, true) => Pattern::Prefix,
        (true, false) => Pattern::Suffix,
        (true, true) => Pattern::Infix,
    };
    (!content.is_empty()).then(|| pattern(content.to_owned()))
}
