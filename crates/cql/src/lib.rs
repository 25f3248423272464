//! CQL: types, schemas, order of values, tokens, and cells to Arrow columns.
//!
//! Nothing here does I/O.

pub mod arrow;
mod batch;
pub mod byte_comparable;
mod column;
mod compare;
mod compatible;
pub mod counter;
mod ddl;
mod error;
mod fragment;
mod frozen;
mod literal;
pub mod marshal;
#[cfg(test)]
mod random;
mod schema;
pub mod syntax;
mod token;
mod types;

pub use batch::{Batch, ColumnValues, Empties, OutputColumn};
pub use column::{
    Cell, CellError, Cells, ColumnBuilder, NotOfType, cell_builder, cells, column_builder,
};
pub use compare::{Comparator, order_key};
pub use ddl::{
    ColumnRow, DroppedColumnRow, Schema, SystemRows, TableRow, TypeRow, ViewRow, create_table,
    quoted, system_table, type_text,
};
pub use error::SchemaError;
pub use fragment::{
    Bound, BoundFragment, CellColumn, CellValues, Deletion, Fragment, FragmentBatch,
    FragmentLayout, FragmentValues, PartitionFragment, RowFragment, Times, ValueColumn,
};
pub use literal::{Literal, LiteralError};
pub use schema::{ClusteringColumn, Column, DroppedColumn, Layout, Table, View, compare_names};
pub use token::{Partitioner, RingPosition, Token, UnknownPartitioner};
pub use types::{CqlType, UdtField, UdtType};
