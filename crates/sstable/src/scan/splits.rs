use std::collections::VecDeque;

use outpour_cql::{Partitioner, RingPosition};
use outpour_filter::Restriction;
use outpour_run::Budget;

use super::foothold::Foothold;
use super::part::{Boundary, Part};
use super::portion::Portion;
use super::{Audit, Split};
use crate::read::PartitionIndex;
use crate::{Error, Result, Sstable};

/// Cuts a table, or the parts of it that are wanted, into splits of about equal bytes, in the order of
/// their partitions, by the indexes of its SSTables.
///
/// Indexes are only trusted so far: [`Audit`] says whether the data agrees. Where they are damaged, or
/// cannot tell, all that is left is one split.
#[derive(Debug)]
pub struct Splits {
    sstables: Vec<Sstable>,
    indexes: Vec<PartitionIndex>,
    footholds: Vec<Foothold>,
    budget: Budget,
    pieces: Pieces,
    last_position: RingPosition,
    /// Parts of the ring that are yet to be cut
    portions: VecDeque<Portion>,
    /// The one that is being cut
    part: Option<Part>,
    /// Where the last portion ends
    until: Option<RingPosition>,
    /// Whether all of the table is wanted
    is_whole: bool,
    trouble: Option<Error>,
}

/// How many splits a part of the ring is cut into.
#[derive(Debug, Clone, Copy)]
enum Pieces {
    /// At most so many
    Count(u64),
    /// Of so many uncompressed bytes
    Len(u64),
}

impl Splits {
    /// At most `count` splits of a table.
    #[must_use]
    pub fn new(sstables: &[Sstable], count: u64) -> Self {
        let mut splits = Self::of(sstables, VecDeque::new(), Pieces::Count(count), Budget::new(0));
        splits.is_whole = true;
        if count > 1 {
            splits.trouble = splits.open_indexes().err();
        }
        let count = if splits.indexes.is_empty() { 1 } else { count };
        let starts = Boundary::new(RingPosition(0), vec![0; sstables.len()]);
        let ends = sstables.iter().map(Sstable::uncompressed_len).collect();
        splits.part = Some(Part::new(starts, (None, ends), (count, splits.last_position)));
        splits
    }

    /// Splits of `len` uncompressed bytes, of the parts of a table that `restriction` leaves. Without
    /// `len` each part is one split. Looking them up draws on `budget`.
    ///
    /// # Errors
    /// Unsupported for a partitioner that is not known.
    pub fn within(
        sstables: &[Sstable],
        restriction: &Restriction,
        len: Option<u64>,
        budget: &Budget,
    ) -> Result<Self> {
        let partitioner = sstables.first().map(Sstable::partitioner).transpose()?;
        let partitioner = partitioner.unwrap_or(Partitioner::Murmur3);
        let portions: VecDeque<_> = Portion::all_of(restriction, partitioner).into();
        if portions == [Portion::WHOLE] {
            let table_len: u64 = sstables.iter().map(Sstable::uncompressed_len).sum();
            return Ok(Self::new(sstables, len.map_or(1, |len| table_len / len)));
        }
        let pieces = len.map_or(Pieces::Count(1), Pieces::Len);
        Ok(Self::of(sstables, portions, pieces, budget.clone()))
    }

    fn of(
        sstables: &[Sstable],
        portions: VecDeque<Portion>,
        pieces: Pieces,
        budget: Budget,
    ) -> Self {
        Self {
            sstables: sstables.to_vec(),
            indexes: Vec::new(),
            footholds: Vec::new(),
            budget,
            pieces,
            last_position: last_position(sstables),
            until: portions.back().and_then(|portion| portion.until),
            portions,
            part: None,
            is_whole: false,
            trouble: None,
        }
    }

    fn open_indexes(&mut self) -> Result<()> {
        let indexes = self.sstables.iter().map(Sstable::partition_index);
        self.indexes = indexes.collect::<Result<_>>()?;
        Ok(())
    }

    fn open_footholds(&mut self) -> Result<()> {
        self.open_indexes()?;
        let footholds = self.sstables.iter().map(|sstable| Foothold::open(sstable, &self.budget));
        self.footholds = footholds.collect::<Result<_>>()?;
        Ok(())
    }

    /// What makes sure that the splits are right.
    #[must_use]
    pub fn audit(&self) -> Audit {
        Audit::new(&self.sstables, self.until, self.is_whole)
    }

    /// Whether all of the table is one split.
    #[must_use]
    pub fn is_one(&self) -> bool {
        self.is_whole && self.indexes.is_empty()
    }

    /// Whether the last one has been made.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.part.is_none() && self.portions.is_empty()
    }

    /// Why there are not as many splits as there should be.
    pub fn take_trouble(&mut self) -> Option<Error> {
        self.trouble.take()
    }

    /// Finds `portion`, and opens the indexes for the first one.
    fn start(&mut self, portion: &Portion) -> Result<Part> {
        if self.footholds.is_empty() {
            self.open_footholds()?;
        }
        let Self { indexes, footholds, .. } = self;
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for (index, foothold) in indexes.iter_mut().zip(footholds) {
            let start = foothold.start(index, portion)?;
            let end = match portion.until {
                Some(until) => index.land(until)?.data_position,
                None => index.data_len(),
            };
            starts.push(start);
            ends.push(end.max(start));
        }
        let len = ends.iter().sum::<u64>() - starts.iter().sum::<u64>();
        let count = match self.pieces {
            Pieces::Count(count) => count,
            Pieces::Len(piece) => len / piece.max(1),
        };
        let (from, until) = (portion.from, portion.until);
        let start = Boundary::new(from, starts);
        Ok(Part::new(start, (until, ends), (count, self.last_position)).apart(portion.key.clone()))
    }

    /// What is left from `position` on, without the indexes.
    fn give_up(&mut self, trouble: Error, position: RingPosition) -> Split {
        self.trouble = Some(trouble);
        self.portions.clear();
        Split::between(self.sstables.len(), (position, self.until))
    }
}

impl Iterator for Splits {
    type Item = Split;

    fn next(&mut self) -> Option<Split> {
        let mut part = match self.part.take() {
            Some(part) => part,
            None => {
                let portion = self.portions.pop_front()?;
                match self.start(&portion) {
                    Ok(part) => part,
                    Err(trouble) => return Some(self.give_up(trouble, portion.from)),
                }
            }
        };
        match part.next_split(&mut self.indexes) {
            Ok(split) => {
                self.part = (!part.is_done()).then_some(part);
                Some(split)
            }
            Err(trouble) if self.is_whole => {
                self.trouble = Some(trouble);
                Some(part.rest())
            }
            Err(trouble) => Some(self.give_up(trouble, part.position())),
        }
    }
}

/// The last place on the ring of the SSTables' partitioner.
fn last_position(sstables: &[Sstable]) -> RingPosition {
    let partitioner = sstables.first().and_then(|sstable| sstable.partitioner().ok());
    partitioner.unwrap_or(Partitioner::Murmur3).last_position()
}
