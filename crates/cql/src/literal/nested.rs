//! Values inside values; [`crate::frozen`] draws the layouts.

use std::cmp::Ordering;

use outpour_codec::vint;

use super::{Kind, Literal, LiteralError, scalar};
use crate::{Comparator, CqlType, UdtType};

type Made = Result<Vec<u8>, LiteralError>;

/// The value of a type that has values inside; `None` for other types, and for literals that
/// do not fit.
pub(super) fn value(literal: &Literal, cql_type: &CqlType) -> Option<Made> {
    Some(match (cql_type, &literal.kind) {
        (CqlType::List(element), Kind::List(elements)) => list(element, elements),
        (CqlType::Set(element), Kind::Set(elements)) => set(element, elements),
        (CqlType::Map(key, value), Kind::Map(entries)) => map(key, value, entries),
        (CqlType::Map(..), Kind::Set(entries)) if entries.is_empty() => Ok(vec![0; 4]),
        (CqlType::Tuple(types), Kind::Tuple(parts)) if parts.len() <= types.len() => {
            tuple(types, parts)
        }
        (CqlType::Udt(udt), Kind::Fields(fields)) => fields_of(literal, udt, fields),
        (CqlType::Vector(element, dimension), Kind::List(elements))
            if elements.len() == *dimension =>
        {
            vector(element, elements)
        }
        _ => return None,
    })
}

fn list(element: &CqlType, elements: &[Literal]) -> Made {
    let elements = elements.iter().map(|literal| literal.value(element));
    Ok(collection(&elements.collect::<Result<Vec<_>, _>>()?, 1))
}

/// In the order of the type, each element once.
fn set(element: &CqlType, elements: &[Literal]) -> Made {
    let elements = elements.iter().map(|literal| literal.value(element));
    let mut elements = elements.collect::<Result<Vec<_>, _>>()?;
    let comparator = Comparator::new(element, false);
    elements.sort_by(|a, b| comparator.compare(a, b));
    elements.dedup_by(|a, b| comparator.compare(a, b).is_eq());
    Ok(collection(&elements, 1))
}

/// In the order of the keys; of equal ones the last counts.
fn map(key: &CqlType, value: &CqlType, entries: &[(Literal, Literal)]) -> Made {
    let entry = |(k, v): &(Literal, Literal)| Ok((k.value(key)?, v.value(value)?));
    let mut entries = entries.iter().rev().map(entry).collect::<Result<Vec<_>, _>>()?;
    let comparator = Comparator::new(key, false);
    let order = |a: &(Vec<u8>, _), b: &(Vec<u8>, _)| -> Ordering { comparator.compare(&a.0, &b.0) };
    entries.sort_by(order);
    entries.dedup_by(|a, b| order(a, b).is_eq());
    let parts: Vec<_> = entries.into_iter().flat_map(|(key, value)| [key, value]).collect();
    Ok(collection(&parts, 2))
}

fn collection(parts: &[Vec<u8>], parts_each: usize) -> Vec<u8> {
    let mut bytes = ((parts.len() / parts_each) as i32).to_be_bytes().to_vec();
    for part in parts {
        push(Some(part), &mut bytes);
    }
    bytes
}

/// An i32 length and the bytes; -1 for null.
fn push(part: Option<&[u8]>, out: &mut Vec<u8>) {
    let len = part.map_or(-1, |part| part.len() as i32);
    out.extend_from_slice(&len.to_be_bytes());
    out.extend_from_slice(part.unwrap_or_default());
}

/// Fields that are not given are not stored, which is null.
fn tuple(types: &[CqlType], parts: &[Literal]) -> Made {
    let mut bytes = Vec::new();
    for (cql_type, part) in types.iter().zip(parts) {
        push(field(part, cql_type)?.as_deref(), &mut bytes);
    }
    Ok(bytes)
}

fn field(literal: &Literal, cql_type: &CqlType) -> Result<Option<Vec<u8>>, LiteralError> {
    if literal.is_null() { Ok(None) } else { literal.value(cql_type).map(Some) }
}

fn fields_of(literal: &Literal, udt: &UdtType, fields: &[(String, Literal)]) -> Made {
    let is_known = |name: &String| udt.fields.iter().any(|field| field.name == *name);
    if fields.iter().any(|(name, _)| !is_known(name)) {
        let names: Vec<_> = udt.fields.iter().map(|field| field.name.as_str()).collect();
        return Err(literal.refuse(format!("{} with the fields {}", udt.name, names.join(", "))));
    }
    let mut bytes = Vec::new();
    for declared in &udt.fields {
        let given = fields.iter().rfind(|(name, _)| *name == declared.name);
        let value = given.map(|(_, literal)| field(literal, &declared.cql_type)).transpose()?;
        push(value.flatten().as_deref(), &mut bytes);
    }
    Ok(bytes)
}

fn vector(element: &CqlType, elements: &[Literal]) -> Made {
    let mut bytes = Vec::new();
    for literal in elements {
        let value = literal.value(element)?;
        match element.fixed_len() {
            Some(len) if len == value.len() => {}
            Some(_) => return Err(scalar::refuse(literal, element)),
            None => vint::write_unsigned(value.len() as u64, &mut bytes),
        }
        bytes.extend_from_slice(&value);
    }
    Ok(bytes)
}
