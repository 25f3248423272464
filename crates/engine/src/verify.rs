use outpour_run::{Budget, Cancel, Progress};
use outpour_sstable::{Projection, Scan, ScanOptions, Sstable};

use crate::schema::SchemaOptions;
use crate::source::SourceOptions;
use crate::{Error, ErrorKind, Result};

/// What to check, and with what.
#[derive(Debug, Clone)]
pub struct VerifyOptions {
    /// The table's files
    pub source: SourceOptions,
    /// Where the table's schema comes from
    pub schema: SchemaOptions,
    /// Bytes that the run may hold
    pub memory: u64,
}

/// Something that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// File, place, what was expected and what is there
    pub message: String,
}

/// Reads all of each SSTable: checksums, digest, every row and value, order and counts; then its
/// indexes and Bloom filter, beside the data once more. Calls
/// `checked` with the name of each SSTable and what is wrong with it.
///
/// # Errors
/// Those that keep files from being checked at all; damage is a [`Finding`].
pub fn verify(
    options: &VerifyOptions,
    (cancel, progress): (&Cancel, &Progress),
    notice: &mut dyn FnMut(&str),
    checked: &mut dyn FnMut(&str, &[Finding]),
) -> Result<()> {
    let budget = Budget::new(options.memory);
    let source = options.source.table()?;
    let mut sstables = Vec::new();
    for files in source.unchecked_files()? {
        match files.check().and_then(|()| Sstable::open(&files)).map_err(Error::from) {
            Ok(sstable) => sstables.push(sstable),
            Err(e) => checked(&files.descriptor().to_string(), &[finding(e)?]),
        }
    }
    if sstables.is_empty() {
        return Ok(());
    }
    let table = options.schema.table(&source, &sstables, &budget, notice)?;
    let projection = Projection::all(&table);
    let scan = ScanOptions {
        now: 0,
        budget,
        cancel: cancel.clone(),
        progress: progress.clone(),
        skip_corrupt: false,
        parallel: 1,
    };
    for sstable in &sstables {
        checked(sstable.name(), &findings(sstable, &table, &projection, &scan)?);
    }
    Ok(())
}

fn findings(
    sstable: &Sstable,
    table: &outpour_cql::Table,
    projection: &Projection,
    scan: &ScanOptions,
) -> Result<Vec<Finding>> {
    let digest = sstable.check_digest().err().map(Error::from);
    let rows = read_all(table, sstable, projection, scan).err();
    let indexes = sstable.check_content(table, &[], scan).into_iter().map(Error::from);
    let mut findings: Vec<Finding> = Vec::new();
    for error in digest.into_iter().chain(rows).chain(indexes) {
        let finding = finding(error)?;
        // Damaged rows are met once with all values, and once beside the indexes.
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    Ok(findings)
}

fn read_all(
    table: &outpour_cql::Table,
    sstable: &Sstable,
    projection: &Projection,
    options: &ScanOptions,
) -> Result<()> {
    options.progress.expect_bytes(sstable.data_len());
    let mut scan = Scan::new(table, std::slice::from_ref(sstable), projection, options)?;
    while scan.next_batch()?.is_some() {}
    Ok(())
}

/// Damage is a finding; an unreadable disk or a cancelled run is a failure.
fn finding(error: Error) -> Result<Finding> {
    match error.kind() {
        ErrorKind::Corrupt | ErrorKind::NotFound | ErrorKind::Unsupported => {
            Ok(Finding { message: error.to_string() })
        }
        _ => Err(error),
    }
}
