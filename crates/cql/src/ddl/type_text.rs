use std::fmt;

use super::lexer::{Kind, lex};
use super::statement::Parser;
use crate::{CqlType, SchemaError, marshal};

/// The nesting that is read: types of real tables stay far below, and the parser recurses.
const DEPTH_MAX: usize = 64;

/// A type as it is written, with UDTs by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RawType {
    Named { keyspace: Option<String>, name: String },
    Generic { name: String, parameters: Vec<RawType> },
    Vector { element: Box<RawType>, dimension: usize },
    Java(marshal::MarshalType),
}

/// A type, and whether a column of it has a cell for each element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) cql_type: CqlType,
    pub(super) multi_cell: bool,
}

pub(super) fn parse_type(p: &mut Parser<'_>, depth: usize) -> Result<RawType, SchemaError> {
    if depth > DEPTH_MAX {
        return Err(p.error(&format!("types nested at most {DEPTH_MAX} deep")));
    }
    if let Some(token) = p.peek().filter(|token| token.kind == Kind::String) {
        let java = marshal::parse(&token.text)?;
        p.next();
        return Ok(RawType::Java(java));
    }
    let name = p.name()?;
    if p.symbol(".") {
        return Ok(RawType::Named { keyspace: Some(name), name: p.name()? });
    }
    if !p.symbol("<") {
        return Ok(RawType::Named { keyspace: None, name });
    }
    if name == "vector" {
        let element = Box::new(parse_type(p, depth + 1)?);
        p.expect(",")?;
        let dimension = p.peek().and_then(|token| token.text.parse().ok());
        let dimension = dimension.ok_or_else(|| p.error("a vector's dimension"))?;
        p.next();
        p.expect(">")?;
        return Ok(RawType::Vector { element, dimension });
    }
    let mut parameters = vec![parse_type(p, depth + 1)?];
    while p.symbol(",") {
        parameters.push(parse_type(p, depth + 1)?);
    }
    p.expect(">")?;
    Ok(RawType::Generic { name, parameters })
}

/// Parses a type that stands alone, as in `system_schema.columns`.
pub(super) fn parse_alone(text: &str) -> Result<RawType, SchemaError> {
    let lexed = lex(text)?;
    let mut p = Parser::new(text, &lexed.tokens);
    let raw = parse_type(&mut p, 0)?;
    if p.is_at_end() { Ok(raw) } else { Err(p.error("the end of the type")) }
}

/// Finds a UDT by keyspace, if one is named, and name.
pub(super) type FindUdt<'a> = dyn FnMut(Option<&str>, &str) -> Result<CqlType, SchemaError> + 'a;

impl RawType {
    /// The type, with UDTs from `udt`.
    pub(super) fn resolve(&self, udt: &mut FindUdt<'_>) -> Result<Resolved, SchemaError> {
        let of = |cql_type, multi_cell| Resolved { cql_type, multi_cell };
        Ok(match self {
            Self::Java(java) => of(java.cql_type.clone(), java.multi_cell),
            Self::Vector { element, dimension } => {
                let element = Box::new(element.resolve(udt)?.cql_type);
                of(CqlType::Vector(element, *dimension), false)
            }
            Self::Named { keyspace, name } => match native(name).filter(|_| keyspace.is_none()) {
                Some(native) => of(native, false),
                None => of(udt(keyspace.as_deref(), name)?, true),
            },
            Self::Generic { name, parameters } => {
                let types = parameters
                    .iter()
                    .map(|parameter| Ok(parameter.resolve(udt)?.cql_type))
                    .collect::<Result<Vec<_>, SchemaError>>()?;
                generic(name, types)?
            }
        })
    }
}

fn generic(name: &str, types: Vec<CqlType>) -> Result<Resolved, SchemaError> {
    let count = types.len();
    let mut types = types.into_iter();
    let mut next = || {
        types.next().map(Box::new).ok_or_else(|| SchemaError::new(format!("{name}: no parameter")))
    };
    let (cql_type, multi_cell, wanted) = match name {
        "frozen" => (*next()?, false, 1),
        "list" => (CqlType::List(next()?), true, 1),
        "set" => (CqlType::Set(next()?), true, 1),
        "map" if count == 2 => (CqlType::Map(next()?, next()?), true, 2),
        "tuple" => (CqlType::Tuple(types.collect()), false, count),
        _ => return Err(SchemaError::new(format!("{name}<…> of {count} is no type"))),
    };
    match wanted == count {
        true => Ok(Resolved { cql_type, multi_cell }),
        false => Err(SchemaError::new(format!("{name}<…> of {count} parameters, not {wanted}"))),
    }
}

/// The native types by name.
const NATIVE: [(&str, CqlType); 22] = [
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

fn native(name: &str) -> Option<CqlType> {
    NATIVE.iter().find(|(known, _)| *known == name).map(|(_, cql_type)| cql_type.clone())
}

/// A name as CQL takes it: in double quotes unless it is a plain word in lower case.
pub(super) fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !RESERVED.contains(&name);
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// `ReservedKeywords.java`, 5.0.
const RESERVED: &[&str] = &[
    "add",
    "allow",
    "alter",
    "and",
    "apply",
    "asc",
    "authorize",
    "batch",
    "begin",
    "by",
    "columnfamily",
    "create",
    "default",
    "delete",
    "desc",
    "describe",
    "drop",
    "entries",
    "execute",
    "from",
    "full",
    "grant",
    "if",
    "in",
    "index",
    "infinity",
    "insert",
    "into",
    "is",
    "keyspace",
    "limit",
    "materialized",
    "mbean",
    "mbeans",
    "modify",
    "nan",
    "norecursive",
    "not",
    "null",
    "of",
    "on",
    "or",
    "order",
    "primary",
    "rename",
    "replace",
    "revoke",
    "schema",
    "select",
    "set",
    "table",
    "to",
    "token",
    "truncate",
    "unlogged",
    "unset",
    "update",
    "use",
    "using",
    "view",
    "where",
    "with",
];

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
