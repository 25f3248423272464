use std::cmp::Ordering;

use outpour_cql::{Partitioner, RingPosition, Table, Token};
use outpour_run::Cancel;

use super::coverage::{Coverage, Part};
use super::{ScanOptions, Split};
use crate::DeletionTime;
use crate::merge::IndexHeap;
use crate::read::{Cursor, PartitionStarts, Step};
use crate::{Error, ErrorKind, Result, Sstable};

/// The cursors of a scan, in the order of their next partitions.
pub(super) struct Sources {
    partitioner: Partitioner,
    cursors: Vec<Cursor>,
    heads: Vec<Head>,
    /// Cursors that stand on a partition
    heap: IndexHeap,
    /// Cursors that have left their partition, or have not begun
    idle: Vec<usize>,
    cancel: Cancel,
    skip_corrupt: bool,
    losses: Vec<Error>,
    /// The places of the ring that partitions may have; open at the end if there is none
    ring: (RingPosition, Option<RingPosition>),
    /// Whether all of each SSTable is read, so that its totals can be judged
    is_whole: bool,
}

/// Where a cursor stands.
struct Head {
    step: Step,
    key: Vec<u8>,
    token: Option<Token>,
    /// The range tombstone over what comes next; markers that it stands on count when it leaves them
    open: DeletionTime,
    /// Where the cursor began in the uncompressed bytes of Data.db
    start: u64,
    has_losses: bool,
    /// Where partitions start, by the index; opened when damage is skipped for the first time
    starts: Option<PartitionStarts>,
    sstable: Sstable,
}

impl Head {
    fn compare(&self, other: &Self) -> Ordering {
        (&self.token, &self.key).cmp(&(&other.token, &other.key))
    }

    /// The first partition start at `offset` or later; none if the index is damaged too.
    fn next_start(&mut self, offset: u64) -> Option<u64> {
        if self.starts.is_none() {
            self.starts = self.sstable.partition_starts().ok();
        }
        let starts = self.starts.as_mut()?;
        while let Ok(Some(start)) = starts.next() {
            if start >= offset {
                return Some(start);
            }
        }
        None
    }
}

impl Sources {
    /// Cursors on the partitions of `split`.
    pub(super) fn open(
        table: &Table,
        sstables: &[Sstable],
        split: &Split,
        options: &ScanOptions,
    ) -> Result<Self> {
        // All cursors of all scans together get at most a quarter of the budget, for two buffers each.
        let cursor_count = (sstables.len() * options.parallel).max(1);
        let share = options.budget.limit() / 8 / cursor_count as u64;
        let read_len = usize::try_from(share).unwrap_or(usize::MAX);
        let open = |(i, sstable): (usize, &Sstable)| {
            let mut cursor = sstable.cursor(table, read_len, &options.budget, &options.progress)?;
            cursor.go_to(split.start(i), split.end(i, sstable))?;
            Ok(cursor)
        };
        let cursors = sstables.iter().enumerate().map(open).collect::<Result<Vec<_>>>()?;
        let head = |(i, sstable): (usize, &Sstable)| Head {
            step: Step::NeedData,
            key: Vec::new(),
            token: None,
            open: DeletionTime::LIVE,
            start: split.start(i),
            has_losses: false,
            starts: None,
            sstable: sstable.clone(),
        };
        Ok(Self {
            partitioner: common_partitioner(sstables)?,
            heads: sstables.iter().enumerate().map(head).collect(),
            heap: IndexHeap::default(),
            idle: (0..cursors.len()).collect(),
            cursors,
            cancel: options.cancel.clone(),
            skip_corrupt: options.skip_corrupt,
            losses: Vec::new(),
            ring: (split.from, split.until),
            is_whole: split.is_whole(),
        })
    }

    pub(super) fn cursors(&self) -> &[Cursor] {
        &self.cursors
    }

    pub(super) fn cursor(&self, i: usize) -> &Cursor {
        &self.cursors[i]
    }

    /// What cursor `i` stands on.
    #[inline]
    pub(super) fn step(&self, i: usize) -> Step {
        self.heads[i].step
    }

    /// The range tombstone over the row that cursor `i` stands on, or over what comes before it.
    #[inline]
    pub(super) fn open_deletion(&self, i: usize) -> DeletionTime {
        self.heads[i].open
    }

    /// Moves cursor `i` on. `before_refill` is called before places in its window become void.
    #[inline]
    pub(super) fn settle(
        &mut self,
        i: usize,
        mut before_refill: impl FnMut(&[Cursor]) -> Result<()>,
    ) -> Result<Step> {
        if self.heads[i].step == Step::Marker {
            self.heads[i].open = self.cursors[i].open_deletion();
        }
        loop {
            let step = match self.cursors[i].step() {
                Ok(Step::NeedData) => self.refill(i, &mut before_refill)?,
                Ok(step) => step,
                Err(e) => {
                    before_refill(&self.cursors)?;
                    let resume_at = self.cursors[i].offset() + 1;
                    self.skip_damage(i, resume_at, e)?
                }
            };
            if step != Step::NeedData {
                self.heads[i].step = step;
                return Ok(step);
            }
        }
    }

    fn refill(
        &mut self,
        i: usize,
        before_refill: &mut impl FnMut(&[Cursor]) -> Result<()>,
    ) -> Result<Step> {
        self.cancel.check()?;
        before_refill(&self.cursors)?;
        match self.cursors[i].refill() {
            Ok(()) => Ok(Step::NeedData),
            Err(e) => self.skip_damage(i, self.cursors[i].next_chunk_offset(), e),
        }
    }

