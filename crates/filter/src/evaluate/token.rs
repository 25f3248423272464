use arrow_array::BinaryArray;
use arrow_buffer::BooleanBuffer;
use outpour_cql::{NotOfType, Partitioner};

use super::truth::{Truth, View};
use crate::Comparison;
use crate::restrict::append_component;

/// The test of a partition key's token.
pub(super) struct TokenTest {
    /// The inputs that are the key's columns
    pub(super) inputs: Vec<usize>,
    pub(super) partitioner: Partitioner,
    pub(super) comparison: Comparison,
    pub(super) token: i128,
}

impl TokenTest {
    pub(super) fn truth(
        &self,
        rows: usize,
        columns: &[View<'_>],
    ) -> Result<Truth, (usize, NotOfType)> {
        let column = |input: &usize| {
            let view = columns.get(*input);
            let array = view.map(View::downcast::<BinaryArray>);
            array
                .unwrap_or_else(|| Err(NotOfType::new("a column", "none")))
                .map_err(|e| (*input, e))
        };
        let columns = self.inputs.iter().map(column).collect::<Result<Vec<_>, _>>()?;
        let mut key = Vec::new();
        let mut previous = None;
        let holds = BooleanBuffer::collect_bool(rows, |row| {
            // Rows of one partition come one after the other.
            if let Some((before, holds)) = previous
                && columns.iter().all(|column| column.value(before) == column.value(row))
            {
                return holds;
            }
            let holds = self.holds(&columns, row, &mut key);
            previous = Some((row, holds));
            holds
        });
        Ok(Truth { holds, known: None })
    }

    fn holds(&self, columns: &[&BinaryArray], row: usize, key: &mut Vec<u8>) -> bool {
        let token = match columns {
            [only] => self.partitioner.token(only.value(row)),
            _ => {
                key.clear();
                for column in columns {
                    append_component(column.value(row), key);
                }
                self.partitioner.token(key)
            }
        };
        self.comparison.holds(token.value().cmp(&self.token))
    }
}
