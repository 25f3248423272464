use std::cmp::Ordering;

use outpour_cql::{Partitioner, Table, Token};
use outpour_run::Cancel;

use super::ScanOptions;
use crate::DeletionTime;
use crate::merge::IndexHeap;
use crate::read::{Cursor, Step};
use crate::{Error, Result, Sstable};

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
}

/// Where a cursor stands.
struct Head {
    step: Step,
    key: Vec<u8>,
    token: Option<Token>,
    /// The range tombstone over what comes next; markers that it stands on count when it leaves them
    open: DeletionTime,
    /// Rows and partitions that Statistics.db counts
    counts: (u64, u64),
}

impl Head {
    fn compare(&self, other: &Self) -> Ordering {
        (&self.token, &self.key).cmp(&(&other.token, &other.key))
    }
}

impl Sources {
    pub(super) fn open(table: &Table, sstables: &[Sstable], options: &ScanOptions) -> Result<Self> {
        let cursors = sstables
            .iter()
            .map(|sstable| sstable.cursor(table, &options.budget, &options.progress))
            .collect::<Result<Vec<_>>>()?;
        let head = |sstable: &Sstable| Head {
            step: Step::NeedData,
            key: Vec::new(),
            token: None,
            open: DeletionTime::LIVE,
            counts: sstable.counts(),
        };
        Ok(Self {
            partitioner: common_partitioner(sstables)?,
            heads: sstables.iter().map(head).collect(),
            heap: IndexHeap::default(),
            idle: (0..cursors.len()).collect(),
            cursors,
            cancel: options.cancel.clone(),
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
            let step = self.cursors[i].step()?;
            if step != Step::NeedData {
                self.heads[i].step = step;
                return Ok(step);
            }
            self.cancel.check()?;
            before_refill(&self.cursors)?;
            self.cursors[i].refill()?;
        }
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
                Step::End => self.check_counts(i)?,
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
        let token = Some(self.partitioner.token(key));
        if (&token, key) <= (&head.token, head.key.as_slice()) && head.token.is_some() {
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
    fn check_counts(&self, i: usize) -> Result<()> {
        let (expected, got) = (self.heads[i].counts, self.cursors[i].counts());
        if expected == got {
            return Ok(());
        }
        let show = |(rows, partitions)| format!("{rows} rows in {partitions} partitions");
        Err(Error::corrupt(
            self.cursors[i].file_name(),
            None,
            "content, by the counts of Statistics.db",
            show(expected),
            show(got),
        ))
    }
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
