use std::cmp::Ordering;

use outpour_cql::{Comparator, Table};

use crate::format::clustering::BoundKind;
use crate::read::{Cursor, Span};

/// The order of rows and bounds in a partition (`db/ClusteringComparator.java`).
///
/// Values are compared component by component up to the shorter of two prefixes; null comes before
/// every value, even in a descending column. Of equal prefixes the bound tells: it lies before all
/// rows that start with its values, or behind them.
pub(crate) struct ClusteringOrder {
    components: Vec<Comparator>,
}

/// A row's or bound's place in a partition.
#[derive(Clone, Copy)]
pub(crate) struct Position<'a> {
    bytes: &'a [u8],
    values: &'a [Span],
    bound: Option<BoundKind>,
}

impl<'a> Position<'a> {
    /// Where `cursor` stands.
    pub(crate) fn of(cursor: &'a Cursor) -> Self {
        Self { bytes: cursor.bytes(), values: cursor.clustering(), bound: cursor.bound() }
    }

    /// The place of a bound, whose values are in `bytes`.
    pub(crate) fn of_bound(bytes: &'a [u8], values: &'a [Span], bound: BoundKind) -> Self {
        Self { bytes, values, bound: Some(bound) }
    }

    /// -1: before all rows with these values, 1: behind them, 0: a row.
    fn side(&self) -> i8 {
        match self.bound {
            None => 0,
            Some(bound) if bound.is_before_rows() => -1,
            Some(_) => 1,
        }
    }
}

impl ClusteringOrder {
    pub(crate) fn new(table: &Table) -> Self {
        let comparator =
            |c: &outpour_cql::ClusteringColumn| Comparator::new(&c.column.cql_type, c.descending);
        Self { components: table.clustering.iter().map(comparator).collect() }
    }

    pub(crate) fn compare(&self, a: Position<'_>, b: Position<'_>) -> Ordering {
        for (comparator, (x, y)) in self.components.iter().zip(a.values.iter().zip(b.values)) {
            let order = match (x.of(a.bytes), y.of(b.bytes)) {
                (Some(x), Some(y)) => comparator.compare(x, y),
                (x, y) => x.is_some().cmp(&y.is_some()),
            };
            if order.is_ne() {
                return order;
            }
        }
        match a.values.len().cmp(&b.values.len()) {
            Ordering::Equal => a.side().cmp(&b.side()),
            Ordering::Less => a.side().cmp(&0),
            Ordering::Greater => 0.cmp(&b.side()),
        }
    }
}
