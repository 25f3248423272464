//! Transaction logs of a table's directory, `[<format>-]<version>_txn_<operation>_<uuid>.log`
//! (`db/lifecycle/LogFile.java`, `LogRecord.java`, `LogReplicaSet.java`, `LogAwareFileLister.java`
//! of Cassandra 5.0).
//!
//! ```text
//! ADD:[/data/ks/t-1b2c…/nb-3-big,0,8][2519423312]          files that the transaction writes
//! REMOVE:[/data/ks/t-1b2c…/nb-1-big,1764550000000,8][…]    files that it replaces: when the newest
//!                                                          was modified (ms), and how many
//! COMMIT:[,0,0][2613697770]                                or ABORT, the last line if there is one
//! ```
//! In the second brackets is a CRC-32 of path, type, low and high word of the time, and count. The
//! same log stands in each data directory that it names files of. After COMMIT the removed files are
//! obsolete; without it the added ones are unfinished. A last line that was cut off by a crash counts
//! as none, if the files that would be removed are still all there.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Bound;

use outpour_codec::Crc32;
use outpour_storage::{Directory, Entry, read_whole};

use crate::directory::Listing;
use crate::{Error, Result};

/// A record takes some 200 bytes, and no compaction has 100,000 inputs.
const LOG_LEN_MAX: u64 = 16 << 20;

const ADVICE: &str = "export a snapshot of the table instead (nodetool snapshot), or find out \
     which of its files belong together and remove the log";

/// Whether a file of this name is a transaction log.
pub(crate) fn is_log(name: &str) -> bool {
    let Some((before, after)) = name.split_once("txn_") else { return false };
    let version = before.strip_suffix('_').map(|before| match before.split_once('-') {
        Some((format, version)) if format.bytes().all(|b| b.is_ascii_lowercase()) => version,
        _ => before,
    });
    let named = before.is_empty() || version.is_some_and(|version| version.chars().count() == 2);
    named && after.strip_suffix(".log").is_some_and(|rest| rest.contains('_'))
}

/// File name prefixes of the SSTables that transactions leave out of the table.
#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    prefixes: BTreeSet<String>,
}

impl LeftOut {
    /// Leaves the files out whose names start with `prefix`, which ends in the `-` before the component.
    pub(crate) fn add(&mut self, prefix: String) {
        self.prefixes.insert(prefix);
    }

    /// Whether the file `name` is left out.
    pub(crate) fn contains(&self, name: &str) -> bool {
        // Prefixes end in the `-` before the component: none is the start of another, and the one
        // that `name` starts with is the last that does not sort behind it.
        let up_to_name = (Bound::Unbounded, Bound::Included(name));
        let before = self.prefixes.range::<str, _>(up_to_name).next_back();
        before.is_some_and(|prefix| name.starts_with(prefix.as_str()))
    }
}

/// Reads the logs in `listings`; returns what they leave out of each. `notice` is told of each log that leaves
/// files out.
///
/// # Errors
/// Corrupt if a log cannot be understood or does not fit the files, NotFound, Io.
pub(crate) fn left_out(
    listings: &[Listing],
    notice: &mut dyn FnMut(String),
) -> Result<Vec<LeftOut>> {
    let mut replicas: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, listing) in listings.iter().enumerate() {
        for entry in listing.entries.iter().filter(|entry| is_log(&entry.name)) {
            replicas.entry(&entry.name).or_default().push(index);
        }
    }
    let mut left_out: Vec<LeftOut> = listings.iter().map(|_| LeftOut::default()).collect();
    for (name, indexes) in replicas {
        let directories = indexes.iter().filter_map(|index| listings.get(*index)).collect();
        let transaction = Transaction::read(name, directories)?;
        let prefixes = transaction.left_out()?;
        transaction.notice(&prefixes).map(&mut *notice);
        for index in indexes {
            if let Some(left_out) = left_out.get_mut(index) {
                left_out.prefixes.extend(prefixes.iter().cloned());
            }
        }
    }
    Ok(left_out)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Add,
    Remove,
    Commit,
    Abort,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Add, Self::Remove, Self::Commit, Self::Abort];

    fn name(self) -> &'static str {
        match self {
            Self::Add => "ADD",
            Self::Remove => "REMOVE",
            Self::Commit => "COMMIT",
            Self::Abort => "ABORT",
        }
    }

    fn has_files(self) -> bool {
        matches!(self, Self::Add | Self::Remove)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Record {
    kind: Kind,
    /// Of the machine that wrote the log, up to and without the `-` before the component
    path: String,
    modified_ms: i64,
    files: i32,
}

/// What is wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Damage {
    /// It is no whole record, as after a crash while it was written
    Torn,
    /// It is, and its checksum is wrong
    Checksum,
}

