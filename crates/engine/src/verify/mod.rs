//! Everything that can be said about the soundness of a table's files.

mod candidates;
#[cfg(test)]
mod tests;
mod work;

use std::collections::BTreeMap;

use outpour_run::{Budget, Cancel, Progress};
use outpour_sstable::{Error as SstableError, SstableFiles, TokenRange};
use serde::Serialize;

use crate::schema::SchemaOptions;
use crate::source::{SourceOptions, TableSource};
use crate::{Error, ErrorKind, Result};

use candidates::Candidate;
use work::Work;

/// What to check, and with what.
#[derive(Debug, Clone)]
pub struct VerifyOptions {
    /// The table's files
    pub source: SourceOptions,
    /// Where the table's schema comes from; the files' headers will do
    pub schema: SchemaOptions,
    /// If there are any: each partition's token must lie in one of them
    pub tokens: Vec<TokenRange>,
    /// Bytes that the run may hold
    pub memory: u64,
    /// Threads that the run may use
    pub threads: usize,
}

/// What was found out about an SSTable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Version, id and format, as its file names start with
    pub name: String,
    /// Whether nothing is wrong
    pub ok: bool,
    /// The directory that it lies in
    pub directory: String,
    /// Rows, static ones included, by Statistics.db, if that can be read
    pub rows: Option<u64>,
    /// Partitions, by Statistics.db, if that can be read
    pub partitions: Option<u64>,
    /// Its files
    pub components: Vec<ComponentVerdict>,
    /// What is wrong with it
    pub findings: Vec<Finding>,
}

/// What was found out about one file of an SSTable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ComponentVerdict {
    /// As the file's name ends: `Data.db`
    pub name: String,
    /// Its size
    pub bytes: u64,
    /// Whether no finding is about it
    pub ok: bool,
}

/// Something that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its path; empty if it is about no file alone
    pub file: String,
    /// Where, if it is about a place; of rows, in the uncompressed bytes
    pub offset: Option<u64>,
    /// File, place, what was expected and what is there
    pub message: String,
}

/// More of one kind in an SSTable are counted, not kept.
const FINDINGS_MAX: usize = 1000;

/// Reads all of each SSTable: digest and chunks; every row and value, order and totals; and beside the data
/// its indexes, summary, Bloom filter and statistics. Calls `checked` with each SSTable's verdict, in order
/// and as soon as it is known.
///
/// An SSTable that a live node has compacted away meanwhile is not judged.
///
/// # Errors
/// Those that keep anything from being checked at all, NotFound if there is nothing to check, and those of
/// `checked`; what is wrong with an SSTable is a [`Finding`].
pub fn verify(
    options: &VerifyOptions,
    (cancel, progress): (&Cancel, &Progress),
    notice: &mut dyn FnMut(&str),
    checked: &mut dyn FnMut(&Verdict) -> Result<()>,
) -> Result<()> {
    let source = options.source.table(notice)?;
    verify_table(&source, options, (cancel, progress), notice, checked)
}

fn verify_table(
    source: &TableSource,
    options: &VerifyOptions,
    (cancel, progress): (&Cancel, &Progress),
    notice: &mut dyn FnMut(&str),
    checked: &mut dyn FnMut(&Verdict) -> Result<()>,
) -> Result<()> {
    let budget = Budget::new(options.memory);
    let candidates = candidates::open(source, notice)?;
    if candidates.is_empty() {
        return Err(Error::not_found(format!("no SSTables of {} are there", source.label())));
    }
    let sstables: Vec<_> = candidates.iter().filter_map(|c| c.sstable.clone()).collect();
    let schema = SchemaOptions { infer: true, ..options.schema.clone() };
    let table = match sstables.is_empty() {
        true => None,
        false => Some(schema.table(source, &sstables, &budget, notice)?),
    };
    let work = Work {
        candidates: &candidates,
        table: table.as_ref(),
        tokens: &options.tokens,
        budget,
        cancel,
        progress,
        threads: options.threads,
    };
    let mut judged = 0;
    work.run(&mut |candidate, found| {
        if candidate.is_gone(&found) {
            notice(&format!(
                "{} was removed while it was checked, as a live node does after a compaction: it is not judged",
                candidate.name
            ));
            return Ok(());
        }
        judged += 1;
        checked(&candidate.verdict(found))
    })?;
    match judged {
        0 => Err(Error::not_found(format!(
            "all SSTables of {} were removed while they were checked: check a snapshot instead",
            source.label()
        ))),
        _ => Ok(()),
    }
}

impl Candidate {
    /// Whether its files vanished: what was found then means nothing.
    fn is_gone(&self, found: &[SstableError]) -> bool {
        let is_not_found = |e: &SstableError| e.kind() == outpour_sstable::ErrorKind::NotFound;
        let is_there = |files: &SstableFiles| {
            files.open(&outpour_sstable::Component::Data).err().is_none_or(|e| !is_not_found(&e))
        };
        found.iter().any(is_not_found) && !self.files.as_ref().is_some_and(is_there)
    }

    fn verdict(&self, found: Vec<SstableError>) -> Verdict {
        let mut kept: Vec<&SstableError> = Vec::new();
        for error in self.found.iter().chain(&found) {
            // A damaged chunk is met by each that reads it. What came of it is known to the last one.
            match kept.iter_mut().find(|known| known.says_the_same(error)) {
                Some(known) if error.to_string().len() > known.to_string().len() => *known = error,
                Some(_) => {}
                None => kept.push(error),
            }
        }
        let mut about = BTreeMap::<&str, usize>::new();
        kept.iter().for_each(|error| *about.entry(file_name(error.path())).or_default() += 1);
        let component = |(component, bytes): (&outpour_sstable::Component, u64)| {
            let name = component.name().to_owned();
            let ok = !about.contains_key(format!("{}-{name}", self.name).as_str());
            ComponentVerdict { name, bytes, ok }
        };
        let stats = self.sstable.as_ref().map(|sstable| &sstable.statistics().stats);
        Verdict {
            name: self.name.clone(),
            ok: kept.is_empty(),
            directory: self.directory.clone(),
            rows: stats.and_then(|stats| u64::try_from(stats.rows).ok()),
            partitions: stats.map(outpour_sstable::Stats::partitions),
            components: self
                .files
                .iter()
                .flat_map(SstableFiles::components)
                .map(component)
                .collect(),
            findings: kept.into_iter().map(Finding::of).collect(),
        }
    }
}

impl Finding {
    fn of(error: &SstableError) -> Self {
        Self { file: error.path().to_owned(), offset: error.offset(), message: error.to_string() }
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Damage is told; a cancelled run ends.
fn told(error: SstableError) -> Result<SstableError> {
    match error.kind() {
        outpour_sstable::ErrorKind::Cancelled => {
            Err(Error::new(ErrorKind::Cancelled, error.to_string()))
        }
        _ => Ok(error),
    }
}
