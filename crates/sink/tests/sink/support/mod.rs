//! Values of any CQL type, as Arrow arrays and as the text that a slow, obvious writer gives them.

pub(crate) mod csv;
pub(crate) mod json;
pub(crate) mod random;
pub(crate) mod scalar;
pub(crate) mod value;

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Field, Schema};
use outpour_cql::{Batch, CqlType, OutputColumn, UdtField, UdtType};
use outpour_sink::{Format, Values, sink};
use value::Value;

pub(crate) fn column(name: &str, cql_type: CqlType) -> OutputColumn {
    OutputColumn { name: name.to_owned(), cql_type }
}

pub(crate) fn list(element: CqlType) -> CqlType {
    CqlType::List(Box::new(element))
}

pub(crate) fn set(element: CqlType) -> CqlType {
    CqlType::Set(Box::new(element))
}

pub(crate) fn map(key: CqlType, value: CqlType) -> CqlType {
    CqlType::Map(Box::new(key), Box::new(value))
}

pub(crate) fn vector(element: CqlType, dimension: usize) -> CqlType {
    CqlType::Vector(Box::new(element), dimension)
}

pub(crate) fn udt(fields: &[(&str, CqlType)]) -> CqlType {
    let field = |(name, cql_type): &(&str, CqlType)| UdtField {
        name: (*name).to_owned(),
        cql_type: cql_type.clone(),
    };
    let fields = fields.iter().map(field).collect();
    CqlType::Udt(Arc::new(UdtType { keyspace: "k".into(), name: "u".into(), fields }))
}

/// A batch of `rows`.
pub(crate) fn batch(columns: &[OutputColumn], rows: &[Vec<Value>]) -> Batch {
    let (mut fields, mut arrays, mut empties) = (Vec::new(), Vec::new(), Vec::new());
    for (index, column) in columns.iter().enumerate() {
        let values: Vec<&Value> = rows.iter().map(|row| &row[index]).collect();
        let built = value::column_values(&column.cql_type, &values);
        fields.push(Field::new(&column.name, built.array.data_type().clone(), true));
        arrays.push(built.array);
        empties.push(built.empties);
    }
    let record = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
    Batch { record, empties }
}

/// What the sink writes for some batches.
pub(crate) fn text(
    format: Format,
    values: Values,
    columns: &[OutputColumn],
    batches: &[Batch],
) -> String {
    let mut sink = sink(format, values, columns);
    let mut out = Vec::new();
    sink.begin(&mut out);
    for batch in batches {
        sink.write(batch, &mut out).unwrap();
    }
    sink.finish(&mut out);
    String::from_utf8(out).unwrap()
}
