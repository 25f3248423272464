use std::sync::Arc;

use arrow_array::StructArray;
use arrow_schema::Fields;
use outpour_codec::{Error, Reader, Result};

use super::marks::Marks;
use super::{Cell, CellError, ColumnBuilder, column_builder};
use crate::batch::{ColumnValues, Empties};
use crate::{CqlType, arrow, frozen};

/// Appends tuples, UDTs or composites.
pub(super) struct StructBuilder {
    /// How a field is read
    read: ReadField,
    builders: Vec<Box<dyn ColumnBuilder>>,
    fields: Fields,
    marks: Marks,
}

type ReadField = for<'a> fn(&mut Reader<'a>) -> Result<Cell<'a>>;

impl StructBuilder {
    /// Of a tuple or UDT.
    pub(super) fn of_fields(cql_type: &CqlType) -> Self {
        Self::new(cql_type, frozen::field)
    }

    /// Of a composite.
    pub(super) fn of_components(cql_type: &CqlType) -> Self {
        Self::new(cql_type, read_component)
    }

    fn new(cql_type: &CqlType, read: ReadField) -> Self {
        Self {
            read,
            builders: arrow::field_types(cql_type).map(column_builder).collect(),
            fields: arrow::struct_fields(cql_type),
            marks: Marks::default(),
        }
    }
}

impl ColumnBuilder for StructBuilder {
    fn append(&mut self, cells: &[Cell<'_>]) -> std::result::Result<(), CellError> {
        let column = || Vec::with_capacity(cells.len());
        let mut columns: Vec<Vec<Cell<'_>>> = self.builders.iter().map(|_| column()).collect();
        for (index, cell) in cells.iter().enumerate() {
            push_fields(cell.unwrap_or_default(), self.read, &mut columns)
                .map_err(|error| CellError::unreadable(index, &error))?;
        }
        for (i, (builder, column)) in self.builders.iter_mut().zip(&columns).enumerate() {
            builder.append(column).map_err(|error| {
                let name = self.fields.get(i).map_or("", |field| field.name());
                error.inside(error.index, format_args!("field {name}"))
            })?;
        }
        self.marks.append_absent(cells);
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.builders.iter().map(|builder| builder.bytes()).sum::<usize>() + self.marks.bytes()
    }

    fn finish(&mut self) -> ColumnValues {
        let len = self.marks.len();
        let (nulls, mask) = self.marks.finish();
        let fields = self.builders.iter_mut().map(|builder| builder.finish());
        let (arrays, empties) = fields.map(|field| (field.array, field.empties)).unzip();
        let array = match StructArray::try_new_with_length(self.fields.clone(), arrays, nulls, len)
        {
            Ok(array) => array,
            Err(error) => unreachable!("the builders make the fields' types: {error}"),
        };
        ColumnValues { array: Arc::new(array), empties: Empties::of(mask, empties) }
    }
}

/// Notes the fields of a value, each in the column of its own; those that are missing are null.
fn push_fields<'c>(bytes: &'c [u8], read: ReadField, columns: &mut [Vec<Cell<'c>>]) -> Result<()> {
    let mut reader = Reader::new(bytes);
    for column in columns {
        column.push(read(&mut reader)?);
    }
    frozen::end(&reader)
}

fn read_component<'a>(reader: &mut Reader<'a>) -> Result<Cell<'a>> {
    if reader.remaining() == 0 {
        return Ok(None);
    }
    let offset = reader.offset();
    match frozen::component(reader)? {
        (value, 0) => Ok(Some(value)),
        // Others are found in the bounds of slices only, and a struct has no place for them.
        (_, end) => Err(Error::Invalid {
            what: "end of the component",
            offset,
            expected: "0".to_owned(),
            got: end.to_string(),
        }),
    }
}
