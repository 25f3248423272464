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

#[cfg(test)]
mod tests {
    use outpour_cql::marshal;

    use super::*;

    fn check() -> OrderCheck {
        let types = [marshal::parse("ReversedType(Int32Type)").unwrap()];
        OrderCheck {
            file: "f".to_owned(),
            order: Some(ClusteringOrder::of_types(&types)),
            partition_start: 100,
            last: None,
            last_start: 0,
            open: DeletionTime::LIVE,
        }
    }

    /// A row; or a marker that ends the first deletion and opens the second one.
    type Given = (u8, Option<(BoundKind, i64, i64)>);

    fn deletion(time: i64) -> DeletionTime {
        match time {
            0 => DeletionTime::LIVE,
            _ => DeletionTime { marked_for_delete_at: time, local_deletion_time: 5 },
        }
    }

    fn run(given: &[Given]) -> Result<()> {
        let mut check = check();
        for (i, (value, marker)) in (0_u64..).zip(given) {
            let bytes = [0, 0, 0, *value];
            let (bound, closed, opened) = match marker {
                None => (None, 0, 0),
                Some((kind, closed, opened)) => (Some(*kind), *closed, *opened),
            };
            check.unfiltered(&UnfilteredAt {
                start: 10 * i,
                end: 10 * i + 10,
                bound,
                clustering: &[Span::new(0, 4)],
                bytes: &bytes,
                open_before: DeletionTime::LIVE,
                closed: deletion(closed),
                open_behind: deletion(opened),
            })?;
        }
        check.partition_end(99)
    }

    #[test]
    fn rows_and_markers_in_order_are_well() {
        use BoundKind::{ExclusiveEndInclusiveStart, InclusiveEnd, InclusiveStart};
        run(&[(9, None), (8, None), (3, None)]).unwrap();
        run(&[
            (9, Some((InclusiveStart, 0, 1))),
            (9, None),
            (5, Some((ExclusiveEndInclusiveStart, 1, 2))),
            (5, None),
            (5, Some((InclusiveEnd, 2, 0))),
            (4, None),
        ])
        .unwrap();
    }

    #[test]
    fn what_does_not_follow_is_told() {
        use BoundKind::{InclusiveEnd, InclusiveEndExclusiveStart, InclusiveStart};
        for (given, says) in [
            (
                &[(9, None), (9, None)][..],
                "at offset 110: clustering of a row or marker: expected behind that of the one at 100, got the same",
            ),
            (&[(8, None), (9, None)], "got in front of it"),
            (&[(9, None), (9, Some((InclusiveStart, 0, 1)))], "got in front of it"),
            (&[(9, Some((InclusiveEnd, 1, 0)))], "expected none, got one marked at 1, at second 5"),
            (
                &[(9, Some((InclusiveStart, 0, 1))), (7, Some((InclusiveStart, 0, 1)))],
                "expected one marked at 1",
            ),
            (
                &[(9, Some((InclusiveStart, 0, 1))), (7, Some((InclusiveEnd, 2, 0)))],
                "got one marked at 2",
            ),
            (
                &[(9, Some((InclusiveStart, 0, 1))), (7, Some((InclusiveEndExclusiveStart, 3, 1)))],
                "got one marked at 3",
            ),
            (
                &[(9, Some((InclusiveStart, 0, 1))), (7, None)],
                "at offset 198: range tombstone at the end of the partition: expected none",
            ),
        ] {
            let error = run(given).unwrap_err().to_string();
            assert!(error.contains(says), "{given:?}: {error}");
        }
    }
}
