//! How a [`CellError`] comes about.

use std::fmt::Display;

use outpour_codec::Error;

use super::CellError;

/// What is wrong with a value that has values inside.
pub(super) enum Flaw {
    /// Its own bytes cannot be read.
    Layout(Error),
    /// A value inside is wrong, the index counting all of the block. The word says what it is to
    /// the value around it.
    Inside(CellError, &'static str),
}

impl From<Error> for Flaw {
    fn from(error: Error) -> Self {
        Self::Layout(error)
    }
}

impl CellError {
    #[cold]
    pub(super) fn new(index: usize, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { index, expected: expected.into(), got: got.into() }
    }

    /// A cell whose bytes could not be read.
    #[cold]
    pub(super) fn unreadable(index: usize, error: &Error) -> Self {
        match error {
            Error::Truncated { offset, needed, available } => Self::new(
                index,
                format!("{needed} bytes at offset {offset}"),
                format!("{available} bytes"),
            ),
            Error::Invalid { what, offset, expected, got } => {
                Self::new(index, format!("{expected} as {what} at offset {offset}"), got.clone())
            }
            other => Self::new(index, "a readable value", other.to_string()),
        }
    }

    /// The same of a value inside the cell at `index`.
    #[cold]
    pub(super) fn inside(&self, index: usize, part: impl Display) -> Self {
        Self::new(index, &self.expected, format!("{} in {part}", self.got))
    }
}
