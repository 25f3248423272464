//! Numbers from their text.

use num_bigint::BigInt;

use crate::CqlType;

pub(super) fn from_integer(text: &str, cql_type: &CqlType) -> Option<Vec<u8>> {
    match cql_type {
        CqlType::Tinyint => text.parse::<i8>().ok().map(|n| n.to_be_bytes().to_vec()),
        CqlType::Smallint => text.parse::<i16>().ok().map(|n| n.to_be_bytes().to_vec()),
        CqlType::Int => text.parse::<i32>().ok().map(|n| n.to_be_bytes().to_vec()),
        CqlType::Bigint | CqlType::Counter => {
            text.parse::<i64>().ok().map(|n| n.to_be_bytes().to_vec())
        }
        CqlType::Varint => text.parse::<BigInt>().ok().map(|n| n.to_signed_bytes_be()),
        _ => from_float(text, cql_type),
    }
}

pub(super) fn from_float(text: &str, cql_type: &CqlType) -> Option<Vec<u8>> {
    let is_infinite = text.ends_with("Infinity");
    match cql_type {
        CqlType::Float => {
            let value = text.parse::<f32>().ok()?;
            (value.is_infinite() == is_infinite).then(|| value.to_be_bytes().to_vec())
        }
        CqlType::Double => {
            let value = text.parse::<f64>().ok()?;
            (value.is_infinite() == is_infinite).then(|| value.to_be_bytes().to_vec())
        }
        CqlType::Decimal => decimal(text),
        _ => None,
    }
}

/// Scale and unscaled value, as Java's `new BigDecimal(text)` has them: `1.50` is 150 of scale 2.
fn decimal(text: &str) -> Option<Vec<u8>> {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let unscaled: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let scale = (fraction.len() as i64).checked_sub(exponent)?;
    let scale = i32::try_from(scale).ok()?;
    Some([&scale.to_be_bytes()[..], &unscaled.to_signed_bytes_be()].concat())
}
