//! Keys whose bytes, compared unsigned, order as their values do: what the tries of SSTable format
//! bti are made of (`utils/bytecomparable/ByteComparable.md`, version OSS50, and
//! `db/marshal/*.asComparableBytes`, Cassandra 5.0).
//!
//! ```text
//! partition key   40 │ token │ 40 │ key, as bytes │ 38
//! token           Murmur3: 8 bytes, sign bit flipped · Random: as a varint · ByteOrdered: the key, as bytes
//! component       40 │ value, all bits inverted if descending
//!                 3e: null · 3f, descending 41: empty, of a type that gives it no form of its own
//! bytes           escaped: 00 FE … FE FF for a run of zeros, with one FE less than zeros
//!                 then 00; or FE if they end with a zero
//! sequence        collections, tuples, vectors: for each element 40 │ form, or 3e for null and empty
//!                 then 38
//! composite       40, or 3e if it is static │ for each component 40 │ form, or 3e for empty, then
//!                 40 │ end-of-component byte, sign bit flipped │ then 38
//! ```
//! No form is a prefix of another form of its type.

mod nested;
mod number;
#[cfg(test)]
mod tests;

use crate::{CqlType, Partitioner, RingPosition};

/// Before each component that has a value.
const NEXT_COMPONENT: u8 = 0x40;
const NULL: u8 = 0x3e;
const EMPTY: u8 = 0x3f;
const EMPTY_DESCENDING: u8 = 0x41;

/// Behind the last component of a partition key or of a row's clustering values.
pub const TERMINATOR: u8 = 0x38;

/// Appends the form of a partition key and its token.
pub fn write_partition_key(partitioner: Partitioner, key: &[u8], out: &mut Vec<u8>) {
    write_token(partitioner, key, out);
    out.push(NEXT_COMPONENT);
    escaped(key, out);
    out.push(TERMINATOR);
}

/// Appends the form of the token of a partition key, which its key follows.
pub fn write_token(partitioner: Partitioner, key: &[u8], out: &mut Vec<u8>) {
    out.push(NEXT_COMPONENT);
    let token = partitioner.token(key).value();
    match partitioner {
        Partitioner::Murmur3 => {
            out.extend_from_slice(&(token as i64 ^ i64::MIN).to_be_bytes());
        }
        Partitioner::Random => number::varint(&token.to_be_bytes(), out),
        Partitioner::ByteOrdered => escaped(key, out),
    }
}

/// The form of the token at a place on the ring of Murmur3: no partition behind that place has a
/// form that is less, and none in front of it one that is greater.
#[must_use]
pub fn murmur3_position(position: RingPosition) -> [u8; 9] {
    let mut form = [NEXT_COMPONENT; 9];
    form[1..].copy_from_slice(&(position.0 as u64).to_be_bytes());
    form
}

/// Appends the form of one clustering value; `None` is null.
///
/// Returns `None` if `value` is no value of `cql_type`, or the type has no form; what was appended
/// then means nothing.
#[must_use]
pub fn write_component(
    cql_type: &CqlType,
    descending: bool,
    value: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Option<()> {
    let start = out.len();
    out.push(NEXT_COMPONENT);
    match value.map(|bytes| write_value(cql_type, bytes, out)) {
        None => out[start] = NULL,
        Some(form) => match form? {
            Form::Absent if descending => out[start] = EMPTY_DESCENDING,
            Form::Absent => out[start] = EMPTY,
            Form::Written if descending => invert(&mut out[start + 1..]),
            Form::Written => {}
        },
    }
    Some(())
}

/// What became of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Written,
    /// Nothing was written: the value is empty
    Absent,
}

