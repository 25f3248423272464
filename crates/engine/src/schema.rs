use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use outpour_cql::{Schema, Table, create_table};
use outpour_run::Budget;
use outpour_sstable::Sstable;
use outpour_storage::{Directory, ErrorKind as StorageErrorKind, read_whole};

use crate::source::{SourceOptions, TableDirectory, TableSource};
use crate::{Error, Result, infer, system_schema};

/// A schema file is text; no keyspace's comes near this.
const SCHEMA_LEN_MAX: u64 = 64 << 20;
/// What Cassandra calls a snapshot's schema.
const SCHEMA_FILE: &str = "schema.cql";
/// Reading system_schema takes little; this is given where no budget is at hand.
const SCHEMA_MEMORY: u64 = 256 << 20;

/// Where a table's schema comes from.
#[derive(Debug, Clone, Default)]
pub struct SchemaOptions {
    /// A CQL file that declares it
    pub file: Option<PathBuf>,
    /// If nothing else is found, the headers of the files
    pub infer: bool,
}

/// The schema of the one table of a source, as CQL.
///
/// # Errors
/// Those of finding the table, its files and its schema.
pub fn schema_text(
    source: &SourceOptions,
    schema: &SchemaOptions,
    notice: &mut dyn FnMut(&str),
) -> Result<String> {
    let source = source.table(notice)?;
    let sstables = source.open(notice)?;
    let table = schema.table(&source, &sstables, &Budget::new(SCHEMA_MEMORY), notice)?;
    Ok(create_table(&table))
}

impl SchemaOptions {
    /// Finds the schema of `source`: the file that was named, else schema.cql beside the SSTables,
    /// else the system_schema tables of the same data directory, else, if that was asked for, what
    /// the files' headers tell.
    pub(crate) fn table(
        &self,
        source: &TableSource,
        sstables: &[Sstable],
        budget: &Budget,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Table> {
        if let Some(table) = self.declared(source, sstables, notice)? {
            return Ok(table);
        }
        if let Some(table) = system_schema::find(source, budget)? {
            return Ok(table);
        }
        if self.infer {
            notice(
                "no schema was found: the names of key columns, which columns were dropped, and which rows a materialized view hides are not known",
            );
            return infer::infer(&source.name, sstables);
        }
        Err(not_found(source))
    }
}

impl SchemaOptions {
    /// What a file of CQL declares: the one that was named, else schema.cql beside the SSTables.
    pub(crate) fn declared(
        &self,
        source: &TableSource,
        sstables: &[Sstable],
        notice: &mut dyn FnMut(&str),
    ) -> Result<Option<Table>> {
        let Some(path) = &self.file else { return beside(source, sstables, notice) };
        let text = read_named_file(path)?;
        find(&text, &path.display().to_string(), source, sstables, notice).map(Some)
    }
}

/// What schema.cql beside the SSTables declares. Of several directories, all must declare the same.
fn beside(
    source: &TableSource,
    sstables: &[Sstable],
    notice: &mut dyn FnMut(&str),
) -> Result<Option<Table>> {
    let mut found: Option<(Table, String)> = None;
    for directory in &source.directories {
        let Some(text) = read_schema_file(&*directory.directory)? else { continue };
        let path = directory.path.join(SCHEMA_FILE).display().to_string();
        let table = find(&text, &path, source, sstables, notice)?;
        match &found {
            Some((first, first_path)) if create_table(first) != create_table(&table) => {
                return Err(Error::invalid(format!(
                    "{first_path} and {path} declare {} differently: give the newer one by --schema",
                    source.label()
                )));
            }
            Some(_) => {}
            None => found = Some((table, path)),
        }
    }
    Ok(found.map(|(table, _)| table))
}

/// A file that the user named.
fn read_named_file(path: &Path) -> Result<Vec<u8>> {
    let name = path.display().to_string();
    let io_error = |e| Error::from(outpour_storage::Error::io(name.clone(), &e));
    let file = File::open(path).map_err(io_error)?;
    let mut text = Vec::new();
    file.take(SCHEMA_LEN_MAX + 1).read_to_end(&mut text).map_err(io_error)?;
    match text.len() as u64 > SCHEMA_LEN_MAX {
        true => {
            Err(Error::invalid(format!("{name}: more than {SCHEMA_LEN_MAX} bytes are no schema")))
        }
        false => Ok(text),
    }
}

fn not_found(source: &TableSource) -> Error {
    let hint = snapshot_hint(&source.directories);
    Error::not_found(format!(
        "no schema of {} is beside its files, nor in a system_schema directory of the same data directory; give it by --schema FILE{hint}, or derive one from their headers by --infer-schema",
        source.label()
    ))
}

/// A snapshot of the same table has a schema, which may be older than the files.
fn snapshot_hint(directories: &[TableDirectory]) -> String {
    let has_schema = |path: &Path| path.join(SCHEMA_FILE).is_file();
    let snapshot = directories.iter().find_map(|directory| {
        let snapshots = std::fs::read_dir(directory.path.join("snapshots")).ok()?;
        let mut paths = snapshots.flatten().map(|entry| entry.path());
        paths.find(|path| has_schema(path))
    });
    snapshot.map_or_else(String::new, |path| {
        format!(" (a snapshot has {})", path.join(SCHEMA_FILE).display())
    })
}

fn read_schema_file(directory: &dyn Directory) -> Result<Option<Vec<u8>>> {
    match directory.open(SCHEMA_FILE) {
        Ok(file) => Ok(Some(read_whole(&*file, SCHEMA_LEN_MAX)?)),
        Err(e) if e.kind() == StorageErrorKind::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}

fn find(
    text: &[u8],
    path: &str,
    source: &TableSource,
    sstables: &[Sstable],
    notice: &mut dyn FnMut(&str),
) -> Result<Table> {
    let text = std::str::from_utf8(text)
        .map_err(|e| Error::invalid(format!("{path}: no UTF-8 at byte {}", e.valid_up_to())))?;
    let schema = match Schema::parse(text) {
        Ok(schema) => schema,
        Err(e) => {
            let schema = Schema::parse_with_types(text, &infer::udts(sstables));
            let schema = schema.map_err(|e| Error::invalid(format!("{path}: {e}")))?;
            notice(&format!("{path}: {e}: it is taken from the files' headers"));
            schema
        }
    };
    let keyspace = source.name.keyspace.as_deref();
    let candidates: Vec<_> = match &source.name.name {
        Some(name) => schema.find(keyspace, name).collect(),
        None => schema.tables().iter().collect(),
    };
    match candidates.as_slice() {
        [table] => Ok((*table).clone()),
        [] => Err(Error::not_found(format!(
            "{path} does not declare {}; it declares {}",
            source.label(),
            names(schema.tables().iter())
        ))),
        several => Err(Error::invalid(format!(
            "{path} declares several tables; choose one by --table: {}",
            names(several.iter().copied())
        ))),
    }
}

fn names<'a>(tables: impl Iterator<Item = &'a Table>) -> String {
    let names: Vec<_> = tables.map(|table| format!("{}.{}", table.keyspace, table.name)).collect();
    if names.is_empty() { "no table".to_owned() } else { names.join(", ") }
}
