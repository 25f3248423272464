//! Tables of `testdata/cassandra`, which Cassandra wrote, for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outpour_cql::{Schema, Table};
use outpour_filter::ClusteringRange;
use outpour_run::{Budget, Cancel, Progress};
use outpour_storage::{Directory, LocalDirectory, MemoryDirectory, read_whole};

use crate::{ScanOptions, SstableFiles, list_sstables};

/// A table of a case, in memory.
pub(crate) struct Golden {
    pub(crate) table: Table,
    pub(crate) files: MemoryDirectory,
}

impl Golden {
    /// The table `t` of a case.
    pub(crate) fn open(case: &str) -> Self {
        Self::of(&home().join(case).join("t"))
    }

    /// The table whose golden is in the directory `at`, which is called as the table is.
    fn of(at: &Path) -> Self {
        let text = fs::read_to_string(at.with_file_name("schema.cql")).unwrap();
        let schema = Schema::parse(&text).unwrap();
        let name = at.file_name().unwrap().to_str().unwrap();
        let table = schema.tables().iter().find(|table| table.name == name).unwrap().clone();
        let directory = LocalDirectory::open(at.join("sstables")).unwrap();
        Self { table, files: MemoryDirectory::copy_of(&directory).unwrap() }
    }

    /// All tables of all cases; also of those in the directory that OUTPOUR_GOLDENS names.
    pub(crate) fn all() -> Vec<(String, Self)> {
        let more = std::env::var_os("OUTPOUR_GOLDENS").map(PathBuf::from);
        let cases = [home()].into_iter().chain(more).flat_map(|home| directories(&home));
        let tables = cases.flat_map(|case| directories(&case));
        let goldens = tables.filter(|table| table.join("sstables").is_dir());
        goldens.map(|table| (table.display().to_string(), Self::of(&table))).collect()
    }

    /// What the file `name` holds.
    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        read_whole(&*self.files.open(name).unwrap(), u64::MAX).unwrap()
    }

    /// A copy of the table's files in which `name` holds `bytes`.
    pub(crate) fn with(&self, name: &str, bytes: Vec<u8>) -> MemoryDirectory {
        let mut files = self.files.clone();
        files.insert(name, bytes);
        files
    }
}

fn directories(path: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut directories: Vec<_> = paths.filter(|path| path.is_dir()).collect();
    directories.sort();
    directories
}

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cassandra")
}

/// The SSTables that `files` hold.
pub(crate) fn sstables(files: MemoryDirectory) -> Vec<SstableFiles> {
    let directory: Arc<dyn Directory> = Arc::new(files);
    list_sstables(&[directory], &mut |_| {}).unwrap()
}

/// Options with a budget of `memory` bytes.
pub(crate) fn options(memory: u64) -> ScanOptions {
    ScanOptions {
        now: 0,
        budget: Budget::new(memory),
        cancel: Cancel::default(),
        progress: Progress::default(),
        skip_corrupt: false,
        parallel: 1,
        rows: ClusteringRange::default(),
        since: None,
    }
}
