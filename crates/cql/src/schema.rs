//! Tables as CQL declares them.

use std::cmp::Ordering;

use crate::CqlType;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// As created, case kept
    pub name: String,
    /// Its type
    pub cql_type: CqlType,
    /// Whether it is stored as one cell an element: a collection or UDT that is not frozen.
    pub multi_cell: bool,
}

/// The order of columns in files and, among static and among regular ones, in `SELECT *`: by name
/// bytes, unsigned but for the first one (`ColumnMetadata.comparisonOrder`, 3.0 to 5.0): names that
/// start with a letter outside ASCII come first.
#[must_use]
pub fn compare_names(a: &str, b: &str) -> Ordering {
    let first = |name: &str| name.bytes().next().map(|byte| byte as i8);
    first(a).cmp(&first(b)).then_with(|| a.as_bytes().cmp(b.as_bytes()))
}

/// A clustering column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusteringColumn {
    /// Name and type; never multi-cell
    pub column: Column,
    /// Whether the table's CLUSTERING ORDER says DESC
    pub descending: bool,
}

/// A column that was dropped. Cells up to its drop time are not part of the table, even if a
/// column of the same name was added again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedColumn {
    /// Name and type at the drop; UDTs may have become tuples
    pub column: Column,
    /// Whether it was static
    pub is_static: bool,
    /// Microseconds since 1970
    pub drop_time_us: i64,
}

/// How the storage engine lays a table out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// As declared
    Plain,
    /// `WITH COMPACT STORAGE` without clustering columns: the declared columns are stored as static
    /// ones; a hidden clustering column and a hidden regular column are not shown.
    CompactStatic,
    /// `WITH COMPACT STORAGE` with clustering columns: one regular column, hidden if none was
    /// declared; trailing clustering values may be null.
    CompactDense,
}

/// What a table is a materialized view of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// Name of the base table, of the same keyspace
    pub base_table: String,
    /// Whether a row without live primary key liveness is not shown, whatever cells it has: the
    /// view's key holds a column that is not in the base table's key (`View.enforceStrictLiveness`).
    pub strict_liveness: bool,
}

/// A table's schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Keyspace name, case kept
    pub keyspace: String,
    /// Table name, case kept
    pub name: String,
    /// The table's UUID, where known
    pub id: Option<[u8; 16]>,
    /// In key order
    pub partition_key: Vec<Column>,
    /// In key order
    pub clustering: Vec<ClusteringColumn>,
    /// In the order of [`compare_names`]
    pub statics: Vec<Column>,
    /// In the order of [`compare_names`]
    pub regulars: Vec<Column>,
    /// Newest drop of each name
    pub dropped: Vec<DroppedColumn>,
    /// See [`Layout`]
    pub layout: Layout,
    /// `Some` for materialized views
    pub view: Option<View>,
    /// Whether its files may have columns that are not named here: only some columns of tables of
    /// the system are
    pub accepts_unknown_columns: bool,
}

impl Table {
    /// The columns of the partition key and the clustering columns.
    pub fn primary_key(&self) -> impl Iterator<Item = &Column> {
        self.partition_key.iter().chain(self.clustering.iter().map(|c| &c.column))
    }

    /// The columns in the order of `SELECT *`: partition key, clustering, then static and regular
    /// columns, each by name.
    pub fn select_order(&self) -> impl Iterator<Item = &Column> {
        let clustering = self.clustering.iter().map(|c| &c.column);
        self.partition_key.iter().chain(clustering).chain(&self.statics).chain(&self.regulars)
    }
}

#[cfg(test)]
mod tests {
    use super::compare_names;

    #[test]
    fn names_outside_ascii_come_first() {
        let mut names = ["z", "é", "A", "aé", "az", "日本", "a", ""];
        names.sort_by(|a, b| compare_names(a, b));
        assert_eq!(names, ["", "é", "日本", "A", "a", "az", "aé", "z"]);
    }
}