impl Record {
    fn parse(line: &str) -> Result<Self, Damage> {
        let (record, checksum) = Self::parse_fields(line).ok_or(Damage::Torn)?;
        match i64::from(record.checksum()) == checksum {
            true => Ok(record),
            false => Err(Damage::Checksum),
        }
    }

    /// The record, and the checksum that the line has.
    fn parse_fields(line: &str) -> Option<(Self, i64)> {
        let (name, rest) = line.split_once(":[")?;
        let (fields, checksum) = rest.strip_suffix(']')?.rsplit_once("][")?;
        let mut fields = fields.rsplitn(3, ',');
        let files: i32 = fields.next()?.parse().ok()?;
        let modified_ms: i64 = fields.next()?.parse().ok()?;
        let path = fields.next()?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))?;
        if kind.has_files() && path.rsplit_once('/').is_none_or(|(_, name)| name.is_empty()) {
            return None;
        }
        let record = Self {
            kind,
            path: if kind.has_files() { path.to_owned() } else { String::new() },
            modified_ms: if kind == Kind::Remove { modified_ms } else { 0 },
            files: if kind.has_files() { files } else { 0 },
        };
        Some((record, checksum.parse().ok()?))
    }

    fn checksum(&self) -> u32 {
        let mut crc = Crc32::new();
        crc.update(self.path.as_bytes());
        crc.update(self.kind.name().as_bytes());
        crc.update(&(self.modified_ms as u32).to_be_bytes());
        crc.update(&((self.modified_ms >> 32) as u32).to_be_bytes());
        crc.update(&self.files.to_be_bytes());
        crc.finalize()
    }

    /// The directory that its files are in.
    fn parent(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(parent, _)| parent)
    }

    /// What its files' names start with.
    fn prefix(&self) -> String {
        let name = self.path.rsplit_once('/').map_or(self.path.as_str(), |(_, name)| name);
        format!("{name}-")
    }
}

/// How a log ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Committed,
    Aborted,
    /// Without a final record: the transaction runs, or the node died
    Open,
}

#[derive(Debug)]
struct Transaction<'a> {
    /// Path of its first replica
    path: String,
    directories: Vec<&'a Listing>,
    records: Vec<Record>,
    ending: Ending,
    /// What is wrong with the last line of at least one replica
    damage: Option<Damage>,
}

impl<'a> Transaction<'a> {
    fn read(name: &str, directories: Vec<&'a Listing>) -> Result<Self> {
        let mut replicas = Vec::new();
        for listing in &directories {
            replicas.push(Replica::read(&*listing.directory, name)?);
        }
        let path = replicas.first().map(|replica| replica.path.clone()).unwrap_or_default();
        let lines = agreed_lines(&replicas)?;
        let (records, damage) = parse_lines(&path, &lines)?;
        let ending = match records.last().map(|record| record.kind) {
            Some(Kind::Commit) => Ending::Committed,
            Some(Kind::Abort) => Ending::Aborted,
            _ => Ending::Open,
        };
        Ok(Self { path, directories, records, ending, damage })
    }

