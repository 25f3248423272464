use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::BooleanBuffer;

use crate::CqlType;

/// A column of a result: its name as shown and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputColumn {
    /// As created, case kept; `writetime(c)` and `ttl(c)` for the times of column `c`
    pub name: String,
    /// Type of its values
    pub cql_type: CqlType,
}

/// Which values of a column, and of the columns inside it, are empty: zero bytes long, although
/// their type has a fixed width. Arrow holds null in their place.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Empties {
    /// A set bit marks an empty value; `None` if there is none.
    pub mask: Option<BooleanBuffer>,
    /// As the Arrow array's children: the element of a list, set or vector; key and value of a map;
    /// the fields of a tuple or UDT. No children at all if no value inside is empty.
    pub children: Vec<Empties>,
}

impl Empties {
    /// Whether value `row` is empty.
    #[must_use]
    pub fn is_empty_at(&self, row: usize) -> bool {
        self.mask.as_ref().is_some_and(|mask| mask.value(row))
    }

    /// Those of a nested column; its children stand only if a value inside is empty.
    pub(crate) fn of(mask: Option<BooleanBuffer>, children: Vec<Self>) -> Self {
        let children = if children.iter().all(Self::is_none) { Vec::new() } else { children };
        Self { mask, children }
    }

    /// Whether no value here or further inside is empty.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.mask.is_none() && self.children.iter().all(Self::is_none)
    }
}

/// The values of one column of a batch.
#[derive(Debug, Clone)]
pub struct ColumnValues {
    /// The values
    pub array: ArrayRef,
    /// Which of them are empty
    pub empties: Empties,
}

/// Rows of a result: an Arrow batch, bounded in bytes and rows, and its empty values.
#[derive(Debug, Clone)]
pub struct Batch {
    /// The values, one Arrow column for each [`OutputColumn`]
    pub record: RecordBatch,
    /// One for each column of `record`
    pub empties: Vec<Empties>,
}

impl Batch {
    /// Keeps the first `rows` rows.
    pub fn truncate(&mut self, rows: usize) {
        if rows < self.record.num_rows() {
            // Marks of the rows behind are never looked at.
            self.record = self.record.slice(0, rows);
        }
    }
}
