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
use outpour_sink::{Format, Values, framing, sink};
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
    let (framing, mut sink) = (framing(format, columns), sink(format, values, columns));
    let mut out = framing.opening().to_vec();
    let mut has_rows = false;
    for batch in batches.iter().filter(|batch| batch.record.num_rows() > 0) {
        if has_rows {
            out.extend_from_slice(framing.between());
        }
        sink.write(batch, &mut out).unwrap();
        has_rows = true;
    }
    out.extend_from_slice(framing.closing(has_rows));
    String::from_utf8(out).unwrap()
}
