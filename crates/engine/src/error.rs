use std::fmt;
use std::io;

/// The result of a run.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of failure an [`Error`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A source, file or schema is not there
    NotFound,
    /// A version, compressor, type or option that cannot be read yet, or ever
    Unsupported,
    /// Bytes that no database writes, or files that do not belong together
    Corrupt,
    /// A request or a schema that does not fit the files
    Invalid,
    /// More bytes than the budget or a format allows
    Limit,
    /// The operating system refused
    Io,
    /// The run was cancelled
    Cancelled,
    /// Who read the output has gone away
    ClosedOutput,
}

/// Why a run failed: one message for the user, with what to do next.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// An output that could not be written.
    #[must_use]
    pub fn output(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => {
                Self::new(ErrorKind::ClosedOutput, "the output was closed")
            }
            _ => Self::new(ErrorKind::Io, format!("the output cannot be written: {error}")),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<outpour_sstable::Error> for Error {
    fn from(error: outpour_sstable::Error) -> Self {
        use outpour_sstable::ErrorKind as Sstable;
        let kind = match error.kind() {
            Sstable::NotFound => ErrorKind::NotFound,
            Sstable::Unsupported => ErrorKind::Unsupported,
            Sstable::Corrupt => ErrorKind::Corrupt,
            Sstable::Invalid => ErrorKind::Invalid,
            Sstable::Limit => ErrorKind::Limit,
            Sstable::Cancelled => ErrorKind::Cancelled,
            _ => ErrorKind::Io,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<outpour_storage::Error> for Error {
    fn from(error: outpour_storage::Error) -> Self {
        outpour_sstable::Error::from(error).into()
    }
}

impl From<outpour_run::Exceeded> for Error {
    fn from(error: outpour_run::Exceeded) -> Self {
        Self::new(ErrorKind::Limit, error.to_string())
    }
}

impl From<outpour_run::Cancelled> for Error {
    fn from(error: outpour_run::Cancelled) -> Self {
        Self::new(ErrorKind::Cancelled, error.to_string())
    }
}
