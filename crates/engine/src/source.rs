use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outpour_sstable::{Component, Descriptor, Sstable, SstableFiles, list_readable, list_sstables};
use outpour_storage::{Directory, Entry, LocalDirectory};

use crate::{Error, Result};

/// What the user points at.
#[derive(Debug, Clone, Default)]
pub struct SourceOptions {
    /// Table directories, snapshots, keyspace or data directories, or single SSTables
    pub paths: Vec<PathBuf>,
    /// `KEYSPACE.TABLE` or `TABLE`, where the paths hold several
    pub table: Option<String>,
}

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
    /// The table's id, of which the directory is named
    pub(crate) id: Option<String>,
    /// The one SSTable that was named, of all in the directory
    only: Option<Descriptor>,
}

/// One table of the source: all directories that hold SSTables of it.
#[derive(Debug, Clone)]
pub(crate) struct TableSource {
    pub(crate) name: TableName,
    pub(crate) directories: Vec<TableDirectory>,
}

type Directories = Vec<Arc<dyn Directory>>;

impl TableSource {
    /// Opens all SSTables of the table, before anything is read of their rows.
    pub(crate) fn open(&self) -> Result<Vec<Sstable>> {
        match self.try_open() {
            // A live node may have compacted a file away since the directory was listed.
            Err(e) if e.kind() == outpour_sstable::ErrorKind::NotFound => Ok(self.try_open()?),
            opened => Ok(opened?),
        }
    }

    /// Opens all SSTables that are not damaged, and tells what is wrong with the others.
    pub(crate) fn open_sound(&self) -> Result<(Vec<Sstable>, Vec<String>)> {
        let (mut sstables, mut losses) = (Vec::new(), Vec::new());
        for files in self.unchecked_files()? {
            if let Err(e) = files.check() {
                losses.push(format!("maybe rows of {}: {e}", files.descriptor()));
            }
            match Sstable::open(&files) {
                Ok(sstable) => sstables.push(sstable),
                Err(e) if e.kind() == outpour_sstable::ErrorKind::Corrupt => {
                    losses.push(format!("all of {}: {e}", files.descriptor()));
                }
                Err(e) => return Err(e.into()),
            }
        }
        Ok((sstables, losses))
    }

    fn try_open(&self) -> outpour_sstable::Result<Vec<Sstable>> {
        let mut sstables = Vec::new();
        for files in self.files()? {
            sstables.push(Sstable::open(&files)?);
        }
        Ok(sstables)
    }

    /// The files of the table's SSTables, as the server would load them.
    pub(crate) fn files(&self) -> outpour_sstable::Result<Vec<SstableFiles>> {
        let files = self.unchecked_files()?;
        files.iter().try_for_each(SstableFiles::check)?;
        Ok(files)
    }

    /// As [`TableSource::files`]; some that are needed may be missing.
    pub(crate) fn unchecked_files(&self) -> outpour_sstable::Result<Vec<SstableFiles>> {
        let (mut all, whole) = self.single_files()?;
        all.extend(list_sstables(&whole)?);
        Ok(all)
    }

    /// As [`TableSource::unchecked_files`], beside what is wrong with those whose names cannot be.
    pub(crate) fn readable_files(
        &self,
    ) -> outpour_sstable::Result<(Vec<SstableFiles>, Vec<outpour_sstable::Error>)> {
        let (mut all, whole) = self.single_files()?;
        let (files, refused) = list_readable(&whole)?;
        all.extend(files);
        Ok((all, refused))
    }

    /// The SSTables that were named, and the directories that are meant as a whole.
    fn single_files(&self) -> outpour_sstable::Result<(Vec<SstableFiles>, Directories)> {
        let (mut single, mut whole) = (Vec::new(), Vec::new());
        for directory in &self.directories {
            match directory.only {
                Some(only) => single.push(SstableFiles::find(&directory.directory, only)?),
                None => whole.push(Arc::clone(&directory.directory)),
            }
        }
        Ok((single, whole))
    }

    /// The table whose SSTables `directory` holds, for tests.
    #[cfg(test)]
    pub(crate) fn in_memory(directory: Arc<dyn Directory>, keyspace: &str, table: &str) -> Self {
        let name = TableName { keyspace: Some(keyspace.to_owned()), name: Some(table.to_owned()) };
        let path = PathBuf::from(directory.location());
        let directory =
            TableDirectory { path, directory, name: name.clone(), id: None, only: None };
        Self { name, directories: vec![directory] }
    }

    /// How the table is called in messages.
    pub(crate) fn label(&self) -> String {
        match (&self.name.keyspace, &self.name.name) {
            (Some(keyspace), Some(name)) => format!("{keyspace}.{name}"),
            (None, Some(name)) => name.clone(),
            _ => self
                .directories
                .first()
                .map_or_else(String::new, |directory| directory.path.display().to_string()),
        }
    }
}