    fn left_out(&self) -> Result<Vec<String>> {
        if self.damage == Some(Damage::Checksum) && self.of(Kind::Remove).next().is_none() {
            // Were it a COMMIT, the added files would be the only ones that hold their rows.
            return Err(self.error("the checksum of its last line is wrong"));
        }
        if self.damage.is_some() || self.ending == Ending::Open {
            self.check_removed_files()?;
        }
        let kind = match self.ending {
            Ending::Committed => Kind::Remove,
            Ending::Aborted | Ending::Open => Kind::Add,
        };
        if self.ending == Ending::Committed {
            self.check_times()?;
        }
        Ok(self.of(kind).map(Record::prefix).collect())
    }

    /// What the user should know of the SSTables of these prefixes; nothing if none of them is there.
    fn notice(&self, prefixes: &[String]) -> Option<String> {
        let is_here = |prefix: &&String| {
            self.directories.iter().any(|listing| !listing.files_with(prefix).is_empty())
        };
        let count = prefixes.iter().filter(is_here).count();
        let reason = match self.ending {
            Ending::Committed => "others have replaced them",
            Ending::Aborted | Ending::Open => "they were not completed",
        };
        let path = &self.path;
        (count > 0).then(|| format!("SSTables left out: {count}; {reason}, by the log {path}"))
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(move |record| record.kind == kind)
    }

    /// Cassandra deletes a removed file only after it wrote COMMIT.
    fn check_removed_files(&self) -> Result<()> {
        let here = self.parents_here();
        for record in self.of(Kind::Remove).filter(|record| here.contains(record.parent())) {
            let count = self.files(record).count();
            if count < usize::try_from(record.files).unwrap_or(0) {
                return Err(self.error(format!(
                    "it is not committed, and of the {} files of {} that it would remove only \
                     {count} are there",
                    record.files,
                    record.prefix(),
                )));
            }
        }
        Ok(())
    }

    /// A log that was left over when files were restored from a backup must not hide them: then the
    /// files are not those that it removed. A copy that lost the times of its files looks alike; it
    /// is sound if the files that replaced them are there.
    fn check_times(&self) -> Result<()> {
        let seconds = |ms: i64| ms.div_euclid(1000);
        let changed = |record: &&Record| {
            let newest = self.files(record).filter_map(|file| file.modified_ms).max();
            newest.is_some_and(|ms| seconds(ms) != seconds(record.modified_ms))
        };
        match self.of(Kind::Remove).find(changed) {
            Some(record) if !self.added_files_are_here() => Err(self.error(format!(
                "it removed the files of {}, which were changed since then, and what replaced \
                 them is not there",
                record.prefix()
            ))),
            _ => Ok(()),
        }
    }

    fn added_files_are_here(&self) -> bool {
        let mut added = self.of(Kind::Add).peekable();
        added.peek().is_some() && added.all(|record| self.files(record).next().is_some())
    }

    /// The records' directories that are among those listed: all, if there is a replica for each,
    /// else those that files were found of.
    fn parents_here(&self) -> BTreeSet<&str> {
        let named = self.records.iter().filter(|record| record.kind.has_files());
        let parents: BTreeSet<_> = named.clone().map(Record::parent).collect();
        if parents.len() <= self.directories.len() {
            return parents;
        }
        named.filter(|r| self.files(r).next().is_some()).map(Record::parent).collect()
    }

    /// The files of `record` that are there.
    fn files(&self, record: &Record) -> impl Iterator<Item = &'a Entry> {
        let prefix = record.prefix();
        self.directories.iter().copied().flat_map(move |listing| listing.files_with(&prefix))
    }

    #[cold]
    fn error(&self, problem: impl Into<String>) -> Error {
        Error::inconsistent(&self.path, problem, ADVICE).context("transaction log")
    }
}

/// The log in one data directory.
#[derive(Debug)]
struct Replica {
    path: String,
    lines: Vec<String>,
}

