//! CQL: types, schemas, order of values, tokens, and cells to Arrow columns.
//!
//! Nothing here does I/O.

mod batch;
mod column;
mod schema;
mod types;

pub use batch::{Batch, ColumnValues, Empties, OutputColumn};
pub use column::{Cell, CellError, ColumnBuilder};
pub use schema::{ClusteringColumn, Column, DroppedColumn, Layout, Table, View};
pub use types::{CqlType, UdtField, UdtType};
