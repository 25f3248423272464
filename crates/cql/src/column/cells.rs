//! Arrow columns back to cells.

use std::ops::Range;

use arrow_array::types::{
    Date32Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalMonthDayNanoType, Time64NanosecondType, TimestampMillisecondType,
};
use arrow_array::{
    Array, ArrowPrimitiveType, BinaryArray, BooleanArray, FixedSizeBinaryArray, FixedSizeListArray,
    ListArray, MapArray, PrimitiveArray, StringArray, StructArray,
};
use outpour_codec::vint;

use crate::{CqlType, Empties, arrow};

/// An array that is not what a type's values are stored in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected an array of {expected}, got one of {got}")]
pub struct NotOfType {
    expected: String,
    got: String,
}

impl NotOfType {
    /// An error about an array.
    #[must_use]
    pub fn new(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { expected: expected.into(), got: got.into() }
    }
}

/// The cells that the values of a column stand for.
///
/// They are equal to those that the column was made of by the order of their type, though not always
/// in their bytes: fields that were missing are null, and every true is 1.
pub struct Cells<'a> {
    array: &'a dyn Array,
    empties: &'a Empties,
    write: Write<'a>,
}

/// Appends the bytes of a value that is neither null nor empty.
type Write<'a> = Box<dyn Fn(usize, &mut Vec<u8>) + 'a>;

static NO_EMPTIES: Empties = Empties { mask: None, children: Vec::new() };

/// The cells of an array of [`crate::arrow::data_type`], and its empty values.
///
/// # Errors
/// [`NotOfType`] if it is another array.
pub fn cells<'a>(
    cql_type: &CqlType,
    array: &'a dyn Array,
    empties: &'a Empties,
) -> Result<Cells<'a>, NotOfType> {
    let write = match cql_type {
        CqlType::List(element) | CqlType::Set(element) => list(element, array, empties)?,
        CqlType::Map(key, value) => map([key, value], array, empties)?,
        CqlType::Tuple(_) | CqlType::Udt(_) => fields(cql_type, array, empties)?,
        CqlType::Composite(_) => components(cql_type, array, empties)?,
        CqlType::Vector(element, dimension) => vector(element, *dimension, array, empties)?,
        _ => scalar(cql_type, array)?,
    };
    Ok(Cells { array, empties, write })
}

impl Cells<'_> {
    /// Appends the cell of value `row`; false if it is null.
    pub fn append(&self, row: usize, out: &mut Vec<u8>) -> bool {
        if self.empties.is_empty_at(row) {
            return true;
        }
        let is_there = !self.array.is_null(row);
        if is_there {
            (self.write)(row, out);
        }
        is_there
    }

    /// Appends its length, which is -1 for null, and the cell.
    fn append_framed(&self, row: usize, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend_from_slice(&[0xff; 4]);
        if self.append(row, out) {
            let len = (out.len() - start - 4) as i32;
            out[start..start + 4].copy_from_slice(&len.to_be_bytes());
        }
    }
}

fn downcast<'a, A: 'static>(array: &'a dyn Array, arrow_type: &str) -> Result<&'a A, NotOfType> {
    let refuse = || NotOfType::new(arrow_type, array.data_type().to_string());
    array.as_any().downcast_ref().ok_or_else(refuse)
}

fn child(empties: &Empties, index: usize) -> &Empties {
    empties.children.get(index).unwrap_or(&NO_EMPTIES)
}

fn number<'a, T: ArrowPrimitiveType, const N: usize>(
    array: &'a dyn Array,
    to_be_bytes: impl Fn(T::Native) -> [u8; N] + 'a,
) -> Result<Write<'a>, NotOfType> {
    let array = downcast::<PrimitiveArray<T>>(array, &T::DATA_TYPE.to_string())?;
    Ok(Box::new(move |row, out| out.extend_from_slice(&to_be_bytes(array.value(row)))))
}

fn scalar<'a>(cql_type: &CqlType, array: &'a dyn Array) -> Result<Write<'a>, NotOfType> {
    match cql_type {
        CqlType::Tinyint => number::<Int8Type, 1>(array, i8::to_be_bytes),
        CqlType::Smallint => number::<Int16Type, 2>(array, i16::to_be_bytes),
        CqlType::Int => number::<Int32Type, 4>(array, i32::to_be_bytes),
        CqlType::Bigint | CqlType::Counter => number::<Int64Type, 8>(array, i64::to_be_bytes),
        CqlType::Float => number::<Float32Type, 4>(array, f32::to_be_bytes),
        CqlType::Double => number::<Float64Type, 8>(array, f64::to_be_bytes),
        CqlType::Date => {
            number::<Date32Type, 4>(array, |days| (days as u32 ^ 1 << 31).to_be_bytes())
        }
        CqlType::Time => number::<Time64NanosecondType, 8>(array, i64::to_be_bytes),
        CqlType::Timestamp | CqlType::LegacyTimestamp => {
            number::<TimestampMillisecondType, 8>(array, i64::to_be_bytes)
        }
        CqlType::Boolean => {
            let array = downcast::<BooleanArray>(array, "Boolean")?;
            Ok(Box::new(move |row, out| out.push(u8::from(array.value(row)))))
        }
        CqlType::Text | CqlType::Ascii => {
            let array = downcast::<StringArray>(array, "Utf8")?;
            Ok(Box::new(move |row, out| out.extend_from_slice(array.value(row).as_bytes())))
        }
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => {
            let array = downcast::<FixedSizeBinaryArray>(array, "FixedSizeBinary")?;
            Ok(Box::new(move |row, out| out.extend_from_slice(array.value(row))))
        }
        CqlType::Duration => duration(array),
        _ => {
            let array = downcast::<BinaryArray>(array, "Binary")?;
            Ok(Box::new(move |row, out| out.extend_from_slice(array.value(row))))
        }
    }
}

