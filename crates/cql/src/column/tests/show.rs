//! What an array holds, as text: the obvious way, value by value.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use crate::Empties;

/// The value in `row`; `empty` and `null` for what is neither.
pub(super) fn show(array: &ArrayRef, empties: &Empties, row: usize) -> String {
    if empties.is_empty_at(row) {
        return "empty".to_owned();
    }
    match array.is_null(row) {
        true => "null".to_owned(),
        false => show_value(array, empties, row),
    }
}

fn show_value(array: &ArrayRef, empties: &Empties, row: usize) -> String {
    let child = |i: usize| empties.children.get(i).cloned().unwrap_or_default();
    let joined = |range: Range<usize>, show: &dyn Fn(usize) -> String| {
        range.map(show).collect::<Vec<_>>().join(" ")
    };
    let range = |offsets: &[i32]| offsets[row] as usize..offsets[row + 1] as usize;
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let element = |i: usize| show(list.values(), &child(0), i);
            format!("[{}]", joined(range(list.value_offsets()), &element))
        }
        DataType::FixedSizeList(_, size) => {
            let list = array.as_fixed_size_list();
            let element = |i: usize| show(list.values(), &child(0), i);
            let size = *size as usize;
            format!("<{}>", joined(row * size..(row + 1) * size, &element))
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let entry = |i: usize| {
                let (key, value) =
                    (show(map.keys(), &child(0), i), show(map.values(), &child(1), i));
                format!("{key}:{value}")
            };
            format!("{{{}}}", joined(range(map.value_offsets()), &entry))
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let field = |i: usize| {
                let column: &ArrayRef = &columns[i];
                format!("{}={}", fields[i].name(), show(column, &child(i), row))
            };
            format!("({})", joined(0..columns.len(), &field))
        }
        _ => show_scalar(array, row),
    }
}

fn show_scalar(array: &ArrayRef, row: usize) -> String {
    match array.data_type() {
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).to_string(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).to_string(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).to_string(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Float32 => array.as_primitive::<Float32Type>().value(row).to_string(),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).to_string(),
        DataType::Boolean => array.as_boolean().value(row).to_string(),
        DataType::Utf8 => format!("{:?}", array.as_string::<i32>().value(row)),
        DataType::Binary => hex(array.as_binary::<i32>().value(row)),
        DataType::FixedSizeBinary(16) => hex(array.as_fixed_size_binary().value(row)),
        DataType::Date32 => format!("day {}", array.as_primitive::<Date32Type>().value(row)),
        DataType::Time64(TimeUnit::Nanosecond) => {
            format!("{} ns", array.as_primitive::<Time64NanosecondType>().value(row))
        }
        DataType::Timestamp(TimeUnit::Millisecond, Some(zone)) if **zone == *"UTC" => {
            format!("{} ms", array.as_primitive::<TimestampMillisecondType>().value(row))
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            format!("{}mo {}d {}ns", value.months, value.days, value.nanoseconds)
        }
        other => panic!("{other}"),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}
