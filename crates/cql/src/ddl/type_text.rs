use std::fmt;

use crate::{CqlType, marshal};

/// The native types by name.
pub(super) const NATIVE: [(&str, CqlType); 22] = [
    ("ascii", CqlType::Ascii),
    ("bigint", CqlType::Bigint),
    ("blob", CqlType::Blob),
    ("boolean", CqlType::Boolean),
    ("counter", CqlType::Counter),
    ("date", CqlType::Date),
    ("decimal", CqlType::Decimal),
    ("double", CqlType::Double),
    ("duration", CqlType::Duration),
    ("empty", CqlType::Empty),
    ("float", CqlType::Float),
    ("inet", CqlType::Inet),
    ("int", CqlType::Int),
    ("smallint", CqlType::Smallint),
    ("text", CqlType::Text),
    ("time", CqlType::Time),
    ("timestamp", CqlType::Timestamp),
    ("timeuuid", CqlType::Timeuuid),
    ("tinyint", CqlType::Tinyint),
    ("uuid", CqlType::Uuid),
    ("varint", CqlType::Varint),
    ("varchar", CqlType::Text),
];

pub(super) fn native(name: &str) -> Option<CqlType> {
    NATIVE.iter().find(|(known, _)| *known == name).map(|(_, cql_type)| cql_type.clone())
}

/// A name as CQL takes it: in double quotes unless it is a plain word in lower case.
#[must_use]
pub fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !RESERVED.split(' ').any(|word| word == name);
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// `reserved_keywords.txt`, 4.0 to 6.0.
const RESERVED: &str = "\
    add allow alter and apply asc authorize batch begin by columnfamily create delete desc \
    describe drop entries execute from full grant if in index infinity insert into is \
    keyspace limit materialized modify nan norecursive not null of on or order primary \
    rename revoke schema select set table to token truncate unlogged update use using view \
    where with";

/// The type of a column as CQL has it.
#[must_use]
pub fn type_text(cql_type: &CqlType, multi_cell: bool) -> String {
    let frozen = match cql_type {
        CqlType::Tuple(_) => true,
        other => other.can_be_multi_cell() && !multi_cell,
    };
    if frozen { format!("frozen<{}>", bare(cql_type)) } else { bare(cql_type) }
}

fn bare(cql_type: &CqlType) -> String {
    let inner = |cql_type: &CqlType| type_text(cql_type, false);
    let all = |types: &[CqlType]| types.iter().map(inner).collect::<Vec<_>>().join(", ");
    match cql_type {
        CqlType::List(element) => format!("list<{}>", inner(element)),
        CqlType::Set(element) => format!("set<{}>", inner(element)),
        CqlType::Map(key, value) => format!("map<{}, {}>", inner(key), inner(value)),
        CqlType::Tuple(types) => format!("tuple<{}>", all(types)),
        CqlType::Vector(element, dimension) => format!("vector<{}, {dimension}>", inner(element)),
        CqlType::Udt(udt) => quoted(&udt.name),
        other => match NATIVE.iter().find(|(_, native)| native == other) {
            Some((name, _)) => (*name).to_owned(),
            None => java(other),
        },
    }
}

/// A type that CQL has no name for is written as its class.
fn java(cql_type: &CqlType) -> String {
    let column =
        marshal::MarshalType { cql_type: cql_type.clone(), multi_cell: false, reversed: false };
    format!("'{}'", marshal::print(&column))
}

impl fmt::Display for CqlType {
    /// As CQL has it, without `frozen` around the whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&bare(self))
    }
}
