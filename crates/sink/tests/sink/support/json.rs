//! A slow, obvious writer of `SELECT JSON`.

use std::net::Ipv6Addr;

use outpour_cql::{CqlType, OutputColumn};

use super::scalar;
use super::value::Value;

/// The row as one JSON object.
pub(crate) fn row(columns: &[OutputColumn], values: &[Value]) -> String {
    let members: Vec<String> = columns
        .iter()
        .zip(values)
        .map(|(column, value)| format!("{}: {}", name(&column.name), text(&column.cql_type, value)))
        .collect();
    format!("{{{}}}", members.join(", "))
}

fn name(name: &str) -> String {
    if name.chars().any(char::is_uppercase) { string(&format!("\"{name}\"")) } else { string(name) }
}

fn string(text: &str) -> String {
    let escape = |c: char| match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        c if c < ' ' => format!("\\u{:04X}", c as u32),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

pub(crate) fn text(cql_type: &CqlType, value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Empty => "\"\"".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => integer(cql_type, *value),
        Value::Float(value) => float(cql_type, *value),
        Value::Text(value) => string(value),
        Value::Bytes(value) => bytes(cql_type, value),
        Value::Duration(months, days, nanoseconds) => {
            string(&scalar::duration(*months, *days, *nanoseconds))
        }
        Value::List(values) => elements(cql_type, values),
        Value::Map(entries) => object(cql_type, entries),
        Value::Fields(values) => fields(cql_type, values),
    }
}

fn integer(cql_type: &CqlType, value: i64) -> String {
    match cql_type {
        CqlType::Date => string(&scalar::date(value)),
        CqlType::Time => string(&scalar::time(value)),
        CqlType::Timestamp => string(&(scalar::date_time(value) + "Z")),
        _ => value.to_string(),
    }
}

fn float(cql_type: &CqlType, value: f64) -> String {
    if value.is_nan() {
        return string("NaN");
    }
    if value.is_infinite() {
        return string(if value > 0.0 { "Infinity" } else { "-Infinity" });
    }
    let single = *cql_type == CqlType::Float;
    let (sign, digits, exponent) = scalar::digits(value, single, 1);
    if value == 0.0 || (-3..7).contains(&exponent) {
        let plain = scalar::plain(&digits, exponent);
        let fraction = if plain.contains('.') { "" } else { ".0" };
        return format!("{sign}{plain}{fraction}");
    }
    let (sign, digits, exponent) = scalar::digits(value, single, 2);
    format!("{sign}{}E{exponent}", scalar::pointed(&digits))
}

fn bytes(cql_type: &CqlType, value: &[u8]) -> String {
    match cql_type {
        CqlType::Varint => scalar::varint(value),
        CqlType::Decimal => scalar::decimal(value),
        CqlType::Uuid | CqlType::Timeuuid => string(&scalar::uuid(value)),
        CqlType::Inet => string(&inet(value)),
        _ => string(&format!("0x{}", scalar::hex(value))),
    }
}

fn inet(bytes: &[u8]) -> String {
    if let [a, b, c, d] = bytes {
        return format!("{a}.{b}.{c}.{d}");
    }
    let address = Ipv6Addr::from(<[u8; 16]>::try_from(bytes).unwrap());
    address.segments().map(|group| format!("{group:x}")).join(":")
}

fn elements(cql_type: &CqlType, values: &[Value]) -> String {
    let (CqlType::List(element) | CqlType::Set(element) | CqlType::Vector(element, _)) = cql_type
    else {
        panic!("{cql_type:?} has no elements")
    };
    let texts: Vec<String> = values.iter().map(|value| text(element, value)).collect();
    format!("[{}]", texts.join(", "))
}

fn object(cql_type: &CqlType, entries: &[(Value, Value)]) -> String {
    let CqlType::Map(key_type, value_type) = cql_type else { panic!("{cql_type:?} is no map") };
    let member = |(key, value): &(Value, Value)| {
        let key = text(key_type, key);
        let key = if key.starts_with('"') { key } else { string(&key) };
        format!("{key}: {}", text(value_type, value))
    };
    format!("{{{}}}", entries.iter().map(member).collect::<Vec<_>>().join(", "))
}

fn fields(cql_type: &CqlType, values: &[Value]) -> String {
    match cql_type {
        CqlType::Udt(udt) => {
            let columns: Vec<OutputColumn> = udt
                .fields
                .iter()
                .map(|field| super::column(&field.name, field.cql_type.clone()))
                .collect();
            row(&columns, values)
        }
        CqlType::Tuple(types) | CqlType::Composite(types) => {
            let texts = types.iter().zip(values).map(|(cql_type, value)| text(cql_type, value));
            format!("[{}]", texts.collect::<Vec<_>>().join(", "))
        }
        _ => panic!("{cql_type:?} has no fields"),
    }
}