    /// Goes on with the first partition that starts at `resume_at` or later, if damage is to be
    /// skipped, and notes what is lost.
    #[cold]
    fn skip_damage(&mut self, i: usize, resume_at: u64, error: Error) -> Result<Step> {
        if !self.skip_corrupt || error.kind() != ErrorKind::Corrupt {
            return Err(error);
        }
        let (cursor, head) = (&mut self.cursors[i], &mut self.heads[i]);
        let was_in_partition = cursor.is_in_partition();
        let (damaged_at, mut resume_at) = (cursor.offset(), resume_at);
        let resumed = loop {
            let Some(start) = head.next_start(resume_at) else {
                cursor.give_up();
                break None;
            };
            match cursor.seek(start) {
                Ok(()) => break Some(start),
                Err(e) if e.kind() == ErrorKind::Corrupt => {
                    resume_at = cursor.next_chunk_offset();
                }
                Err(e) => return Err(e),
            }
        };
        head.has_losses = true;
        self.losses.push(error.note(loss(damaged_at, resumed)));
        Ok(if was_in_partition { Step::PartitionEnd } else { Step::NeedData })
    }

    /// What could not be read.
    pub(super) fn take_losses(&mut self) -> Vec<Error> {
        std::mem::take(&mut self.losses)
    }

    /// Cursor `i` has reached the end of its partition.
    pub(super) fn leave_partition(&mut self, i: usize) {
        self.idle.push(i);
    }

    /// Puts the cursors that have the next partition into `group`; whether there is one.
    pub(super) fn next_partition(
        &mut self,
        group: &mut Vec<usize>,
        mut before_refill: impl FnMut(&[Cursor]) -> Result<()>,
    ) -> Result<bool> {
        while let Some(i) = self.idle.pop() {
            match self.settle(i, &mut before_refill)? {
                Step::End if self.is_whole => self.check_totals(i)?,
                Step::End => {}
                _ => self.enter_partition(i)?,
            }
        }
        group.clear();
        let heads = &self.heads;
        let order = |a: usize, b: usize| heads[a].compare(&heads[b]);
        while let Some(i) = self.heap.peek() {
            if group.first().is_some_and(|first| heads[i].compare(&heads[*first]).is_ne()) {
                break;
            }
            group.push(i);
            self.heap.pop(order);
        }
        // Which version of a value is met first must not depend on the heap.
        group.sort_unstable();
        Ok(!group.is_empty())
    }

    fn enter_partition(&mut self, i: usize) -> Result<()> {
        let (cursor, head) = (&self.cursors[i], &mut self.heads[i]);
        let place = cursor.partition().key;
        let key = place.of(cursor.bytes()).unwrap_or_default();
        let token = self.partitioner.token(key);
        let position = self.partitioner.ring_position_of(token, key);
        let (from, until) = self.ring;
        if until.is_some_and(|until| position >= until) {
            self.cursors[i].leave_to_others();
            return Ok(());
        }
        let token = Some(token);
        let is_behind = (&token, key) > (&head.token, head.key.as_slice()) || head.token.is_none();
        if !is_behind || position < from {
            let expected = "a partition behind the one before".to_owned();
            return Err(cursor.value_error(
                place,
                "partition key",
                expected,
                format!("{key:02x?}"),
            ));
        }
        head.token = token;
        head.open = DeletionTime::LIVE;
        head.key.clear();
        head.key.extend_from_slice(key);
        let heads = &self.heads;
        self.heap.push(i, |a, b| heads[a].compare(&heads[b]));
        Ok(())
    }

    /// A file that ends early, and one that belongs to other statistics, are noticed here.
    fn check_totals(&mut self, i: usize) -> Result<()> {
        let (cursor, head) = (&self.cursors[i], &self.heads[i]);
        let checked = head.sstable.check_totals(&cursor.met());
        if !head.has_losses {
            return checked;
        }
        if checked.is_err() {
            let (file, got) = (cursor.file_name(), cursor.met().totals());
            let told = head.sstable.totals();
            let problem = format!("in all, {got} could be read of {told}");
            self.losses.push(Error::inconsistent(file, problem, ""));
        }
        Ok(())
    }

    /// What was read so far.
    pub(super) fn coverage(&self) -> Coverage {
        let parts = self.cursors.iter().zip(&self.heads);
        Coverage::new(
            parts.map(|(cursor, head)| Part {
                bytes: head.start..cursor.offset(),
                met: cursor.met(),
            }),
        )
    }
}

fn loss(damaged_at: u64, resumed: Option<u64>) -> String {
    let until = resumed.map_or_else(|| "to the end".to_owned(), |start| format!("to {start}"));
    format!("rows from byte {damaged_at} {until} of the uncompressed file")
}

fn common_partitioner(sstables: &[Sstable]) -> Result<Partitioner> {
    let mut found: Option<(&Sstable, Partitioner)> = None;
    for sstable in sstables {
        let partitioner = sstable.partitioner()?;
        match &found {
            Some((first, other)) if *other != partitioner => {
                return Err(Error::invalid(
                    sstable.name(),
                    format!("its partitioner differs from that of {}", first.name()),
                    "export files of different partitioners separately",
                ));
            }
            Some(_) => {}
            None => found = Some((sstable, partitioner)),
        }
    }
    Ok(found.map_or(Partitioner::Murmur3, |(_, partitioner)| partitioner))
}
