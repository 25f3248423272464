use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use outpour_sstable::{Audit, Coverage, ScanOptions, Split, Splits};

use super::queue::{Piece, Queue};
use super::reader::Reader;
use super::writer::Writer;
use super::{Job, Rows};
use crate::{Error, ErrorKind, Result};

/// Text that waits for its turn takes at most this part of the budget.
const WAITING_SHARE: u64 = 4;

/// Each of `threads` threads scans a split after the other and makes it text; this one writes it, in order.
///
/// Where they cannot go on together, one reader reads the rest.
pub(super) fn pour(
    job: &Job<'_>,
    splits: Splits,
    threads: usize,
    writer: &mut Writer<'_>,
    notice: &mut dyn FnMut(&str),
) -> Result<()> {
    let mut audit = splits.audit();
    let queue = Queue::new(splits, job.scan.budget.limit() / WAITING_SHARE, 2 * threads);
    let options = ScanOptions { parallel: threads, ..job.scan.clone() };
    let stop = std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| read_splits(job, &options, &queue));
        }
        let written = write_splits(&queue, &mut audit, writer);
        queue.close();
        written
    })?;
    let (begun, mut splits) = queue.into_splits();
    match stop {
        None if job.scan.is_of_all_rows() => audit.finish()?,
        None => {}
        Some(Stop { split, rows, is_for_memory }) => {
            if is_for_memory {
                notice(
                    "there is not enough memory for threads to share the work: --memory gives more",
                );
            }
            let threads = if is_for_memory { 1 } else { threads };
            let rest = std::iter::once(split).chain(begun).chain(splits.by_ref());
            let rows = Rows::new(*job, rest, audit).skip(rows);
            job.pour_rows(rows, threads, writer, notice)?;
        }
    }
    if let Some(trouble) = splits.take_trouble() {
        notice(&format!(
            "{trouble}; rows do not depend on it, but it keeps threads from sharing the work"
        ));
    }
    Ok(())
}

/// Where threads could not go on together.
struct Stop {
    /// The first split that is not written
    split: Split,
    /// But for these rows of it
    rows: u64,
    /// Whether they have too little memory; else the split is not the one that should come next
    is_for_memory: bool,
}

fn write_splits(queue: &Queue, audit: &mut Audit, writer: &mut Writer<'_>) -> Result<Option<Stop>> {
    while let Some(split) = queue.first_split() {
        if !audit.is_next(&split) {
            queue.drop_first();
            return Ok(Some(Stop { split, rows: 0, is_for_memory: false }));
        }
        let start = writer.summary.rows;
        match write_split(queue, writer) {
            Ok(coverage) => audit.add(&coverage),
            Err(e) if e.kind() == ErrorKind::Limit => {
                let rows = writer.summary.rows - start;
                return Ok(Some(Stop { split, rows, is_for_memory: true }));
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
    let mut rows = Reader::open(job, split, options)?;
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
