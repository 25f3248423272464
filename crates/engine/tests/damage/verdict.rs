//! What a run over changed files came to.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use crate::limits;
use crate::table::Table;

/// Runs that ended well.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) errors: usize,
    pub(crate) right: usize,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.errors += other.errors;
        self.right += other.right;
    }
}

/// What a table's files in a directory are shown as.
type Show = fn(&Table, &Path) -> Result<Vec<u8>, String>;

/// Runs over changed files of one table.
pub(crate) struct Runs<'a> {
    pub(crate) table: &'a Table,
    right: Vec<u8>,
    pub(crate) counts: Counts,
    /// What must not happen, a line each
    pub(crate) violations: Vec<String>,
}

impl<'a> Runs<'a> {
    /// `directory` holds the files before they are changed.
    pub(crate) fn new(table: &'a Table, directory: &Path) -> Self {
        limits::hold();
        let right = table.rows(directory).unwrap_or_else(|e| panic!("{}: {e}", table.name));
        assert!(!right.is_empty(), "{}", table.name);
        Self { table, right, counts: Counts::default(), violations: Vec::new() }
    }

    /// An error or the right rows; `change` says what was done to the files.
    pub(crate) fn must_be_right(&mut self, directory: &Path, change: &str) {
        let rows = guarded(|| self.table.rows(directory));
        match rows.and_then(|rows| self.judge(rows, directory)) {
            Ok(counts) => self.counts += counts,
            Err(problem) => self.note(change, &problem),
        }
    }

    /// An error or any rows: the bytes are such that only their meaning is wrong.
    pub(crate) fn must_end(&mut self, directory: &Path, change: &str) {
        self.all_must_end(&[Table::rows, Table::text], directory, change);
    }

    /// The same of dumps.
    pub(crate) fn dumps_must_end(&mut self, directory: &Path, change: &str) {
        let forms = [Table::json, Table::debug, Table::lossless, Table::keys];
        self.all_must_end(&forms, directory, change);
    }

    fn all_must_end(&mut self, shows: &[Show], directory: &Path, change: &str) {
        for show in shows {
            match guarded(|| show(self.table, directory)) {
                Ok(Ok(_)) => self.counts.right += 1,
                Ok(Err(_)) => self.counts.errors += 1,
                Err(problem) => self.note(change, &problem),
            }
        }
    }

    fn judge(&self, rows: Result<Vec<u8>, String>, directory: &Path) -> Result<Counts, String> {
        match rows {
            Ok(rows) if rows == self.right => Ok(Counts { errors: 0, right: 1 }),
            Ok(_) => Err("other rows".to_owned()),
            Err(message) if message.contains(directory.to_str().unwrap()) => {
                Ok(Counts { errors: 1, right: 0 })
            }
            Err(message) => Err(format!("an error that names no file: {message}")),
        }
    }

    fn note(&mut self, change: &str, problem: &str) {
        self.violations.push(format!("{}, {change}: {problem}", self.table.name));
    }
}

/// The answer, unless there is a panic instead or it takes too long.
fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    let start = Instant::now();
    let answer = catch_unwind(AssertUnwindSafe(run)).map_err(|_| "a panic".to_owned())?;
    match start.elapsed() {
        time if time > limits::LONGEST => Err(format!("{time:?} long")),
        _ => Ok(answer),
    }
}

#[track_caller]
pub(crate) fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "{}:\n{}", violations.len(), violations.join("\n"));
}
