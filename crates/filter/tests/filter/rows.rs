//! Random rows, as cells and as a batch.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Schema;
use outpour_cql::{Batch, CqlType, Empties, OutputColumn, arrow, cell_builder, column_builder};
use outpour_filter::{Filter, Form};

use crate::cells::{Cell, any_cell, any_type};
use crate::random::Random;

pub(crate) struct Rows {
    pub(crate) types: Vec<CqlType>,
    /// Row by row
    pub(crate) cells: Vec<Vec<Cell>>,
}

pub(crate) fn name(column: usize) -> String {
    format!("c{column}")
}

impl Rows {
    /// The first `key_columns` columns have no nulls.
    pub(crate) fn random(random: &mut Random, columns: usize, key_columns: usize) -> Self {
        let types: Vec<_> = (0..columns).map(|_| any_type(random, 2)).collect();
        let cell = |random: &mut Random, (column, cql_type): (usize, &CqlType)| loop {
            let cell = any_cell(random, cql_type);
            if column >= key_columns || cell.is_some() {
                return cell;
            }
        };
        let row = |random: &mut Random| {
            types.iter().enumerate().map(|column| cell(random, column)).collect()
        };
        let cells = (0..random.below(150)).map(|_| row(random)).collect();
        Self { types, cells }
    }

    fn column(&self, column: usize) -> Vec<Option<&[u8]>> {
        self.cells.iter().map(|row| row[column].as_deref()).collect()
    }

    pub(crate) fn batch(&self) -> Batch {
        let (mut fields, mut arrays, mut empties) = (Vec::new(), Vec::new(), Vec::new());
        for (column, cql_type) in self.types.iter().enumerate() {
            let mut builder = column_builder(cql_type);
            builder.append(&self.column(column)).unwrap();
            let values = builder.finish();
            let output = OutputColumn { name: name(column), cql_type: cql_type.clone() };
            fields.push(arrow::field(&output));
            arrays.push(values.array);
            empties.push(values.empties);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.cells.len()));
        let schema = Arc::new(Schema::new(fields));
        let record = RecordBatch::try_new_with_options(schema, arrays, &options).unwrap();
        Batch { record, empties }
    }

    /// Which rows the filter selects.
    pub(crate) fn select(&self, filter: &Filter) -> Vec<bool> {
        let batch = self.batch();
        let mut columns = Vec::new();
        for input in filter.inputs() {
            let column: usize = input.column[1..].parse().unwrap();
            columns.push(match input.form {
                Form::Values => {
                    (Arc::clone(batch.record.column(column)), batch.empties[column].clone())
                }
                Form::Cells => {
                    let mut builder = cell_builder();
                    builder.append(&self.column(column)).unwrap();
                    (builder.finish().array, Empties::default())
                }
            });
        }
        let columns: Vec<_> = columns.iter().map(|(array, empties)| (array, empties)).collect();
        filter.select(self.cells.len(), &columns).unwrap().iter().collect()
    }
}
