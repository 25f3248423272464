use std::io;

use outpour_filter::ClusteringRange;
use outpour_run::{Budget, Cancel, Progress};
use outpour_sink::Values;
use outpour_sstable::{Projection, ScanOptions};

use crate::Result;
use crate::export::{OnCorrupt, open, select};
use crate::pour::{Job, Selection};
use crate::schema::SchemaOptions;
use crate::source::{SourceOptions, TableSource};

/// What to count, and how.
#[derive(Debug, Clone)]
pub struct CountOptions {
    /// The tables' files
    pub source: SourceOptions,
    /// Where the tables' schemas come from
    pub schema: SchemaOptions,
    /// The condition, a WHERE of CQL, that is true of the rows to count; `None`: all
    pub condition: Option<String>,
    /// Only rows that anything was written to after this time, in microseconds since 1970
    pub since: Option<i64>,
    /// Seconds since 1970 at which TTLs are judged
    pub now: i64,
    /// Bytes that the run may hold
    pub memory: u64,
    /// Threads that the run may use
    pub threads: usize,
    /// What to do about damage
    pub on_corrupt: OnCorrupt,
}

/// How many rows a table has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The table's name, as far as it is known
    pub table: String,
    /// Rows that a query would show
    pub rows: u64,
    /// What had to be left out, a line each
    pub losses: Vec<String>,
}

/// Counts the rows of each table of the source, merged as [`crate::export`] merges them. `notice` is
/// told what the user should know.
///
/// # Errors
/// Those of [`crate::export`]; Invalid for a condition on several tables.
pub fn count(
    options: &CountOptions,
    (cancel, progress): (&Cancel, &Progress),
    notice: &mut dyn FnMut(&str),
) -> Result<Vec<Count>> {
    let sources = match options.condition {
        Some(_) => vec![options.source.table(notice)?],
        None => options.source.tables(notice)?,
    };
    let count = |source: &TableSource| options.count(source, (cancel, progress), notice);
    sources.iter().map(count).collect()
}

impl CountOptions {
    fn count(
        &self,
        source: &TableSource,
        (cancel, progress): (&Cancel, &Progress),
        notice: &mut dyn FnMut(&str),
    ) -> Result<Count> {
        let budget = Budget::new(self.memory);
        let (sstables, losses) = open(source, self.on_corrupt, notice)?;
        let mut count = Count { table: source.label(), rows: 0, losses };
        if sstables.is_empty() {
            return Ok(count);
        }
        let table = self.schema.table(source, &sstables, &budget, notice)?;
        let mut projection = Projection::of(&table, &[])?;
        let condition = self.condition.as_deref();
        let selection = condition.map(|text| select(text, &table, &sstables, &mut projection));
        let selection = selection.transpose()?;
        let scan = ScanOptions {
            now: self.now,
            budget,
            cancel: cancel.clone(),
            progress: progress.clone(),
            skip_corrupt: self.on_corrupt == OnCorrupt::Skip,
            parallel: 1,
            rows: selection.as_ref().map_or_else(ClusteringRange::default, Selection::rows),
            since: self.since,
        };
        let job = Job {
            table: &table,
            sstables: &sstables,
            projection: &projection,
            scan: &scan,
            selection: selection.as_ref(),
            format: None,
            values: Values::Text,
            limit: None,
        };
        let summary = job.pour(self.threads, &mut io::sink(), notice)?;
        count.rows = summary.rows;
        count.losses.extend(summary.losses);
        Ok(count)
    }
}
