//! The tables below a path.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use outpour_sstable::{Component, Descriptor};
use outpour_storage::{Directory, Entry, LocalDirectory};

use super::place::{
    BACKUPS, SERVED_BELOW, SNAPSHOTS, TableDirectory, TableName, directory_name, followed, is_word,
    may_be_table, split_directory_name,
};
use crate::{Error, Result};

/// Of directories that could be named instead, a message shows so many.
const SHOWN_MAX: usize = 4;

/// Looks for tables, and notes what it passes over.
pub(super) struct Finder<'a> {
    is_wanted: &'a dyn Fn(&TableName) -> bool,
    tables: Vec<TableDirectory>,
    /// Directories without SSTables of their own, whose snapshots may have some
    without: Vec<PathBuf>,
    notices: Vec<String>,
}

/// Directories as a message names them.
pub(super) fn shown(directories: &[PathBuf]) -> String {
    let names: Vec<_> =
        directories.iter().take(SHOWN_MAX).map(|path| path.display().to_string()).collect();
    match directories.len().saturating_sub(SHOWN_MAX) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

impl<'a> Finder<'a> {
    pub(super) fn new(is_wanted: &'a dyn Fn(&TableName) -> bool) -> Self {
        Self { is_wanted, tables: Vec::new(), without: Vec::new(), notices: Vec::new() }
    }

    pub(super) fn take_tables(&mut self) -> Vec<TableDirectory> {
        std::mem::take(&mut self.tables)
    }

    /// What the user should know of what was found.
    pub(super) fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Looks at what the user named.
    pub(super) fn look_at(&mut self, path: &Path) -> Result<()> {
        let path = followed(path)
            .map_err(|e| Error::from(outpour_storage::Error::io(path.display().to_string(), &e)))?;
        if path.is_file() {
            self.tables.push(single_sstable(&path)?);
            return Ok(());
        }
        let directory: Arc<dyn Directory> = Arc::new(LocalDirectory::open(&path)?);
        let entries = directory.list()?;
        let own = self.own_sstables(&path, &directory, &entries)?;
        if own.is_empty() {
            self.without.push(path.clone());
            return match has_directory(&entries, SNAPSHOTS) {
                true => self.only_snapshot(&path, &directory),
                false => self.tables_below(&path, &entries),
            };
        }
        if let Some(below) = table_with_id(&path, &entries) {
            return Err(Error::invalid(format!(
                "{} holds SSTables and also tables, as {}: name the one to read, or move the SSTables",
                path.display(),
                below.display()
            )));
        }
        self.tables.extend(own);
        Ok(())
    }

    /// The directories that hold SSTables of the table whose directory is at `path`.
    fn own_sstables(
        &mut self,
        path: &Path,
        directory: &Arc<dyn Directory>,
        entries: &[Entry],
    ) -> Result<Vec<TableDirectory>> {
        let mut found = Vec::new();
        if holds_sstables(directory, entries) {
            found.push(TableDirectory::new(path, Arc::clone(directory), None));
            self.note_others(path, entries);
        }
        for name in SERVED_BELOW.into_iter().filter(|name| has_directory(entries, name)) {
            let below = directory.subdirectory(name)?;
            if holds_sstables(&below, &below.list()?) {
                found.push(TableDirectory::new(&path.join(name), below, None));
            }
        }
        Ok(found)
    }

    /// Notes directories of SSTables that lie in a table's directory and are none of those that a table
    /// has.
    fn note_others(&mut self, path: &Path, entries: &[Entry]) {
        let is_usual = |name: &str| {
            [SNAPSHOTS, BACKUPS].iter().chain(&SERVED_BELOW).any(|usual| name == *usual)
                || split_directory_name(name).1.is_some()
                // A secondary index
                || name.starts_with('.')
        };
        let directories = entries.iter().filter(|entry| entry.is_directory());
        for entry in directories.filter(|entry| !is_usual(&entry.name)) {
            let below = path.join(&entry.name);
            if has_sstables(&below) {
                let below = below.display();
                self.notices.push(format!(
                    "SSTables in {below} are not read: name that directory too if they are of the table"
                ));
            }
        }
    }

    /// A table directory without live SSTables is read from its snapshot, if there is just one.
    fn only_snapshot(&mut self, path: &Path, directory: &Arc<dyn Directory>) -> Result<()> {
        let snapshots = directory.subdirectory(SNAPSHOTS)?;
        let tags = snapshots.list()?.into_iter().filter(Entry::is_directory);
        let tags: Vec<_> = tags.map(|entry| entry.name).collect();
        match tags.as_slice() {
            [] => Ok(()),
            [tag] => {
                let below = path.join(SNAPSHOTS).join(tag);
                self.notices.push(format!(
                    "{} has no SSTables of its own: its snapshot {tag} is read",
                    path.display()
                ));
                let directory = snapshots.subdirectory(tag)?;
                self.tables.push(TableDirectory::new(&below, directory, None));
                Ok(())
            }
            _ => Err(Error::invalid(format!(
                "{} has no SSTables of its own and several snapshots; name the one to read: {}",
                path.display(),
                tags.join(", ")
            ))),
        }
    }

    /// Tables of a keyspace directory, or of a data directory.
    fn tables_below(&mut self, path: &Path, entries: &[Entry]) -> Result<()> {
        // Its name may be that of a keyspace, or of anything.
        let is_keyspace = path.parent().is_some_and(|data| data.join("system_schema").is_dir());
        let keyspace = path.file_name().filter(|_| is_keyspace).and_then(|name| name.to_str());
        self.tables_of(path, keyspace, entries)?;
        if is_keyspace || path.file_name().is_some_and(|name| name == SNAPSHOTS) {
            return Ok(());
        }
        let may_be_keyspace = |entry: &&Entry| {
            let keyspace = Some(entry.name.clone());
            let is_wanted = (self.is_wanted)(&TableName { keyspace, name: None });
            is_wanted && entry.is_directory() && split_directory_name(&entry.name).1.is_none()
        };
        let keyspaces: Vec<_> = entries.iter().filter(may_be_keyspace).collect();
        for keyspace in keyspaces {
            let path = path.join(&keyspace.name);
            let inner = match LocalDirectory::open(&path).and_then(|keyspace| keyspace.list()) {
                Ok(inner) => inner,
                // As lost+found: no keyspace is called so.
                Err(_) if !is_word(&keyspace.name) => continue,
                Err(e) => return Err(e.into()),
            };
            self.tables_of(&path, Some(&keyspace.name), &inner)?;
        }
        Ok(())
    }

    /// Tables whose directories are `entries` of the directory at `path`, which is that of `keyspace` if it is
    /// known to be one.
    fn tables_of(&mut self, path: &Path, keyspace: Option<&str>, entries: &[Entry]) -> Result<()> {
        for entry in entries.iter().filter(|entry| !entry.is_file()) {
            let below = path.join(&entry.name);
            match directory_name(&below) {
                (name, Some(_)) if (self.is_wanted)(&name) => self.table_at(&below)?,
                (_, Some(_)) => {}
                (_, None) => self.table_without_id(&below, keyspace, &entry.name)?,
            }
        }
        Ok(())
    }

    fn table_at(&mut self, path: &Path) -> Result<()> {
        let directory: Arc<dyn Directory> = Arc::new(LocalDirectory::open(path)?);
        let own = self.own_sstables(path, &directory, &directory.list()?)?;
        if own.is_empty() {
            self.without.push(path.to_owned());
        }
        self.tables.extend(own);
        Ok(())
    }

    /// A table that was created before Cassandra 2.1, or copied to a directory of its name, has a directory
    /// without an id.
    fn table_without_id(&mut self, path: &Path, keyspace: Option<&str>, name: &str) -> Result<()> {
        let table =
            TableName { keyspace: keyspace.map(str::to_owned), name: Some(name.to_owned()) };
        if !may_be_table(name) || !(self.is_wanted)(&table) {
            return Ok(());
        }
        let directory: Arc<dyn Directory> = match LocalDirectory::open(path) {
            Ok(directory) => Arc::new(directory),
            // A pipe, or a link that leads nowhere
            Err(_) if !path.is_dir() => return Ok(()),
            Err(e) => return Err(e.into()),
        };
        let own = self.own_sstables(path, &directory, &directory.list()?)?;
        // With the id of none: a table of the same name that has one is another creation of it.
        let named = own.into_iter().map(|directory| TableDirectory {
            name: table.clone(),
            id: Some(String::new()),
            ..directory
        });
        self.tables.extend(named);
        Ok(())
    }

    /// Directories with SSTables that could be named, where nothing was found: snapshots and backups of
    /// tables that have nothing else, and directories that are not called as tables are.
    pub(super) fn others(&self) -> Vec<PathBuf> {
        let mut others = Vec::new();
        for path in &self.without {
            let snapshots = directories_in(&path.join(SNAPSHOTS)).into_iter();
            let below = snapshots.chain(directories_in(path));
            others.extend(below.filter(|path| has_sstables(path)));
        }
        others
    }
}

fn has_directory(entries: &[Entry], name: &str) -> bool {
    entries.iter().any(|entry| entry.is_directory() && entry.name == name)
}

/// The directories in the one at `path`, sorted; none if it cannot be listed.
fn directories_in(path: &Path) -> Vec<PathBuf> {
    let entries = LocalDirectory::open(path).and_then(|directory| directory.list());
    let entries = entries.unwrap_or_default().into_iter().filter(Entry::is_directory);
    entries.map(|entry| path.join(entry.name)).collect()
}

/// Whether a directory that is not read holds SSTables, as far as can be told.
fn has_sstables(path: &Path) -> bool {
    let Ok(directory) = LocalDirectory::open(path) else { return false };
    let Ok(entries) = directory.list() else { return false };
    let directory: Arc<dyn Directory> = Arc::new(directory);
    holds_sstables(&directory, &entries)
}

/// A directory named of a table and its id that holds SSTables, among the entries of the directory at `path` or
/// one level below. What cannot be listed cannot be read as a table either: it is not meant.
fn table_with_id(path: &Path, entries: &[Entry]) -> Option<PathBuf> {
    let mut finder = Finder::new(&|_| true);
    let has_id =
        |directory: &&TableDirectory| directory.id.as_ref().is_some_and(|id| !id.is_empty());
    finder.tables_below(path, entries).ok()?;
    finder.tables.iter().find(has_id).map(|directory| directory.path.clone())
}

/// Whether any file belongs to an SSTable, be it of a version that cannot be read.
fn holds_sstables(directory: &Arc<dyn Directory>, entries: &[Entry]) -> bool {
    entries
        .iter()
        .filter(|entry| entry.is_file())
        .any(|entry| !matches!(Descriptor::parse(directory.location(), &entry.name), Ok(None)))
}

fn single_sstable(path: &Path) -> Result<TableDirectory> {
    let (parent, name) = (path.parent(), path.file_name().and_then(|name| name.to_str()));
    let (Some(parent), Some(name)) = (parent, name) else {
        return Err(Error::invalid(format!("{} is no SSTable", path.display())));
    };
    match Descriptor::parse(&parent.display().to_string(), name)? {
        Some((descriptor, Component::Data)) => {
            let directory: Arc<dyn Directory> = Arc::new(LocalDirectory::open(parent)?);
            Ok(TableDirectory::new(parent, directory, Some(descriptor)))
        }
        Some((descriptor, _)) => {
            let data = descriptor.file_name(&Component::Data);
            Err(Error::invalid(format!(
                "{} is a part of an SSTable: name its {data}",
                path.display()
            )))
        }
        None => Err(Error::invalid(format!(
            "{} is no SSTable, whose names end in -Data.db",
            path.display()
        ))),
    }
}
