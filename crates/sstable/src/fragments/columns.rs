use outpour_cql::{
    Cell, ColumnBuilder, ColumnValues, FragmentLayout, ValueColumn, cell_builder, column_builder,
};

use crate::Result;
use crate::read::{Cursor, Span};

/// Values of fragments, gathered column by column: first their places in the window, then the values.
pub(super) struct Columns {
    columns: Vec<Column>,
}

struct Column {
    name: String,
    /// Values that are not appended yet
    places: Vec<Span>,
    builder: Box<dyn ColumnBuilder>,
    /// Of the value's own type, where the builder keeps bytes that are shown as it: only to tell
    /// whether they are values of it
    check: Option<Box<dyn ColumnBuilder>>,
}

impl Columns {
    pub(super) fn new(layout: &FragmentLayout, checks_bytes: bool) -> Self {
        let column = |column: &ValueColumn| Column {
            name: column.name.clone(),
            places: Vec::new(),
            builder: match column.is_bytes {
                true => cell_builder(),
                false => column_builder(&column.cql_type),
            },
            check: (column.is_bytes && checks_bytes && !column.cql_type.inner().is_empty())
                .then(|| column_builder(&column.cql_type)),
        };
        Self { columns: layout.values.iter().map(column).collect() }
    }

    /// Notes the next value of column `index`.
    #[inline(always)]
    pub(super) fn push(&mut self, index: usize, place: Span) {
        self.columns[index].places.push(place);
    }

    /// Appends what was noted, while its places are in the window.
    ///
    /// # Errors
    /// Corrupt for a value that is none of its type.
    pub(super) fn append(&mut self, cursor: &Cursor) -> Result<()> {
        let mut cells: Vec<Cell<'_>> = Vec::new();
        for column in self.columns.iter_mut().filter(|column| !column.places.is_empty()) {
            cells.clear();
            cells.extend(column.places.iter().map(|place| place.of(cursor.bytes())));
            let checked = match &mut column.check {
                Some(check) => check.append(&cells).map(|()| drop(check.finish())),
                None => Ok(()),
            };
            checked.and_then(|()| column.builder.append(&cells)).map_err(|error| {
                let place = column.places.get(error.index).copied().unwrap_or(Span::NULL);
                cursor.value_error(place, &column.name, error.expected, error.got)
            })?;
            column.places.clear();
        }
        Ok(())
    }

    /// Bytes that the values appended since the last [`Columns::finish`] take.
    pub(super) fn bytes(&self) -> usize {
        self.columns.iter().map(|column| column.builder.bytes()).sum()
    }

    /// The arrays of all values appended.
    pub(super) fn finish(&mut self) -> Vec<ColumnValues> {
        self.columns.iter_mut().map(|column| column.builder.finish()).collect()
    }
}
