/// What went wrong, for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes of a value are none of its type
    Corrupt,
    /// The batch has other columns than the sink was made for
    Invalid,
}

/// Why rows could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: expected {expected}, got {got}")]
pub struct Error {
    kind: ErrorKind,
    column: String,
    expected: String,
    got: String,
}

impl Error {
    /// The class of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub(crate) fn corrupt(expected: impl Into<String>, got: impl Into<String>) -> Self {
        let (expected, got) = (expected.into(), got.into());
        Self { kind: ErrorKind::Corrupt, column: String::new(), expected, got }
    }

    pub(crate) fn invalid(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Invalid, ..Self::corrupt(expected, got) }
    }

    /// The same error, of column `name`.
    pub(crate) fn of_column(self, name: &str) -> Self {
        Self { column: name.to_owned(), ..self }
    }
}