impl Replica {
    fn read(directory: &dyn Directory, name: &str) -> Result<Self> {
        let file = directory.open(name)?;
        let bytes = read_whole(&*file, LOG_LEN_MAX)?;
        let lines = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
        Ok(Self { path: file.name().to_owned(), lines })
    }
}

/// A line of a log, as its replicas have it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    text: String,
    /// One of the replicas has only the start of it
    partial: bool,
}

/// The lines that the replicas agree on. Only the last line of one may be cut off, and one that
/// was written later, or not to its end, has fewer.
fn agreed_lines(replicas: &[Replica]) -> Result<Vec<Line>> {
    let count = replicas.iter().map(|replica| replica.lines.len()).max().unwrap_or(0);
    (0..count).map(|index| agreed_line(replicas, index)).collect()
}

fn agreed_line(replicas: &[Replica], index: usize) -> Result<Line> {
    let mut agreed: Option<Line> = None;
    for replica in replicas {
        let Some(text) = replica.lines.get(index) else { continue };
        let Some(line) = &mut agreed else {
            agreed = Some(Line { text: text.clone(), partial: false });
            continue;
        };
        if line.text == *text {
            continue;
        }
        let is_prefix = text.starts_with(&line.text) || line.text.starts_with(text.as_str());
        if !is_prefix || index + 1 < replica.lines.len() {
            return Err(bad_line(&replica.path, index, "is not the same in all data directories"));
        }
        line.partial = true;
        if text.len() > line.text.len() {
            line.text.clone_from(text);
        }
    }
    Ok(agreed.unwrap_or(Line { text: String::new(), partial: true }))
}

/// The records of `lines`, and what is wrong with the last one. Nothing may be wrong with another.
fn parse_lines(path: &str, lines: &[Line]) -> Result<(Vec<Record>, Option<Damage>)> {
    let (mut records, mut seen) = (Vec::new(), HashSet::new());
    let mut damage = None;
    for (index, line) in lines.iter().enumerate() {
        let is_last = index + 1 == lines.len();
        let record = Record::parse(&line.text);
        let problem = match &record {
            Err(Damage::Torn) => Some("is no record"),
            Err(Damage::Checksum) => Some("has a wrong checksum"),
            Ok(_) if line.partial => Some("is cut off"),
            Ok(record) if !record.kind.has_files() && !is_last => Some("is not the last"),
            Ok(_) => None,
        };
        if let Some(problem) = problem.filter(|_| !is_last) {
            return Err(bad_line(path, index, problem));
        }
        if problem.is_some() {
            damage = record.as_ref().err().copied().or(Some(Damage::Torn));
        }
        if let Ok(record) = record {
            if !seen.insert(record.clone()) {
                return Err(bad_line(path, index, "stands there twice"));
            }
            records.push(record);
        }
    }
    Ok((records, damage))
}

