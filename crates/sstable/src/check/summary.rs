use super::Hex;
use crate::format::index::{IndexEntries, IndexEntry};
use crate::format::summary::{Summary, SummaryEntry};
use crate::{Component, Error, Result, SstableFiles};

/// Compares Summary.db with Index.db.
pub(super) fn check(files: &SstableFiles) -> Result<()> {
    let mut summary = Summary::open(files.open(&Component::Summary)?)?;
    // Scylla samples an entry every so many bytes of Data.db.
    let is_by_size = files.has(&Component::Custom("Scylla.db".to_owned()));
    let index = files.open(&Component::Index)?;
    let mut entries = IndexEntries::new(index, files.descriptor().version);
    let mut entry = IndexEntry::default();
    let mut due = summary.next()?;
    let mut count = 0;
    while entries.next(&mut entry)? {
        if count == 0 {
            check_key(&summary, "first key", &summary.first_key, &entry)?;
        }
        let is_multiple = if is_by_size { count == 0 } else { count % summary.interval == 0 };
        let is_sampled = due.as_ref().is_some_and(|due| due.index_position == entry.at);
        if let Some(sample) = due.as_ref().filter(|_| is_sampled) {
            check_sample(&summary, sample, is_multiple || is_by_size, &entry)?;
            due = summary.next()?;
        } else if is_multiple && (summary.is_full() || count == 0) {
            return Err(missing(&summary, due.as_ref(), &entry));
        }
        count += 1;
    }
    if let Some(due) = due {
        return Err(summary.corrupt(
            due.at,
            "position in Index.db",
            "that of an entry",
            due.index_position,
        ));
    }
    check_key(&summary, "last key", &summary.last_key, &entry)?;
    let full_count = count.div_ceil(summary.interval);
    match is_by_size || summary.full_count == full_count {
        true => Ok(()),
        false => {
            let what = "entry count at full sampling";
            Err(summary.corrupt(Summary::FULL_COUNT_AT, what, full_count, summary.full_count))
        }
    }
}

fn check_key(summary: &Summary, what: &str, key: &[u8], entry: &IndexEntry) -> Result<()> {
    match key == entry.key {
        true => Ok(()),
        false => Err(summary.corrupt(summary.keys_at(), what, Hex(&entry.key), Hex(key))),
    }
}

fn check_sample(
    summary: &Summary,
    sample: &SummaryEntry,
    may_be_sampled: bool,
    entry: &IndexEntry,
) -> Result<()> {
    if sample.key != entry.key {
        return Err(summary.corrupt(sample.at, "key", Hex(&entry.key), Hex(&sample.key)));
    }
    if may_be_sampled {
        return Ok(());
    }
    let expected = format!("each one {} behind the one before", summary.interval);
    let what = "sampled entry of Index.db";
    Err(summary.corrupt(sample.at, what, expected, format!("that at {}", entry.at)))
}

#[cold]
fn missing(summary: &Summary, due: Option<&SummaryEntry>, entry: &IndexEntry) -> Error {
    let expected = format!("{} for key {}", entry.at, Hex(&entry.key));
    match due {
        Some(due) => summary.corrupt(due.at, "position in Index.db", expected, due.index_position),
        None => {
            summary.corrupt(summary.keys_at(), "position in Index.db", expected, "the last entry")
        }
    }
}
