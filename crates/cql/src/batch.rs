use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;

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

    /// Those of a slice of `array`, which these are of.
    fn slice(&self, array: &dyn Array, range: Range<usize>) -> Self {
        let mask = self.mask.as_ref().map(|mask| mask.slice(range.start, range.len()));
        // Only these arrays slice what is inside with them.
        let children = match array.data_type() {
            DataType::Struct(_) => {
                let fields = array.as_struct().columns().iter().zip(&self.children);
                fields.map(|(field, empties)| empties.slice(field, range.clone())).collect()
            }
            DataType::FixedSizeList(_, len) => {
                let (len, elements) = (*len as usize, array.as_fixed_size_list().values());
                let inside = range.start * len..range.end * len;
                self.children.iter().map(|e| e.slice(elements, inside.clone())).collect()
            }
            _ => self.children.clone(),
        };
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
    /// The rows of `range`, which share this batch's memory.
    ///
    /// # Panics
    /// If the batch has not so many rows.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> Self {
        let columns = self.record.columns().iter().zip(&self.empties);
        let empties = columns.map(|(array, empties)| empties.slice(array, range.clone())).collect();
        Self { record: self.record.slice(range.start, range.len()), empties }
    }
}
