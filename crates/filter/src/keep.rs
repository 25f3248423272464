//! Batches of the rows that are kept, with their empty values.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{BooleanBuffer, BooleanBufferBuilder};
use arrow_schema::{ArrowError, DataType};
use arrow_select::filter::{FilterBuilder, FilterPredicate};
use outpour_cql::{Batch, Empties};

/// The rows of `batch` that `rows` marks, of its first `columns` columns.
///
/// # Errors
/// What is left does not fit an array of its type.
pub fn keep(batch: &Batch, columns: usize, rows: &BooleanBuffer) -> Result<Batch, ArrowError> {
    if rows.count_set_bits() == batch.record.num_rows() {
        let record = batch.record.project(&(0..columns).collect::<Vec<_>>())?;
        return Ok(Batch {
            record,
            empties: batch.empties.iter().take(columns).cloned().collect(),
        });
    }
    let marks = BooleanArray::new(rows.clone(), None);
    let filter: FilterPredicate = FilterBuilder::new(&marks).optimize().build();
    let fields = batch.record.schema().fields().iter().take(columns).cloned().collect::<Vec<_>>();
    let kept = batch.record.columns().iter().take(columns).map(|column| filter.filter(column));
    let kept = kept.collect::<Result<Vec<_>, _>>()?;
    let with_empties = batch.record.columns().iter().zip(&batch.empties).take(columns);
    let empties = with_empties.map(|(array, empties)| keep_empties(array, empties, rows)).collect();
    let schema = arrow_schema::Schema::new(fields);
    let options = RecordBatchOptions::new().with_row_count(Some(rows.count_set_bits()));
    let record = RecordBatch::try_new_with_options(schema.into(), kept, &options)?;
    Ok(Batch { record, empties })
}

/// The marks of the values that are kept.
fn keep_empties(array: &dyn Array, empties: &Empties, rows: &BooleanBuffer) -> Empties {
    if empties.is_none() {
        return Empties::default();
    }
    let mask = empties.mask.as_ref().map(|mask| keep_bits(mask, rows));
    let inside = |children: &[&dyn Array], rows: &BooleanBuffer| {
        let pairs = children.iter().zip(&empties.children);
        pairs.map(|(child, empties)| keep_empties(*child, empties, rows)).collect()
    };
    let children = match array.data_type() {
        DataType::Struct(_) => {
            let fields: Vec<_> = array.as_struct().columns().iter().map(AsRef::as_ref).collect();
            inside(&fields, rows)
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let elements = elements_of(list.value_offsets(), list.values().len(), rows);
            inside(&[list.values()], &elements)
        }
        DataType::Map(..) => {
            let map = array.as_map();
            let entries = elements_of(map.value_offsets(), map.keys().len(), rows);
            inside(&[map.keys(), map.values()], &entries)
        }
        DataType::FixedSizeList(_, len) => {
            let (len, list) = (*len as usize, array.as_fixed_size_list());
            let kept = |row: usize| row * len..(row + 1) * len;
            let elements = marked(list.values().len(), rows.set_indices().map(kept));
            inside(&[list.values()], &elements)
        }
        _ => Vec::new(),
    };
    Empties { mask, children }
}

/// Marks of the elements that rows which are kept have.
fn elements_of(offsets: &[i32], len: usize, rows: &BooleanBuffer) -> BooleanBuffer {
    let kept = |row: usize| offsets[row] as usize..offsets[row + 1] as usize;
    marked(len, rows.set_indices().map(kept))
}

/// Marks of these ranges, which are in order.
fn marked(len: usize, ranges: impl Iterator<Item = Range<usize>>) -> BooleanBuffer {
    let mut marks = BooleanBufferBuilder::new(len);
    for range in ranges {
        marks.append_n(range.start - marks.len(), false);
        marks.append_n(range.len(), true);
    }
    marks.append_n(len - marks.len(), false);
    marks.finish()
}

/// The bits of the rows that are kept; bits behind the last row mean nothing.
fn keep_bits(bits: &BooleanBuffer, rows: &BooleanBuffer) -> BooleanBuffer {
    rows.set_indices().map(|row| bits.value(row)).collect()
}
