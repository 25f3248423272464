//! Fragments of several SSTables to one, as the database reconciles them.

mod heap;
mod order;
mod reconcile;
mod row;

pub(crate) use heap::IndexHeap;
pub(crate) use order::{ClusteringOrder, Position};
pub(crate) use row::{Fragment, MergedRow};