fn duration(array: &dyn Array) -> Result<Write<'_>, NotOfType> {
    let array = downcast::<PrimitiveArray<IntervalMonthDayNanoType>>(array, "Interval")?;
    Ok(Box::new(move |row, out| {
        let value = array.value(row);
        for part in [value.months.into(), value.days.into(), value.nanoseconds] {
            vint::write_signed(part, out);
        }
    }))
}

fn range(offsets: &[i32], row: usize) -> Range<usize> {
    offsets[row] as usize..offsets[row + 1] as usize
}

fn list<'a>(
    element: &CqlType,
    array: &'a dyn Array,
    empties: &'a Empties,
) -> Result<Write<'a>, NotOfType> {
    let array = downcast::<ListArray>(array, "List")?;
    let elements = cells(element, array.values(), child(empties, 0))?;
    Ok(Box::new(move |row, out| {
        let range = range(array.value_offsets(), row);
        out.extend_from_slice(&(range.len() as i32).to_be_bytes());
        range.for_each(|element| elements.append_framed(element, out));
    }))
}

fn map<'a>(
    types: [&CqlType; 2],
    array: &'a dyn Array,
    empties: &'a Empties,
) -> Result<Write<'a>, NotOfType> {
    let array = downcast::<MapArray>(array, "Map")?;
    let keys = cells(types[0], array.keys(), child(empties, 0))?;
    let values = cells(types[1], array.values(), child(empties, 1))?;
    Ok(Box::new(move |row, out| {
        let range = range(array.value_offsets(), row);
        out.extend_from_slice(&(range.len() as i32).to_be_bytes());
        for entry in range {
            keys.append_framed(entry, out);
            values.append_framed(entry, out);
        }
    }))
}

fn all_fields<'a>(
    cql_type: &CqlType,
    array: &'a dyn Array,
    empties: &'a Empties,
) -> Result<Vec<Cells<'a>>, NotOfType> {
    let array = downcast::<StructArray>(array, "Struct")?;
    let fields = arrow::field_types(cql_type).zip(array.columns()).enumerate();
    fields.map(|(i, (field, column))| cells(field, column, child(empties, i))).collect()
}

fn fields<'a>(
    cql_type: &CqlType,
    array: &'a dyn Array,
    empties: &'a Empties,
) -> Result<Write<'a>, NotOfType> {
    let fields = all_fields(cql_type, array, empties)?;
    Ok(Box::new(move |row, out| fields.iter().for_each(|field| field.append_framed(row, out))))
}

fn components<'a>(
    cql_type: &CqlType,
    array: &'a dyn Array,
    empties: &'a Empties,
) -> Result<Write<'a>, NotOfType> {
    let components = all_fields(cql_type, array, empties)?;
    Ok(Box::new(move |row, out| {
        for component in &components {
            let start = out.len();
            out.extend_from_slice(&[0; 2]);
            if !component.append(row, out) {
                return out.truncate(start);
            }
            let len = (out.len() - start - 2) as u16;
            out[start..start + 2].copy_from_slice(&len.to_be_bytes());
            out.push(0);
        }
    }))
}

fn vector<'a>(
    element: &CqlType,
    dimension: usize,
    array: &'a dyn Array,
    empties: &'a Empties,
) -> Result<Write<'a>, NotOfType> {
    let array = downcast::<FixedSizeListArray>(array, "FixedSizeList")?;
    if array.value_length() as usize != dimension {
        let (expected, got) = (dimension.to_string(), array.value_length().to_string());
        return Err(NotOfType::new(expected + " elements each", got));
    }
    let elements = cells(element, array.values(), child(empties, 0))?;
    let is_fixed = element.fixed_len().is_some();
    Ok(Box::new(move |row, out| {
        let start = array.value_offset(row) as usize;
        let mut value = Vec::new();
        for index in start..start + dimension {
            value.clear();
            elements.append(index, &mut value);
            if !is_fixed {
                vint::write_unsigned(value.len() as u64, out);
            }
            out.extend_from_slice(&value);
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_of_another_type_is_refused() {
        let texts = StringArray::from(vec!["a"]);
        let refused = |cql_type: &CqlType| cells(cql_type, &texts, &NO_EMPTIES).is_err();
        assert!(!refused(&CqlType::Text));
        let list = CqlType::List(Box::new(CqlType::Text));
        for cql_type in [CqlType::Int, CqlType::Blob, CqlType::Boolean, CqlType::Duration, list] {
            assert!(refused(&cql_type), "{cql_type:?}");
        }
    }
}
