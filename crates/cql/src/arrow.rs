//! CQL types as Arrow has them.
//!
//! | CQL | Arrow |
//! |---|---|
//! | tinyint to bigint, counter | Int8 to Int64 |
//! | float, double, boolean | Float32, Float64, Boolean |
//! | text, ascii | Utf8 |
//! | blob, `EmptyType`, `DynamicCompositeType` | Binary |
//! | uuid, timeuuid, `LexicalUUIDType` | FixedSizeBinary(16), extension `arrow.uuid` |
//! | timestamp, `DateType` | Timestamp(ms, UTC) |
//! | date, time, duration | Date32, Time64(ns), Interval(MonthDayNano) |
//! | inet, varint, decimal | Binary with the cells' bytes, extension `outpour.inet` and so on |
//! | list, set | List |
//! | map | Map |
//! | tuple, UDT, `CompositeType` | Struct; fields without a name are numbered from 0 |
//! | vector | FixedSizeList |
//!
//! Each field, nested ones too, has its CQL type in its metadata.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::extension::EXTENSION_TYPE_NAME_KEY;
use arrow_schema::{DataType, Field, FieldRef, Fields, IntervalUnit, TimeUnit};

use crate::{CqlType, OutputColumn};

/// The metadata key of a field's CQL type.
pub const CQL_TYPE_KEY: &str = "outpour.cql_type";

/// The time zone of timestamps.
pub(crate) const UTC: &str = "UTC";

/// The Arrow field of a column.
#[must_use]
pub fn field(column: &OutputColumn) -> Field {
    named(&column.name, &column.cql_type, true)
}

/// The Arrow type of a type's values.
#[must_use]
pub fn data_type(cql_type: &CqlType) -> DataType {
    match cql_type {
        CqlType::Tinyint => DataType::Int8,
        CqlType::Smallint => DataType::Int16,
        CqlType::Int => DataType::Int32,
        CqlType::Bigint | CqlType::Counter => DataType::Int64,
        CqlType::Float => DataType::Float32,
        CqlType::Double => DataType::Float64,
        CqlType::Boolean => DataType::Boolean,
        CqlType::Text | CqlType::Ascii => DataType::Utf8,
        CqlType::Blob | CqlType::Empty | CqlType::DynamicComposite => DataType::Binary,
        CqlType::Inet | CqlType::Varint | CqlType::Decimal => DataType::Binary,
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => DataType::FixedSizeBinary(16),
        CqlType::Timestamp | CqlType::LegacyTimestamp => {
            DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into()))
        }
        CqlType::Date => DataType::Date32,
        CqlType::Time => DataType::Time64(TimeUnit::Nanosecond),
        CqlType::Duration => DataType::Interval(IntervalUnit::MonthDayNano),
        CqlType::List(element) | CqlType::Set(element) => DataType::List(element_field(element)),
        CqlType::Map(key, value) => DataType::Map(entries_field(entry_fields(key, value)), false),
        CqlType::Tuple(_) | CqlType::Udt(_) | CqlType::Composite(_) => {
            DataType::Struct(struct_fields(cql_type))
        }
        CqlType::Vector(element, dimension) => {
            DataType::FixedSizeList(element_field(element), list_size(*dimension))
        }
    }
}

fn named(name: &str, cql_type: &CqlType, nullable: bool) -> Field {
    let mut metadata = HashMap::from([(CQL_TYPE_KEY.to_owned(), cql_type.to_string())]);
    if let Some(extension) = extension(cql_type) {
        metadata.insert(EXTENSION_TYPE_NAME_KEY.to_owned(), extension.to_owned());
    }
    Field::new(name, data_type(cql_type), nullable).with_metadata(metadata)
}

fn extension(cql_type: &CqlType) -> Option<&'static str> {
    match cql_type {
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => Some("arrow.uuid"),
        CqlType::Inet => Some("outpour.inet"),
        CqlType::Varint => Some("outpour.varint"),
        CqlType::Decimal => Some("outpour.decimal"),
        _ => None,
    }
}

/// The element of a list, set or vector. It can be null even in a vector, where it is empty in CQL.
pub(crate) fn element_field(element: &CqlType) -> FieldRef {
    Arc::new(named(Field::LIST_FIELD_DEFAULT_NAME, element, true))
}

/// Key and value of a map.
pub(crate) fn entry_fields(key: &CqlType, value: &CqlType) -> Fields {
    [named("key", key, false), named("value", value, true)].into_iter().collect()
}

