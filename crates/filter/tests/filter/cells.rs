//! Random types and cells. Values come from small pools, so that conditions often meet them.

use outpour_codec::vint;
use outpour_cql::{CqlType, UdtField, UdtType};

use crate::random::Random;

pub(crate) type Cell = Option<Vec<u8>>;

const SCALARS: [CqlType; 24] = [
    CqlType::Ascii,
    CqlType::Bigint,
    CqlType::Blob,
    CqlType::Boolean,
    CqlType::Counter,
    CqlType::Date,
    CqlType::Decimal,
    CqlType::Double,
    CqlType::Duration,
    CqlType::Float,
    CqlType::Inet,
    CqlType::Int,
    CqlType::Smallint,
    CqlType::Text,
    CqlType::Time,
    CqlType::Timestamp,
    CqlType::Timeuuid,
    CqlType::Tinyint,
    CqlType::Uuid,
    CqlType::Varint,
    CqlType::Empty,
    CqlType::LegacyTimestamp,
    CqlType::LexicalUuid,
    CqlType::DynamicComposite,
];

pub(crate) fn any_type(random: &mut Random, depth: usize) -> CqlType {
    let inner = |random: &mut Random| Box::new(any_type(random, depth - 1));
    match if depth == 0 { 0 } else { random.below(12) } {
        1 => CqlType::List(inner(random)),
        2 => CqlType::Set(inner(random)),
        3 | 4 => CqlType::Map(inner(random), inner(random)),
        5 => CqlType::Tuple(vec![*inner(random), *inner(random)]),
        6 => {
            let field = |name: &str, cql_type| UdtField { name: name.to_owned(), cql_type };
            let fields = vec![field("a", *inner(random)), field("B", *inner(random))];
            CqlType::Udt(UdtType { keyspace: "k".into(), name: "u".into(), fields }.into())
        }
        7 => CqlType::Vector(inner(random), 1 + random.below(3)),
        8 => CqlType::Composite(vec![*inner(random), *inner(random)]),
        _ => random.pick(&SCALARS).clone(),
    }
}

/// Often null, sometimes empty.
pub(crate) fn any_cell(random: &mut Random, cql_type: &CqlType) -> Cell {
    if random.one_in(6) { None } else { Some(any_value(random, cql_type)) }
}

/// Sometimes empty.
pub(crate) fn any_value(random: &mut Random, cql_type: &CqlType) -> Vec<u8> {
    if random.one_in(8) { Vec::new() } else { present(random, cql_type) }
}

fn present(random: &mut Random, cql_type: &CqlType) -> Vec<u8> {
    match cql_type {
        CqlType::List(element) | CqlType::Set(element) => {
            let cells: Vec<_> = (0..random.below(4)).map(|_| any_cell(random, element)).collect();
            collection(cells.len(), &cells)
        }
        CqlType::Map(key, value) => any_map(random, key, value),
        CqlType::Tuple(_) | CqlType::Udt(_) => {
            let types: Vec<_> = cql_type.inner().into_iter().cloned().collect();
            let stored = 1 + random.below(types.len());
            types[..stored].iter().flat_map(|field| framed(&any_cell(random, field))).collect()
        }
        CqlType::Composite(types) => {
            let stored = 1 + random.below(types.len());
            let mut bytes = Vec::new();
            for component in &types[..stored] {
                let value = any_value(random, component);
                bytes.extend((value.len() as u16).to_be_bytes());
                bytes.extend(value);
                bytes.push(0);
            }
            bytes
        }
        CqlType::Vector(element, dimension) => any_vector(random, element, *dimension),
        _ => scalar(random, cql_type),
    }
}

/// No key twice: no map has that.
fn any_map(random: &mut Random, key: &CqlType, value: &CqlType) -> Vec<u8> {
    let order = outpour_cql::Comparator::new(key, false);
    let mut keys: Vec<_> = (0..random.below(4)).map(|_| any_value(random, key)).collect();
    keys.sort_by(|a, b| order.compare(a, b));
    keys.dedup_by(|a, b| order.compare(a, b).is_eq());
    let mut cells = Vec::new();
    for key in keys {
        cells.push(Some(key));
        cells.push(any_cell(random, value));
    }
    collection(cells.len() / 2, &cells)
}

