//! What the metadata of SSTables tells: no rows are read, so that the size of the data does not matter.

mod distribution;
mod droppable;
mod sstable;
mod tables;
mod totals;

use std::path::PathBuf;

use outpour_sstable::{Error as SstableError, ErrorKind as SstableErrorKind, Sstable};
use serde::Serialize;

use crate::schema::SchemaOptions;
use crate::source::{Notice, SourceOptions, TableSource};
use crate::{Error, Result};

pub use distribution::{Bucket, Distribution};
pub use droppable::{DropTime, Droppable};
pub use sstable::{
    ClusteringInfo, ColumnInfo, CommitLogInfo, ComponentInfo, EncodingInfo, SstableInfo,
};
pub use totals::{LevelInfo, Totals};

/// What to tell of, and by which clock.
#[derive(Debug, Clone)]
pub struct InfoOptions {
    /// The tables' files
    pub source: SourceOptions,
    /// A CQL file that declares them; `schema.cql` beside the files if there is none
    pub schema: Option<PathBuf>,
    /// Seconds since 1970 at which it is judged what can be dropped
    pub now: i64,
    /// Seconds that tombstones are kept
    pub gc_grace_seconds: i64,
}

/// What the metadata of a table's files tells.
#[derive(Debug, Clone, Serialize)]
pub struct TableInfo {
    /// Where it is known
    pub keyspace: Option<String>,
    /// Where it is known
    pub table: Option<String>,
    /// The directories that hold its SSTables
    pub directories: Vec<String>,
    /// Over all SSTables
    pub totals: Totals,
    /// By id
    pub sstables: Vec<SstableInfo>,
    /// SSTables, and parts of them, that cannot be read
    pub errors: Vec<InfoError>,
}

/// Metadata that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InfoError {
    /// The SSTable, if it is one alone
    pub name: Option<String>,
    /// File, place, what was expected and what is there
    pub message: String,
}

/// Reads the metadata of all tables of a source. What cannot be read is told beside the rest.
///
/// # Errors
/// Those of finding tables, and NotFound if there is nothing to tell of.
pub fn info(options: &InfoOptions, notice: &mut dyn FnMut(&str)) -> Result<Vec<TableInfo>> {
    let sources = options.source.tables_apart(notice)?;
    let infos: Vec<_> = tables::named(sources, options, notice)
        .into_iter()
        .map(|opened| opened.info(options))
        .collect();
    let is_empty = |info: &TableInfo| info.sstables.is_empty() && info.errors.is_empty();
    match infos.first() {
        Some(first) if infos.iter().all(is_empty) => Err(nothing_of(first)),
        _ => Ok(infos),
    }
}

fn nothing_of(table: &TableInfo) -> Error {
    let label = match (&table.keyspace, &table.table) {
        (Some(keyspace), Some(table)) => format!("{keyspace}.{table}"),
        (_, Some(table)) => table.clone(),
        _ => table.directories.join(", "),
    };
    Error::not_found(format!("no SSTables of {label} are there"))
}

/// A table whose SSTables are open.
struct Opened {
    source: TableSource,
    sstables: Vec<Sstable>,
    errors: Vec<InfoError>,
    schema: Option<outpour_cql::Table>,
}

impl Opened {
    /// Opens what can be opened of `source`.
    fn open(source: TableSource, notice: Notice<'_>) -> Self {
        let has_vanished = |e: &SstableError| e.kind() == SstableErrorKind::NotFound;
        let mut told = Vec::new();
        let (sstables, errors) = match open_all(&source, &mut |text| told.push(text.to_owned())) {
            // A live node may have compacted a file away since the directory was listed.
            (_, errors) if errors.iter().any(has_vanished) => {
                told.clear();
                open_all(&source, &mut |text| told.push(text.to_owned()))
            }
            opened => opened,
        };
        told.iter().for_each(|text| notice(text));
        let errors = errors.iter().map(InfoError::of).collect();
        Self { source, sstables, errors, schema: None }
    }

    fn info(mut self, options: &InfoOptions) -> TableInfo {
        let (schema, errors) = (self.schema.as_ref(), &mut self.errors);
        let mut sstable_info = |sstable: &Sstable| {
            let (info, found) = SstableInfo::of(sstable, schema, options);
            errors.extend(found);
            info
        };
        let sstables: Vec<_> = self.sstables.iter().map(&mut sstable_info).collect();
        let directories = self.source.directories.iter();
        TableInfo {
            keyspace: self.source.name.keyspace.clone(),
            table: self.source.name.name.clone(),
            directories: directories.map(|d| d.path.display().to_string()).collect(),
            totals: Totals::of(&self.sstables, &sstables, options),
            sstables,
            errors: self.errors,
        }
    }
}

fn open_all(source: &TableSource, notice: Notice<'_>) -> (Vec<Sstable>, Vec<SstableError>) {
    let (files, mut errors) = match source.readable_files(notice) {
        Ok(found) => found,
        Err(e) => return (Vec::new(), vec![e]),
    };
    let mut sstables = Vec::new();
    for files in &files {
        match files.check().and_then(|()| Sstable::open(files)) {
            Ok(sstable) => sstables.push(sstable),
            Err(e) => errors.push(e),
        }
    }
    (sstables, errors)
}

impl InfoError {
    fn of(error: &SstableError) -> Self {
        let file = error.path().rsplit('/').next().unwrap_or_default();
        let name = file.rsplit_once('-').map(|(name, _)| name.to_owned());
        Self { name, message: error.to_string() }
    }
}

impl InfoOptions {
    fn schema_options(&self) -> SchemaOptions {
        SchemaOptions { file: self.schema.clone(), infer: false }
    }
}
