//! Random values of random types, made together with their texts.

use super::*;
use crate::random::Random;

/// A cell and its text.
type Made = (Option<Vec<u8>>, String);

#[test]
fn cells_come_back_value_by_value() {
    let mut random = Random::seeded(0x6365_6c6c);
    for _ in 0..400 {
        let cql_type = any_type(&mut random, 3);
        let mut builder = column_builder(&cql_type);
        let raw = &mut cell_builder();
        for _batch in 0..3 {
            let mut texts = Vec::new();
            let mut all_cells = Vec::new();
            for _block in 0..random.below(4) {
                let count = random.below(40);
                let made: Vec<Made> =
                    (0..count).map(|_| any_cell(&mut random, &cql_type)).collect();
                let cells: Vec<_> = made.iter().map(|(cell, _)| cell.as_deref()).collect();
                builder.append(&cells).unwrap();
                raw.append(&cells).unwrap();
                texts.extend(made.iter().map(|(_, text)| text.clone()));
                all_cells.extend(made.into_iter().map(|(cell, _)| cell));
            }
            let column = builder.finish();
            check_cells(&cql_type, &column, &all_cells, &texts);
            check_batch(&cql_type, column, &texts);
            let texts: Vec<_> = all_cells.iter().map(|cell| raw_text(cell.as_deref())).collect();
            check_batch(&CqlType::Blob, raw.finish(), &texts);
            assert_eq!((builder.bytes(), raw.bytes()), (0, 0));
        }
    }
}

fn check_batch(cql_type: &CqlType, column: ColumnValues, texts: &[String]) {
    let ColumnValues { array, empties } = column;
    assert_eq!(array.len(), texts.len());
    assert_eq!(*array.data_type(), crate::arrow::data_type(cql_type));
    array.to_data().validate_full().unwrap();
    for (row, text) in texts.iter().enumerate() {
        assert_eq!(show(&array, &empties, row), *text, "{cql_type:?}, row {row}");
    }
}

/// The cells that come back are equal, and make the same column again.
fn check_cells(
    cql_type: &CqlType,
    column: &ColumnValues,
    made: &[Option<Vec<u8>>],
    texts: &[String],
) {
    let back = cells(cql_type, &column.array, &column.empties).unwrap();
    let comparator = crate::Comparator::new(cql_type, false);
    let mut again = Vec::new();
    for (row, made) in made.iter().enumerate() {
        let mut cell = Vec::new();
        let cell = back.append(row, &mut cell).then_some(cell);
        assert_eq!(cell.is_some(), made.is_some(), "{cql_type:?}, row {row}");
        if let (Some(cell), Some(made)) = (&cell, made) {
            assert!(comparator.compare(cell, made).is_eq(), "{cql_type:?} {made:02x?} {cell:02x?}");
        }
        again.push(cell);
    }
    let again: Vec<_> = again.iter().map(Option::as_deref).collect();
    assert_eq!(shown(cql_type, &again).unwrap(), texts);
}

fn raw_text(cell: Cell<'_>) -> String {
    cell.map_or("null".to_owned(), hex_text)
}

