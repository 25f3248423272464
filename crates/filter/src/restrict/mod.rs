//! What a source can make of a condition before it reads: which partitions, and which rows of them.

mod clustering;
mod keys;
#[cfg(test)]
mod tests;
mod tokens;

use outpour_cql::{Partitioner, Table};

use crate::Predicate;

pub use clustering::{ClusteringBound, ClusteringRange};
pub use tokens::TokenRange;

pub(crate) use keys::{append_component, partition_key};

/// What a source makes of one of the conditions that must all hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It holds of every row that is left; nothing needs to be asked again.
    Exact,
    /// Fewer rows are left, and the condition must be asked of them.
    Inexact,
    /// It leaves all rows.
    Unsupported,
}

/// The part of a table that a condition can be true of: rows outside of it need not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restriction {
    /// The only partitions, by their serialized keys, in the order of the ring; `None`: any
    pub keys: Option<Vec<Vec<u8>>>,
    /// The only tokens: ranges in order, which do not touch each other
    pub tokens: Vec<TokenRange>,
    /// The only rows of each partition. A partition's static values are a row without clustering
    /// values, which is in no range that has a bound.
    pub clustering: ClusteringRange,
    /// For each of [`Predicate::conjuncts`]
    pub answers: Vec<Answer>,
}

impl Restriction {
    /// That of `predicate`, which was read for the same table and partitioner.
    #[must_use]
    pub fn of(predicate: &Predicate, table: &Table, partitioner: Partitioner) -> Self {
        let conjuncts = predicate.conjuncts();
        let mut answers = vec![Answer::Unsupported; conjuncts.len()];
        let tokens = tokens::of(&conjuncts, partitioner, &mut answers);
        let clustering = clustering::of(&conjuncts, table, &mut answers);
        let mut keys = keys::of(&conjuncts, table, &mut answers);
        if let Some(keys) = &mut keys {
            keys.retain(|key| {
                let token = partitioner.token(key).value();
                tokens.iter().any(|range| range.contains(token))
            });
            keys.sort_by_cached_key(|key| (partitioner.token(key), key.clone()));
            keys.dedup();
        }
        Self { keys, tokens, clustering, answers }
    }
}
