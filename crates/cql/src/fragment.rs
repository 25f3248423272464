//! Fragments: what one SSTable holds, in its own order, before anything is merged or hidden.
//!
//! Values go column by column, as in a [`crate::Batch`]; what stands around them, times, deletions and
//! their order, goes in a list. A reader of a batch takes the next value of a column whenever a
//! fragment has one.

use crate::{ColumnValues, CqlType};

/// When something was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deletion {
    /// Data written at this time or before is deleted; microseconds by convention. `i64::MIN` if
    /// there is no deletion.
    pub marked_for_delete_at: i64,
    /// The server's clock at the deletion, in seconds since 1970; [`Times::NEVER`] if not known
    pub local_deletion_time: i64,
}

impl Deletion {
    /// No deletion
    pub const LIVE: Self =
        Self { marked_for_delete_at: i64::MIN, local_deletion_time: Times::NEVER };

    /// Whether there is no deletion.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.marked_for_delete_at == i64::MIN
    }
}

/// When a cell, or a row's primary key, was written and how long it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// Microseconds by convention; [`Times::NO_TIMESTAMP`] if a row has no primary key liveness
    pub timestamp: i64,
    /// Seconds since 1970 of the expiry or of the deletion; [`Times::NEVER`]
    pub local_deletion_time: i64,
    /// Seconds; 0: does not expire. `i32::MAX` of a row that a materialized view has ended
    pub ttl: i32,
}

impl Times {
    /// The local deletion time of what lives without end.
    pub const NEVER: i64 = i64::MAX;
    /// The timestamp of rows without primary key liveness.
    pub const NO_TIMESTAMP: i64 = i64::MIN;

    /// Whether a cell with these times is a deletion.
    #[inline]
    #[must_use]
    pub fn is_tombstone(&self) -> bool {
        self.local_deletion_time != Self::NEVER && self.ttl == 0
    }
}

/// A partition's key is the next value of each of [`FragmentLayout::partition_key`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionFragment {
    /// Where it starts in the uncompressed bytes
    pub start: u64,
    /// Where its rows start: behind its deletion and the static row
    pub rows_start: u64,
    /// Of the whole partition
    pub deletion: Deletion,
}

/// A row, or the static row; its clustering values are the next of [`FragmentLayout::clustering`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowFragment {
    /// Whether it is the static row, which has no clustering
    pub is_static: bool,
    /// Whether it holds nothing at all: neither times nor columns
    pub is_empty: bool,
    /// Where it starts in the uncompressed bytes
    pub start: u64,
    /// Where it ends
    pub end: u64,
    /// Of its primary key
    pub liveness: Times,
    /// Of the whole row
    pub deletion: Deletion,
    /// Of the whole row, by a materialized view: ended by a newer liveness
    pub shadowable: Deletion,
    /// Whether `shadowable` stands beside `deletion`, as Scylla writes it, and not instead of it
    pub has_both_deletions: bool,
}

/// Which side of its clustering values a bound lies on, and what it opens and closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The range ends before these values
    ExclusiveEnd,
    /// The range starts with these values
    InclusiveStart,
    /// A range ends before these values, and the next one starts with them
    ExclusiveEndInclusiveStart,
    /// A range ends with these values, and the next one starts behind them
    InclusiveEndExclusiveStart,
    /// The range ends with these values
    InclusiveEnd,
    /// The range starts behind these values
    ExclusiveStart,
}

impl Bound {
    /// Cassandra's name (`db/ClusteringPrefix.java`, enum Kind).
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ExclusiveEnd => "EXCL_END_BOUND",
            Self::InclusiveStart => "INCL_START_BOUND",
            Self::ExclusiveEndInclusiveStart => "EXCL_END_INCL_START_BOUNDARY",
            Self::InclusiveEndExclusiveStart => "INCL_END_EXCL_START_BOUNDARY",
            Self::InclusiveEnd => "INCL_END_BOUND",
            Self::ExclusiveStart => "EXCL_START_BOUND",
        }
    }
}

/// A bound of a range tombstone, or a boundary between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoundFragment {
    /// Its kind
    pub bound: Bound,
    /// Clustering values that it has, which are the next of so many clustering columns
    pub values: usize,
    /// Where it starts in the uncompressed bytes
    pub start: u64,
    /// Where it ends
    pub end: u64,
    /// The range tombstone that ends here
    pub closes: Option<Deletion>,
    /// The range tombstone that starts here
    pub opens: Option<Deletion>,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fragment {
    /// The next of [`FragmentBatch::partitions`]
    Partition,
    /// The next of [`FragmentBatch::rows`]; its columns follow
    Row,
    /// A multi-cell column of the row, with its own deletion; its cells follow
    Column {
        /// Index in [`FragmentLayout::columns`]
        column: u32,
        /// Of all its cells so far
        deletion: Deletion,
    },
    /// A cell of the row
    Cell {
        /// Index in [`FragmentLayout::columns`]
        column: u32,
        /// The field of a multi-cell UDT, where [`CellValues::Fields`] tells them apart
        field: u16,
        /// When it was written
        times: Times,
    },
    /// The row has no more columns
    RowEnd,
    /// The next of [`FragmentBatch::bounds`]
    Bound,
    /// The partition has no more rows
    PartitionEnd,
}

/// What is kept of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FragmentValues {
    /// Each value in its type, but for what Cassandra shows otherwise: keys and paths with values
    /// inside, and counters, are bytes. A deleted cell has no value.
    Typed,
    /// The same, but all values with values inside are bytes, except in the clustering.
    Shown,
    /// The bytes of each value as they are in the file, those of deleted cells and of counters too.
    /// The whole partition key is one value.
    Bytes,
}

/// A column of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueColumn {
    /// What it is, for messages
    pub name: String,
    /// What its values are
    pub cql_type: CqlType,
    /// Whether the batch holds their bytes, and not the type's own array
    pub is_bytes: bool,
}

/// Where the values of a column's cells are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellValues {
    /// All in one column of values
    One(usize),
    /// Those of each field of a multi-cell UDT in their own
    Fields(Vec<usize>),
}

/// A static or regular column of an SSTable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellColumn {
    /// As created, case kept
    pub name: String,
    /// Its type
    pub cql_type: CqlType,
    /// Whether it has one cell an element, with a path
    pub multi_cell: bool,
    /// The column of values that its cells' paths are in
    pub path: Option<usize>,
    /// The values of its cells
    pub values: CellValues,
}

/// What the batches of one SSTable hold. All numbers are indexes of [`FragmentLayout::values`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FragmentLayout {
    /// The columns of values, as in [`FragmentBatch::values`]
    pub values: Vec<ValueColumn>,
    /// One for each component of the partition key, or one for all
    pub partition_key: Vec<usize>,
    /// In key order
    pub clustering: Vec<usize>,
    /// Static columns, then regular ones, each in the order of their cells
    pub columns: Vec<CellColumn>,
}

/// Some consecutive fragments. A row or a partition may go on in the next batch.
#[derive(Debug, Clone, Default)]
pub struct FragmentBatch {
    /// In the order of the file
    pub fragments: Vec<Fragment>,
    /// The partitions among them
    pub partitions: Vec<PartitionFragment>,
    /// The rows among them
    pub rows: Vec<RowFragment>,
    /// The bounds among them
    pub bounds: Vec<BoundFragment>,
    /// One for each of [`FragmentLayout::values`]
    pub values: Vec<ColumnValues>,
}
