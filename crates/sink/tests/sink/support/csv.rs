//! A slow, obvious writer of cqlsh's CSV.

use std::net::Ipv6Addr;

use outpour_cql::{CqlType, OutputColumn};

use super::scalar;
use super::value::Value;

/// The row as one line, without its end.
pub(crate) fn row(columns: &[OutputColumn], values: &[Value]) -> String {
    let fields: Vec<String> =
        columns.iter().zip(values).map(|(column, value)| field(&column.cql_type, value)).collect();
    fields.join(",")
}

fn field(cql_type: &CqlType, value: &Value) -> String {
    let shown = match value {
        Value::Null => return String::new(),
        Value::Text(text) => show(text),
        Value::Integer(value) if *cql_type == CqlType::Timestamp => timestamp(*value),
        Value::Bytes(bytes) if *cql_type == CqlType::Inet => inet(bytes),
        Value::Empty | Value::Duration(0, 0, 0) => String::new(),
        _ => literal(cql_type, value, "NULL"),
    };
    if shown.is_empty() {
        return "\"\"".to_owned();
    }
    let escaped = shown.replace('\\', "\\\\").replace('"', "\\\"");
    if shown.contains(',') { format!("\"{escaped}\"") } else { escaped }
}

fn show(text: &str) -> String {
    let escape = |c: char| match c {
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\0'..='\x1f' | '\x7f'..='\u{a0}' => format!("\\x{:02x}", c as u32),
        c => c.to_string(),
    };
    text.chars().map(escape).collect()
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn literal(cql_type: &CqlType, value: &Value, null: &str) -> String {
    match value {
        Value::Null => null.to_owned(),
        Value::Empty | Value::Duration(0, 0, 0) => "''".to_owned(),
        Value::Boolean(true) => "True".to_owned(),
        Value::Boolean(false) => "False".to_owned(),
        Value::Integer(value) => integer(cql_type, *value),
        Value::Float(value) => float(cql_type, *value),
        Value::Text(value) => quote(&show(value)),
        Value::Bytes(value) => bytes(cql_type, value),
        Value::Duration(months, days, nanoseconds) => {
            scalar::duration(*months, *days, *nanoseconds)
        }
        Value::List(values) => elements(cql_type, values),
        Value::Map(entries) => map(cql_type, entries),
        Value::Fields(values) => fields(cql_type, values),
    }
}

fn integer(cql_type: &CqlType, value: i64) -> String {
    match cql_type {
        CqlType::Date if (-719_162..=2_932_896).contains(&value) => scalar::date(value),
        CqlType::Time => scalar::time(value),
        CqlType::Timestamp => quote(&timestamp(value)),
        _ => value.to_string(),
    }
}

fn timestamp(milliseconds: i64) -> String {
    let text = scalar::date_time(milliseconds);
    if text.starts_with(['+', '-']) || text.starts_with("0000") {
        return milliseconds.to_string();
    }
    text + "+0000"
}

fn float(cql_type: &CqlType, value: f64) -> String {
    let digits_max = match cql_type {
        _ if value.is_nan() => return "NaN".to_owned(),
        _ if value == f64::INFINITY => return "Infinity".to_owned(),
        _ if value == f64::NEG_INFINITY => return "-Infinity".to_owned(),
        CqlType::Float => 9,
        _ => 17,
    };
    let (sign, digits, exponent) = scalar::digits(value, *cql_type == CqlType::Float, 1);
    if (-4..digits_max).contains(&exponent) {
        return format!("{sign}{}", scalar::plain(&digits, exponent));
    }
    let direction = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{}e{direction}{:02}", scalar::pointed(&digits), exponent.abs())
}

fn bytes(cql_type: &CqlType, value: &[u8]) -> String {
    match cql_type {
        CqlType::Varint => scalar::varint(value),
        CqlType::Decimal => scalar::decimal(value),
        CqlType::Uuid | CqlType::Timeuuid => scalar::uuid(value),
        CqlType::Inet => quote(&inet(value)),
        _ => format!("0x{}", scalar::hex(value)),
    }
}

fn inet(bytes: &[u8]) -> String {
    match bytes {
        [a, b, c, d] => format!("{a}.{b}.{c}.{d}"),
        _ => Ipv6Addr::from(<[u8; 16]>::try_from(bytes).unwrap()).to_string(),
    }
}

fn elements(cql_type: &CqlType, values: &[Value]) -> String {
    let (element, [opening, closing]) = match cql_type {
        CqlType::List(element) | CqlType::Vector(element, _) => (element, ['[', ']']),
        CqlType::Set(element) => (element, ['{', '}']),
        _ => panic!("{cql_type:?} has no elements"),
    };
    let texts: Vec<String> = values.iter().map(|value| literal(element, value, "NULL")).collect();
    format!("{opening}{}{closing}", texts.join(", "))
}

fn map(cql_type: &CqlType, entries: &[(Value, Value)]) -> String {
    let CqlType::Map(key_type, value_type) = cql_type else { panic!("{cql_type:?} is no map") };
    let entry = |(key, value): &(Value, Value)| {
        format!("{}: {}", literal(key_type, key, "NULL"), literal(value_type, value, "NULL"))
    };
    format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
}

fn fields(cql_type: &CqlType, values: &[Value]) -> String {
    match cql_type {
        CqlType::Udt(udt) => {
            let member = |(field, value): (&outpour_cql::UdtField, &Value)| {
                format!("{}: {}", show(&field.name), literal(&field.cql_type, value, ""))
            };
            let members: Vec<String> = udt.fields.iter().zip(values).map(member).collect();
            format!("{{{}}}", members.join(", "))
        }
        CqlType::Tuple(types) | CqlType::Composite(types) => {
            let texts = types.iter().zip(values).map(|(t, value)| literal(t, value, "NULL"));
            format!("({})", texts.collect::<Vec<_>>().join(", "))
        }
        _ => panic!("{cql_type:?} has no fields"),
    }
}
