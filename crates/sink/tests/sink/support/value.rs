use std::sync::Arc;

use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalMonthDayNanoType, Time64NanosecondType, TimestampMillisecondType,
};
use arrow_array::{
    Array, ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, FixedSizeBinaryArray,
    FixedSizeListArray, ListArray, MapArray, PrimitiveArray, StringArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, IntervalMonthDayNano, NullBuffer, OffsetBuffer};
use arrow_schema::Field;
use outpour_cql::{ColumnValues, CqlType, Empties};

/// One value of some CQL type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    /// No bytes, although the type has a fixed width
    Empty,
    Boolean(bool),
    /// Of all integer types, date, time and timestamp
    Integer(i64),
    Float(f64),
    Text(String),
    /// Of blob, uuid, inet, varint and decimal
    Bytes(Vec<u8>),
    /// Months, days, nanoseconds
    Duration(i32, i32, i64),
    /// Of list, set and vector
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
    /// Of tuple and UDT
    Fields(Vec<Value>),
}

impl Value {
    fn is_there(&self) -> bool {
        !matches!(self, Self::Null | Self::Empty)
    }

    fn integer(&self) -> Option<i64> {
        if let Self::Integer(value) = self { Some(*value) } else { None }
    }

    fn float(&self) -> Option<f64> {
        if let Self::Float(value) = self { Some(*value) } else { None }
    }

    fn boolean(&self) -> Option<bool> {
        if let Self::Boolean(value) = self { Some(*value) } else { None }
    }

    fn text(&self) -> Option<&str> {
        if let Self::Text(value) = self { Some(value) } else { None }
    }

    fn bytes(&self) -> Option<&[u8]> {
        if let Self::Bytes(value) = self { Some(value) } else { None }
    }

    fn duration(&self) -> Option<IntervalMonthDayNano> {
        let Self::Duration(months, days, nanoseconds) = self else { return None };
        Some(IntervalMonthDayNano::new(*months, *days, *nanoseconds))
    }

    fn elements(&self) -> &[Value] {
        if let Self::List(values) = self { values } else { &[] }
    }

    fn entries(&self) -> &[(Value, Value)] {
        if let Self::Map(entries) = self { entries } else { &[] }
    }

    fn field(&self, index: usize) -> &Value {
        if let Self::Fields(values) = self { &values[index] } else { &Value::Null }
    }
}

/// `values` in Arrow.
pub(crate) fn column_values(cql_type: &CqlType, values: &[&Value]) -> ColumnValues {
    let (array, children) = array(cql_type, values);
    let mask: BooleanBuffer = values.iter().map(|value| **value == Value::Empty).collect();
    let mask = (mask.count_set_bits() > 0).then_some(mask);
    let children = if children.iter().all(Empties::is_none) { Vec::new() } else { children };
    ColumnValues { array, empties: Empties { mask, children } }
}

fn array(cql_type: &CqlType, values: &[&Value]) -> (ArrayRef, Vec<Empties>) {
    let leaf = |array: ArrayRef| (array, Vec::new());
    match cql_type {
        CqlType::Ascii | CqlType::Text => {
            leaf(Arc::new(values.iter().map(|v| v.text()).collect::<StringArray>()))
        }
        CqlType::Tinyint => leaf(integers::<Int8Type>(values)),
        CqlType::Smallint => leaf(integers::<Int16Type>(values)),
        CqlType::Int => leaf(integers::<Int32Type>(values)),
        CqlType::Bigint | CqlType::Counter => leaf(integers::<Int64Type>(values)),
        CqlType::Date => leaf(integers::<Date32Type>(values)),
        CqlType::Time => leaf(integers::<Time64NanosecondType>(values)),
        CqlType::Timestamp | CqlType::LegacyTimestamp => {
            let all = values.iter().map(|value| value.integer());
            let array = all.collect::<PrimitiveArray<TimestampMillisecondType>>();
            leaf(Arc::new(array.with_timezone("UTC")))
        }
        CqlType::Float => {
            let all = values.iter().map(|value| value.float().map(|v| v as f32));
            leaf(Arc::new(all.collect::<PrimitiveArray<Float32Type>>()))
        }
        CqlType::Double => {
            let all = values.iter().map(|value| value.float());
            leaf(Arc::new(all.collect::<PrimitiveArray<Float64Type>>()))
        }
        CqlType::Boolean => {
            leaf(Arc::new(values.iter().map(|v| v.boolean()).collect::<BooleanArray>()))
        }
        CqlType::Duration => {
            let all = values.iter().map(|value| value.duration());
            leaf(Arc::new(all.collect::<PrimitiveArray<IntervalMonthDayNanoType>>()))
        }
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => leaf(uuids(values)),
        CqlType::Blob
        | CqlType::Inet
        | CqlType::Varint
        | CqlType::Decimal
        | CqlType::Empty
        | CqlType::DynamicComposite => {
            leaf(Arc::new(values.iter().map(|value| value.bytes()).collect::<BinaryArray>()))
        }
        CqlType::List(element) | CqlType::Set(element) => lists(element, values),
        CqlType::Vector(element, dimension) => vectors(element, *dimension, values),
        CqlType::Map(key, value) => maps(key, value, values),
        CqlType::Tuple(types) | CqlType::Composite(types) => {
            records(&types.iter().collect::<Vec<_>>(), values)
        }
        CqlType::Udt(udt) => {
            records(&udt.fields.iter().map(|field| &field.cql_type).collect::<Vec<_>>(), values)
        }
    }
}