impl SourceOptions {
    /// The directories of the paths that may hold tables that `table` allows.
    fn directories(&self) -> Result<Vec<TableDirectory>> {
        let is_wanted = |name: &TableName| self.allows(&mut name.clone());
        let mut directories = Vec::new();
        for path in &self.paths {
            directories.extend(find_tables(path, &is_wanted)?);
        }
        directories.retain_mut(|directory| self.allows(&mut directory.name));
        Ok(directories)
    }

    /// As [`SourceOptions::tables`], but directories that do not tell their table are apart, and so are
    /// those of each creation of a table.
    pub(crate) fn tables_apart(&self) -> Result<Vec<TableSource>> {
        let mut found = BTreeMap::<_, Vec<TableDirectory>>::new();
        for directory in self.directories()? {
            let apart = match (&directory.name.name, &directory.id) {
                (Some(_), Some(id)) => id.clone(),
                _ => directory.path.display().to_string(),
            };
            found.entry((directory.name.clone(), apart)).or_default().push(directory);
        }
        let tables = found.into_iter();
        Ok(tables.map(|((name, _), directories)| TableSource { name, directories }).collect())
    }

    /// All tables of the paths that `table` allows.
    pub(crate) fn tables(&self) -> Result<Vec<TableSource>> {
        let mut found = BTreeMap::<TableName, Vec<TableDirectory>>::new();
        for directory in self.directories()? {
            found.entry(directory.name.clone()).or_default().push(directory);
        }
        let mut tables = Vec::new();
        for (name, directories) in found {
            tables.push(TableSource { name, directories: of_one_creation(directories)? });
        }
        Ok(tables)
    }

    /// The one table of the paths.
    pub(crate) fn table(&self) -> Result<TableSource> {
        let mut tables = self.tables()?;
        match tables.len() {
            1 => Ok(tables.remove(0)),
            0 => Err(self.none_found()),
            _ => {
                let names: Vec<_> = tables.iter().map(TableSource::label).collect();
                let names = names.join(", ");
                Err(Error::invalid(format!(
                    "several tables are here; choose one by --table: {names}"
                )))
            }
        }
    }

    pub(crate) fn none_found(&self) -> Error {
        let paths: Vec<_> = self.paths.iter().map(|path| path.display().to_string()).collect();
        let table = self.table.as_ref().map(|table| format!(" of {table}")).unwrap_or_default();
        Error::not_found(format!(
            "no SSTables{table} in {}: name a table directory, a snapshot, a keyspace or data directory, or a *-Data.db file",
            paths.join(", ")
        ))
    }

    /// Whether the directory may hold the table that was asked for. A directory that does not tell
    /// its table is taken to hold it.
    fn allows(&self, name: &mut TableName) -> bool {
        let Some(table) = &self.table else {
            return !name.keyspace.as_deref().is_some_and(is_of_the_system);
        };
        let (keyspace, table) = split_name(table);
        let agrees = |known: &Option<String>, wanted: &str| {
            known.as_ref().is_none_or(|known| known == wanted)
        };
        if !agrees(&name.name, table) || keyspace.is_some_and(|k| !agrees(&name.keyspace, k)) {
            return false;
        }
        name.name = Some(table.to_owned());
        if let Some(keyspace) = keyspace {
            name.keyspace = Some(keyspace.to_owned());
        }
        true
    }
}

/// Keyspaces that Cassandra keeps for itself: read only if they are asked for.
fn is_of_the_system(keyspace: &str) -> bool {
    keyspace == "system" || keyspace.starts_with("system_")
}

/// Splits `KEYSPACE.TABLE`.
pub(crate) fn split_name(name: &str) -> (Option<&str>, &str) {
    match name.split_once('.') {
        Some((keyspace, table)) => (Some(unquoted(keyspace)), unquoted(table)),
        None => (None, unquoted(name)),
    }
}

pub(crate) fn unquoted(name: &str) -> &str {
    name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name)
}

/// A table that was dropped and created again has a directory for each id: which one is meant must be
/// said.
fn of_one_creation(directories: Vec<TableDirectory>) -> Result<Vec<TableDirectory>> {
    let mut ids: Vec<_> = directories.iter().filter_map(|d| d.id.as_deref()).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() < 2 {
        return Ok(directories);
    }
    let paths: Vec<_> = directories.iter().map(|d| d.path.display().to_string()).collect();
    Err(Error::invalid(format!(
        "the table was created several times; name the directory of the one to read: {}",
        paths.join(", ")
    )))
}

type IsWanted<'a> = &'a dyn Fn(&TableName) -> bool;

fn find_tables(path: &Path, is_wanted: IsWanted<'_>) -> Result<Vec<TableDirectory>> {
    let path = path
        .canonicalize()
        .map_err(|e| Error::from(outpour_storage::Error::io(path.display().to_string(), &e)))?;
    if path.is_file() {
        return Ok(vec![single_sstable(&path)?]);
    }
    let directory: Arc<dyn Directory> = Arc::new(LocalDirectory::open(&path)?);
    let entries = directory.list()?;
    let own = own_sstables(&path, &directory, &entries)?;
    if own.is_empty() {
        return match has_directory(&entries, SNAPSHOTS) {
            true => only_snapshot(&path, &directory),
            false => tables_below(&path, &entries, is_wanted),
        };
    }
    // What cannot be listed cannot be read as a table either: it is not meant.
    if let Ok([below, ..]) = tables_below(&path, &entries, &|_| true).as_deref() {
        return Err(Error::invalid(format!(
            "{} holds SSTables and also tables, as {}: name the one to read, or move the SSTables",
            path.display(),
            below.path.display()
        )));
    }
    Ok(own)
}

