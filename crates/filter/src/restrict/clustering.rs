//! Clustering bounds: columns equal to values, then one range.

use outpour_cql::{Comparator, Layout, Table};

use super::Answer;
use crate::{Comparison, Path, Place, Predicate};

/// Rows of a partition from one place to another, in the order that the partition has them in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClusteringRange {
    /// Where they start; `None`: with the first row
    pub start: Option<ClusteringBound>,
    /// Where they end; `None`: with the last row
    pub end: Option<ClusteringBound>,
}

/// A place in a partition: the rows whose first clustering values are these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusteringBound {
    /// Serialized values of the first clustering columns, one at least
    pub values: Vec<Vec<u8>>,
    /// Whether those rows are in the range
    pub inclusive: bool,
}

/// The range that is left by all conditions.
pub(super) fn of(
    conjuncts: &[&Predicate],
    table: &Table,
    answers: &mut [Answer],
) -> ClusteringRange {
    let exact = match table.layout {
        // Trailing values may be null, which is in front of all and compares with none.
        Layout::CompactDense => Answer::Inexact,
        _ => Answer::Exact,
    };
    let mut builder = Builder { conjuncts, table, exact, prefix: Vec::new() };
    while builder.prefix.len() < table.clustering.len() && builder.extend_prefix(answers) {}
    let range = builder.range(answers);
    let whole = |bound: Option<ClusteringBound>| {
        let prefix = ClusteringBound { values: builder.prefix.clone(), inclusive: true };
        bound.or(Some(prefix).filter(|bound| !bound.values.is_empty()))
    };
    ClusteringRange { start: whole(range.start), end: whole(range.end) }
}

struct Builder<'a> {
    conjuncts: &'a [&'a Predicate],
    table: &'a Table,
    /// The answer to a condition that a bound expresses
    exact: Answer,
    /// Values that the first columns are equal to
    prefix: Vec<Vec<u8>>,
}

