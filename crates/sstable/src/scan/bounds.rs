use std::cmp::Ordering;

use outpour_cql::Table;
use outpour_filter::{ClusteringBound, ClusteringRange};

use crate::format::clustering::BoundKind;
use crate::merge::{ClusteringOrder, Position};
use crate::read::Span;

/// The rows of each partition that are wanted: those between two places.
pub(super) struct RowBounds {
    order: ClusteringOrder,
    start: Option<Bound>,
    end: Option<Bound>,
}

/// Where a row or marker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// In front of what is wanted
    Before,
    Within,
    /// Behind it
    Behind,
}

/// A place between rows.
struct Bound {
    bytes: Vec<u8>,
    values: Vec<Span>,
    kind: BoundKind,
}

impl Bound {
    fn new(bound: &ClusteringBound, kind: BoundKind) -> Self {
        let mut bytes = Vec::new();
        let values = bound.values.iter().map(|value| {
            let span = Span::new(bytes.len(), value.len());
            bytes.extend_from_slice(value);
            span
        });
        let values = values.collect();
        Self { bytes, values, kind }
    }

    fn position(&self) -> Position<'_> {
        Position::of_bound(&self.bytes, &self.values, self.kind)
    }
}

impl RowBounds {
    /// Those of `range`; none if all rows of `table` are in it.
    pub(super) fn new(range: &ClusteringRange, table: &Table) -> Option<Self> {
        let start = range.start.as_ref().map(|bound| match bound.inclusive {
            true => Bound::new(bound, BoundKind::InclusiveStart),
            false => Bound::new(bound, BoundKind::ExclusiveStart),
        });
        let end = range.end.as_ref().map(|bound| match bound.inclusive {
            true => Bound::new(bound, BoundKind::InclusiveEnd),
            false => Bound::new(bound, BoundKind::ExclusiveEnd),
        });
        let is_any = start.is_some() || end.is_some();
        is_any.then(|| Self { order: ClusteringOrder::new(table), start, end })
    }

    pub(super) fn side(&self, position: Position<'_>) -> Side {
        let compare = |bound: &Bound| self.order.compare(position, bound.position());
        if self.start.as_ref().map(compare) == Some(Ordering::Less) {
            return Side::Before;
        }
        match self.end.as_ref().map(compare) {
            Some(Ordering::Equal | Ordering::Greater) => Side::Behind,
            _ => Side::Within,
        }
    }
}
