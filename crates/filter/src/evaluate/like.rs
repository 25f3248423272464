use memchr::memmem::Finder;
use outpour_cql::NotOfType;

use super::Test;
use super::bytes::Rows;
use super::truth::{Truth, View};
use crate::Pattern;

/// The test of LIKE.
pub(super) struct LikeTest {
    pattern: Pattern,
    finder: Finder<'static>,
}

impl LikeTest {
    pub(super) fn new(pattern: &Pattern) -> Self {
        let (Pattern::Whole(text)
        | Pattern::Prefix(text)
        | Pattern::Suffix(text)
        | Pattern::Infix(text)) = pattern;
        Self { pattern: pattern.clone(), finder: Finder::new(text.as_bytes()).into_owned() }
    }
}

impl Test for LikeTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let rows = Rows::of_text(values)?;
        let text = self.finder.needle();
        let outcome = match self.pattern {
            Pattern::Whole(_) => rows.bits(|value| value == text),
            Pattern::Prefix(_) => rows.bits(|value| value.starts_with(text)),
            Pattern::Suffix(_) => rows.bits(|value| value.ends_with(text)),
            Pattern::Infix(_) => rows.bits(|value| self.finder.find(value).is_some()),
        };
        Ok(Truth::of(outcome, false, values))
    }
}
