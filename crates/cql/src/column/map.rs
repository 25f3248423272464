use std::sync::Arc;

use arrow_array::{Array, ArrayRef, MapArray, StructArray, make_array};
use arrow_schema::{FieldRef, Fields};
use outpour_codec::{Error, Reader};

use super::feed::{Feed, footprint};
use super::marks::Marks;
use super::offsets::Offsets;
use super::refusal::Flaw;
use super::{Cell, CellError, ColumnBuilder, column_builder};
use crate::batch::{ColumnValues, Empties};
use crate::{CqlType, arrow, frozen};

/// Appends maps.
///
/// Arrow's keys are never null. An empty key of a type that has none is a zero there, or what stands
/// for nothing in its type, and marked in the keys' [`Empties`].
pub(super) struct MapBuilder {
    keys: Box<dyn ColumnBuilder>,
    values: Box<dyn ColumnBuilder>,
    fields: Fields,
    entries: FieldRef,
    footprints: [usize; 2],
    offsets: Offsets,
    marks: Marks,
}

impl MapBuilder {
    pub(super) fn new(key: &CqlType, value: &CqlType) -> Self {
        let fields = arrow::entry_fields(key, value);
        Self {
            keys: column_builder(key),
            values: column_builder(value),
            entries: arrow::entries_field(fields.clone()),
            fields,
            footprints: [footprint(key), footprint(value)],
            offsets: Offsets::default(),
            marks: Marks::default(),
        }
    }
}

impl ColumnBuilder for MapBuilder {
    fn append(&mut self, cells: &[Cell<'_>]) -> Result<(), CellError> {
        let (first, base) = (self.offsets.len(), self.offsets.end());
        let [key_footprint, value_footprint] = self.footprints;
        let mut keys = Feed::new(self.keys.as_mut(), "key", key_footprint, cells);
        let mut values = Feed::new(self.values.as_mut(), "value", value_footprint, cells);
        for (index, cell) in cells.iter().enumerate() {
            push_entries(*cell, &mut keys, &mut values)
                .map_err(|flaw| self.offsets.refuse(first, index, &flaw))?;
            self.offsets.push_elements(index, base + keys.len())?;
        }
        let flushed = keys.flush().and_then(|()| values.flush());
        flushed.map_err(|flaw| self.offsets.refuse(first, 0, &flaw))?;
        self.marks.append_absent(cells);
        Ok(())
    }

    fn bytes(&self) -> usize {
        let entries = self.keys.bytes() + self.values.bytes();
        entries + self.offsets.bytes() + self.marks.bytes()
    }

    fn finish(&mut self) -> ColumnValues {
        let (keys, values) = (self.keys.finish(), self.values.finish());
        let columns = vec![without_nulls(keys.array), values.array];
        let entries = StructArray::new(self.fields.clone(), columns, None);
        let (nulls, mask) = self.marks.finish();
        let field = Arc::clone(&self.entries);
        let array = MapArray::new(field, self.offsets.finish(), entries, nulls, false);
        let empties = Empties::of(mask, vec![keys.empties, values.empties]);
        ColumnValues { array: Arc::new(array), empties }
    }
}

fn push_entries<'c>(
    cell: Cell<'c>,
    keys: &mut Feed<'_, 'c>,
    values: &mut Feed<'_, 'c>,
) -> Result<(), Flaw> {
    let Some(bytes @ [_, ..]) = cell else { return Ok(()) };
    let mut reader = Reader::new(bytes);
    for _ in 0..reader.count("count of entries", 8)? {
        keys.push(Some(key(&mut reader)?))?;
        values.push(frozen::element(&mut reader)?)?;
    }
    Ok(frozen::end(&reader)?)
}

fn key<'c>(reader: &mut Reader<'c>) -> Result<&'c [u8], Error> {
    let offset = reader.offset();
    frozen::element(reader)?.ok_or_else(|| Error::Invalid {
        what: "key",
        offset,
        expected: "a value".to_owned(),
        got: "null".to_owned(),
    })
}

/// The same array with the values that lie behind its nulls.
fn without_nulls(array: ArrayRef) -> ArrayRef {
    if array.null_count() == 0 {
        return array;
    }
    let builder = array.to_data().into_builder().nulls(None);
    match builder.build() {
        Ok(data) => make_array(data),
        Err(error) => unreachable!("no array is less valid without nulls: {error}"),
    }
}
