//! What the user points at, and which tables are there.

mod commit_log;
mod find;
mod keyspaces;
mod place;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use outpour_sstable::{Sstable, SstableFiles, list_readable, list_sstables};
use outpour_storage::Directory;

use crate::{Error, Result};

use find::Finder;
use keyspaces::is_of_the_system;

pub(crate) use place::{TableDirectory, TableName};

/// Is told what the user should know.
pub(crate) type Notice<'a> = &'a mut dyn FnMut(&str);

type Directories = Vec<Arc<dyn Directory>>;

/// What the user points at.
#[derive(Debug, Clone, Default)]
pub struct SourceOptions {
    /// Table directories, snapshots, keyspace or data directories, or single SSTables
    pub paths: Vec<PathBuf>,
    /// `KEYSPACE.TABLE` or `TABLE`, where the paths hold several
    pub table: Option<String>,
}

/// One table of the source: all directories that hold SSTables of it.
#[derive(Debug, Clone)]
pub(crate) struct TableSource {
    pub(crate) name: TableName,
    pub(crate) directories: Vec<TableDirectory>,
}

impl TableSource {
    /// Opens all SSTables of the table, before anything is read of their rows. `notice` is told of those that
    /// are left out.
    pub(crate) fn open(&self, notice: Notice<'_>) -> Result<Vec<Sstable>> {
        let mut told = Vec::new();
        let sstables = match self.try_open(&mut |text| told.push(text.to_owned())) {
            // A live node may have compacted a file away since the directory was listed.
            Err(e) if e.kind() == outpour_sstable::ErrorKind::NotFound => {
                told.clear();
                self.try_open(&mut |text| told.push(text.to_owned()))?
            }
            opened => opened?,
        };
        told.iter().for_each(|text| notice(text));
        Ok(sstables)
    }

