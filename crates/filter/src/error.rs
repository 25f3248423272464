use outpour_cql::{NotOfType, SchemaError};

/// Why there is no condition, or it cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// The text is none of the grammar's, names what the table has not, or holds a value that does
    /// not fit; with line and column.
    #[error("{0}")]
    Text(#[from] SchemaError),
    /// A batch has not the columns that the condition was compiled for.
    #[error("column {column} of a condition: {reason}")]
    Column {
        /// Its name
        column: String,
        /// What was expected, and what is there
        reason: NotOfType,
    },
}
