use outpour_cql::{Comparator, CqlType};

use crate::Comparison;
use crate::predicate::compared_as;

/// What is asked of a value.
#[derive(Debug, Clone)]
pub(super) enum Question {
    Compare(Comparison, Vec<u8>),
    In(Vec<Vec<u8>>),
}

/// A question that the order of a type answers, value by value.
pub(super) struct Ordered {
    comparator: Comparator,
    question: Question,
}

impl Ordered {
    pub(super) fn new(cql_type: &CqlType, question: &Question) -> Self {
        let comparator = Comparator::new(compared_as(cql_type), false);
        let mut question = question.clone();
        if let Question::In(values) = &mut question {
            values.sort_by(|a, b| comparator.compare(a, b));
        }
        Self { comparator, question }
    }

    /// The answer for one value, by its bytes.
    pub(super) fn holds(&self, value: &[u8]) -> bool {
        match &self.question {
            Question::Compare(comparison, than) => {
                comparison.holds(self.comparator.compare(value, than))
            }
            Question::In(values) => {
                values.binary_search_by(|one| self.comparator.compare(one, value)).is_ok()
            }
        }
    }
}