fn any_vector(random: &mut Random, element: &CqlType, dimension: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..dimension {
        if element.fixed_len().is_some() {
            bytes.extend(present(random, element));
            continue;
        }
        let value = any_value(random, element);
        vint::write_unsigned(value.len() as u64, &mut bytes);
        bytes.extend(value);
    }
    bytes
}

fn framed(cell: &Cell) -> Vec<u8> {
    match cell {
        None => vec![0xff; 4],
        Some(bytes) => [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat(),
    }
}

fn collection(count: usize, cells: &[Cell]) -> Vec<u8> {
    let mut bytes = (count as u32).to_be_bytes().to_vec();
    bytes.extend(cells.iter().flat_map(framed));
    bytes
}

fn scalar(random: &mut Random, cql_type: &CqlType) -> Vec<u8> {
    let number = *random.pick(&[0, 1, 2, 3, -1, -2, i64::MAX, i64::MIN]);
    match cql_type {
        CqlType::Tinyint => (number as i8).to_be_bytes().to_vec(),
        CqlType::Smallint => (number as i16).to_be_bytes().to_vec(),
        CqlType::Int | CqlType::Date => (number as i32).to_be_bytes().to_vec(),
        CqlType::Bigint | CqlType::Counter | CqlType::Timestamp | CqlType::LegacyTimestamp => {
            number.to_be_bytes().to_vec()
        }
        CqlType::Time => number.rem_euclid(5).to_be_bytes().to_vec(),
        CqlType::Boolean => vec![random.below(3) as u8],
        CqlType::Float => {
            let specials = [f32::NAN, -f32::NAN, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY];
            let floats = [&specials[..], &[1.0, -1.5, f32::MAX, f32::MIN_POSITIVE]].concat();
            random.pick(&floats).to_be_bytes().to_vec()
        }
        CqlType::Double => {
            let specials = [f64::NAN, -f64::NAN, 0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY];
            let doubles = [&specials[..], &[1.0, -1.5, f64::MAX, f64::MIN_POSITIVE]].concat();
            random.pick(&doubles).to_be_bytes().to_vec()
        }
        CqlType::Text | CqlType::Ascii => {
            random.pick(&["a", "b", "ab", "abc", "ba", "a%b", "%"]).as_bytes().to_vec()
        }
        CqlType::Varint => {
            let varints: [&[u8]; 6] = [&[0], &[0, 0], &[1], &[0xff], &[0xff, 0xff], &[1, 0]];
            random.pick(&varints).to_vec()
        }
        CqlType::Decimal => {
            let scale = random.below(3) as i32 - 1;
            let unscaled: [&[u8]; 5] = [&[0], &[1], &[10], &[100], &[0xf6]];
            [&scale.to_be_bytes()[..], *random.pick(&unscaled)].concat()
        }
        CqlType::Duration => {
            let mut bytes = Vec::new();
            let sign = if random.one_in(2) { 1 } else { -1 };
            for _ in 0..3 {
                vint::write_signed(sign * random.below(2) as i64, &mut bytes);
            }
            bytes
        }
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => {
            let edges = [0x00, 0x10, 0x40, 0x7f, 0x80, 0xff];
            let mut bytes = vec![0; 16];
            bytes[random.below(16)] = *random.pick(&edges);
            bytes[6] |= *random.pick(&[0x10, 0x40]);
            bytes
        }
        CqlType::Inet => {
            let mut bytes = vec![0; *random.pick(&[4, 16])];
            bytes[3] = random.below(3) as u8;
            bytes
        }
        CqlType::Empty => Vec::new(),
        _ => (0..random.below(3)).map(|_| random.below(3) as u8).collect(),
    }
}
