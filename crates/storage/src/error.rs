use std::fmt;
use std::io;

/// The result of a storage operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a storage operation failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No such file or directory
    NotFound,
    /// The file ends before the bytes that were asked for
    Truncated,
    /// More bytes than the caller allows
    Limit,
    /// A name or a target that cannot be used
    Invalid,
    /// The operating system refused
    Io,
}

/// A storage operation that failed; its message names the path.
#[derive(Debug)]
pub struct Error(Box<Facts>);

#[derive(Debug)]
struct Facts {
    kind: ErrorKind,
    path: String,
    problem: String,
}

/// Linux: the process has as many files open as it may.
const TOO_MANY_OPEN_FILES: i32 = 24;

impl Error {
    fn new(kind: ErrorKind, path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self(Box::new(Facts { kind, path: path.into(), problem: problem.into() }))
    }

    /// What the operating system said of `path`.
    #[cold]
    #[must_use]
    pub fn io(path: impl Into<String>, error: &io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Io,
        };
        let problem = match error.raw_os_error() {
            Some(TOO_MANY_OPEN_FILES) => format!("{error}: raise the limit with `ulimit -n`"),
            _ => error.to_string(),
        };
        Self::new(kind, path, problem)
    }

    /// `path` does not exist.
    #[cold]
    pub(crate) fn not_found(path: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, path, "no such file or directory")
    }

    /// `path` ends before `offset + expected`; `got` bytes are there from `offset` on.
    #[cold]
    pub(crate) fn truncated(path: &str, offset: u64, expected: usize, got: usize) -> Self {
        let problem =
            format!("ends early: expected {expected} bytes at offset {offset}, got {got}");
        Self::new(ErrorKind::Truncated, path, problem)
    }

    /// `path` has more bytes than are allowed for it.
    #[cold]
    pub(crate) fn limit(path: &str, len: u64, limit: u64) -> Self {
        let problem = format!("has {len} bytes, at most {limit} are allowed for this file");
        Self::new(ErrorKind::Limit, path, problem)
    }

    /// `path` cannot be used, for the reason that `problem` gives.
    #[cold]
    pub(crate) fn invalid(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, path, problem)
    }

    /// Why it failed.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file or directory that it is about.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// What is wrong, without the path.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.0.problem
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.path, self.0.problem)
    }
}

impl std::error::Error for Error {}
