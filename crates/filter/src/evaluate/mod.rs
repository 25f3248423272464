//! Evaluation on batches.
//!
//! A predicate is compiled once: NOT is moved down to the leaves, where it says which outcome is
//! looked for, and each leaf becomes a [`Test`] that was chosen by its type. A test has one loop over
//! all values of a column, without asking their type again; values inside values are tested all at
//! once too, and the outcomes then gathered row by row.

mod boolean;
mod bytes;
mod fixed;
mod inside;
mod kernel;
mod like;
mod node;
mod ordered;
#[cfg(test)]
mod tests;
mod token;
mod truth;
mod whole;

use arrow_array::ArrayRef;
use arrow_buffer::BooleanBuffer;
use outpour_cql::{CqlType, Empties, NotOfType};

use crate::{FilterError, Predicate};

use node::{Compiler, Node};
use truth::{Truth, View};

/// A compiled [`Predicate`].
pub struct Filter {
    inputs: Vec<Input>,
    root: Node,
}

/// A column that a filter looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its name
    pub column: String,
    /// Its type
    pub cql_type: CqlType,
    /// How its values are to be given
    pub form: Form,
}

/// How a column's values are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As the array of their type
    Values,
    /// As they are stored, in a binary array: tokens are made of them
    Cells,
}

/// A question about all values of a column.
trait Test: Send + Sync {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType>;
}

impl Filter {
    /// Compiles `predicate`.
    #[must_use]
    pub fn new(predicate: &Predicate) -> Self {
        let mut compiler = Compiler::default();
        let root = compiler.node(predicate, false);
        Self { inputs: compiler.inputs, root }
    }

    /// The columns that it looks at.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Which of `rows` rows it is true of, given the values of [`Filter::inputs`].
    ///
    /// # Errors
    /// [`FilterError::Column`] if a column is not as the input says.
    pub fn select(
        &self,
        rows: usize,
        columns: &[(&ArrayRef, &Empties)],
    ) -> Result<BooleanBuffer, FilterError> {
        let views: Vec<_> =
            columns.iter().map(|(array, empties)| View { array, empties }).collect();
        for (index, input) in self.inputs.iter().enumerate() {
            let len = views.get(index).map(|view| view.array.len());
            if len != Some(rows) {
                let got = len.map_or("none".to_owned(), |len| len.to_string());
                let reason = NotOfType::new(format!("{rows} values"), got);
                return Err(FilterError::Column { column: input.column.clone(), reason });
            }
        }
        self.root.true_rows(rows, &views).map_err(|(input, reason)| {
            let column = self.inputs.get(input).map_or(String::new(), |input| input.column.clone());
            FilterError::Column { column, reason }
        })
    }
}