fn write_value(cql_type: &CqlType, value: &[u8], out: &mut Vec<u8>) -> Option<Form> {
    if let Some(form) = write_bytes(cql_type, value, out) {
        return Some(form);
    }
    if value.is_empty() {
        return Some(Form::Absent);
    }
    match cql_type {
        CqlType::Date => fixed::<4>(value, out, |bytes| bytes)?,
        CqlType::Time | CqlType::LegacyTimestamp => fixed::<8>(value, out, |bytes| bytes)?,
        CqlType::Boolean => fixed::<1>(value, out, |[byte]| [u8::from(byte != 0)])?,
        CqlType::Uuid => fixed::<16>(value, out, uuid)?,
        CqlType::Timeuuid => fixed::<16>(value, out, timeuuid)?,
        CqlType::LexicalUuid => fixed::<16>(value, out, lexical_uuid)?,
        CqlType::List(element) | CqlType::Set(element) => nested::list(element, value, out)?,
        CqlType::Map(key, value_type) => nested::map(key, value_type, value, out)?,
        CqlType::Tuple(types) => nested::tuple(types.iter(), value, out)?,
        CqlType::Udt(udt) => {
            nested::tuple(udt.fields.iter().map(|field| &field.cql_type), value, out)?;
        }
        CqlType::Vector(element, dimension) => nested::vector(element, *dimension, value, out)?,
        CqlType::Composite(types) => nested::composite(types, value, out)?,
        number => number::write(number, value, out)?,
    }
    Some(Form::Written)
}

/// Types whose values order as bytes: an empty value has a form too.
fn write_bytes(cql_type: &CqlType, value: &[u8], out: &mut Vec<u8>) -> Option<Form> {
    match cql_type {
        CqlType::Ascii | CqlType::Text | CqlType::Blob | CqlType::Inet => {}
        CqlType::Duration | CqlType::Counter => {}
        _ => return None,
    }
    escaped(value, out);
    Some(Form::Written)
}

fn escaped(bytes: &[u8], out: &mut Vec<u8>) {
    let mut after_zero = false;
    for byte in bytes {
        match (after_zero, byte) {
            (true, 0) => out.push(0xfe),
            (true, _) => out.extend_from_slice(&[0xff, *byte]),
            (false, _) => out.push(*byte),
        }
        after_zero = *byte == 0;
    }
    out.push(if after_zero { 0xfe } else { 0 });
}

fn fixed<const N: usize>(
    value: &[u8],
    out: &mut Vec<u8>,
    form: impl Fn([u8; N]) -> [u8; N],
) -> Option<()> {
    out.extend_from_slice(&form(value.try_into().ok()?));
    Some(())
}

fn invert(bytes: &mut [u8]) {
    for byte in bytes {
        *byte = !*byte;
    }
}

/// Version 1: by time; others: the version moved to the front.
fn uuid(bytes: [u8; 16]) -> [u8; 16] {
    let (high, low) = halves(bytes);
    let version = high >> 12 & 0xf;
    let high = match version {
        1 => by_time(high),
        _ => version << 60 | (high >> 4 & 0x0fff_ffff_ffff_f000) | high & 0xfff,
    };
    whole(high, low)
}

/// By time, then by the low bytes, each of them signed.
fn timeuuid(bytes: [u8; 16]) -> [u8; 16] {
    let (high, low) = halves(bytes);
    whole(by_time(high), low ^ 0x8080_8080_8080_8080)
}

/// Both halves signed.
fn lexical_uuid(bytes: [u8; 16]) -> [u8; 16] {
    let (high, low) = halves(bytes);
    whole(high ^ 1 << 63, low ^ 1 << 63)
}

fn halves(bytes: [u8; 16]) -> (u64, u64) {
    let both = u128::from_be_bytes(bytes);
    ((both >> 64) as u64, both as u64)
}

fn whole(high: u64, low: u64) -> [u8; 16] {
    (u128::from(high) << 64 | u128::from(low)).to_be_bytes()
}

/// time_hi_and_version (16 bits), time_mid (16), time_low (32).
fn by_time(high: u64) -> u64 {
    high << 48 | (high << 16 & 0xffff_0000_0000) | high >> 32
}
