//! The order of values (`db/marshal/*Type.compareCustom`, 3.0 to 5.0).

mod dynamic;
mod nested;
mod number;
mod uuid;

use std::cmp::Ordering;

use crate::CqlType;
use nested::Vector;

/// Numbers that compare as values of a type do, made of the value's bytes.
pub mod order_key {
    pub use super::number::{double_key, float_key};
    pub use super::uuid::{lexical_key, timeuuid_key, uuid_key};
}

/// For what is more than its type allows
static BYTES: Order = Order::Bytes;

/// The order of one type's values, as the database sorts clustering columns, elements of sets and
/// keys of maps.
///
/// It is total over all byte strings, so that no bytes can confuse a sort: an empty value comes
/// first, then the values of the type, then bytes that are none, in unsigned order. Values that
/// differ in their bytes can be equal: the decimals 1.0 and 1.00, or two NaN.
#[derive(Debug, Clone)]
pub struct Comparator {
    order: Order,
    descending: bool,
}

impl Comparator {
    /// The order of `cql_type`, reversed as a whole if `descending`: empty values are last then.
    #[must_use]
    pub fn new(cql_type: &CqlType, descending: bool) -> Self {
        Self { order: Order::of(cql_type), descending }
    }

    /// Compares two values by their bytes. Null is none: it comes before all values whatever the
    /// direction.
    #[inline]
    #[must_use]
    pub fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self.descending {
            false => self.order.compare(a, b),
            true => self.order.compare(b, a),
        }
    }
}

#[derive(Debug, Clone)]
enum Order {
    /// Unsigned, the shorter first on a common prefix
    Bytes,
    Boolean,
    Tinyint,
    Smallint,
    Int,
    Bigint,
    Float,
    Double,
    Varint,
    Decimal,
    Uuid,
    Timeuuid,
    LexicalUuid,
    /// Lists and sets
    List(Box<Order>),
    Map(Box<[Order; 2]>),
    /// Tuples and UDTs
    Tuple(Vec<Order>),
    Vector(Box<Vector>),
    Composite(Vec<Order>),
    DynamicComposite,
}

impl Order {
    fn of(cql_type: &CqlType) -> Self {
        let all = |types: &[CqlType]| types.iter().map(Self::of).collect();
        match cql_type {
            CqlType::Ascii | CqlType::Text | CqlType::Blob | CqlType::Inet => Self::Bytes,
            // Unsigned integers, or signed ones that the database compares as if they were not.
            CqlType::Date | CqlType::Time | CqlType::LegacyTimestamp => Self::Bytes,
            // The database has no order for these, or but one value.
            CqlType::Duration | CqlType::Counter | CqlType::Empty => Self::Bytes,
            CqlType::Boolean => Self::Boolean,
            CqlType::Tinyint => Self::Tinyint,
            CqlType::Smallint => Self::Smallint,
            CqlType::Int => Self::Int,
            CqlType::Bigint | CqlType::Timestamp => Self::Bigint,
            CqlType::Float => Self::Float,
            CqlType::Double => Self::Double,
            CqlType::Varint => Self::Varint,
            CqlType::Decimal => Self::Decimal,
            CqlType::Uuid => Self::Uuid,
            CqlType::Timeuuid => Self::Timeuuid,
            CqlType::LexicalUuid => Self::LexicalUuid,
            CqlType::List(element) | CqlType::Set(element) => {
                Self::List(Box::new(Self::of(element)))
            }
            CqlType::Map(key, value) => Self::Map(Box::new([Self::of(key), Self::of(value)])),
            CqlType::Tuple(types) => Self::Tuple(all(types)),
            CqlType::Udt(udt) => {
                Self::Tuple(udt.fields.iter().map(|field| Self::of(&field.cql_type)).collect())
            }
            CqlType::Vector(element, dimension) => {
                Self::Vector(Box::new(Vector::new(element, *dimension)))
            }
            CqlType::Composite(types) => Self::Composite(all(types)),
            CqlType::DynamicComposite => Self::DynamicComposite,
        }
    }

    #[inline]
    fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Bytes => a.cmp(b),
            Self::Int => by_key(a, b, i32::from_be_bytes),
            Self::Bigint => by_key(a, b, i64::from_be_bytes),
            _ => self.compare_others(a, b),
        }
    }

    fn compare_others(&self, a: &[u8], b: &[u8]) -> Ordering {
        match self {
            Self::Bytes | Self::Int | Self::Bigint => self.compare(a, b),
            Self::Boolean => by_key(a, b, |[byte]: [u8; 1]| byte != 0),
            Self::Tinyint => by_key(a, b, i8::from_be_bytes),
            Self::Smallint => by_key(a, b, i16::from_be_bytes),
            Self::Float => by_key(a, b, number::float_key),
            Self::Double => by_key(a, b, number::double_key),
            Self::Varint => number::compare_varints(a, b),
            Self::Decimal => number::compare_decimals(a, b),
            Self::Uuid => by_key(a, b, uuid::uuid_key),
            Self::Timeuuid => by_key(a, b, uuid::timeuuid_key),
            Self::LexicalUuid => by_key(a, b, uuid::lexical_key),
            Self::List(element) => nested::compare_lists(element, a, b),
            Self::Map(entry) => nested::compare_maps(entry, a, b),
            Self::Tuple(fields) => nested::compare_tuples(fields, a, b),
            Self::Vector(vector) => vector.compare(a, b),
            Self::Composite(components) => nested::compare_composites(components, a, b),
            Self::DynamicComposite => dynamic::compare(a, b),
        }
    }
}

/// Compares values of exactly `N` bytes by what `key` makes of them.
#[inline]
fn by_key<const N: usize, K: Ord>(a: &[u8], b: &[u8], key: impl Fn([u8; N]) -> K) -> Ordering {
    match (a.try_into(), b.try_into()) {
        (Ok(a), Ok(b)) => key(a).cmp(&key(b)),
        _ => compare_irregular(a, b, |bytes| bytes.len() == N),
    }
}

/// Compares two byte strings of which one at least is empty or no value of the type.
#[cold]
fn compare_irregular(a: &[u8], b: &[u8], is_value: impl Fn(&[u8]) -> bool) -> Ordering {
    let class = |bytes: &[u8]| match bytes {
        [] => 0,
        _ if is_value(bytes) => 1,
        _ => 2,
    };
    match (class(a), class(b)) {
        (2, 2) => a.cmp(b),
        (class_a, class_b) => class_a.cmp(&class_b),
    }
}

#[cfg(test)]
mod tests;
