use std::fmt;

use super::{Check, PartitionAt, UnfilteredAt, clustering};
use crate::format::clustering::BoundKind;
use crate::merge::{ClusteringOrder, Position};
use crate::read::Span;
use crate::{DeletionTime, Error, Result, Sstable};

/// Rows and markers come in the order of their clustering values, each once, and every range tombstone
/// that is opened is closed, in the same partition.
pub(super) struct OrderCheck {
    file: String,
    /// Unless a type has an order that is not known
    order: Option<ClusteringOrder>,
    partition_start: u64,
    last: Option<Place>,
    last_start: u64,
    open: DeletionTime,
}

/// A row's or bound's place, kept apart from the file it was read from.
#[derive(Default)]
pub(super) struct Place {
    bytes: Vec<u8>,
    values: Vec<Span>,
    bound: Option<BoundKind>,
}

impl Place {
    pub(super) fn set(&mut self, unfiltered: &UnfilteredAt<'_>) {
        self.bytes.clear();
        self.values.clear();
        self.bound = unfiltered.bound;
        for value in unfiltered.clustering {
            self.values.push(match value.of(unfiltered.bytes) {
                None => Span::NULL,
                Some(bytes) => {
                    let at = self.bytes.len();
                    self.bytes.extend_from_slice(bytes);
                    Span::new(at, bytes.len())
                }
            });
        }
    }

    pub(super) fn position(&self) -> Position<'_> {
        Position::new(&self.bytes, &self.values, self.bound)
    }

    /// `None`: of a row
    pub(super) fn bound(&self) -> Option<BoundKind> {
        self.bound
    }

    /// `None` is null
    pub(super) fn values(&self) -> impl Iterator<Item = Option<&[u8]>> {
        self.values.iter().map(|value| value.of(&self.bytes))
    }
}

/// A deletion, for messages.
struct Shown(DeletionTime);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is_live() {
            true => f.write_str("none"),
            false => write!(
                f,
                "one marked at {}, at second {}",
                self.0.marked_for_delete_at, self.0.local_deletion_time
            ),
        }
    }
}

impl OrderCheck {
    pub(super) fn new(sstable: &Sstable) -> Result<Self> {
        let types = clustering::types(sstable)?;
        let is_known = !types.iter().any(clustering::has_hidden_order);
        let types: Vec<_> = types.into_iter().map(|known| known.parsed).collect();
        Ok(Self {
            file: sstable.data_name().to_owned(),
            order: is_known.then(|| ClusteringOrder::of_types(&types)),
            partition_start: 0,
            last: None,
            last_start: 0,
            open: DeletionTime::LIVE,
        })
    }

    #[cold]
    fn corrupt(&self, at: u64, what: &str, expected: String, got: String) -> Error {
        let at = self.partition_start + at;
        Error::corrupt(&*self.file, at, what, expected, got).context("uncompressed rows")
    }

    fn check_place(&self, unfiltered: &UnfilteredAt<'_>) -> Result<()> {
        let (Some(order), Some(last)) = (&self.order, &self.last) else { return Ok(()) };
        match order.compare(last.position(), unfiltered.position()) {
            std::cmp::Ordering::Less => Ok(()),
            found => {
                let expected =
                    format!("behind that of the one at {}", self.partition_start + self.last_start);
                let got = if found.is_eq() { "the same" } else { "in front of it" };
                let what = "clustering of a row or marker";
                Err(self.corrupt(unfiltered.start, what, expected, got.to_owned()))
            }
        }
    }

    fn check_deletions(&self, kind: BoundKind, unfiltered: &UnfilteredAt<'_>) -> Result<()> {
        let ended = if kind.closes() { unfiltered.closed } else { DeletionTime::LIVE };
        match self.open == ended {
            true => Ok(()),
            false => {
                let what = "range tombstone that a marker ends";
                let (expected, got) = (Shown(self.open).to_string(), Shown(ended).to_string());
                Err(self.corrupt(unfiltered.start, what, expected, got))
            }
        }
    }
}

impl Check for OrderCheck {
    fn partition(&mut self, partition: &PartitionAt<'_>) -> Result<()> {
        self.partition_start = partition.start;
        self.last = None;
        self.open = DeletionTime::LIVE;
        Ok(())
    }

    fn unfiltered(&mut self, unfiltered: &UnfilteredAt<'_>) -> Result<()> {
        self.check_place(unfiltered)?;
        if let Some(kind) = unfiltered.bound {
            self.check_deletions(kind, unfiltered)?;
            self.open = unfiltered.open_behind;
        }
        self.last.get_or_insert_default().set(unfiltered);
        self.last_start = unfiltered.start;
        Ok(())
    }

    fn partition_end(&mut self, len: u64) -> Result<()> {
        match self.open.is_live() {
            true => Ok(()),
            false => {
                let what = "range tombstone at the end of the partition";
                let got = Shown(self.open).to_string();
                Err(self.corrupt(len.saturating_sub(1), what, "none".to_owned(), got))
            }
        }
    }
}
