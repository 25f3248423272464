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