impl Builder<'_> {
    /// Adds what the next column, or several, are equal to; whether anything says that.
    fn extend_prefix(&mut self, answers: &mut [Answer]) -> bool {
        for (conjunct, answer) in self.conjuncts.iter().zip(answers) {
            let values = match conjunct {
                Predicate::Compare { path, comparison: Comparison::Equal, value } => {
                    self.is_next(std::slice::from_ref(path)).then(|| vec![value.clone()])
                }
                Predicate::In { path, values } if values.len() == 1 => {
                    self.is_next(std::slice::from_ref(path)).then(|| values.clone())
                }
                Predicate::Row { paths, comparison: Comparison::Equal, values } => {
                    self.is_next(paths).then(|| values.clone())
                }
                _ => None,
            };
            if let Some(values) = values {
                self.prefix.extend(values);
                *answer = self.exact;
                return true;
            }
        }
        false
    }

    /// Whether the paths are the clustering columns behind the prefix.
    fn is_next(&self, paths: &[Path]) -> bool {
        let is_place = |(i, path): (usize, &Path)| {
            let column = path.whole_column();
            column.is_some_and(|c| c.place == Place::Clustering(self.prefix.len() + i))
        };
        paths.iter().enumerate().all(is_place)
    }

    /// The range of the column behind the prefix: that of its own conditions, else that of one on it
    /// and columns behind it.
    fn range(&self, answers: &mut [Answer]) -> ClusteringRange {
        let mut range = ClusteringRange::default();
        for (conjunct, answer) in self.conjuncts.iter().zip(answers.iter_mut()) {
            match conjunct {
                Predicate::Compare { path, comparison, value }
                    if self.is_next(std::slice::from_ref(path)) =>
                {
                    self.narrow(&mut range, *comparison, value);
                    *answer = self.exact;
                }
                Predicate::In { path, values } if self.is_next(std::slice::from_ref(path)) => {
                    self.narrow_to_list(&mut range, values);
                    *answer = Answer::Inexact;
                }
                _ => {}
            }
        }
        if range == ClusteringRange::default() { self.range_of_row(answers) } else { range }
    }

    fn is_descending(&self, index: usize) -> bool {
        self.table.clustering.get(index).is_some_and(|column| column.descending)
    }

    /// Bounds `range` by what the next column compares with.
    fn narrow(&self, range: &mut ClusteringRange, comparison: Comparison, value: &[u8]) {
        let at = self.prefix.len();
        let Some(column) = self.table.clustering.get(at) else { return };
        let comparator = Comparator::new(&column.column.cql_type, column.descending);
        let stored = if column.descending { comparison.reversed() } else { comparison };
        let (is_start, is_end, inclusive) = sides(stored);
        let values = [self.prefix.clone(), vec![value.to_vec()]].concat();
        let bound = ClusteringBound { values, inclusive };
        let last = |bound: &ClusteringBound| bound.values.last().cloned().unwrap_or_default();
        // Of two bounds at one place the one that leaves it out is narrower.
        if is_start
            && range.start.as_ref().is_none_or(|known| {
                let order = comparator.compare(value, &last(known));
                order.is_gt() || (order.is_eq() && !inclusive)
            })
        {
            range.start = Some(bound.clone());
        }
        if is_end
            && range.end.as_ref().is_none_or(|known| {
                let order = comparator.compare(value, &last(known));
                order.is_lt() || (order.is_eq() && !inclusive)
            })
        {
            range.end = Some(bound);
        }
    }

    /// Bounds `range` by the first and the last of several values.
    fn narrow_to_list(&self, range: &mut ClusteringRange, values: &[Vec<u8>]) {
        let Some(column) = self.table.clustering.get(self.prefix.len()) else { return };
        let comparator = Comparator::new(&column.column.cql_type, false);
        let least = values.iter().min_by(|a, b| comparator.compare(a, b));
        let greatest = values.iter().max_by(|a, b| comparator.compare(a, b));
        if let (Some(least), Some(greatest)) = (least, greatest) {
            self.narrow(range, Comparison::GreaterOrEqual, least);
            self.narrow(range, Comparison::LessOrEqual, greatest);
        }
    }

    /// The bounds that a condition on the next columns gives.
    fn range_of_row(&self, answers: &mut [Answer]) -> ClusteringRange {
        let mut range = ClusteringRange::default();
        for (conjunct, answer) in self.conjuncts.iter().zip(answers) {
            let Predicate::Row { paths, comparison, values } = conjunct else { continue };
            if paths.is_empty() || !self.is_next(paths) {
                continue;
            }
            let (start, end) = (range.start.is_some(), range.end.is_some());
            let at = self.prefix.len();
            let descending = self.is_descending(at);
            let stored = if descending { comparison.reversed() } else { *comparison };
            let (is_start, is_end, inclusive) = sides(stored);
            if (is_start && start) || (is_end && end) {
                continue;
            }
            // Columns of both directions: the first one alone has a range.
            let is_exact = (at..at + paths.len()).all(|i| self.is_descending(i) == descending);
            let used = if is_exact { values.as_slice() } else { &values[..1] };
            let values = [&self.prefix[..], used].concat();
            let bound = ClusteringBound { values, inclusive: inclusive || !is_exact };
            if is_start {
                range.start = Some(bound);
            } else if is_end {
                range.end = Some(bound);
            }
            *answer = if is_exact { self.exact } else { Answer::Inexact };
        }
        range
    }
}

/// Whether a comparison bounds the start, whether the end, and whether the bound is in the range.
fn sides(comparison: Comparison) -> (bool, bool, bool) {
    match comparison {
        Comparison::Equal => (true, true, true),
        Comparison::Less => (false, true, false),
        Comparison::LessOrEqual => (false, true, true),
        Comparison::Greater => (true, false, false),
        Comparison::GreaterOrEqual => (true, false, true),
    }
}
