use std::borrow::Cow;
use std::fmt;

use outpour_run::{Cancelled, Exceeded};

/// The result of reading SSTables.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What kind of failure an [`Error`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file or directory is not there
    NotFound,
    /// A version, compressor or type that cannot be read yet, or ever
    Unsupported,
    /// Bytes that no Cassandra writes, or files that do not belong together
    Corrupt,
    /// A request or a schema that does not fit the files
    Invalid,
    /// More bytes than the budget or a format allows
    Limit,
    /// The operating system refused
    Io,
    /// The run was cancelled
    Cancelled,
}

/// Why SSTables could not be read. The message names the file, the place in it and what to do.
#[derive(Debug)]
pub struct Error(Box<Facts>);

#[derive(Debug)]
struct Facts {
    kind: ErrorKind,
    path: String,
    part: Option<&'static str>,
    offset: Option<u64>,
    problem: String,
    advice: Cow<'static, str>,
    note: String,
}

const RESTORE: &str = "restore this SSTable from a snapshot, a backup or another replica";

impl Error {
    #[cold]
    fn new(
        kind: ErrorKind,
        path: impl Into<String>,
        problem: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (path, problem, advice) = (path.into(), problem.into(), advice.into());
        let note = String::new();
        Self(Box::new(Facts { kind, path, part: None, offset: None, problem, advice, note }))
    }

    /// The field `what` at `offset` (where it is known) of the file `path` has a value that no
    /// Cassandra writes.
    #[cold]
    pub fn corrupt(
        path: impl Into<String>,
        offset: impl Into<Option<u64>>,
        what: impl fmt::Display,
        expected: impl fmt::Display,
        got: impl fmt::Display,
    ) -> Self {
        let problem = format!("{what}: expected {expected}, got {got}");
        let mut error = Self::new(ErrorKind::Corrupt, path, problem, RESTORE);
        error.0.offset = offset.into();
        error
    }

    /// The bytes at `offset` of the file `path` could not be decoded.
    #[cold]
    pub fn decode(path: impl Into<String>, offset: u64, error: outpour_codec::Error) -> Self {
        use outpour_codec::Error as Codec;
        let at = |within: usize| Some(offset.saturating_add(within as u64));
        let (offset, what, expected, got) = match error {
            Codec::Truncated { offset, needed, available } => {
                (at(offset), "length", format!("{needed} bytes more"), format!("{available}"))
            }
            Codec::Invalid { what, offset, expected, got } => (at(offset), what, expected, got),
            Codec::UnknownCompressor(class) => {
                let problem = format!("compressor {class} is not known");
                return Self::unsupported(path, problem, "rewrite the table with another one");
            }
            other => (Some(offset), "compressed bytes", "a whole chunk".into(), other.to_string()),
        };
        Self::corrupt(path, offset, what, expected, got)
    }

    /// The file `path` is sound and cannot be read: why, and what to do instead.
    #[cold]
    pub fn unsupported(
        path: impl Into<String>,
        what: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(ErrorKind::Unsupported, path, what, advice)
    }

    /// Files that contradict each other, `path` among them: what is wrong, and what to do.
    #[cold]
    pub fn inconsistent(
        path: impl Into<String>,
        problem: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(ErrorKind::Corrupt, path, problem, advice)
    }

    /// What was asked for does not fit `path`.
    #[cold]
    pub fn invalid(
        path: impl Into<String>,
        problem: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(ErrorKind::Invalid, path, problem, advice)
    }

    /// Reading `path` would take more than is allowed.
    #[cold]
    pub fn limit(
        path: impl Into<String>,
        problem: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(ErrorKind::Limit, path, problem, advice)
    }

    /// `path` is not there.
    #[cold]
    pub fn not_found(
        path: impl Into<String>,
        problem: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(ErrorKind::NotFound, path, problem, advice)
    }

    /// Names the part of the file that the error is in.
    #[must_use]
    pub fn context(mut self, part: &'static str) -> Self {
        self.0.part = Some(part);
        self
    }

    /// Adds what came of it.
    #[must_use]
    pub fn note(mut self, note: String) -> Self {
        self.0.note = note;
        self
    }

