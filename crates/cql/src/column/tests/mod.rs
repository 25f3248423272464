mod nested;
mod random;
mod scalars;
mod show;

use super::*;
use crate::{UdtField, UdtType};
use show::show;

fn hex(text: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    (0..text.len()).step_by(2).map(digit).collect()
}

/// A UDT with the fields `names` of `types`.
fn udt(names: &[&str], types: &[CqlType]) -> CqlType {
    let field = |(name, cql_type): (&&str, &CqlType)| UdtField {
        name: (*name).to_owned(),
        cql_type: cql_type.clone(),
    };
    let fields = names.iter().zip(types).map(field).collect();
    CqlType::Udt(UdtType { keyspace: "k".to_owned(), name: "u".to_owned(), fields }.into())
}

fn list(element: &CqlType) -> CqlType {
    CqlType::List(Box::new(element.clone()))
}

fn map(key: &CqlType, value: &CqlType) -> CqlType {
    CqlType::Map(Box::new(key.clone()), Box::new(value.clone()))
}

/// The texts of a column of `cells`, checked against the type that its field promises.
fn shown(cql_type: &CqlType, cells: &[Cell<'_>]) -> Result<Vec<String>, CellError> {
    let mut builder = column_builder(cql_type);
    builder.append(cells)?;
    let column = builder.finish();
    assert_eq!(column.array.len(), cells.len());
    assert_eq!(*column.array.data_type(), crate::arrow::data_type(cql_type));
    Ok((0..cells.len()).map(|row| show(&column.array, &column.empties, row)).collect())
}

/// The text of one cell, given in hex.
fn one(cql_type: &CqlType, cell: &str) -> String {
    shown(cql_type, &[Some(&hex(cell))]).unwrap().remove(0)
}

/// The error of a cell behind one that is null.
fn refused(cql_type: &CqlType, cell: &str) -> CellError {
    shown(cql_type, &[None, Some(&hex(cell))]).unwrap_err()
}

fn error(index: usize, expected: &str, got: &str) -> CellError {
    CellError { index, expected: expected.to_owned(), got: got.to_owned() }
}
