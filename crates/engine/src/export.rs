use std::io::Write;
use std::path::Path;

use outpour_cql::{Partitioner, Table};
use outpour_filter::ClusteringRange;
use outpour_run::{Budget, Cancel, Progress};
use outpour_sink::{Format, Values};
use outpour_sstable::{Projection, ScanOptions, Sstable};
use outpour_storage::Output;

use crate::pour::{Job, Selection};
use crate::schema::SchemaOptions;
use crate::source::{Notice, SourceOptions, TableSource, unquoted};
use crate::{Error, ErrorKind, Result};

/// What to do about a damaged SSTable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnCorrupt {
    /// End the run with an error
    #[default]
    Fail,
    /// Leave out what cannot be read, and report it
    Skip,
}

/// What to pour out, and how.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The table's files
    pub source: SourceOptions,
    /// Where the table's schema comes from
    pub schema: SchemaOptions,
    /// The columns to show, in this order; `None`: those of `SELECT *`
    pub columns: Option<Vec<String>>,
    /// The condition, a WHERE of CQL, that is true of the rows to show; `None`: all
    pub condition: Option<String>,
    /// The most rows to show
    pub limit: Option<u64>,
    /// Only rows that anything was written to after this time, in microseconds since 1970
    pub since: Option<i64>,
    /// Seconds since 1970 at which TTLs are judged
    pub now: i64,
    /// Adds the write time of each static and regular column
    pub write_times: bool,
    /// Adds the remaining TTL of each static and regular column
    pub ttls: bool,
    /// Text format
    pub format: Format,
    /// Values as text, or their bytes
    pub values: Values,
    /// Bytes that the run may hold
    pub memory: u64,
    /// Threads that the run may use
    pub threads: usize,
    /// What to do about damage
    pub on_corrupt: OnCorrupt,
}

/// What a run has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Rows written
    pub rows: u64,
    /// Bytes written
    pub bytes: u64,
    /// What had to be left out, a line each
    pub losses: Vec<String>,
}

/// Pours the rows of a table to `output`. `notice` is told what the user should know.
///
/// # Errors
/// Whatever keeps a row from being right: see [`ErrorKind`]. Rows may have been written by then.
pub fn export(
    options: &ExportOptions,
    output: &mut dyn Write,
    (cancel, progress): (&Cancel, &Progress),
    notice: &mut dyn FnMut(&str),
) -> Result<Summary> {
    let budget = Budget::new(options.memory);
    let source = options.source.table(notice)?;
    let (sstables, losses) = open(&source, options.on_corrupt, notice)?;
    if sstables.is_empty() {
        return Err(Error::not_found(format!("no SSTables of {} are there", source.label())));
    }
    let table = options.schema.table(&source, &sstables, &budget, notice)?;
    let mut projection = options.projection(&table)?;
    let selection = options.condition.as_deref();
    let selection =
        selection.map(|condition| select(condition, &table, &sstables, &mut projection));
    let selection = selection.transpose()?;
    let scan_options = ScanOptions {
        now: options.now,
        budget,
        cancel: cancel.clone(),
        progress: progress.clone(),
        skip_corrupt: options.on_corrupt == OnCorrupt::Skip,
        parallel: 1,
        rows: selection.as_ref().map_or_else(ClusteringRange::default, Selection::rows),
        since: options.since,
    };
    let job = Job {
        table: &table,
        sstables: &sstables,
        projection: &projection,
        scan: &scan_options,
        selection: selection.as_ref(),
        format: Some(options.format),
        values: options.values,
        limit: options.limit,
    };
    let mut summary = job.pour(options.threads, output, notice)?;
    summary.losses.splice(0..0, losses);
    Ok(summary)
}

/// Runs `pour` on a new file at `path`, which is complete when this returns, or not there.
///
/// # Errors
/// Those of `pour`, and Io.
pub fn write_file<T>(path: &Path, pour: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let mut output = Output::create(path)?;
    let poured = pour(&mut output)?;
    output.commit()?;
    Ok(poured)
}

/// Opens all SSTables of the table, and tells which of them cannot be opened for damage, if such are to
/// be skipped.
pub(crate) fn open(
    source: &TableSource,
    on_corrupt: OnCorrupt,
    notice: Notice<'_>,
) -> Result<(Vec<Sstable>, Vec<String>)> {
    let (sstables, losses) = match on_corrupt {
        OnCorrupt::Fail => (source.open(notice)?, Vec::new()),
        OnCorrupt::Skip => source.open_sound(notice)?,
    };
    match (sstables.is_empty(), losses.first()) {
        (true, Some(loss)) => Err(Error::new(ErrorKind::Corrupt, loss)),
        _ => Ok((sstables, losses)),
    }
}

/// The selection of the rows of `table` that `condition` is true of.
pub(crate) fn select(
    condition: &str,
    table: &Table,
    sstables: &[Sstable],
    projection: &mut Projection,
) -> Result<Selection> {
    // A scan sees to it that all have the same partitioner.
    let partitioner = sstables.first().map(Sstable::partitioner).transpose()?;
    let partitioner = partitioner.unwrap_or(Partitioner::Murmur3);
    Selection::new(condition, (table, partitioner), projection)
}

impl ExportOptions {
    fn projection(&self, table: &Table) -> Result<Projection> {
        let mut projection = match &self.columns {
            Some(names) => Projection::of(table, &column_names(table, names))?,
            None => Projection::all(table),
        };
        if self.write_times {
            projection = projection.with_write_times(table);
        }
        if self.ttls {
            projection = projection.with_ttls(table);
        }
        Ok(if self.values == Values::Raw { projection.raw() } else { projection })
    }
}

/// Names of columns may be given as CQL quotes them.
fn column_names(table: &Table, names: &[String]) -> Vec<String> {
    let is_column = |name: &str| table.select_order().any(|column| column.name == name);
    let plain =
        |name: &String| if is_column(name) { name } else { unquoted(name.trim()) }.to_owned();
    names.iter().map(plain).collect()
}