    /// Opens all SSTables that are not damaged, and tells what is wrong with the others.
    pub(crate) fn open_sound(&self, notice: Notice<'_>) -> Result<(Vec<Sstable>, Vec<String>)> {
        let (mut sstables, mut losses) = (Vec::new(), Vec::new());
        for files in self.unchecked_files(notice)? {
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

    fn try_open(&self, notice: Notice<'_>) -> outpour_sstable::Result<Vec<Sstable>> {
        let mut sstables = Vec::new();
        for files in self.files(notice)? {
            sstables.push(Sstable::open(&files)?);
        }
        Ok(sstables)
    }

    /// The files of the table's SSTables, as the server would load them.
    fn files(&self, notice: Notice<'_>) -> outpour_sstable::Result<Vec<SstableFiles>> {
        let files = self.unchecked_files(notice)?;
        files.iter().try_for_each(SstableFiles::check)?;
        Ok(files)
    }

    /// The files of the table's SSTables, as the server would load them; some that are needed may be missing.
    /// `notice` is told of SSTables that are left out.
    pub(crate) fn unchecked_files(
        &self,
        notice: Notice<'_>,
    ) -> outpour_sstable::Result<Vec<SstableFiles>> {
        let (mut all, whole) = self.single_files()?;
        all.extend(list_sstables(&whole, &mut |text| notice(&text))?);
        Ok(all)
    }

    /// As [`TableSource::unchecked_files`], beside what is wrong with those whose names cannot be.
    pub(crate) fn readable_files(
        &self,
        notice: Notice<'_>,
    ) -> outpour_sstable::Result<(Vec<SstableFiles>, Vec<outpour_sstable::Error>)> {
        let (mut all, whole) = self.single_files()?;
        let (files, refused) = list_readable(&whole, &mut |text| notice(&text))?;
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
    /// All tables of the paths that `table` allows; there is at least one. `notice` is told what is passed
    /// over beside them.
    ///
    /// # Errors
    /// NotFound if there is none, with what else could be named; Io.
    pub(crate) fn tables(&self, notice: Notice<'_>) -> Result<Vec<TableSource>> {
        self.told(notice, |directories| self.grouped(directories))
    }

    /// As [`SourceOptions::tables`], but directories that do not tell their table are apart, and so are
    /// those of each creation of a table.
    pub(crate) fn tables_apart(&self, notice: Notice<'_>) -> Result<Vec<TableSource>> {
        self.told(notice, |directories| Ok(self.grouped_apart(directories)))
    }

    /// The tables that `group` makes of the directories that are found.
    fn told(
        &self,
        notice: Notice<'_>,
        group: impl FnOnce(Vec<TableDirectory>) -> Result<Vec<TableSource>>,
    ) -> Result<Vec<TableSource>> {
        let is_wanted = |name: &TableName| self.allows(&mut name.clone());
        let mut finder = Finder::new(&is_wanted);
        self.paths.iter().try_for_each(|path| finder.look_at(path))?;
        let tables = group(finder.take_tables())?;
        if tables.is_empty() {
            return Err(self.none_found(&finder.others()));
        }
        finder.notices().iter().for_each(|text| notice(text));
        commit_log::announce(tables.iter().flat_map(|table| &table.directories), notice);
        Ok(tables)
    }

    /// As [`SourceOptions::tables`], of a source that nobody has named: there may be none, and nothing is told.
    pub(crate) fn tables_if_any(&self) -> Result<Vec<TableSource>> {
        let is_wanted = |name: &TableName| self.allows(&mut name.clone());
        let mut finder = Finder::new(&is_wanted);
        self.paths.iter().try_for_each(|path| finder.look_at(path))?;
        self.grouped(finder.take_tables())
    }

    fn grouped_apart(&self, directories: Vec<TableDirectory>) -> Vec<TableSource> {
        let mut found = BTreeMap::<_, Vec<TableDirectory>>::new();
        for mut directory in directories {
            if !self.allows(&mut directory.name) {
                continue;
            }
            let apart = match (&directory.name.name, &directory.id) {
                (Some(_), Some(id)) => id.clone(),
                _ => directory.path.display().to_string(),
            };
            found.entry((directory.name.clone(), apart)).or_default().push(directory);
        }
        let tables = found.into_iter();
        tables.map(|((name, _), directories)| TableSource { name, directories }).collect()
    }

    fn grouped(&self, directories: Vec<TableDirectory>) -> Result<Vec<TableSource>> {
        let mut found = BTreeMap::<TableName, Vec<TableDirectory>>::new();
        for mut directory in directories {
            if self.allows(&mut directory.name) {
                found.entry(directory.name.clone()).or_default().push(directory);
            }
        }
        let source = |(name, directories)| {
            Ok(TableSource { name, directories: of_one_creation(directories)? })
        };
        found.into_iter().map(source).collect()
    }

    /// The one table of the paths.
    ///
    /// # Errors
    /// Those of [`SourceOptions::tables`]; Invalid if there are several.
    pub(crate) fn table(&self, notice: Notice<'_>) -> Result<TableSource> {
        let mut tables = self.tables(notice)?;
        if tables.len() == 1 {
            return Ok(tables.remove(0));
        }
        let names: Vec<_> = tables.iter().map(TableSource::label).collect();
        let names = names.join(", ");
        Err(Error::invalid(format!("several tables are here; choose one by --table: {names}")))
    }

    /// `others` are directories with SSTables that were met and are not what was asked for.
    fn none_found(&self, others: &[PathBuf]) -> Error {
        let paths: Vec<_> = self.paths.iter().map(|path| path.display().to_string()).collect();
        let table = self.table.as_ref().map(|table| format!(" of {table}")).unwrap_or_default();
        let advice = match others {
            [] => "name a table directory, a snapshot, a keyspace or data directory, or a *-Data.db file".to_owned(),
            others => format!("but in {}: name one of these", find::shown(others)),
        };
        Error::not_found(format!("no SSTables{table} in {}: {advice}", paths.join(", ")))
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
