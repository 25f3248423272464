use outpour_cql::{Partitioner, RingPosition};

use super::Split;
use crate::read::PartitionIndex;
use crate::{Error, Result, Sstable};

/// Places of the ring that are tried for one boundary between splits.
const LANDINGS_MAX: usize = 16;
/// How far a boundary may be from where it should be, in parts of a split.
const TOLERANCE: u64 = 8;

/// Cuts a table into splits of about equal bytes, in the order of their partitions, by the indexes of its
/// SSTables.
///
/// Indexes are only trusted so far: [`Audit`](super::Audit) says whether the data agrees. Where they are
/// damaged, or cannot tell, all that is left is one split.
#[derive(Debug)]
pub struct Splits {
    indexes: Vec<PartitionIndex>,
    last_position: RingPosition,
    /// Uncompressed bytes of all SSTables
    len: u64,
    /// Splits to make
    count: u64,
    /// How many parts of that many the splits made so far should hold
    number: u64,
    /// Where the next split starts
    next: Boundary,
    is_done: bool,
    trouble: Option<Error>,
}

/// A place on the ring that splits meet at.
#[derive(Debug, Clone)]
struct Boundary {
    position: RingPosition,
    /// Where the partitions behind it start, for each SSTable
    starts: Vec<u64>,
    /// The sum of `starts`
    offset: u64,
}

impl Splits {
    /// At most `count` splits of a table.
    #[must_use]
    pub fn new(sstables: &[Sstable], count: u64) -> Self {
        let starts = vec![0; sstables.len()];
        let mut splits = Self {
            indexes: Vec::new(),
            last_position: Partitioner::Murmur3.last_position(),
            len: sstables.iter().map(Sstable::uncompressed_len).sum(),
            count,
            number: 0,
            next: Boundary { position: RingPosition(0), starts, offset: 0 },
            is_done: false,
            trouble: None,
        };
        if count > 1 {
            splits.trouble = splits.open(sstables).err();
        }
        splits
    }

    fn open(&mut self, sstables: &[Sstable]) -> Result<()> {
        for sstable in sstables {
            self.last_position = sstable.partitioner()?.last_position();
            self.indexes.push(sstable.partition_index()?);
        }
        Ok(())
    }

    /// Whether the last one has been made.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// Why there are not as many splits as there should be.
    pub fn take_trouble(&mut self) -> Option<Error> {
        self.trouble.take()
    }

    /// The place where the next split ends; `None`: it reaches to the end.
    fn boundary(&mut self) -> Result<Option<Boundary>> {
        let split_len = (self.len / self.count).max(1);
        self.number = (self.number + 1).max(self.next.offset / split_len + 1);
        if self.number >= self.count {
            return Ok(None);
        }
        let target = self.number * split_len;
        let found = Search::new(self, target).run(split_len / TOLERANCE)?;
        Ok(found.filter(|boundary| boundary.offset < self.len))
    }

    /// Where partitions at `position` of the ring and behind it start. The place is moved in front to where
    /// all indexes can tell.
    fn land(&mut self, mut position: RingPosition) -> Result<Boundary> {
        let mut starts = Vec::with_capacity(self.indexes.len());
        loop {
            starts.clear();
            let mut common = position;
            for index in &mut self.indexes {
                let landing = index.land(position)?;
                common = common.min(landing.ring_position);
                starts.push(landing.data_position);
            }
            if common == position {
                let offset = starts.iter().sum();
                return Ok(Boundary { position, starts, offset });
            }
            position = common;
        }
    }

    fn check_rising(&self, end: &Boundary) -> Result<()> {
        for (index, (start, end)) in
            self.indexes.iter().zip(self.next.starts.iter().zip(&end.starts))
        {
            if start > end {
                return Err(index.misled(&format!("{start} or more"), *end));
            }
        }
        Ok(())
    }

    fn try_next(&mut self) -> Result<Split> {
        let end = match self.indexes.is_empty() {
            true => None,
            false => self.boundary()?,
        };
        if let Some(end) = &end {
            self.check_rising(end)?;
        }
        Ok(self.cut(end))
    }

    fn cut(&mut self, end: Option<Boundary>) -> Split {
        let Boundary { position, starts, .. } = self.next.clone();
        let until = end.as_ref().map(|end| end.position);
        let ends = end.as_ref().map(|end| end.starts.clone());
        match end {
            Some(end) => self.next = end,
            None => self.is_done = true,
        }
        Split { from: position, until, starts, ends }
    }
}

impl Iterator for Splits {
    type Item = Split;

    fn next(&mut self) -> Option<Split> {
        if self.is_done {
            return None;
        }
        let split = self.try_next();
        Some(split.unwrap_or_else(|trouble| {
            self.trouble = Some(trouble);
            self.cut(None)
        }))
    }
}

/// Looks for the place on the ring that has `target` bytes in front of it.
struct Search<'a> {
    splits: &'a mut Splits,
    target: u64,
    /// The last place known to have fewer bytes in front of it, and their number
    low: (u128, u64),
    /// The first place known to have more
    high: (u128, u64),
    best: Option<Boundary>,
}

impl<'a> Search<'a> {
    fn new(splits: &'a mut Splits, target: u64) -> Self {
        let low = (splits.next.position.0, splits.next.offset);
        let high = (splits.last_position.0, splits.len);
        Self { splits, target, low, high, best: None }
    }

    fn run(mut self, tolerance: u64) -> Result<Option<Boundary>> {
        for attempt in 0..LANDINGS_MAX {
            let Some(place) = self.guess(attempt) else { break };
            let landed = self.splits.land(RingPosition(place))?;
            match landed.offset < self.target {
                true => self.low = (place, landed.offset),
                false => self.high = (landed.position.0, landed.offset),
            }
            self.keep(landed);
            if self.best.as_ref().is_some_and(|best| self.distance(best) <= tolerance) {
                break;
            }
        }
        Ok(self.best)
    }

    /// A place between the known ones: by their bytes, as tokens are even; else in the middle.
    fn guess(&self, attempt: usize) -> Option<u128> {
        let (low, high) = (self.low, self.high);
        let width = high.0.saturating_sub(low.0);
        if width < 2 {
            return None;
        }
        let bytes = high.1.saturating_sub(low.1);
        let part = match attempt % 4 {
            3 => 0.5,
            _ => (self.target - low.1) as f64 / bytes.max(1) as f64,
        };
        let step = (width as f64 * part) as u128;
        Some(low.0 + step.clamp(1, width - 1))
    }

    fn distance(&self, boundary: &Boundary) -> u64 {
        boundary.offset.abs_diff(self.target)
    }

    /// Keeps the place that comes nearest, of those that something lies in front of.
    fn keep(&mut self, landed: Boundary) {
        let next = &self.splits.next;
        if landed.position <= next.position || landed.offset <= next.offset {
            return;
        }
        let is_nearer = |best: &Boundary| self.distance(&landed) < self.distance(best);
        if self.best.as_ref().is_none_or(is_nearer) {
            self.best = Some(landed);
        }
    }
}
