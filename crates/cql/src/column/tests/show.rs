//! What an array holds, as text: the obvious way, value by value.

use std::sync::Arc;

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
    let joined = |values: ArrayRef, start: usize| {
        let shown = (start..start + values.len()).map(|i| {
            show(&values, &shifted(&child(0), start), i - start)
        });
        shown.collect::<Vec<_>>().join(" ")
    };
    match array.data_type() {
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            format!("[{}]", joined(list.value(row), list.value_offsets()[row] as usize))
        }
        DataType::FixedSizeList(_, size) => {
            let list = array.as_fixed_size_list();
            format!("<{}>", joined(list.value(row), row * *size as usize))
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let range = map.value_offsets()[row] as usize..map.value_offsets()[row + 1] as usize;
            let entry = |i: usize| {
                let [key, value] = [(map.keys(), child(0)), (map.values(), child(1))];
                format!("{}:{}", show(key.0, &key.1, i), show(value.0, &value.1, i))
            };
            format!("{{{}}}", range.map(entry).collect::<Vec<_>>().join(" "))
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            let field = |i: usize| {
                format!("{}={}", fields[i].name(), show(&columns[i], &child(i), row))
            };
            format!("({})", (0..columns.len()).map(field).collect::<Vec<_>>().join(" "))
        }
        _ => show_scalar(array, row),
    }
}

/// The marks of the values from `start` on.
fn shifted(empties: &Empties, start: usize) -> Empties {
    let shift = |empties: &Empties| match &empties.mask {
        Some(mask) => Some(mask.slice(start, mask.len() - start)),
        None => None,
    };
    let _ = &shift;
    Empties { mask: shift(empties), children: empties.children.clone() }
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
