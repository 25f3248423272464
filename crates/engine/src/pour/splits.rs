use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use outpour_sstable::{Audit, Coverage, ScanOptions, Split, Splits};

use super::Job;
use super::queue::{Piece, Queue};
use super::writer::Writer;
use crate::{Error, ErrorKind, Result};

/// Text that waits for its turn takes at most this part of the budget.
const WAITING_SHARE: u64 = 4;

/// Each of `threads` threads scans a split after the other and makes it text; this one writes it, in order.
///
/// The places of splits come from indexes, which no checksum protects: a split is written only if it
/// starts where the one before ended. If one does not, the rest is read without the indexes.
pub(super) fn pour(
    job: &Job<'_>,
    (threads, count): (usize, u64),
    writer: &mut Writer<'_>,
    notice: &mut dyn FnMut(&str),
) -> Result<()> {
    job.scan.progress.expect_bytes(job.stored_len());
    let splits = Splits::new(job.sstables, count);
    let queue = Queue::new(splits, job.scan.budget.limit() / WAITING_SHARE, 2 * threads);
    let options = ScanOptions { parallel: threads, ..job.scan.clone() };
    let mut audit = Audit::new(job.sstables);
    let stop = std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| read_splits(job, &options, &queue));
        }
        let written = write_splits(&queue, &mut audit, writer);
        queue.close();
        written
    })?;
    if let Some(trouble) = queue.take_trouble() {
        notice(&format!(
            "{trouble}; rows do not depend on it, but it keeps threads from sharing the work"
        ));
    }
    if let Some(stop) = stop {
        notice(stop.reason());
        let (threads, skip) = match stop {
            Stop::Misled => (threads, 0),
            Stop::Memory(rows) => (1, rows),
        };
        let rows = job.rows(&audit.rest(), job.scan)?.skip(skip);
        audit.add(&job.pour_rows(rows, threads, writer)?.coverage());
    }
    Ok(audit.finish()?)
}

/// Why the rest has to be read by one reader.
#[derive(Debug, Clone, Copy)]
enum Stop {
    /// The next split does not start where the last one ended.
    Misled,
    /// All readers together need more memory than there is. So many rows of the next split are written.
    Memory(u64),
}

impl Stop {
    fn reason(self) -> &'static str {
        match self {
            Self::Misled => {
                "an index tells other places of partitions than the data has; rows do not depend \
                 on it, but from there on threads cannot share the work"
            }
            Self::Memory(_) => {
                "there is not enough memory for threads to share the work: --memory gives more"
            }
        }
    }
}

fn write_splits(queue: &Queue, audit: &mut Audit, writer: &mut Writer<'_>) -> Result<Option<Stop>> {
    while let Some(split) = queue.first_split() {
        if !audit.is_next(&split) {
            return Ok(Some(Stop::Misled));
        }
        let start = writer.summary.rows;
        match write_split(queue, writer) {
            Ok(coverage) => audit.add(&coverage),
            Err(e) if e.kind() == ErrorKind::Limit => {
                return Ok(Some(Stop::Memory(writer.summary.rows - start)));
            }
            Err(e) => return Err(e),
        }
    }
    Ok(None)
}

fn write_split(queue: &Queue, writer: &mut Writer<'_>) -> Result<Coverage> {
    loop {
        match queue.next_piece() {
            Piece::Text(text) => queue.give_back(writer.write(text)?),
            Piece::End(end) => return end,
        }
    }
}

fn read_splits(job: &Job<'_>, options: &ScanOptions, queue: &Queue) {
    while let Some((number, split)) = queue.take_split() {
        // The writer waits for the end of each split, and would wait for ever.
        let read =
            catch_unwind(AssertUnwindSafe(|| read_split(job, options, queue, (number, &split))));
        match read {
            Ok(Ok(None)) => return,
            Ok(Ok(Some(coverage))) => queue.end(number, Ok(coverage)),
            Ok(Err(e)) => queue.end(number, Err(e)),
            Err(panic) => {
                queue.end(number, Err(Error::new(ErrorKind::Cancelled, "a thread has failed")));
                resume_unwind(panic);
            }
        }
    }
}

/// None if nothing more is wanted.
fn read_split(
    job: &Job<'_>,
    options: &ScanOptions,
    queue: &Queue,
    (number, split): (u64, &Split),
) -> Result<Option<Coverage>> {
    let mut rows = job.rows(split, options)?;
    let mut encoder = job.encoder();
    let mut buffer = Vec::new();
    while let Some(scanned) = rows.next()? {
        let text = encoder.encode(&scanned, buffer)?;
        drop(scanned);
        match queue.push(number, text) {
            Some(spare) => buffer = spare,
            None => return Ok(None),
        }
    }
    Ok(Some(rows.coverage()))
}