fn hex_text(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

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

fn any_type(random: &mut Random, depth: usize) -> CqlType {
    let inner = |random: &mut Random| Box::new(any_type(random, depth - 1));
    match if depth == 0 { 0 } else { random.below(10) } {
        1 => CqlType::List(inner(random)),
        2 => CqlType::Set(inner(random)),
        3 | 4 => CqlType::Map(inner(random), inner(random)),
        5 => CqlType::Tuple(vec![*inner(random), *inner(random), *inner(random)]),
        6 => udt(&["a", "B"], &[*inner(random), *inner(random)]),
        7 => CqlType::Vector(inner(random), 1 + random.below(3)),
        8 => CqlType::Composite(vec![*inner(random), *inner(random)]),
        _ => random.pick(&SCALARS).clone(),
    }
}

/// Often null, sometimes empty.
fn any_cell(random: &mut Random, cql_type: &CqlType) -> Made {
    match random.below(6) {
        0 => (None, "null".to_owned()),
        _ => {
            let (bytes, text) = present(random, cql_type);
            (Some(bytes), text)
        }
    }
}

/// A value that is not null.
fn present(random: &mut Random, cql_type: &CqlType) -> (Vec<u8>, String) {
    if random.below(8) > 0 {
        return value(random, cql_type);
    }
    let text = match cql_type {
        CqlType::Text | CqlType::Ascii => "\"\"",
        CqlType::Blob | CqlType::DynamicComposite | CqlType::Empty => "0x",
        _ => "empty",
    };
    (Vec::new(), text.to_owned())
}

fn value(random: &mut Random, cql_type: &CqlType) -> (Vec<u8>, String) {
    match cql_type {
        CqlType::List(element) | CqlType::Set(element) => {
            let made: Vec<_> = (0..random.below(4)).map(|_| any_cell(random, element)).collect();
            (collection(made.len(), &made), format!("[{}]", texts(&made)))
        }
        CqlType::Map(key, value) => any_map(random, key, value),
        CqlType::Tuple(_) | CqlType::Udt(_) => any_tuple(random, cql_type),
        CqlType::Composite(types) => any_composite(random, types),
        CqlType::Vector(element, dimension) => any_vector(random, element, *dimension),
        _ => scalar(random, cql_type),
    }
}

fn texts(made: &[Made]) -> String {
    made.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" ")
}

