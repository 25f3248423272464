use std::fmt::Write;
use std::sync::Arc;

use super::type_text::{quoted, type_text};
use crate::{Column, Layout, Table, UdtType};

/// The statements that create the table, and the types that it uses: with its dropped columns, as a
/// snapshot's schema.cql has them. A materialized view is written as the table that it is stored as.
#[must_use]
pub fn create_table(table: &Table) -> String {
    let mut text = String::new();
    for udt in udts(table) {
        create_type(&udt, &mut text);
    }
    if table.view.is_some() {
        text.push_str("-- A materialized view, as the table that it is stored as.\n");
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "CREATE TABLE {} (", qualified(&table.keyspace, &table.name));
    for line in columns(table) {
        let _ = write!(text, "\n    {line},");
    }
    let _ = write!(text, "\n    PRIMARY KEY ({})\n)", key(table));
    text.push_str(&options(table));
    text.push_str(";\n");
    drops(table, &mut text);
    text
}

fn qualified(keyspace: &str, name: &str) -> String {
    match keyspace {
        "" => quoted(name),
        _ => format!("{}.{}", quoted(keyspace), quoted(name)),
    }
}

fn create_type(udt: &UdtType, text: &mut String) {
    let field = |f: &crate::UdtField| {
        format!("\n    {} {}", quoted(&f.name), type_text(&f.cql_type, false))
    };
    let fields: Vec<_> = udt.fields.iter().map(field).collect();
    let name = qualified(&udt.keyspace, &udt.name);
    let _ = writeln!(text, "CREATE TYPE {name} ({}\n);\n", fields.join(","));
}

/// The UDTs of all columns, each behind those that it uses.
fn udts(table: &Table) -> Vec<Arc<UdtType>> {
    let mut found = Vec::new();
    let dropped = table.dropped.iter().map(|dropped| &dropped.column);
    for column in table.select_order().chain(dropped) {
        column.cql_type.collect_udts(&mut found);
    }
    found
}

fn declaration(column: &Column, is_static: bool) -> String {
    let suffix = if is_static { " static" } else { "" };
    format!("{} {}{suffix}", quoted(&column.name), type_text(&column.cql_type, column.multi_cell))
}

/// Columns as first declared: of one that was dropped and came back, what was dropped.
fn columns(table: &Table) -> Vec<String> {
    let is_static = |column: &Column| table.statics.iter().any(|c| std::ptr::eq(c, column));
    let is_dropped = |name: &str| table.dropped.iter().any(|d| d.column.name == name);
    let kept = table.select_order().filter(|column| !is_dropped(&column.name));
    let kept = kept.map(|column| declaration(column, is_static(column)));
    let dropped = table.dropped.iter().map(|d| declaration(&d.column, d.is_static));
    kept.chain(dropped).collect()
}

fn key(table: &Table) -> String {
    let mut parts: Vec<_> = table.partition_key.iter().map(|c| quoted(&c.name)).collect();
    if parts.len() > 1 {
        parts = vec![format!("({})", parts.join(", "))];
    }
    parts.extend(table.clustering.iter().map(|c| quoted(&c.column.name)));
    parts.join(", ")
}

fn options(table: &Table) -> String {
    let mut options = Vec::new();
    if let Some(id) = table.id {
        let hex = format!("{:032x}", u128::from_be_bytes(id));
        options.push(format!(
            "ID = {}-{}-{}-{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..]
        ));
    }
    if table.layout != Layout::Plain {
        options.push("COMPACT STORAGE".to_owned());
    }
    if table.clustering.iter().any(|c| c.descending) {
        let order = |c: &crate::ClusteringColumn| {
            format!("{} {}", quoted(&c.column.name), if c.descending { "DESC" } else { "ASC" })
        };
        let order: Vec<_> = table.clustering.iter().map(order).collect();
        options.push(format!("CLUSTERING ORDER BY ({})", order.join(", ")));
    }
    match options.is_empty() {
        true => String::new(),
        false => format!(" WITH {}", options.join("\n    AND ")),
    }
}

fn drops(table: &Table, text: &mut String) {
    let name = qualified(&table.keyspace, &table.name);
    for dropped in &table.dropped {
        let column = quoted(&dropped.column.name);
        let time = dropped.drop_time_us;
        let _ = writeln!(text, "ALTER TABLE {name} DROP {column} USING TIMESTAMP {time};");
        let again =
            |columns: &[Column]| columns.iter().find(|c| c.name == dropped.column.name).cloned();
        if let Some(column) = again(&table.statics) {
            let _ = writeln!(text, "ALTER TABLE {name} ADD {};", declaration(&column, true));
        } else if let Some(column) = again(&table.regulars) {
            let _ = writeln!(text, "ALTER TABLE {name} ADD {};", declaration(&column, false));
        }
    }
}
