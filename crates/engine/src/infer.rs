//! A schema made of nothing but the headers of SSTables.

use std::sync::Arc;

use outpour_cql::{
    ClusteringColumn, Column, CqlType, Layout, Table, UdtType, compare_names, marshal,
};
use outpour_sstable::{HeaderColumn, Sstable};

use crate::source::TableName;
use crate::{Error, Result};

/// The table that the files' headers describe. Key columns are called `key` (`key1`, `key2`, …) and
/// `column1`, `column2`, …; the other columns are those that occur in any of the files.
///
/// # Errors
/// Invalid if the files contradict each other, Unsupported for a type that is not known.
pub(crate) fn infer(name: &TableName, sstables: &[Sstable]) -> Result<Table> {
    let mut table = Table {
        keyspace: name.keyspace.clone().unwrap_or_else(|| "unknown".to_owned()),
        name: name.name.clone().unwrap_or_else(|| "unknown".to_owned()),
        id: None,
        partition_key: Vec::new(),
        clustering: Vec::new(),
        statics: Vec::new(),
        regulars: Vec::new(),
        dropped: Vec::new(),
        layout: Layout::Plain,
        view: None,
        accepts_unknown_columns: false,
    };
    for sstable in sstables {
        let header = &sstable.statistics().header;
        let file = sstable.statistics_name();
        add_all(&mut table.statics, &header.statics, file)?;
        add_all(&mut table.regulars, &header.regulars, file)?;
    }
    if table.regulars.iter().any(|column| column.cql_type == CqlType::Empty) {
        table.layout = Layout::CompactDense;
        table.regulars.retain(|column| column.cql_type != CqlType::Empty);
    }
    for sstable in sstables {
        add_keys(&mut table, sstable)?;
    }
    Ok(table)
}

/// The UDTs that the columns of the files are made of.
pub(crate) fn udts(sstables: &[Sstable]) -> Vec<Arc<UdtType>> {
    let mut found = Vec::new();
    for header in sstables.iter().map(|sstable| &sstable.statistics().header) {
        let columns = header.statics.iter().chain(&header.regulars);
        let types = columns.map(|column| &column.java_type).chain(&header.clustering_types);
        for java_type in types.chain([&header.partition_key_type]) {
            // A type that is not known is an error where its column is read.
            if let Ok(parsed) = marshal::parse(java_type) {
                parsed.cql_type.collect_udts(&mut found);
            }
        }
    }
    // Of one that got fields since, itself or in its fields, the longest.
    found.sort_by_key(|udt| std::cmp::Reverse(field_count(&CqlType::Udt(Arc::clone(udt)))));
    found
}

fn field_count(cql_type: &CqlType) -> usize {
    let inner = cql_type.inner();
    inner.len() + inner.into_iter().map(field_count).sum::<usize>()
}

/// Adds the key columns, or, where another file has told them, the fields that UDTs in them have
/// got since.
fn add_keys(table: &mut Table, sstable: &Sstable) -> Result<()> {
    let (partition_key, clustering) = key_types(sstable)?;
    if !table.partition_key.is_empty() {
        let clustering_columns = table.clustering.iter_mut().map(|c| &mut c.column);
        let columns = table.partition_key.iter_mut().chain(clustering_columns);
        let types = partition_key.into_iter().chain(clustering.into_iter().map(|c| c.cql_type));
        for (column, cql_type) in columns.zip(types) {
            if cql_type.holds_values_of(&column.cql_type) {
                column.cql_type = cql_type;
            }
        }
        return Ok(());
    }
    let name = |n: usize| if partition_key.len() == 1 { "key".into() } else { format!("key{n}") };
    table.partition_key = (1..)
        .zip(&partition_key)
        .map(|(n, cql_type)| column(table, &name(n), cql_type.clone()))
        .collect();
    for (n, parsed) in (1..).zip(clustering) {
        let column = column(table, &format!("column{n}"), parsed.cql_type);
        table.clustering.push(ClusteringColumn { column, descending: parsed.reversed });
    }
    Ok(())
}

fn key_types(sstable: &Sstable) -> Result<(Vec<CqlType>, Vec<marshal::MarshalType>)> {
    let (header, file) = (&sstable.statistics().header, sstable.statistics_name());
    let partition_key = match parse(&header.partition_key_type, file)?.cql_type {
        CqlType::Composite(components) => components,
        cql_type => vec![cql_type],
    };
    let clustering = header.clustering_types.iter().map(|java_type| parse(java_type, file));
    Ok((partition_key, clustering.collect::<Result<_>>()?))
}

/// A key column, whose name must not be that of another column.
fn column(table: &Table, name: &str, cql_type: CqlType) -> Column {
    let mut name = name.to_owned();
    while table.statics.iter().chain(&table.regulars).any(|column| column.name == name) {
        name.push('_');
    }
    Column { name, cql_type, multi_cell: false }
}

fn add_all(columns: &mut Vec<Column>, header: &[HeaderColumn], file: &str) -> Result<()> {
    for found in header {
        let parsed = parse(&found.java_type, file)?;
        let (cql_type, multi_cell) = (parsed.cql_type, parsed.multi_cell);
        match columns.iter_mut().find(|column| column.name == found.name) {
            None => columns.push(Column { name: found.name.clone(), cql_type, multi_cell }),
            Some(known) if known.cql_type.holds_values_of(&cql_type) => {}
            // A UDT has got more fields since.
            Some(known) if cql_type.holds_values_of(&known.cql_type) => known.cql_type = cql_type,
            Some(known) => {
                return Err(Error::invalid(format!(
                    "{file}: column {} is {cql_type} here and {} in another file; give the table's schema by --schema",
                    found.name, known.cql_type
                )));
            }
        }
    }
    columns.sort_by(|a, b| compare_names(&a.name, &b.name));
    Ok(())
}

fn parse(java_type: &str, file: &str) -> Result<marshal::MarshalType> {
    marshal::parse(java_type).map_err(|e| Error::invalid(format!("{file}: type {java_type}: {e}")))
}