const SNAPSHOTS: &str = "snapshots";

/// ScyllaDB serves what lies here as it serves the table's own directory: SSTables from which views are
/// yet to be built, and those that a scrub found damaged (`replica/distributed_loader.cc`).
const SERVED_BELOW: [&str; 2] = ["staging", "quarantine"];

fn has_directory(entries: &[Entry], name: &str) -> bool {
    entries.iter().any(|entry| entry.is_directory() && entry.name == name)
}

/// The directories that hold SSTables of the table whose directory is at `path`.
fn own_sstables(
    path: &Path,
    directory: &Arc<dyn Directory>,
    entries: &[Entry],
) -> Result<Vec<TableDirectory>> {
    let mut found = Vec::new();
    if holds_sstables(directory, entries) {
        found.push(TableDirectory::new(path, Arc::clone(directory), None));
    }
    for name in SERVED_BELOW.into_iter().filter(|name| has_directory(entries, name)) {
        let below = directory.subdirectory(name)?;
        if holds_sstables(&below, &below.list()?) {
            found.push(TableDirectory::new(&path.join(name), below, None));
        }
    }
    Ok(found)
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

/// A table directory without live SSTables is read from its snapshot, if there is just one.
fn only_snapshot(path: &Path, directory: &Arc<dyn Directory>) -> Result<Vec<TableDirectory>> {
    let snapshots = directory.subdirectory(SNAPSHOTS)?;
    let tags: Vec<_> =
        snapshots.list()?.into_iter().filter(Entry::is_directory).map(|entry| entry.name).collect();
    match tags.as_slice() {
        [] => Ok(Vec::new()),
        [tag] => {
            let path = path.join(SNAPSHOTS).join(tag);
            Ok(vec![TableDirectory::new(&path, snapshots.subdirectory(tag)?, None)])
        }
        _ => Err(Error::invalid(format!(
            "{} has no SSTables of its own and several snapshots; name the one to read: {}",
            path.display(),
            tags.join(", ")
        ))),
    }
}

/// Tables of a keyspace directory, or of a data directory.
fn tables_below(
    path: &Path,
    entries: &[Entry],
    is_wanted: IsWanted<'_>,
) -> Result<Vec<TableDirectory>> {
    let mut tables = tables_of(path, entries, is_wanted)?;
    let is_keyspace =
        |entry: &&Entry| entry.is_directory() && split_directory_name(&entry.name).1.is_none();
    for keyspace in entries.iter().filter(is_keyspace) {
        let path = path.join(&keyspace.name);
        let inner = match LocalDirectory::open(&path).and_then(|keyspace| keyspace.list()) {
            Ok(inner) => inner,
            // As lost+found: no keyspace is called so.
            Err(_) if !is_word(&keyspace.name) => continue,
            Err(e) => return Err(e.into()),
        };
        tables.extend(tables_of(&path, &inner, is_wanted)?);
    }
    Ok(tables)
}

/// Tables whose directories are `entries` of the keyspace directory at `path`.
fn tables_of(
    path: &Path,
    entries: &[Entry],
    is_wanted: IsWanted<'_>,
) -> Result<Vec<TableDirectory>> {
    let mut tables = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.is_file()) {
        let below = path.join(&entry.name);
        let (name, id) = directory_name(&below);
        if id.is_some() && is_wanted(&name) {
            let directory: Arc<dyn Directory> = Arc::new(LocalDirectory::open(&below)?);
            tables.extend(own_sstables(&below, &directory, &directory.list()?)?);
        }
    }
    Ok(tables)
}

/// Names of keyspaces and tables hold nothing else.
fn is_word(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Splits `<table>-<32 hex digits>`.
fn split_directory_name(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('-') {
        Some((table, id)) if id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()) => {
            (table, Some(id))
        }
        _ => (name, None),
    }
}

impl TableDirectory {
    fn new(path: &Path, directory: Arc<dyn Directory>, only: Option<Descriptor>) -> Self {
        let (name, id) = directory_name(table_path(path));
        Self { path: path.to_owned(), directory, name, id, only }
    }

    /// The node's data directory that this lies in, if it lies in one.
    pub(crate) fn data_directory(&self) -> Option<&Path> {
        self.name.name.as_ref()?;
        table_path(&self.path).parent()?.parent()
    }
}

/// The table, and its id, of which the directory at `<keyspace>/<table>-<id>` is named.
fn directory_name(path: &Path) -> (TableName, Option<String>) {
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
        Some(parent)
            if ["backups"].iter().chain(&SERVED_BELOW).any(|name| is_named(path, name)) =>
        {
            parent
        }
        _ => path,
    }
}
