//! Tables from the rows of `system_schema` (`schema/SchemaKeyspace.java`, 3.0 to 5.0).

use std::collections::HashMap;
use std::sync::Arc;

use super::schema_file::{Schema, build, column_of};
use super::statement::{Options, RawKey};
use super::type_text::{RawType, Resolved, parse_alone};
use crate::{
    ClusteringColumn, CqlType, DroppedColumn, Layout, SchemaError, Table, UdtField, UdtType, View,
};

/// The tables of `system_schema` that are read, with the columns that are needed of them; their
/// files may have more.
const SYSTEM_TABLES: &str = "
CREATE TABLE system_schema.tables (keyspace_name text, table_name text, id uuid, flags frozen<set<text>>,
    PRIMARY KEY (keyspace_name, table_name));
CREATE TABLE system_schema.columns (keyspace_name text, table_name text, column_name text, clustering_order text,
    kind text, position int, type text, PRIMARY KEY (keyspace_name, table_name, column_name));
CREATE TABLE system_schema.types (keyspace_name text, type_name text, field_names frozen<list<text>>,
    field_types frozen<list<text>>, PRIMARY KEY (keyspace_name, type_name));
CREATE TABLE system_schema.dropped_columns (keyspace_name text, table_name text, column_name text,
    dropped_time timestamp, kind text, type text, PRIMARY KEY (keyspace_name, table_name, column_name));
CREATE TABLE system_schema.views (keyspace_name text, view_name text, base_table_name text, id uuid,
    PRIMARY KEY (keyspace_name, view_name));
";

/// The schema of a table of `system_schema`: `tables`, `columns`, `types`, `dropped_columns` or
/// `views`. The table's files may have columns that it does not name.
#[must_use]
pub fn system_table(name: &str) -> Option<Table> {
    // The text above is ours, and a test reads it.
    let schema = Schema::parse(SYSTEM_TABLES).ok()?;
    let table = schema.find(Some("system_schema"), name).next()?;
    Some(Table { accepts_unknown_columns: true, ..table.clone() })
}

/// A row of `system_schema.tables`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct TableRow {
    pub table_name: String,
    pub id: Option<[u8; 16]>,
    pub flags: Vec<String>,
}

/// A row of `system_schema.columns`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct ColumnRow {
    pub table_name: String,
    pub column_name: String,
    pub clustering_order: String,
    pub kind: String,
    pub position: i32,
    pub cql_type: String,
}

/// A row of `system_schema.types`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct TypeRow {
    pub type_name: String,
    pub field_names: Vec<String>,
    pub field_types: Vec<String>,
}

/// A row of `system_schema.dropped_columns`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct DroppedColumnRow {
    pub table_name: String,
    pub column_name: String,
    pub dropped_time_ms: i64,
    pub kind: String,
    pub cql_type: String,
}

/// A row of `system_schema.views`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct ViewRow {
    pub view_name: String,
    pub base_table_name: String,
    pub id: Option<[u8; 16]>,
}

/// The rows of `system_schema` that one keyspace has.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the tables are.
pub struct SystemRows {
    pub keyspace: String,
    pub tables: Vec<TableRow>,
    pub columns: Vec<ColumnRow>,
    pub types: Vec<TypeRow>,
    pub dropped_columns: Vec<DroppedColumnRow>,
    pub views: Vec<ViewRow>,
}

impl SystemRows {
    /// The table or materialized view called `name`; `None` if there is none.
    ///
    /// # Errors
    /// [`SchemaError`] for rows that contradict each other or types that are not known.
    pub fn table(&self, name: &str) -> Result<Option<Table>, SchemaError> {
        let view = self.views.iter().find(|view| view.view_name == name);
        let row = self.tables.iter().find(|table| table.table_name == name);
        let (id, layout) = match (row, view) {
            (Some(row), _) => (row.id, layout(&row.flags)),
            (None, Some(view)) => (view.id, Layout::Plain),
            (None, None) => return Ok(None),
        };
        let mut table = self.declared(name, id)?;
        for dropped in self.dropped_columns.iter().filter(|row| row.table_name == name) {
            let column = column_of(dropped.column_name.clone(), self.resolve(&dropped.cql_type)?);
            table.dropped.push(DroppedColumn {
                column,
                is_static: dropped.kind == "static",
                drop_time_us: dropped.dropped_time_ms.saturating_mul(1000),
            });
        }
        hide(&mut table, layout);
        table.view = view.map(|view| View {
            base_table: view.base_table_name.clone(),
            strict_liveness: self.is_strict(&table, &view.base_table_name),
        });
        Ok(Some(table))
    }

    fn declared(&self, name: &str, id: Option<[u8; 16]>) -> Result<Table, SchemaError> {
        let mut rows: Vec<_> = self.columns.iter().filter(|row| row.table_name == name).collect();
        rows.sort_by_key(|row| row.position);
        let columns = rows
            .iter()
            .map(|row| {
                let resolved = self.resolve(&row.cql_type)?;
                Ok((row.column_name.clone(), resolved, row.kind == "static"))
            })
            .collect::<Result<Vec<_>, SchemaError>>()?;
        let of_kind = |kind: &str| {
            rows.iter().filter(|row| row.kind == kind).map(|row| row.column_name.clone()).collect()
        };
        let key = RawKey { partition: of_kind("partition_key"), clustering: of_kind("clustering") };
        let descending =
            rows.iter().filter(|row| row.clustering_order.eq_ignore_ascii_case("desc"));
        let descending = descending.map(|row| row.column_name.clone()).collect();
        let options = Options { id, descending, is_compact: false };
        build(&(self.keyspace.clone(), name.to_owned()), &columns, &key, &options)
    }

