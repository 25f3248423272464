use std::fmt::Debug;
use std::sync::Arc;

use crate::{Error, ReadAt, Result};

/// A directory, wherever it is stored.
pub trait Directory: Debug + Send + Sync {
    /// The path, for messages.
    fn location(&self) -> &str;

    /// What it holds, sorted by name.
    ///
    /// # Errors
    /// NotFound or Io if the directory or an entry of it cannot be read.
    fn list(&self) -> Result<Vec<Entry>>;

    /// Opens the file `name`, following symbolic links.
    ///
    /// # Errors
    /// Invalid if `name` is no plain name or not of a file, NotFound, Io.
    fn open(&self, name: &str) -> Result<Arc<dyn ReadAt>>;

    /// Opens the directory `name`, following symbolic links.
    ///
    /// # Errors
    /// Invalid if `name` is no plain name or not of a directory, NotFound, Io.
    fn subdirectory(&self, name: &str) -> Result<Arc<dyn Directory>>;
}

/// One entry of a directory; a symbolic link appears as what it points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Name without any directory. Bytes that are not UTF-8 are replaced, so that such a file can
    /// be listed and not opened
    pub name: String,
    /// File, directory or neither
    pub kind: EntryKind,
    /// Bytes of a file, else 0
    pub len: u64,
    /// Last modification in milliseconds since 1970, where the storage knows it
    pub modified_ms: Option<i64>,
}

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file
    File,
    /// A directory
    Directory,
    /// A pipe, a socket, a device, or a symbolic link that leads nowhere
    Other,
}

impl Entry {
    /// Whether it is a regular file.
    #[must_use]
    pub fn is_file(&self) -> bool {
        self.kind == EntryKind::File
    }

    /// Whether it is a directory.
    #[must_use]
    pub fn is_directory(&self) -> bool {
        self.kind == EntryKind::Directory
    }
}

/// The path of `name` in `location`, for messages.
pub(crate) fn join(location: &str, name: &str) -> String {
    format!("{}/{name}", location.trim_end_matches('/'))
}

/// Refuses a name that would leave the directory.
pub(crate) fn check_name(location: &str, name: &str) -> Result<()> {
    let plain = !matches!(name, "" | "." | "..") && !name.contains(['/', '\0']);
    if plain {
        return Ok(());
    }
    Err(Error::invalid(location, format!("{name:?} is not the name of a file in it")))
}
