//! What the path of a directory tells of the table in it.
//!
//! ```text
//! <data>/<keyspace>/<table>-<id>/                    the table's own SSTables (`db/Directories.java`)
//!                               snapshots/<tag>/     and copies of them
//!                               backups/
//!                               staging/ quarantine/ SSTables that ScyllaDB serves too
//! <data>/<keyspace>/<table>/                         of a table created before Cassandra 2.1
//! <data>/system_schema/
//! ```

use std::path::{Path, PathBuf};
use std::sync::Arc;

use outpour_sstable::Descriptor;
use outpour_storage::Directory;

pub(super) const SNAPSHOTS: &str = "snapshots";
pub(super) const BACKUPS: &str = "backups";

/// ScyllaDB serves what lies here as it serves the table's own directory: SSTables from which views are
/// yet to be built, and those that a scrub found damaged (`replica/distributed_loader.cc`).
pub(super) const SERVED_BELOW: [&str; 2] = ["staging", "quarantine"];

/// Directories of these names are no tables.
const RESERVED: [&str; 6] =
    [SNAPSHOTS, BACKUPS, SERVED_BELOW[0], SERVED_BELOW[1], "upload", "pending_delete"];

/// How far below the node's data directory anything is that can be named.
const DEPTH_MAX: usize = 5;

/// The name of a table: which keyspace it is in may be unknown.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TableName {
    pub(crate) keyspace: Option<String>,
    pub(crate) name: Option<String>,
}

/// A directory of SSTables.
#[derive(Debug, Clone)]
pub(crate) struct TableDirectory {
    pub(crate) path: PathBuf,
    pub(crate) directory: Arc<dyn Directory>,
    pub(crate) name: TableName,
    /// The table's id, of which the directory is named; empty if it is named of the table and has no id
    pub(crate) id: Option<String>,
    /// The one SSTable that was named, of all in the directory
    pub(super) only: Option<Descriptor>,
}

impl TableDirectory {
    pub(super) fn new(
        path: &Path,
        directory: Arc<dyn Directory>,
        only: Option<Descriptor>,
    ) -> Self {
        let (name, id) = directory_name(table_path(path));
        Self { path: path.to_owned(), directory, name, id, only }
    }

    /// The node's data directory that this lies in, if it lies in one.
    pub(crate) fn data_directory(&self) -> Option<&Path> {
        self.name.name.as_ref()?;
        table_path(&self.path).parent()?.parent()
    }

    /// Whether a node serves the files, and they are no copy of those.
    pub(super) fn is_live(&self) -> bool {
        self.id.is_some() && table_path(&self.path) == self.path
    }
}

/// The path to read at what the user named: it without symbolic links, unless only the links tell
/// which table it is.
pub(super) fn followed(path: &Path) -> std::io::Result<PathBuf> {
    let real = path.canonicalize()?;
    let has_parents = path.components().any(|part| part == std::path::Component::ParentDir);
    let named = if has_parents { real.clone() } else { std::path::absolute(path)? };
    let is_link_to_file = named.is_file() && named.is_symlink();
    let is_named = match (is_in_data_directory(&named), is_in_data_directory(&real)) {
        (true, _) => true,
        (false, true) => false,
        (false, false) => tells_table(&named) && !tells_table(&real),
    };
    Ok(if is_named && !is_link_to_file { named } else { real })
}

fn is_in_data_directory(path: &Path) -> bool {
    path.ancestors().skip(1).take(DEPTH_MAX).any(|above| above.join("system_schema").is_dir())
}

fn tells_table(path: &Path) -> bool {
    let directory = if path.is_file() { path.parent().unwrap_or(path) } else { path };
    directory_name(table_path(directory)).1.is_some()
}

/// The table, and its id, of which the directory at `<keyspace>/<table>-<id>` is named.
pub(super) fn directory_name(path: &Path) -> (TableName, Option<String>) {
    let named = path.file_name().and_then(|name| name.to_str()).map(split_directory_name);
    let Some((name, Some(id))) = named else {
        return (TableName { keyspace: None, name: None }, None);
    };
    let keyspace = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let keyspace = keyspace.map(str::to_owned);
    (TableName { keyspace, name: Some(name.to_owned()) }, Some(id.to_owned()))
}

/// `<data>/<keyspace>/<table>-<id>` of a directory that is it or a snapshot or backup in it.
fn table_path(path: &Path) -> &Path {
    let is_named = |path: &Path, name: &str| path.file_name().is_some_and(|found| found == name);
    match path.parent() {
        Some(parent) if is_named(parent, SNAPSHOTS) => parent.parent().unwrap_or(path),
        Some(parent) if [BACKUPS].iter().chain(&SERVED_BELOW).any(|name| is_named(path, name)) => {
            parent
        }
        _ => path,
    }
}

/// Splits `<table>-<32 hex digits>`.
pub(super) fn split_directory_name(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('-') {
        Some((table, id)) if id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()) => {
            (table, Some(id))
        }
        _ => (name, None),
    }
}

/// Names of keyspaces and tables hold nothing else.
pub(super) fn is_word(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether a directory of this name may be a table's that has no id.
pub(super) fn may_be_table(name: &str) -> bool {
    is_word(name) && !RESERVED.contains(&name)
}
