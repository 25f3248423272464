//! One SSTable as a stream of partitions, rows and markers.

mod blocks;
mod chunks;
mod cursor;
mod keys;
mod partition_index;
mod partition_starts;
mod plan;
mod span;
mod stop;
mod totals;
mod window;

pub(crate) use blocks::Blocks;
pub(crate) use chunks::ChunkReader;
pub(crate) use cursor::{CellVisitor, Cursor, Step};
pub(crate) use keys::Keys;
pub(crate) use partition_index::{PartitionIndex, RowPlace};
pub(crate) use partition_starts::PartitionStarts;
pub(crate) use plan::{
    ColumnKind, ColumnPlan, Plan, Side, hidden_column, sort_by_cells, stored_regulars,
    stored_statics,
};
pub(crate) use span::Span;
pub(crate) use stop::{Corrupt, Stop};
pub(crate) use totals::{Met, Totals};
