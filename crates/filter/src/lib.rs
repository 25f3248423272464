//! Conditions on rows.
//!
//! A [`Predicate`] is one typed tree: [`Predicate::parse`] reads it from CQL's WHERE, a [`Filter`]
//! evaluates it on batches, and [`Restriction`] is what a source can make of it before it reads.
//!
//! Logic has three values. What compares with null is neither true nor false, NOT keeps it so, and a
//! row is kept only where the whole is true.

mod error;
mod evaluate;
mod keep;
mod parse;
mod predicate;
mod restrict;

pub use error::FilterError;
pub use evaluate::{Filter, Form, Input};
pub use keep::keep;
pub use predicate::{Column, Comparison, Part, Path, Pattern, Place, Predicate, Step};
pub use restrict::{Answer, ClusteringBound, ClusteringRange, Restriction, TokenRange};
