//! Sequences: collections, tuples, vectors.

use outpour_codec::Reader;

use super::{Form, NEXT_COMPONENT, NULL, TERMINATOR, write_value};
use crate::frozen::{element, end, field, vector_element};
use crate::{Cell, CqlType};

pub(super) fn list(element_type: &CqlType, value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let mut r = Reader::new(value);
    for _ in 0..r.count("elements", 4).ok()? {
        write_element(element_type, element(&mut r).ok()?, out)?;
    }
    finish(&r, out)
}

pub(super) fn map(
    key_type: &CqlType,
    value_type: &CqlType,
    value: &[u8],
    out: &mut Vec<u8>,
) -> Option<()> {
    let mut r = Reader::new(value);
    for _ in 0..r.count("entries", 8).ok()? {
        write_element(key_type, element(&mut r).ok()?, out)?;
        write_element(value_type, element(&mut r).ok()?, out)?;
    }
    finish(&r, out)
}

/// Nulls at the end are left out, so that they equal fields that are missing.
pub(super) fn tuple<'a>(
    types: impl Iterator<Item = &'a CqlType>,
    value: &[u8],
    out: &mut Vec<u8>,
) -> Option<()> {
    let mut r = Reader::new(value);
    let mut end_of_values = out.len();
    for field_type in types {
        let field = field(&mut r).ok()?;
        write_element(field_type, field, out)?;
        if field.is_some() {
            end_of_values = out.len();
        }
    }
    out.truncate(end_of_values);
    finish(&r, out)
}

pub(super) fn vector(
    element_type: &CqlType,
    dimension: usize,
    value: &[u8],
    out: &mut Vec<u8>,
) -> Option<()> {
    let mut r = Reader::new(value);
    for _ in 0..dimension {
        let element = vector_element(&mut r, element_type.fixed_len()).ok()?;
        write_element(element_type, Some(element), out)?;
    }
    finish(&r, out)
}

/// Components and the byte that ends each of them (`AbstractCompositeType.asComparableBytes`); first
/// comes whether it is static.
pub(super) fn composite(types: &[CqlType], value: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (is_static, mut rest) = match value {
        [0xff, 0xff, rest @ ..] => (true, rest),
        _ => (false, value),
    };
    out.push(if is_static { NULL } else { NEXT_COMPONENT });
    let mut types = types.iter();
    while let Some((len, behind)) = rest.split_first_chunk::<2>() {
        let component_type = types.next()?;
        let (component, behind) = behind.split_at_checked(usize::from(u16::from_be_bytes(*len)))?;
        let (end, behind) = behind.split_first()?;
        write_element(component_type, Some(component), out)?;
        // It orders as a signed number.
        out.extend_from_slice(&[NEXT_COMPONENT, end ^ 0x80]);
        let is_last = behind.is_empty();
        if *end != 0 && !is_last {
            return None;
        }
        rest = behind;
    }
    out.push(TERMINATOR);
    rest.is_empty().then_some(())
}

fn write_element(element_type: &CqlType, element: Cell<'_>, out: &mut Vec<u8>) -> Option<()> {
    let start = out.len();
    out.push(NEXT_COMPONENT);
    let form = match element {
        Some(bytes) => write_value(element_type, bytes, out)?,
        None => Form::Absent,
    };
    if form == Form::Absent {
        out[start] = NULL;
    }
    Some(())
}

fn finish(r: &Reader<'_>, out: &mut Vec<u8>) -> Option<()> {
    out.push(TERMINATOR);
    end(r).ok()
}
