//! Copies of a table's files, which may be changed for a while.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

/// A directory of files whose bytes are at hand too.
pub(crate) struct Copy {
    directory: TempDir,
    files: BTreeMap<String, Vec<u8>>,
}

/// A file's name and its other bytes; `None`: it is not there.
pub(crate) type Change = (String, Option<Vec<u8>>);

impl Copy {
    pub(crate) fn of(home: &Path) -> Self {
        let entries = fs::read_dir(home).unwrap().flatten().filter(|entry| entry.path().is_file());
        let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
        Self::with(named.map(|(name, path)| (name, fs::read(path).unwrap())).collect())
    }

    pub(crate) fn with(files: BTreeMap<String, Vec<u8>>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, bytes) in &files {
            fs::write(directory.path().join(name), bytes).unwrap();
        }
        Self { directory, files }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn bytes(&self, name: &str) -> &[u8] {
        &self.files[name]
    }

    pub(crate) fn files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.files
    }

    /// The names that end in `component`.
    pub(crate) fn names(&self, component: &str) -> Vec<&str> {
        let names = self.files.keys().map(String::as_str);
        names.filter(|name| component_of(name) == component).collect()
    }

    /// What the names of each SSTable's files start with.
    pub(crate) fn prefixes(&self) -> Vec<&str> {
        let names = self.names("Data.db").into_iter();
        names.map(|name| name.strip_suffix("Data.db").unwrap()).collect()
    }

    /// Changes files, runs `run`, and undoes the changes.
    pub(crate) fn while_changed(&self, changes: &[Change], run: impl FnOnce()) {
        for (name, bytes) in changes {
            self.set(name, bytes.as_deref());
        }
        run();
        for (name, _) in changes {
            self.set(name, self.files.get(name).map(Vec::as_slice));
        }
    }

    fn set(&self, name: &str, bytes: Option<&[u8]>) {
        let path = self.path().join(name);
        match bytes {
            Some(bytes) => fs::write(path, bytes).unwrap(),
            None if path.exists() => fs::remove_file(path).unwrap(),
            None => {}
        }
    }
}

/// `Data.db` of `nb-1-big-Data.db`.
pub(crate) fn component_of(name: &str) -> &str {
    name.rsplit('-').next().unwrap()
}