    /// Whether the view's key has a column that the base table's key has not.
    fn is_strict(&self, view: &Table, base: &str) -> bool {
        let is_base_key = |name: &str| {
            self.columns.iter().any(|row| {
                row.table_name == base
                    && row.column_name == name
                    && matches!(row.kind.as_str(), "partition_key" | "clustering")
            })
        };
        view.primary_key().any(|column| !is_base_key(&column.name))
    }

    fn resolve(&self, cql_type: &str) -> Result<Resolved, SchemaError> {
        let types: HashMap<_, _> =
            self.types.iter().map(|row| (row.type_name.as_str(), row)).collect();
        resolve_with(&parse_alone(cql_type)?, &self.keyspace, &types, 0)
    }
}

/// UDTs in UDTs: a cycle would have no end.
const UDT_DEPTH_MAX: usize = 64;

fn resolve_with(
    raw: &RawType,
    keyspace: &str,
    types: &HashMap<&str, &TypeRow>,
    depth: usize,
) -> Result<Resolved, SchemaError> {
    raw.resolve(&mut |_, name| {
        let row = types.get(name).filter(|_| depth <= UDT_DEPTH_MAX).ok_or_else(|| {
            SchemaError::new(format!("type {keyspace}.{name} is not in system_schema.types"))
        })?;
        let fields = row
            .field_names
            .iter()
            .zip(&row.field_types)
            .map(|(name, text)| {
                let raw = parse_alone(text)?;
                let cql_type = resolve_with(&raw, keyspace, types, depth + 1)?.cql_type;
                Ok(UdtField { name: name.clone(), cql_type })
            })
            .collect::<Result<_, SchemaError>>()?;
        let (keyspace, name) = (keyspace.to_owned(), name.to_owned());
        Ok(CqlType::Udt(Arc::new(UdtType { keyspace, name, fields })))
    })
}

/// `TableMetadata.isStaticCompactTable`, `isCompactTable` (4.0 to 5.0).
fn layout(flags: &[String]) -> Layout {
    let has = |flag: &str| flags.iter().any(|found| found == flag);
    match (has("dense"), has("compound"), has("super")) {
        (false, true, false) => Layout::Plain,
        (false, false, false) => Layout::CompactStatic,
        _ => Layout::CompactDense,
    }
}

/// Takes away the columns that compact tables have and CQL does not show.
fn hide(table: &mut Table, layout: Layout) {
    table.layout = layout;
    match layout {
        Layout::Plain => {}
        Layout::CompactStatic => {
            table.clustering = Vec::<ClusteringColumn>::new();
            table.regulars = std::mem::take(&mut table.statics);
        }
        Layout::CompactDense => table.regulars.retain(|column| column.cql_type != CqlType::Empty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tables_are_known() {
        for name in ["tables", "columns", "types", "dropped_columns", "views"] {
            assert_eq!(system_table(name).unwrap().name, name);
        }
        assert!(system_table("keyspaces").is_none());
    }

    fn column(name: &str, kind: &str, position: i32, cql_type: &str) -> ColumnRow {
        ColumnRow {
            table_name: "t".into(),
            column_name: name.into(),
            clustering_order: if name == "c" { "desc".into() } else { "none".into() },
            kind: kind.into(),
            position,
            cql_type: cql_type.into(),
        }
    }

    fn rows(flags: &[&str], columns: Vec<ColumnRow>) -> SystemRows {
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        SystemRows {
            keyspace: "k".into(),
            tables: vec![TableRow { table_name: "t".into(), id: None, flags }],
            columns,
            types: vec![TypeRow {
                type_name: "Addr".into(),
                field_names: vec!["zip".into()],
                field_types: vec!["int".into()],
            }],
            ..SystemRows::default()
        }
    }

    #[test]
    fn rows_make_the_same_table_as_cql() {
        let rows = rows(
            &["compound"],
            vec![
                column("b", "partition_key", 1, "text"),
                column("a", "partition_key", 0, "int"),
                column("c", "clustering", 0, "timestamp"),
                column("s", "static", -1, "set<frozen<\"Addr\">>"),
                column("r", "regular", -1, "\"Addr\""),
            ],
        );
        let cql = "CREATE TYPE k.\"Addr\" (zip int); CREATE TABLE k.t (a int, b text, c timestamp, \
            s set<frozen<\"Addr\">> static, r \"Addr\", PRIMARY KEY ((a, b), c)) WITH CLUSTERING ORDER BY (c DESC)";
        let schema = Schema::parse(cql).unwrap();
        assert_eq!(rows.table("t").unwrap().as_ref(), schema.tables().first());
        assert_eq!(rows.table("u"), Ok(None));
    }

    #[test]
    fn columns_of_compact_tables_are_hidden() {
        let rows = rows(
            &[],
            vec![
                column("k", "partition_key", 0, "text"),
                column("column1", "clustering", 0, "text"),
                column("a", "static", -1, "int"),
                column("value", "regular", -1, "blob"),
            ],
        );
        let table = rows.table("t").unwrap().unwrap();
        let names: Vec<_> = table.select_order().map(|column| column.name.as_str()).collect();
        assert_eq!((names.as_slice(), table.layout), (&["k", "a"][..], Layout::CompactStatic));
    }
}