/// The struct that is an entry of a map.
pub(crate) fn entries_field(fields: Fields) -> FieldRef {
    Arc::new(Field::new("entries", DataType::Struct(fields), false))
}

/// The fields of a tuple, UDT or composite.
pub(crate) fn struct_fields(cql_type: &CqlType) -> Fields {
    let name = |i: usize| match cql_type {
        CqlType::Udt(udt) => udt.fields.get(i).map_or_else(String::new, |field| field.name.clone()),
        _ => i.to_string(),
    };
    field_types(cql_type).enumerate().map(|(i, field)| named(&name(i), field, true)).collect()
}

/// The types of those fields.
pub(crate) fn field_types(cql_type: &CqlType) -> impl Iterator<Item = &CqlType> {
    let (types, fields) = match cql_type {
        CqlType::Tuple(types) | CqlType::Composite(types) => (types.as_slice(), &[][..]),
        CqlType::Udt(udt) => (&[][..], udt.fields.as_slice()),
        _ => (&[][..], &[][..]),
    };
    types.iter().chain(fields.iter().map(|field| &field.cql_type))
}

/// A vector's dimension as Arrow counts. No array has room for more than that.
pub(crate) fn list_size(dimension: usize) -> i32 {
    i32::try_from(dimension).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{UdtField, UdtType};

    fn column(cql_type: CqlType) -> Field {
        field(&OutputColumn { name: "c".to_owned(), cql_type })
    }

    fn extension_of(field: &Field) -> Option<&str> {
        field.metadata().get(EXTENSION_TYPE_NAME_KEY).map(String::as_str)
    }

    #[test]
    fn bytes_are_told_apart_by_their_extension() {
        let cases = [
            (CqlType::Blob, None),
            (CqlType::Inet, Some("outpour.inet")),
            (CqlType::Varint, Some("outpour.varint")),
            (CqlType::Decimal, Some("outpour.decimal")),
            (CqlType::Timeuuid, Some("arrow.uuid")),
            (CqlType::Uuid, Some("arrow.uuid")),
        ];
        for (cql_type, extension) in cases {
            let field = column(cql_type);
            assert_eq!((field.name().as_str(), field.is_nullable()), ("c", true));
            assert_eq!(extension_of(&field), extension);
        }
    }

    #[test]
    fn types_that_look_alike_are_told_apart_by_their_metadata() {
        let of = |cql_type| column(cql_type).metadata()[CQL_TYPE_KEY].clone();
        let text = || Box::new(CqlType::Text);
        assert_ne!(of(CqlType::List(text())), of(CqlType::Set(text())));
        assert_ne!(of(CqlType::Timeuuid), of(CqlType::Uuid));
    }

    #[test]
    fn nested_fields_carry_their_own_types() {
        let address = UdtType {
            keyspace: "ks".to_owned(),
            name: "address".to_owned(),
            fields: vec![UdtField { name: "Host".to_owned(), cql_type: CqlType::Inet }],
        };
        let value = CqlType::Tuple(vec![CqlType::Udt(address.into()), CqlType::Int]);
        let map = column(CqlType::Map(Box::new(CqlType::Uuid), Box::new(value)));
        let DataType::Map(entries, false) = map.data_type() else { panic!("{map}") };
        let DataType::Struct(entry) = entries.data_type() else { panic!("{entries}") };
        let [key, value] = &entry[..] else { panic!("{entry:?}") };
        assert_eq!((key.name().as_str(), key.is_nullable()), ("key", false));
        assert_eq!(extension_of(key), Some("arrow.uuid"));
        assert!(value.metadata().contains_key(CQL_TYPE_KEY));
        let DataType::Struct(tuple) = value.data_type() else { panic!("{value}") };
        assert_eq!((tuple[0].name().as_str(), tuple[1].name().as_str()), ("0", "1"));
        let DataType::Struct(udt) = tuple[0].data_type() else { panic!("{tuple:?}") };
        assert_eq!(udt[0].name(), "Host");
        assert_eq!(extension_of(&udt[0]), Some("outpour.inet"));
    }

    #[test]
    fn vectors_have_their_dimension() {
        let vector = column(CqlType::Vector(Box::new(CqlType::Float), 3));
        assert!(matches!(vector.data_type(), DataType::FixedSizeList(_, 3)));
    }
}
