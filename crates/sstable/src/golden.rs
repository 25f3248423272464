//! Tables of `testdata/cassandra`, which Cassandra wrote, for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outpour_cql::{Schema, Table};
use outpour_run::{Budget, Cancel, Progress};
use outpour_storage::{Directory, LocalDirectory, MemoryDirectory, read_whole};

use crate::{ScanOptions, SstableFiles, list_sstables};

/// The table `t` of a case, in memory.
pub(crate) struct Golden {
    pub(crate) table: Table,
    pub(crate) files: MemoryDirectory,
}

impl Golden {
    pub(crate) fn open(case: &str) -> Self {
        let home = home().join(case);
        let text = fs::read_to_string(home.join("schema.cql")).unwrap();
        let schema = Schema::parse(&text).unwrap();
        let table = schema.tables().iter().find(|table| table.name == "t").unwrap().clone();
        let directory = LocalDirectory::open(home.join("t/sstables")).unwrap();
        Self { table, files: MemoryDirectory::copy_of(&directory).unwrap() }
    }

    /// All cases that have a table `t`.
    pub(crate) fn all() -> Vec<(String, Self)> {
        let entries = fs::read_dir(home()).unwrap().map(|entry| entry.unwrap());
        let cases = entries.filter(|entry| entry.path().join("t/sstables").is_dir());
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        cases.map(name).map(|case| (case.clone(), Self::open(&case))).collect()
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
    }
}