fn framed((cell, _): &Made) -> Vec<u8> {
    match cell {
        None => vec![0xff; 4],
        Some(bytes) => [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat(),
    }
}

fn collection(count: usize, made: &[Made]) -> Vec<u8> {
    let mut bytes = (count as u32).to_be_bytes().to_vec();
    bytes.extend(made.iter().flat_map(framed));
    bytes
}

fn any_map(random: &mut Random, key: &CqlType, value: &CqlType) -> (Vec<u8>, String) {
    let (mut made, mut entries) = (Vec::new(), Vec::new());
    for _ in 0..random.below(4) {
        let (key, key_text) = present(random, key);
        let (value, value_text) = any_cell(random, value);
        entries.push(format!("{key_text}:{value_text}"));
        made.extend([(Some(key), String::new()), (value, String::new())]);
    }
    (collection(entries.len(), &made), format!("{{{}}}", entries.join(" ")))
}

fn any_tuple(random: &mut Random, cql_type: &CqlType) -> (Vec<u8>, String) {
    let types: Vec<_> = crate::arrow::field_types(cql_type).collect();
    let stored = 1 + random.below(types.len());
    let mut made: Vec<_> = types.iter().map(|field| any_cell(random, field)).collect();
    for missing in &mut made[stored..] {
        *missing = (None, "null".to_owned());
    }
    (made[..stored].iter().flat_map(framed).collect(), named(cql_type, &made))
}

fn named(cql_type: &CqlType, made: &[Made]) -> String {
    let names = match cql_type {
        CqlType::Udt(_) => ["a", "B", ""],
        _ => ["0", "1", "2"],
    };
    let fields = names.iter().zip(made).map(|(name, (_, text))| format!("{name}={text}"));
    format!("({})", fields.collect::<Vec<_>>().join(" "))
}

fn any_composite(random: &mut Random, types: &[CqlType]) -> (Vec<u8>, String) {
    let stored = 1 + random.below(types.len());
    let (mut bytes, mut made) = (Vec::new(), Vec::new());
    for (i, component) in types.iter().enumerate() {
        if i >= stored {
            made.push((None, "null".to_owned()));
            continue;
        }
        let (value, text) = present(random, component);
        bytes.extend((value.len() as u16).to_be_bytes());
        bytes.extend(value);
        bytes.push(0);
        made.push((None, text));
    }
    (bytes, named(&CqlType::Composite(Vec::new()), &made))
}

fn any_vector(random: &mut Random, element: &CqlType, dimension: usize) -> (Vec<u8>, String) {
    let (mut bytes, mut elements) = (Vec::new(), Vec::new());
    for _ in 0..dimension {
        let (value, text) = match element.fixed_len() {
            Some(_) => value(random, element),
            None => present(random, element),
        };
        if element.fixed_len().is_none() {
            outpour_codec::vint::write_unsigned(value.len() as u64, &mut bytes);
        }
        bytes.extend(value);
        elements.push(text);
    }
    match bytes.is_empty() {
        true => (bytes, "empty".to_owned()),
        false => (bytes, format!("<{}>", elements.join(" "))),
    }
}

fn scalar(random: &mut Random, cql_type: &CqlType) -> (Vec<u8>, String) {
    let word = random.next();
    let number = |bytes: &[u8], text: String| (bytes.to_vec(), text);
    match cql_type {
        CqlType::Tinyint => number(&(word as i8).to_be_bytes(), (word as i8).to_string()),
        CqlType::Smallint => number(&(word as i16).to_be_bytes(), (word as i16).to_string()),
        CqlType::Int => number(&(word as i32).to_be_bytes(), (word as i32).to_string()),
        CqlType::Bigint | CqlType::Counter => {
            number(&word.to_be_bytes(), (word as i64).to_string())
        }
        CqlType::Timestamp | CqlType::LegacyTimestamp => {
            number(&word.to_be_bytes(), format!("{} ms", word as i64))
        }
        CqlType::Float => {
            let float = word as i32 as f32 / 64.0;
            number(&float.to_be_bytes(), float.to_string())
        }
        CqlType::Double => {
            let double = word as i32 as f64 / 1024.0;
            number(&double.to_be_bytes(), double.to_string())
        }
        CqlType::Boolean => number(&[word as u8 & 3], (word as u8 & 3 != 0).to_string()),
        CqlType::Date => {
            let day = i64::from(word as u32) - (1 << 31);
            number(&(word as u32).to_be_bytes(), format!("day {day}"))
        }
        CqlType::Time => {
            let time = word % 86_400_000_000_000;
            number(&time.to_be_bytes(), format!("{time} ns"))
        }
        CqlType::Duration => any_duration(random),
        CqlType::Text | CqlType::Ascii => any_text(random, cql_type),
        _ => any_bytes(random, cql_type),
    }
}

fn any_duration(random: &mut Random) -> (Vec<u8>, String) {
    let sign = if random.below(2) == 0 { 1 } else { -1 };
    let mut part = |limit: u64| sign * (random.next() % limit) as i64;
    let (months, days, nanoseconds) = (part(1 << 31), part(1 << 31), part(1 << 63));
    let mut bytes = Vec::new();
    for part in [months, days, nanoseconds] {
        outpour_codec::vint::write_signed(part, &mut bytes);
    }
    (bytes, format!("{months}mo {days}d {nanoseconds}ns"))
}

fn any_text(random: &mut Random, cql_type: &CqlType) -> (Vec<u8>, String) {
    let words: &[&str] = match cql_type {
        CqlType::Ascii => &["a", "bc", "\0", "\"", "\u{7f}"],
        _ => &["a", "bc", "é", "日本", "😀"],
    };
    let text: String = (0..1 + random.below(12)).map(|_| *random.pick(words)).collect();
    (text.clone().into_bytes(), format!("{text:?}"))
}

fn any_bytes(random: &mut Random, cql_type: &CqlType) -> (Vec<u8>, String) {
    let len = match cql_type {
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => 16,
        CqlType::Inet => *random.pick(&[4, 16]),
        CqlType::Decimal => 5 + random.below(9),
        CqlType::Empty => 0,
        _ => 1 + random.below(20),
    };
    let bytes = random.bytes(len);
    let text = hex_text(&bytes);
    (bytes, text)
}
