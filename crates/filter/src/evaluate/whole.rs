use arrow_buffer::BooleanBuffer;
use outpour_cql::{CqlType, NotOfType, cells};

use super::Test;
use super::ordered::Ordered;
use super::truth::{Truth, View};

/// The test of whole collections, tuples, UDTs and vectors: cell by cell.
pub(super) struct WholeTest {
    pub(super) cql_type: CqlType,
    pub(super) ordered: Ordered,
}

impl Test for WholeTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let cells = cells(&self.cql_type, values.array, values.empties)?;
        let mut cell = Vec::new();
        let holds = BooleanBuffer::collect_bool(values.array.len(), |row| {
            cell.clear();
            cells.append(row, &mut cell) && self.ordered.holds(&cell)
        });
        Ok(Truth { holds, known: values.present() })
    }
}
