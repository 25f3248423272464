use std::cmp::Ordering;

use outpour_cql::{Partitioner, RingPosition, Table, Token};
use outpour_run::Cancel;

use super::bounds::RowBounds;
use super::coverage::{Coverage, Part};
use super::{ScanOptions, Split};
use crate::DeletionTime;
use crate::format::clustering::Width;
use crate::merge::IndexHeap;
use crate::read::{Cursor, PartitionIndex, PartitionStarts, RowPlace, Step};
use crate::{Error, ErrorKind, Result, Sstable};

/// The cursors of a scan, in the order of their next partitions.
pub(super) struct Sources {
    partitioner: Partitioner,
    pub(super) cursors: Vec<Cursor>,
    pub(super) heads: Vec<Head>,
    /// Cursors that stand on a partition
    heap: IndexHeap,
    /// Cursors that have left their partition, or have not begun
    idle: Vec<usize>,
    pub(super) cancel: Cancel,
    skip_corrupt: bool,
    losses: Vec<Error>,
    /// The places of the ring that partitions may have; open at the end if there is none
    ring: (RingPosition, Option<RingPosition>),
    /// Whether others may come first, which are passed over
    is_apart: bool,
    /// The rows of each partition that are wanted; all, if it is `None`
    pub(super) bounds: Option<RowBounds>,
    /// Only what was written after this time is wanted
    since: Option<i64>,
    /// The only partition that is wanted, if it is only one
    key: Option<Vec<u8>>,
    /// Whether all of each SSTable is read, so that its totals can be judged
    is_whole: bool,
}

/// Where a cursor stands.
pub(super) struct Head {
    step: Step,
    key: Vec<u8>,
    token: Option<Token>,
    /// The range tombstone over what comes next; markers that it stands on count when it leaves them
    pub(super) open: DeletionTime,
    /// Where the partition starts in the uncompressed bytes of Data.db
    pub(super) partition_start: u64,
    /// Whether it is the only partition that is wanted
    pub(super) is_only: bool,
    /// Whether all rows that are wanted of the partition were met
    pub(super) is_past: bool,
    /// Whether the index was asked for rows of the partition
    pub(super) has_jumped: bool,
    /// Finds rows; opened when many of a partition are passed over for the first time
    index: Option<PartitionIndex>,
    /// Where the cursor began in the uncompressed bytes of Data.db
    start: u64,
    has_losses: bool,
    /// Where partitions start, by the index; opened when damage is skipped for the first time
    starts: Option<PartitionStarts>,
    pub(super) sstable: Sstable,
    /// Nothing in it was written later
    newest: i64,
}

impl Head {
    fn compare(&self, other: &Self) -> Ordering {
        (&self.token, &self.key).cmp(&(&other.token, &other.key))
    }

    /// Where rows of the partition stand, by the index; none if there are few, or the index is damaged.
    pub(super) fn row_places(&mut self, widths: &[Width]) -> Option<Vec<RowPlace>> {
        if self.index.is_none() {
            self.index = self.sstable.partition_index().ok();
        }
        let index = self.index.as_mut()?;
        index.row_places(&self.key, self.partition_start, widths).ok()?
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
            partition_start: 0,
            is_only: false,
            is_past: false,
            has_jumped: false,
            index: None,
            start: split.start(i),
            has_losses: false,
            starts: None,
            newest: sstable.newest(),
            sstable: sstable.clone(),
        };
        let bounds = RowBounds::new(&options.rows, table);
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
            is_apart: split.is_apart,
            bounds,
            since: options.since,
            key: split.key.clone(),
            is_whole: split.is_whole() && options.is_of_all_rows(),
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
            let is_bound = self.bounds.is_some() && matches!(step, Step::Row | Step::Marker);
            let step = match is_bound {
                true => self.pass(i, step, &mut before_refill)?.unwrap_or(Step::NeedData),
                false => step,
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
                _ if self.enter_partition(i)? => {}
                _ => self.pass_over(i, &mut before_refill)?,
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

    /// Lines cursor `i` up with the others; false if its partition is to be passed over.
    fn enter_partition(&mut self, i: usize) -> Result<bool> {
        let (cursor, head) = (&self.cursors[i], &mut self.heads[i]);
        let place = cursor.partition().key;
        let key = place.of(cursor.bytes()).unwrap_or_default();
        let token = self.partitioner.token(key);
        let position = self.partitioner.ring_position_of(token, key);
        let (from, until) = self.ring;
        if until.is_some_and(|until| position >= until) {
            self.cursors[i].leave_to_others();
            return Ok(true);
        }
        let token = Some(token);
        let is_behind = (&token, key) > (&head.token, head.key.as_slice()) || head.token.is_none();
        let is_wanted = position >= from;
        if !is_behind || !(is_wanted || self.is_apart) {
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
        head.partition_start = cursor.partition_start();
        head.is_only = self.key.as_deref() == Some(key);
        head.is_past = false;
        head.has_jumped = false;
        head.key.clear();
        head.key.extend_from_slice(key);
        if is_wanted {
            let heads = &self.heads;
            self.heap.push(i, |a, b| heads[a].compare(&heads[b]));
        }
        Ok(is_wanted)
    }

    /// Whether nothing in the partition that the cursors of `group` stand on can be new enough.
    pub(super) fn are_old(&self, group: &[usize]) -> bool {
        self.since.is_some_and(|since| group.iter().all(|i| self.heads[*i].newest <= since))
    }

    /// Moves the cursors of `group` to the end of their partition, which nobody wants.
    pub(super) fn pass_all_over(
        &mut self,
        group: &[usize],
        mut before_refill: impl FnMut(&[Cursor]) -> Result<()>,
    ) -> Result<()> {
        group.iter().try_for_each(|i| self.pass_over(*i, &mut before_refill))
    }

    /// Moves cursor `i` to the end of a partition that nobody wants.
    fn pass_over(
        &mut self,
        i: usize,
        before_refill: &mut impl FnMut(&[Cursor]) -> Result<()>,
    ) -> Result<()> {
        while self.settle(i, &mut *before_refill)? != Step::PartitionEnd {}
        self.leave_partition(i);
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
