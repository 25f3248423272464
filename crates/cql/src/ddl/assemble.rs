//! Columns, key and options make a table.

use super::resolve::{Key, Resolved, label};
use super::statement::{Options, RawKey, RawView};
use crate::{ClusteringColumn, Column, Layout, SchemaError, Table, View, compare_names};

/// A declared column with its type.
#[derive(Debug, Clone)]
pub(super) struct Declaration {
    pub(super) name: String,
    pub(super) resolved: Resolved,
    pub(super) is_static: bool,
}

impl Declaration {
    pub(super) fn column(&self) -> Column {
        let Resolved { cql_type, multi_cell } = self.resolved.clone();
        Column { name: self.name.clone(), cql_type, multi_cell }
    }
}

/// Puts a table together.
pub(super) fn table(
    name: &Key,
    columns: &[Declaration],
    key: &RawKey,
    options: &Options,
) -> Result<Table, SchemaError> {
    let error = |what: String| SchemaError::new(format!("{}: {what}", label(name)));
    let key = &declared_key(columns, key, options);
    check_names(columns, key).map_err(error)?;
    let partition_key = key_columns(columns, &key.partition).map_err(error)?;
    let clustering = key_columns(columns, &key.clustering).map_err(error)?;
    let others = others(columns, key);
    let layout = layout(key, &others, options).map_err(error)?;
    check_order(key, layout, options).map_err(error)?;
    let (statics, regulars): (Vec<_>, Vec<_>) = others.into_iter().partition(|c| c.is_static);
    Ok(Table {
        keyspace: name.0.clone(),
        name: name.1.clone(),
        id: options.id,
        partition_key,
        clustering: clustering.into_iter().map(|column| ordered(column, options)).collect(),
        statics: statics.into_iter().map(Declaration::column).collect(),
        regulars: regulars.into_iter().map(Declaration::column).collect(),
        dropped: Vec::new(),
        layout,
        view: None,
        accepts_unknown_columns: false,
    })
}

/// 3.0 and 3.11 name the hidden clustering column of a static compact table in the PRIMARY KEY of
/// a schema.cql, if the partition key is composite (`ColumnFamilyStoreCQLHelper`).
fn declared_key(columns: &[Declaration], key: &RawKey, options: &Options) -> RawKey {
    let mut key = key.clone();
    let is_declared = |name: &String| columns.iter().any(|column| column.name == *name);
    if options.is_compact && !key.clustering.iter().any(is_declared) {
        key.clustering.clear();
    }
    key
}

/// No column twice, and a key.
fn check_names(columns: &[Declaration], key: &RawKey) -> Result<(), String> {
    if key.partition.is_empty() {
        return Err("it has no partition key".to_owned());
    }
    let mut names: Vec<_> = columns.iter().map(|column| &column.name).collect();
    let mut keys: Vec<_> = key.partition.iter().chain(&key.clustering).collect();
    for (names, what) in [(&mut names, "declared"), (&mut keys, "in the key")] {
        names.sort();
        if let Some([name, _]) = names.array_windows().find(|[a, b]| a == b) {
            return Err(format!("column {name} is twice {what}"));
        }
    }
    Ok(())
}

/// The columns of the key are frozen, whether or not that is said.
fn key_columns(columns: &[Declaration], names: &[String]) -> Result<Vec<Column>, String> {
    let column = |name: &String| {
        let found = columns.iter().find(|column| column.name == *name);
        let found = found.ok_or_else(|| format!("key column {name} is not declared"))?;
        Ok(Column { multi_cell: false, ..found.column() })
    };
    names.iter().map(column).collect()
}

fn ordered(column: Column, options: &Options) -> ClusteringColumn {
    let order = options.order.iter().find(|(name, _)| *name == column.name);
    ClusteringColumn { column, descending: order.is_some_and(|(_, descending)| *descending) }
}

/// The columns that are not of the key, in their order.
fn others<'a>(columns: &'a [Declaration], key: &RawKey) -> Vec<&'a Declaration> {
    let is_key = |name: &String| key.partition.contains(name) || key.clustering.contains(name);
    let mut others: Vec<_> = columns.iter().filter(|column| !is_key(&column.name)).collect();
    others.sort_by(|a, b| compare_names(&a.name, &b.name));
    others
}

fn layout(key: &RawKey, others: &[&Declaration], options: &Options) -> Result<Layout, String> {
    if !options.is_compact {
        return Ok(Layout::Plain);
    }
    if others.iter().any(|column| column.is_static) {
        return Err("a table WITH COMPACT STORAGE has no static columns".to_owned());
    }
    match (key.clustering.len(), others.len()) {
        (0, _) => Ok(Layout::CompactStatic),
        (_, 0 | 1) => Ok(Layout::CompactDense),
        (_, count) => Err(format!(
            "COMPACT STORAGE with clustering columns has one column outside the key, not {count}"
        )),
    }
}

/// Of a static compact table schema.cql tells the order of the hidden clustering column.
fn check_order(key: &RawKey, layout: Layout, options: &Options) -> Result<(), String> {
    let is_known = |name: &String| key.clustering.contains(name);
    let unknown = options.order.iter().find(|(name, _)| !is_known(name));
    match unknown.filter(|_| layout != Layout::CompactStatic) {
        None => Ok(()),
        Some((name, _)) => Err(format!("{name} in CLUSTERING ORDER BY is no clustering column")),
    }
}

/// Makes a materialized view from its base table.
pub(super) fn view(name: &Key, raw: &RawView, base: &Table) -> Result<Table, SchemaError> {
    let is_key =
        |name: &String| raw.key.partition.contains(name) || raw.key.clustering.contains(name);
    let is_shown =
        |name: &String| raw.columns.is_empty() || raw.columns.contains(name) || is_key(name);
    if let Some(column) = raw.columns.iter().find(|c| base.select_order().all(|b| b.name != **c)) {
        return Err(SchemaError::new(format!(
            "{}: column {column} is not in {}",
            label(name),
            base.name
        )));
    }
    let declaration = |column: &Column| {
        let Column { name, cql_type, multi_cell } = column.clone();
        Declaration { name, resolved: Resolved { cql_type, multi_cell }, is_static: false }
    };
    let columns = base.select_order().filter(|column| is_shown(&column.name));
    let columns: Vec<_> = columns.map(declaration).collect();
    let view = table(name, &columns, &raw.key, &raw.options)?;
    let base_key = |name: &str| base.primary_key().any(|column| column.name == name);
    let strict_liveness = view.primary_key().any(|column| !base_key(&column.name));
    Ok(Table { view: Some(View { base_table: base.name.clone(), strict_liveness }), ..view })
}
