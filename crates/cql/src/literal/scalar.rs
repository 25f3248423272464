//! Values without values inside.

use std::net::IpAddr;

use super::{Kind, Literal, LiteralError, calendar, duration, number};
use crate::{CqlType, column_builder, type_text};

/// The value of a type that has no values inside.
pub(super) fn value(literal: &Literal, cql_type: &CqlType) -> Result<Vec<u8>, LiteralError> {
    let made = match (&literal.kind, cql_type) {
        (Kind::String(text), CqlType::Text) => Some(text.clone().into_bytes()),
        (Kind::String(text), CqlType::Ascii) if text.is_ascii() => Some(text.clone().into_bytes()),
        (Kind::String(text), CqlType::Inet) => text.parse().ok().map(inet),
        (Kind::Bytes(bytes), CqlType::Blob | CqlType::Composite(_) | CqlType::DynamicComposite) => {
            Some(bytes.clone())
        }
        (Kind::Bytes(bytes), CqlType::Empty) if bytes.is_empty() => Some(Vec::new()),
        (Kind::Boolean(value), CqlType::Boolean) => Some(vec![u8::from(*value)]),
        (Kind::Uuid(bytes), CqlType::Uuid | CqlType::LexicalUuid) => Some(bytes.to_vec()),
        (Kind::Uuid(bytes), CqlType::Timeuuid) if bytes[6] >> 4 == 1 => Some(bytes.to_vec()),
        (Kind::Duration(text), CqlType::Duration) => duration::value(text),
        (Kind::String(text) | Kind::Integer(text), _) if calendar::is_time(cql_type) => {
            calendar::value(text, cql_type)
        }
        (Kind::Integer(text), _) => number::from_integer(text, cql_type),
        (Kind::Float(text), _) => number::from_float(text, cql_type),
        _ => None,
    };
    made.ok_or_else(|| literal.refuse(expected(cql_type)))
}

/// The address's bytes; one of IPv4 that is written as IPv6 is one of IPv4, as for Java.
fn inet(address: IpAddr) -> Vec<u8> {
    match address.to_canonical() {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

impl Literal {
    /// The value that has these bytes, if they are one of the type that the function names.
    pub(super) fn converted(
        &self,
        name: &str,
        bytes: &[u8],
        cql_type: &CqlType,
    ) -> Result<Vec<u8>, LiteralError> {
        let type_name = type_text(cql_type, true);
        if name != type_name && (name, type_name.as_str()) != ("varchar", "text") {
            return Err(self.refuse(format!("a value of {type_name}")));
        }
        match column_builder(cql_type).append(&[Some(bytes)]) {
            Ok(()) => Ok(bytes.to_vec()),
            Err(e) => Err(LiteralError { at: self.at, expected: e.expected, got: e.got }),
        }
    }
}

/// What a type takes, for an error.
fn expected(cql_type: &CqlType) -> String {
    let takes = match cql_type {
        CqlType::Tinyint => "an integer, -128 to 127",
        CqlType::Smallint => "an integer, -32768 to 32767",
        CqlType::Int => "an integer, -2147483648 to 2147483647",
        CqlType::Bigint | CqlType::Counter => {
            "an integer, -9223372036854775808 to 9223372036854775807"
        }
        CqlType::Varint => "an integer",
        CqlType::Decimal => "a number with a scale of 32 bits",
        CqlType::Float | CqlType::Double => "a number within its range, NaN or Infinity",
        CqlType::Boolean => "true or false",
        CqlType::Text => "a string in single quotes",
        CqlType::Ascii => "a string of 7-bit characters in single quotes",
        CqlType::Blob | CqlType::Composite(_) | CqlType::DynamicComposite => "bytes as 0x…",
        CqlType::Empty => "0x",
        CqlType::Uuid | CqlType::LexicalUuid => "a UUID without quotes",
        CqlType::Timeuuid => "a UUID of version 1, without quotes",
        CqlType::Inet => "an address in single quotes, as '192.0.2.1' or '2001:db8::1'",
        CqlType::Timestamp | CqlType::LegacyTimestamp => {
            "'2024-01-31 12:00:00.000Z', or milliseconds since 1970"
        }
        CqlType::Date => "'2024-01-31', or days with 2147483648 as 1970-01-01",
        CqlType::Time => "'12:34:56.789', or nanoseconds of the day",
        CqlType::Duration => "a duration, as 1y2mo3d4h or P1Y2M3DT4H, without quotes",
        CqlType::List(_) | CqlType::Vector(..) => "[…]",
        CqlType::Set(_) => "{…}",
        CqlType::Map(..) => "{key: value, …}",
        CqlType::Tuple(_) => "(…)",
        CqlType::Udt(_) => "{field: value, …}",
    };
    format!("{} ({takes})", type_text(cql_type, true))
}

pub(super) fn refuse(literal: &Literal, cql_type: &CqlType) -> LiteralError {
    literal.refuse(expected(cql_type))
}
