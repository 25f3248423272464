//! Tests of values of any length.

use arrow_array::{BinaryArray, StringArray};
use arrow_buffer::BooleanBuffer;
use outpour_cql::NotOfType;

use super::Test;
use super::ordered::{Ordered, Question};
use super::truth::{Truth, View};
use crate::Comparison;

/// The bytes of all values, one behind the other.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    offsets: &'a [i32],
    data: &'a [u8],
}

impl<'a> Rows<'a> {
    pub(super) fn of_binary(values: View<'a>) -> Result<Self, NotOfType> {
        let array = values.downcast::<BinaryArray>()?;
        Ok(Self { offsets: array.value_offsets(), data: array.value_data() })
    }

    pub(super) fn of_text(values: View<'a>) -> Result<Self, NotOfType> {
        let array = values.downcast::<StringArray>()?;
        Ok(Self { offsets: array.value_offsets(), data: array.value_data() })
    }

    #[inline(always)]
    fn value(self, row: usize) -> &'a [u8] {
        &self.data[self.offsets[row] as usize..self.offsets[row + 1] as usize]
    }

    #[inline(always)]
    pub(super) fn bits(self, holds: impl Fn(&[u8]) -> bool) -> BooleanBuffer {
        BooleanBuffer::collect_bool(self.offsets.len() - 1, |row| holds(self.value(row)))
    }
}

/// The test of types that order as unsigned bytes.
pub(super) struct BytesTest {
    is_text: bool,
    question: Question,
}

impl BytesTest {
    pub(super) fn new(question: &Question) -> Self {
        let mut question = question.clone();
        if let Question::In(values) = &mut question {
            values.sort_unstable();
        }
        Self { is_text: false, question }
    }

    pub(super) fn of_text(question: &Question) -> Self {
        Self { is_text: true, ..Self::new(question) }
    }

    fn bits(&self, rows: Rows<'_>) -> BooleanBuffer {
        match &self.question {
            Question::In(values) => {
                let is_one = |value: &[u8]| values.binary_search_by(|v| (**v).cmp(value)).is_ok();
                rows.bits(is_one)
            }
            Question::Compare(comparison, than) => {
                let than = than.as_slice();
                match comparison {
                    Comparison::Equal => rows.bits(|value| value == than),
                    Comparison::Less => rows.bits(|value| value < than),
                    Comparison::LessOrEqual => rows.bits(|value| value <= than),
                    Comparison::Greater => rows.bits(|value| value > than),
                    Comparison::GreaterOrEqual => rows.bits(|value| value >= than),
                }
            }
        }
    }

    fn empty_holds(&self) -> bool {
        match &self.question {
            Question::In(values) => values.iter().any(Vec::is_empty),
            Question::Compare(comparison, than) => comparison.holds(0.cmp(&than.len())),
        }
    }
}

impl Test for BytesTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let rows = if self.is_text { Rows::of_text(values) } else { Rows::of_binary(values) };
        let outcome = self.bits(rows?);
        Ok(Truth::of(outcome, self.empty_holds(), values))
    }
}

/// The test of numbers of any size, and of other bytes with an order of their own.
pub(super) struct NumberTest {
    pub(super) ordered: Ordered,
}

impl Test for NumberTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let outcome = Rows::of_binary(values)?.bits(|value| self.ordered.holds(value));
        Ok(Truth::of(outcome, self.ordered.holds(&[]), values))
    }
}
