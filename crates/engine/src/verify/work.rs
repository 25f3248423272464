use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use std::thread;

use crossbeam_channel::{Sender, unbounded};
use outpour_cql::Table;
use outpour_filter::ClusteringRange;
use outpour_run::{Budget, Cancel, Progress};
use outpour_sstable::{
    Error as SstableError, ErrorKind as SstableErrorKind, Projection, Scan, ScanOptions, Sstable,
    TokenRange,
};

use super::candidates::Candidate;
use super::{FINDINGS_MAX, told};
use crate::{Error, Result};

/// Checks SSTables on several threads: the parts of each apart, and told of together and in order.
pub(super) struct Work<'a> {
    pub(super) candidates: &'a [Candidate],
    /// If any can be opened
    pub(super) table: Option<&'a Table>,
    pub(super) tokens: &'a [TokenRange],
    pub(super) budget: Budget,
    pub(super) cancel: &'a Cancel,
    pub(super) progress: &'a Progress,
    pub(super) threads: usize,
}

/// What is checked of an SSTable by one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// Digest and chunks
    Stored,
    /// Every row and value, and the totals
    Rows,
    /// All other components beside the data, and order
    Content,
}

const PARTS: [Part; 3] = [Part::Stored, Part::Rows, Part::Content];

/// What a part came to: of which candidate, which part, and what is wrong.
type Report = (usize, usize, Result<Vec<SstableError>>);

impl Work<'_> {
    /// Checks all; calls `checked` with each candidate and what was found.
    pub(super) fn run(
        &self,
        checked: &mut dyn FnMut(&Candidate, Vec<SstableError>) -> Result<()>,
    ) -> Result<()> {
        let next = AtomicUsize::new(0);
        let gate = RwLock::new(());
        let jobs = PARTS.len() * self.candidates.len();
        thread::scope(|scope| {
            let (sender, reports) = unbounded::<Report>();
            for _ in 0..self.threads.clamp(1, jobs.max(1)) {
                let sender = sender.clone();
                scope.spawn(|| self.work(&next, &gate, sender));
            }
            drop(sender);
            let told = self.tell(reports.into_iter(), checked);
            if told.is_err() {
                // No one waits for the rest.
                self.cancel.cancel();
            }
            told
        })
    }

    fn work(&self, next: &AtomicUsize, gate: &RwLock<()>, sender: Sender<Report>) {
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            let (candidate, part) = (job / PARTS.len(), job % PARTS.len());
            let (Some(checked), Some(kind)) = (self.candidates.get(candidate), PARTS.get(part))
            else {
                return;
            };
            let found = self.part_or_alone(checked, *kind, gate);
            let ends = found.is_err();
            if sender.send((candidate, part, found)).is_err() || ends {
                return;
            }
        }
    }

    /// Checks a part beside others; if the budget has no room for that, once more when no other runs.
    fn part_or_alone(
        &self,
        candidate: &Candidate,
        part: Part,
        gate: &RwLock<()>,
    ) -> Result<Vec<SstableError>> {
        let (Some(sstable), Some(table)) = (&candidate.sstable, self.table) else {
            return Ok(Vec::new());
        };
        let found = {
            let _beside = gate.read().unwrap_or_else(PoisonError::into_inner);
            self.part(sstable, table, part)?
        };
        if self.threads == 1 || !found.iter().any(|e| e.kind() == SstableErrorKind::Limit) {
            return Ok(found);
        }
        let _alone = gate.write().unwrap_or_else(PoisonError::into_inner);
        self.part(sstable, table, part)
    }

    fn part(&self, sstable: &Sstable, table: &Table, part: Part) -> Result<Vec<SstableError>> {
        let options = ScanOptions {
            now: 0,
            budget: self.budget.clone(),
            cancel: self.cancel.clone(),
            progress: self.progress.clone(),
            skip_corrupt: true,
            parallel: self.threads,
            rows: ClusteringRange::default(),
            since: None,
        };
        let found = match part {
            Part::Stored => stored(sstable, &options),
            Part::Rows => rows(sstable, table, &options),
            Part::Content => sstable.check_content(table, self.tokens, &options),
        };
        found.into_iter().map(told).collect()
    }

    /// Tells of each candidate when all its parts, and all candidates in front of it, are done.
    fn tell(
        &self,
        reports: impl Iterator<Item = Report>,
        checked: &mut dyn FnMut(&Candidate, Vec<SstableError>) -> Result<()>,
    ) -> Result<()> {
        let mut parts: Vec<[Option<Vec<SstableError>>; PARTS.len()]> =
            self.candidates.iter().map(|_| Default::default()).collect();
        let mut told = 0;
        for (candidate, part, found) in reports {
            if let Some(slot) = parts.get_mut(candidate).and_then(|parts| parts.get_mut(part)) {
                *slot = Some(found?);
            }
            while let (Some(candidate), Some(done)) =
                (self.candidates.get(told), parts.get_mut(told))
                && done.iter().all(Option::is_some)
            {
                checked(candidate, done.iter_mut().flat_map(Option::take).flatten().collect())?;
                told += 1;
            }
        }
        match told == self.candidates.len() {
            true => Ok(()),
            false => Err(Error::from(outpour_run::Cancelled)),
        }
    }
}

fn stored(sstable: &Sstable, options: &ScanOptions) -> Vec<SstableError> {
    let mut found = Vec::new();
    let mut more = 0_u64;
    let ScanOptions { budget, cancel, progress, .. } = options;
    found.extend(sstable.check_digest(cancel).err());
    let checked = sstable.check_chunks((budget, cancel, progress), &mut |damage| match found.len()
        < FINDINGS_MAX
    {
        true => found.push(damage),
        false => more += 1,
    });
    found.extend(checked.err());
    if more > 0 {
        let problem = format!("{more} more chunks are damaged");
        found.push(SstableError::inconsistent(sstable.data_name(), problem, ""));
    }
    found
}

fn rows(sstable: &Sstable, table: &Table, options: &ScanOptions) -> Vec<SstableError> {
    options.progress.expect_bytes(sstable.data_len());
    let mut found = Vec::new();
    let ended = read_all(sstable, table, options, &mut found);
    found.extend(ended.err());
    found
}

fn read_all(
    sstable: &Sstable,
    table: &Table,
    options: &ScanOptions,
    found: &mut Vec<SstableError>,
) -> outpour_sstable::Result<()> {
    let projection = Projection::all(table);
    let mut scan = Scan::new(table, std::slice::from_ref(sstable), &projection, options)?;
    while scan.next_batch()?.is_some() {
        found.extend(scan.take_damage());
    }
    found.extend(scan.take_damage());
    Ok(())
}