    /// Whether the other one tells of the same problem at the same place.
    #[must_use]
    pub fn says_the_same(&self, other: &Self) -> bool {
        let (a, b) = (&*self.0, &*other.0);
        (&a.path, a.part, a.offset, &a.problem) == (&b.path, b.part, b.offset, &b.problem)
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file or directory that it is about; empty if it is about none.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The byte of the file that it is about, where it is known.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Facts { path, part, offset, problem, advice, note, .. } = &*self.0;
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        if let Some(part) = part {
            write!(f, "{part}: ")?;
        }
        if let Some(offset) = offset {
            write!(f, "at offset {offset}: ")?;
        }
        f.write_str(problem)?;
        if !advice.is_empty() {
            write!(f, "; {advice}")?;
        }
        match note.is_empty() {
            true => Ok(()),
            false => write!(f, " ({note})"),
        }
    }
}

impl std::error::Error for Error {}

impl From<outpour_storage::Error> for Error {
    #[cold]
    fn from(error: outpour_storage::Error) -> Self {
        use outpour_storage::ErrorKind as Storage;
        let (kind, advice) = match error.kind() {
            Storage::NotFound => (ErrorKind::NotFound, ""),
            Storage::Truncated => (ErrorKind::Corrupt, RESTORE),
            Storage::Limit => (ErrorKind::Limit, RESTORE),
            Storage::Invalid => (ErrorKind::Invalid, ""),
            _ => (ErrorKind::Io, ""),
        };
        Self::new(kind, error.path(), error.problem(), advice)
    }
}

impl From<Exceeded> for Error {
    #[cold]
    fn from(error: Exceeded) -> Self {
        Self::new(ErrorKind::Limit, "", error.to_string(), "")
    }
}

impl From<Cancelled> for Error {
    #[cold]
    fn from(error: Cancelled) -> Self {
        Self::new(ErrorKind::Cancelled, "", error.to_string(), "")
    }
}

#[cfg(test)]
mod tests {
    use outpour_run::{Budget, Cancel};
    use outpour_storage::{Directory, MemoryDirectory};

    use super::*;

    #[test]
    fn says_file_place_expected_got_and_what_to_do() {
        let error = Error::corrupt("/d/nb-1-big-Data.db", 12, "flags", "0x00 to 0x80", "0x81");
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Corrupt, Some(12)));
        assert_eq!(
            error.context("row").to_string(),
            "/d/nb-1-big-Data.db: row: at offset 12: flags: expected 0x00 to 0x80, got 0x81; \
             restore this SSTable from a snapshot, a backup or another replica"
        );
    }

    #[test]
    fn what_came_of_it_is_said_last() {
        let error = || Error::corrupt("f", 12, "flags", "0", "1");
        let noted = error().note("rows are lost".to_owned());
        assert_eq!(noted.to_string(), format!("{} (rows are lost)", error()));
        assert!(noted.says_the_same(&error()));
        assert!(!noted.says_the_same(&Error::corrupt("f", 13, "flags", "0", "1")));
        assert!(!noted.says_the_same(&error().context("row")));
    }

    #[test]
    fn decoder_errors_count_from_the_start_of_the_file() {
        let truncated = outpour_codec::Error::Truncated { offset: 3, needed: 8, available: 1 };
        let error = Error::decode("f", 100, truncated);
        assert_eq!((error.kind(), error.offset()), (ErrorKind::Corrupt, Some(103)));
        assert!(error.to_string().contains("expected 8 bytes more, got 1"), "{error}");
        let unknown = outpour_codec::Error::UnknownCompressor("XzCompressor".into());
        let error = Error::decode("f", 0, unknown);
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().starts_with("f: compressor XzCompressor"), "{error}");
    }

    #[test]
    fn errors_from_below_keep_their_kind_and_path() {
        let directory = MemoryDirectory::of("/d", [("f", "abc")]);
        let not_found = Error::from(directory.open("g").unwrap_err());
        assert_eq!((not_found.kind(), not_found.path()), (ErrorKind::NotFound, "/d/g"));
        assert_eq!(not_found.to_string(), "/d/g: no such file or directory");
        let short = directory.open("f").unwrap().read_at(2, &mut [0; 2]).unwrap_err();
        assert_eq!(Error::from(short).kind(), ErrorKind::Corrupt);
        let exceeded = Budget::new(1).reserve(2, "a window").unwrap_err();
        assert_eq!(Error::from(exceeded).kind(), ErrorKind::Limit);
        let cancel = Cancel::default();
        cancel.cancel();
        assert_eq!(Error::from(cancel.check().unwrap_err()).to_string(), "cancelled");
    }
}