#[cold]
fn bad_line(path: &str, index: usize, problem: &str) -> Error {
    let problem = format!("line {} {problem}", index + 1);
    Error::inconsistent(path, problem, ADVICE).context("transaction log")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use outpour_storage::MemoryDirectory;

    use super::*;
    use crate::ErrorKind;

    const NAME: &str = "nb_txn_compaction_8c2a2a10-d8f0-11f0-8000-000000000000.log";
    /// When the files of `removed` were last modified.
    const MODIFIED_MS: i64 = 1_764_550_000_123;

    fn line(kind: Kind, path: &str, modified_ms: i64, files: i32) -> String {
        let record = Record { kind, path: path.to_owned(), modified_ms, files };
        format!("{}:[{path},{modified_ms},{files}][{}]\n", kind.name(), record.checksum())
    }

    fn added(path: &str) -> String {
        line(Kind::Add, path, 0, 2)
    }

    fn removed(path: &str) -> String {
        line(Kind::Remove, path, MODIFIED_MS, 2)
    }

    fn commit() -> String {
        line(Kind::Commit, "", 0, 0)
    }

    fn abort() -> String {
        line(Kind::Abort, "", 0, 0)
    }

    /// SSTables of two files each, and a log.
    fn directory(sstables: &[&str], log: &str) -> MemoryDirectory {
        let mut directory = MemoryDirectory::new("/copy/t");
        for sstable in sstables {
            directory.insert(format!("{sstable}-Data.db"), "");
            directory.insert(format!("{sstable}-TOC.txt"), "");
        }
        directory.insert(NAME, log);
        directory
    }

    /// The SSTables that stay in each directory, or the error.
    fn remaining_in(directories: &[MemoryDirectory]) -> Result<Vec<Vec<String>>, String> {
        let directories: Vec<Arc<dyn Directory>> =
            directories.iter().map(|d| Arc::new(d.clone()) as Arc<dyn Directory>).collect();
        let listings: Vec<_> = directories.iter().map(|d| Listing::read(d).unwrap()).collect();
        let left_out = left_out(&listings, &mut |_| {}).map_err(|error| {
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            error.to_string()
        })?;
        let stay = |(listing, left_out): (&Listing, &LeftOut)| {
            let names = listing.entries.iter().map(|entry| entry.name.as_str());
            let names = names.filter(|name| !left_out.contains(name));
            names.filter_map(|name| name.strip_suffix("-Data.db")).map(str::to_owned).collect()
        };
        Ok(listings.iter().zip(&left_out).map(stay).collect())
    }

    fn remaining(sstables: &[&str], log: &str) -> Result<String, String> {
        Ok(remaining_in(&[directory(sstables, log)])?.concat().join(" "))
    }

    #[track_caller]
    fn assert_refused(answer: Result<impl std::fmt::Debug, String>, problem: &str) {
        let message = answer.unwrap_err();
        assert!(message.contains(NAME) && message.contains(problem), "{message}");
        assert!(message.contains("nodetool snapshot"), "{message}");
    }

    #[test]
    fn records_have_the_checksums_of_cassandra() {
        assert_eq!(commit(), "COMMIT:[,0,0][2613697770]\n");
        assert_eq!(abort(), "ABORT:[,0,0][737437348]\n");
        assert_eq!(Record::parse("commit:[,0,0][2613697770]").unwrap().kind, Kind::Commit);
        let text = removed("/data/ks/t-1/nb-1-big");
        let record = Record::parse(text.trim_end()).unwrap();
        assert_eq!((record.parent(), record.prefix()), ("/data/ks/t-1", "nb-1-big-".to_owned()));
        assert_eq!((record.modified_ms, record.files), (MODIFIED_MS, 2));
        let later = text.replace(&MODIFIED_MS.to_string(), &(MODIFIED_MS + (1 << 32)).to_string());
        assert_eq!(Record::parse(later.trim_end()), Err(Damage::Checksum));
    }

    #[test]
    fn lines_that_are_no_records() {
        for text in [
            "",
            "COMMIT",
            "COMMIT:[,0,0][2613697770",
            "COMMIT:[,0,0]",
            "COMMIT:[][2613697770]",
            "COMMIT:[,0,0][x]",
            "COMMITS:[,0,0][2613697770]",
            " COMMIT:[,0,0][2613697770]",
            "ADD:[,0,2][1]",
            "ADD:[nb-1-big,0,2][1]",
            "ADD:[/data/,0,2][1]",
            "ADD:[/data/nb-1-big,0,99999999999][1]",
        ] {
            assert_eq!(Record::parse(text), Err(Damage::Torn), "{text}");
        }
        assert_eq!(Record::parse("COMMIT:[,0,0][2613697771]"), Err(Damage::Checksum));
    }

    #[test]
    fn names_of_logs() {
        for name in [NAME, "bti-da_txn_flush_x.log", "big-oa_txn_stream_x.log", "txn_flush_x.log"] {
            assert!(is_log(name), "{name}");
        }
        for name in ["nb_txn_x.log", "nb_txn_flush_x.log.bak", "nbx_txn_flush_x.log", "a.log", ""] {
            assert!(!is_log(name), "{name}");
        }
    }

    #[test]
    fn a_commit_leaves_the_removed_files_out() {
        let log = added("/v/nb-11-big") + &removed("/v/nb-1-big") + &commit();
        let all = ["nb-1-big", "nb-11-big", "nb-12-big"];
        assert_eq!(remaining(&all, &log).unwrap(), "nb-11-big nb-12-big");
        // Some of the removed files, or all, are deleted already.
        assert_eq!(remaining(&all[1..], &log).unwrap(), "nb-11-big nb-12-big");
    }

    #[test]
    fn without_a_commit_the_added_files_are_unfinished() {
        let log = removed("/v/nb-1-big") + &added("/v/nb-2-big");
        let all = ["nb-1-big", "nb-2-big", "nb-20-big"];
        assert_eq!(remaining(&all, &log).unwrap(), "nb-1-big nb-20-big");
        assert_eq!(remaining(&all, &(log.clone() + &abort())).unwrap(), "nb-1-big nb-20-big");
        // Aborted: final, whatever is there. Open: nothing may be missing.
        assert_eq!(remaining(&all[1..], &(log.clone() + &abort())).unwrap(), "nb-20-big");
        assert_refused(remaining(&all[1..], &log), "of the 2 files of nb-1-big-");
        assert_eq!(remaining(&["nb-1-big"], "").unwrap(), "nb-1-big");
        assert_eq!(remaining(&["nb-1-big"], &added("/v/nb-1-big")).unwrap(), "");
    }

    #[test]
    fn a_last_line_that_was_cut_off_counts_as_none() {
        let log = removed("/v/nb-1-big") + &added("/v/nb-2-big");
        let all = ["nb-1-big", "nb-2-big"];
        for len in 1..commit().len() - 1 {
            let torn = log.clone() + &commit()[..len];
            assert_eq!(remaining(&all, &torn).unwrap(), "nb-1-big", "{torn}");
            assert_refused(remaining(&all[1..], &torn), "of the 2 files of nb-1-big-");
        }
        // Only the line ending is missing.
        assert_eq!(remaining(&all, (log + &commit()).trim_end()).unwrap(), "nb-2-big");
    }

    #[test]
    fn a_wrong_checksum_in_the_last_line() {
        let wrong = "COMMIT:[,0,0][2613697771]";
        let log = removed("/v/nb-1-big") + &added("/v/nb-2-big") + wrong;
        assert_eq!(remaining(&["nb-1-big", "nb-2-big"], &log).unwrap(), "nb-1-big");
        assert_refused(remaining(&["nb-2-big"], &log), "of the 2 files of nb-1-big-");
        assert_refused(remaining(&["nb-2-big"], &(added("/v/nb-2-big") + wrong)), "checksum");
    }

    #[test]
    fn a_log_that_cannot_be_understood_is_an_error() {
        let (add, remove) = (added("/v/nb-2-big"), removed("/v/nb-1-big"));
        let all = ["nb-1-big", "nb-2-big"];
        for (log, problem) in [
            ("what\n".to_owned() + &add, "line 1 is no record"),
            (
                add.clone() + &remove.replace("big,", "bug,") + &commit(),
                "line 2 has a wrong checksum",
            ),
            (commit() + &add, "line 1 is not the last"),
            (add.clone() + &add + &commit(), "line 2 stands there twice"),
            (add.clone() + "\n" + &commit(), "line 2 is no record"),
        ] {
            assert_refused(remaining(&all, &log), problem);
        }
        let mut bytes = add.into_bytes();
        bytes.extend(b"\xff\xfe\n");
        bytes.extend(commit().bytes());
        let mut directory = directory(&all, "");
        directory.insert(NAME, bytes);
        assert_refused(remaining_in(&[directory]), "line 2 is no record");
    }

    #[test]
    fn no_flipped_bit_hides_rows() {
        let log = removed("/v/nb-1-big") + &added("/v/nb-2-big") + &commit();
        let all = ["nb-1-big", "nb-2-big"];
        let mut refused = 0;
        for at in 0..log.len() {
            for bit in 0..8 {
                let mut bytes = log.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let mut directory = directory(&all, "");
                directory.insert(NAME, bytes);
                match remaining_in(&[directory]) {
                    // Either SSTable holds all rows, and so do both.
                    Ok(stay) => assert!(!stay.concat().is_empty(), "byte {at} bit {bit}"),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(refused > log.len() * 4, "{refused}");
    }

    #[test]
    fn a_log_that_outlived_its_files_hides_no_restored_ones() {
        let all = ["nb-1-big", "nb-2-big"];
        let mut truncated = directory(&all[..1], &(removed("/v/nb-1-big") + &commit()));
        truncated.set_modified(MODIFIED_MS / 1000 * 1000);
        assert_eq!(remaining_in(&[truncated.clone()]).unwrap().concat().len(), 0);
        truncated.set_modified(MODIFIED_MS + 60_000);
        assert_refused(remaining_in(&[truncated]), "changed since then");
        // A copy with new times, but complete.
        let log = removed("/v/nb-1-big") + &added("/v/nb-2-big") + &commit();
        let mut copied = directory(&all, &log);
        copied.set_modified(MODIFIED_MS + 60_000);
        assert_eq!(remaining_in(&[copied]).unwrap().concat(), ["nb-2-big"]);
    }

    /// A compaction of `/a/nb-1` and `/b/nb-2` to `/a/nb-3` and `/b/nb-4`.
    fn of_two_disks() -> String {
        let adds = added("/a/nb-3-big") + &added("/b/nb-4-big");
        adds + &removed("/a/nb-1-big") + &removed("/b/nb-2-big")
    }

    fn two_disks(logs: [&str; 2]) -> [MemoryDirectory; 2] {
        let [a, b] = logs;
        [directory(&["nb-1-big", "nb-3-big"], a), directory(&["nb-2-big", "nb-4-big"], b)]
    }

    #[test]
    fn a_commit_in_one_data_directory_counts_in_all() {
        let (open, committed) = (of_two_disks(), of_two_disks() + &commit());
        let torn = of_two_disks() + "COMMIT:[,0";
        let new = Ok(vec![vec!["nb-3-big".to_owned()], vec!["nb-4-big".to_owned()]]);
        for logs in [[&committed, &committed], [&committed, &open], [&open, &committed]] {
            assert_eq!(remaining_in(&two_disks(logs.map(String::as_str))), new);
        }
        for logs in [[&committed, &torn], [&torn, &committed]] {
            assert_eq!(remaining_in(&two_disks(logs.map(String::as_str))), new);
        }
        let old = Ok(vec![vec!["nb-1-big".to_owned()], vec!["nb-2-big".to_owned()]]);
        for logs in [[&open, &open], [&torn, &open], [&torn, &torn]] {
            assert_eq!(remaining_in(&two_disks(logs.map(String::as_str))), old);
        }
    }

    #[test]
    fn replicas_that_differ_are_an_error() {
        let other = of_two_disks().replace("nb-4", "nb-5");
        let differ = "is not the same in all data directories";
        assert_refused(remaining_in(&two_disks([&of_two_disks(), &other])), differ);
        let torn_inside = of_two_disks().replacen("]\n", "\n", 1);
        assert_refused(remaining_in(&two_disks([&of_two_disks(), &torn_inside])), differ);
    }

    #[test]
    fn files_of_a_directory_that_is_not_listed_are_not_missed() {
        let [a, b] = two_disks([&of_two_disks(), &of_two_disks()]);
        assert_eq!(remaining_in(&[a]).unwrap(), [["nb-1-big"]]);
        assert_eq!(remaining_in(std::slice::from_ref(&b)).unwrap(), [["nb-2-big"]]);
        let mut incomplete = b;
        incomplete.remove("nb-2-big-Data.db");
        assert_refused(remaining_in(&[incomplete]), "of the 2 files of nb-2-big-");
    }
}