fn integers<T: ArrowPrimitiveType>(values: &[&Value]) -> ArrayRef
where
    T::Native: TryFrom<i64>,
{
    let native = |value: i64| T::Native::try_from(value).ok().expect("in the type's range");
    let all = values.iter().map(|value| value.integer().map(native));
    Arc::new(all.collect::<PrimitiveArray<T>>())
}

fn uuids(values: &[&Value]) -> ArrayRef {
    let bytes: Vec<u8> =
        values.iter().flat_map(|value| value.bytes().unwrap_or(&[0; 16])).copied().collect();
    let array = FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), nulls(values));
    Arc::new(array.unwrap())
}

fn nulls(values: &[&Value]) -> Option<NullBuffer> {
    let there: NullBuffer = values.iter().map(|value| value.is_there()).collect::<Vec<_>>().into();
    (there.null_count() > 0).then_some(there)
}

fn lists(element: &CqlType, values: &[&Value]) -> (ArrayRef, Vec<Empties>) {
    let lengths = values.iter().map(|value| value.elements().len());
    let offsets = OffsetBuffer::from_lengths(lengths);
    let elements: Vec<&Value> = values.iter().flat_map(|value| value.elements()).collect();
    let child = column_values(element, &elements);
    let field = Field::new("item", child.array.data_type().clone(), true);
    let array = ListArray::new(Arc::new(field), offsets, child.array, nulls(values));
    (Arc::new(array), vec![child.empties])
}

fn vectors(element: &CqlType, dimension: usize, values: &[&Value]) -> (ArrayRef, Vec<Empties>) {
    let missing = vec![Value::Null; dimension];
    let elements: Vec<&Value> = values
        .iter()
        .flat_map(|value| if value.is_there() { value.elements() } else { &missing })
        .collect();
    let child = column_values(element, &elements);
    let field = Arc::new(Field::new("item", child.array.data_type().clone(), true));
    let array = FixedSizeListArray::new(field, dimension as i32, child.array, nulls(values));
    (Arc::new(array), vec![child.empties])
}

fn maps(key: &CqlType, value: &CqlType, values: &[&Value]) -> (ArrayRef, Vec<Empties>) {
    let offsets = OffsetBuffer::from_lengths(values.iter().map(|value| value.entries().len()));
    let entries: Vec<_> = values.iter().flat_map(|value| value.entries()).collect();
    let keys = column_values(key, &entries.iter().map(|(key, _)| key).collect::<Vec<_>>());
    let inner = column_values(value, &entries.iter().map(|(_, value)| value).collect::<Vec<_>>());
    let fields = vec![
        Field::new("key", keys.array.data_type().clone(), false),
        Field::new("value", inner.array.data_type().clone(), true),
    ];
    let entries =
        StructArray::new(fields.into(), vec![without_nulls(&keys.array), inner.array], None);
    let field = Field::new("entries", entries.data_type().clone(), false);
    let array = MapArray::new(Arc::new(field), offsets, entries, nulls(values), false);
    (Arc::new(array), vec![keys.empties, inner.empties])
}

/// Arrow allows no null key: an empty one is only marked.
fn without_nulls(array: &ArrayRef) -> ArrayRef {
    arrow_array::make_array(array.to_data().into_builder().nulls(None).build().unwrap())
}

fn records(types: &[&CqlType], values: &[&Value]) -> (ArrayRef, Vec<Empties>) {
    let member = |(index, cql_type): (usize, &&CqlType)| {
        let fields: Vec<&Value> = values.iter().map(|value| value.field(index)).collect();
        column_values(cql_type, &fields)
    };
    let members: Vec<ColumnValues> = types.iter().enumerate().map(member).collect();
    let field = |(index, member): (usize, &ColumnValues)| {
        Field::new(format!("f{index}"), member.array.data_type().clone(), true)
    };
    let fields: Vec<Field> = members.iter().enumerate().map(field).collect();
    let (arrays, empties) = members.into_iter().map(|m| (m.array, m.empties)).unzip();
    (Arc::new(StructArray::new(fields.into(), arrays, nulls(values))), empties)
}
