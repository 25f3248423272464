use arrow_array::BooleanArray;
use arrow_buffer::BooleanBuffer;
use outpour_cql::NotOfType;

use super::Test;
use super::ordered::Ordered;
use super::truth::{Truth, View};

/// The test of booleans: there are just two.
pub(super) struct BooleanTest {
    true_holds: bool,
    false_holds: bool,
    empty_holds: bool,
}

impl BooleanTest {
    pub(super) fn new(ordered: &Ordered) -> Self {
        Self {
            true_holds: ordered.holds(&[1]),
            false_holds: ordered.holds(&[0]),
            empty_holds: ordered.holds(&[]),
        }
    }
}

impl Test for BooleanTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let array = values.downcast::<BooleanArray>()?;
        let outcome = match (self.true_holds, self.false_holds) {
            (true, true) => BooleanBuffer::new_set(array.len()),
            (true, false) => array.values().clone(),
            (false, true) => !array.values(),
            (false, false) => BooleanBuffer::new_unset(array.len()),
        };
        Ok(Truth::of(outcome, self.empty_holds, values))
    }
}
