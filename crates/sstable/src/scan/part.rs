use outpour_cql::RingPosition;

use super::Split;
use crate::Result;
use crate::read::PartitionIndex;

/// Places of the ring that are tried for one boundary between splits.
const LANDINGS_MAX: usize = 16;
/// How far a boundary may be from where it should be, in parts of a split.
const TOLERANCE: u64 = 8;

/// A part of the ring that is being cut into splits of about equal bytes.
#[derive(Debug)]
pub(super) struct Part {
    /// Where the next split starts
    next: Boundary,
    /// Whether partitions may lie in front of it that nobody wants
    is_apart: bool,
    /// The only key that is wanted
    key: Option<Vec<u8>>,
    /// Bytes in front of the first one
    base: u64,
    /// Where the last one ends
    end: Boundary,
    /// Its place on the ring; `None`: it reaches to the ring's end
    until: Option<RingPosition>,
    /// Splits to make
    count: u64,
    /// How many parts of that many the splits made so far should hold
    number: u64,
    is_done: bool,
}

/// A place on the ring that splits meet at.
#[derive(Debug, Clone)]
pub(super) struct Boundary {
    position: RingPosition,
    /// Where the partitions behind it start, for each SSTable
    starts: Vec<u64>,
    /// The sum of `starts`
    offset: u64,
}

impl Boundary {
    pub(super) fn new(position: RingPosition, starts: Vec<u64>) -> Self {
        let offset = starts.iter().sum();
        Self { position, starts, offset }
    }
}

impl Part {
    /// The part from `start` to the ring position and places of `end`, in at most `count` splits;
    /// `last` is the ring's last position.
    pub(super) fn new(
        start: Boundary,
        (until, ends): (Option<RingPosition>, Vec<u64>),
        (count, last): (u64, RingPosition),
    ) -> Self {
        Self {
            base: start.offset,
            next: start,
            is_apart: false,
            key: None,
            end: Boundary::new(until.unwrap_or(last), ends),
            until,
            count,
            number: 0,
            is_done: false,
        }
    }

    /// Part of a table of which what lies in front of it is not wanted, nor perhaps any
    /// other key than one.
    pub(super) fn apart(self, key: Option<Vec<u8>>) -> Self {
        Self { is_apart: true, key, ..self }
    }

    /// Whether the last split has been made.
    pub(super) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Where on the ring the next split starts.
    pub(super) fn position(&self) -> RingPosition {
        self.next.position
    }

    /// Cuts the next split off.
    ///
    /// # Errors
    /// Corrupt for a damaged index, Io. Nothing is cut off then.
    pub(super) fn next_split(&mut self, indexes: &mut [PartitionIndex]) -> Result<Split> {
        let end = self.boundary(indexes)?;
        if let Some(end) = &end {
            self.check_rising(end, indexes)?;
        }
        Ok(self.cut(end))
    }

    /// All that is left, by no index.
    pub(super) fn rest(self) -> Split {
        Split { from: self.next.position, ..Split::rest(self.next.starts) }
    }

    /// The place where the next split ends; `None`: it reaches to the part's end.
    fn boundary(&mut self, indexes: &mut [PartitionIndex]) -> Result<Option<Boundary>> {
        if self.count <= 1 {
            return Ok(None);
        }
        let split_len = ((self.end.offset - self.base) / self.count).max(1);
        let cut = self.next.offset.saturating_sub(self.base) / split_len;
        self.number = (self.number + 1).max(cut + 1);
        if self.number >= self.count {
            return Ok(None);
        }
        let target = self.base + self.number * split_len;
        let found = Search::new(self, indexes, target).run(split_len / TOLERANCE)?;
        let is_inside = |boundary: &Boundary| {
            boundary.offset < self.end.offset && boundary.position < self.end.position
        };
        Ok(found.filter(is_inside))
    }

    fn check_rising(&self, end: &Boundary, indexes: &[PartitionIndex]) -> Result<()> {
        let places = self.next.starts.iter().zip(&end.starts);
        for (index, (start, end)) in indexes.iter().zip(places) {
            if start > end {
                return Err(index.misled(&format!("{start} or more"), *end));
            }
        }
        Ok(())
    }

    fn cut(&mut self, end: Option<Boundary>) -> Split {
        self.is_done = end.is_none();
        let is_apart = std::mem::take(&mut self.is_apart);
        let until = end.as_ref().map_or(self.until, |end| Some(end.position));
        let end = end.unwrap_or_else(|| self.end.clone());
        let start = std::mem::replace(&mut self.next, end);
        let ends = Some(self.next.starts.clone());
        let (from, key) = (start.position, self.key.clone());
        Split { from, until, starts: start.starts, is_apart, key, ends }
    }
}

/// Looks for the place on the ring that has `target` bytes in front of it.
struct Search<'a> {
    part: &'a Part,
    indexes: &'a mut [PartitionIndex],
    target: u64,
    /// The last place known to have fewer bytes in front of it, and their number
    low: (u128, u64),
    /// The first place known to have more
    high: (u128, u64),
    best: Option<Boundary>,
}

impl<'a> Search<'a> {
    fn new(part: &'a Part, indexes: &'a mut [PartitionIndex], target: u64) -> Self {
        let low = (part.next.position.0, part.next.offset);
        let high = (part.end.position.0, part.end.offset);
        Self { part, indexes, target, low, high, best: None }
    }

    fn run(mut self, tolerance: u64) -> Result<Option<Boundary>> {
        for attempt in 0..LANDINGS_MAX {
            let Some(place) = self.guess(attempt) else { break };
            let landed = land(self.indexes, RingPosition(place))?;
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
            _ => (self.target.saturating_sub(low.1)) as f64 / bytes.max(1) as f64,
        };
        let step = (width as f64 * part) as u128;
        Some(low.0 + step.clamp(1, width - 1))
    }

    fn distance(&self, boundary: &Boundary) -> u64 {
        boundary.offset.abs_diff(self.target)
    }

    /// Keeps the place that comes nearest, of those that something lies in front of.
    fn keep(&mut self, landed: Boundary) {
        let next = &self.part.next;
        if landed.position <= next.position || landed.offset <= next.offset {
            return;
        }
        let is_nearer = |best: &Boundary| self.distance(&landed) < self.distance(best);
        if self.best.as_ref().is_none_or(is_nearer) {
            self.best = Some(landed);
        }
    }
}

/// Where partitions at `position` of the ring and behind it start. The place is moved in front to where
/// all indexes can tell.
fn land(indexes: &mut [PartitionIndex], mut position: RingPosition) -> Result<Boundary> {
    let mut starts = Vec::with_capacity(indexes.len());
    loop {
        starts.clear();
        let mut common = position;
        for index in &mut *indexes {
            let landing = index.land(position)?;
            common = common.min(landing.ring_position);
            starts.push(landing.data_position);
        }
        if common == position {
            return Ok(Boundary::new(position, starts));
        }
        position = common;
    }
}
