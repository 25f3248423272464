use std::cmp::Ordering;

use outpour_cql::marshal::MarshalType;
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
    /// The row, or the bound of that kind, whose values lie in `bytes`.
    pub(crate) fn new(bytes: &'a [u8], values: &'a [Span], bound: Option<BoundKind>) -> Self {
        Self { bytes, values, bound }
    }

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

    /// Of values of these types; reversed ones order descending.
    pub(crate) fn of_types(types: &[MarshalType]) -> Self {
        let comparator = |t: &MarshalType| Comparator::new(&t.cql_type, t.reversed);
        Self { components: types.iter().map(comparator).collect() }
    }

    /// Whether the first values of `position` lie in front of `bound`; null has no place.
    pub(crate) fn is_in_front_of(&self, position: Position<'_>, bound: &[Option<Vec<u8>>]) -> bool {
        self.compare_values(position, bound).is_lt()
    }

    /// Whether the first values of `position` lie behind `bound`; null has no place.
    pub(crate) fn is_behind(&self, position: Position<'_>, bound: &[Option<Vec<u8>>]) -> bool {
        self.compare_values(position, bound).is_gt()
    }

    fn compare_values(&self, position: Position<'_>, bound: &[Option<Vec<u8>>]) -> Ordering {
        let values = position.values.iter().map(|value| value.of(position.bytes));
        let mut pairs = self.components.iter().zip(values.zip(bound));
        let compared = pairs.find_map(|(comparator, (value, bound))| {
            let (Some(value), Some(bound)) = (value, bound) else { return Some(Ordering::Equal) };
            Some(comparator.compare(value, bound)).filter(|order| order.is_ne())
        });
        compared.unwrap_or(Ordering::Equal)
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
