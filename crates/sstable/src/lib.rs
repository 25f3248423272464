//! SSTables of Apache Cassandra 4.0 to 6.0: their components, and the rows of a table, merged over
//! all its SSTables as the database merges them.
//!
//! Two levels. **Fragments** are what SSTables hold: cells with all their times, and deletions. **Rows**
//! are what a query shows of them. `read` decodes the fragments of one file, `merge` reconciles
//! those of several, `rows` projects them to batches, `scan` drives all three. `fragments` pours out
//! those of one file, with nothing merged, hidden or left out.
//!
//! Foreign bytes end in an [`Error`] that names file, place, what was expected and what is there;
//! never in a panic, in fewer rows, or in more memory than the budget allows.

mod check;
mod descriptor;
mod directory;
mod error;
mod format;
mod fragments;
#[cfg(test)]
mod golden;
mod merge;
mod read;
mod rows;
mod scan;
mod sstable;
mod toc;
mod transaction;
mod version;

pub use check::TokenRange;
pub use descriptor::{Component, Descriptor, SstableId};
pub use directory::{SstableFiles, list_readable, list_sstables};
pub use error::{Error, ErrorKind, Result};
pub use format::compression_info::CompressionInfo;
pub use format::deletion::DeletionTime;
pub use format::statistics::{
    ClusteringBound, ClusteringBounds, CommitLogInterval, CommitLogPosition, EstimatedHistogram,
    HeaderColumn, SerializationHeader, Statistics, Stats, TombstoneBin,
};
pub use fragments::{Choice, FragmentOptions, Fragments, ScannedFragments};
pub use rows::Projection;
pub use scan::{Audit, Coverage, Scan, ScanOptions, ScannedBatch, Split, Splits};
pub use sstable::Sstable;
pub use version::{Format, Version};
