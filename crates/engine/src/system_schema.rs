//! A table's schema from the `system_schema` tables of the node whose files are read.

use std::collections::BTreeSet;
use std::path::PathBuf;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, TimestampMillisecondType};
use arrow_array::{Array, RecordBatch};
use outpour_cql::{
    ColumnRow, DroppedColumnRow, SystemRows, Table, TableRow, TypeRow, ViewRow, system_table,
};
use outpour_filter::ClusteringRange;
use outpour_run::{Budget, Cancel, Progress};
use outpour_sstable::{Projection, Scan, ScanOptions};

use crate::source::{SourceOptions, TableDirectory, TableSource};
use crate::{Error, ErrorKind, Result};

const KEYSPACE: &str = "system_schema";

/// The table's schema, if the data directory of its files has one.
pub(crate) fn find(source: &TableSource, budget: &Budget) -> Result<Option<Table>> {
    let (Some(keyspace), Some(name)) = (&source.name.keyspace, &source.name.name) else {
        return Ok(None);
    };
    // A node may have spread it over its data directories (3.x).
    let data = source.directories.iter().filter_map(TableDirectory::data_directory);
    let paths: BTreeSet<PathBuf> = data.map(|data| data.join(KEYSPACE)).collect();
    let paths: Vec<PathBuf> = paths.into_iter().filter(|path| path.is_dir()).collect();
    if paths.is_empty() {
        return Ok(None);
    }
    let rows = read(&paths, keyspace, budget)?;
    rows.table(name).map_err(|e| {
        let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        Error::invalid(format!("{}: {keyspace}.{name}: {e}", paths.join(", ")))
    })
}

fn read(paths: &[PathBuf], keyspace: &str, budget: &Budget) -> Result<SystemRows> {
    let mut rows = SystemRows { keyspace: keyspace.to_owned(), ..SystemRows::default() };
    let each = |table: &str, add: &mut dyn FnMut(&Row<'_>) -> Result<()>| -> Result<()> {
        scan(paths, table, budget, &mut |batch| {
            for index in 0..batch.num_rows() {
                let row = Row { table, batch, index };
                if row.text("keyspace_name")? == keyspace {
                    add(&row)?;
                }
            }
            Ok(())
        })
    };
    each("tables", &mut |row| {
        rows.tables.push(row.table()?);
        Ok(())
    })?;
    each("columns", &mut |row| {
        rows.columns.push(row.column()?);
        Ok(())
    })?;
    each("types", &mut |row| {
        rows.types.push(row.udt()?);
        Ok(())
    })?;
    each("dropped_columns", &mut |row| {
        rows.dropped_columns.push(row.dropped_column()?);
        Ok(())
    })?;
    each("views", &mut |row| {
        rows.views.push(row.view()?);
        Ok(())
    })?;
    Ok(rows)
}

/// Hands all rows of a table of system_schema to `visit`; a table without files has none.
fn scan(
    paths: &[PathBuf],
    name: &str,
    budget: &Budget,
    visit: &mut dyn FnMut(&RecordBatch) -> Result<()>,
) -> Result<()> {
    let Some(table) = system_table(name) else { return Ok(()) };
    let paths = paths.to_vec();
    let options = SourceOptions { paths, table: Some(format!("{KEYSPACE}.{name}")) };
    for source in options.tables_if_any()? {
        let sstables = source.open(&mut |_| {})?;
        let options = ScanOptions {
            now: 0,
            budget: budget.clone(),
            cancel: Cancel::default(),
            progress: Progress::default(),
            skip_corrupt: false,
            parallel: 1,
            rows: ClusteringRange::default(),
            since: None,
        };
        let mut scan = Scan::new(&table, &sstables, &Projection::all(&table), &options)?;
        while let Some(scanned) = scan.next_batch()? {
            visit(&scanned.batch.record)?;
        }
    }
    Ok(())
}

/// A row of a batch, by column name.
struct Row<'a> {
    /// Of system_schema
    table: &'a str,
    batch: &'a RecordBatch,
    index: usize,
}

impl Row<'_> {
    fn table(&self) -> Result<TableRow> {
        Ok(TableRow {
            table_name: self.text("table_name")?,
            id: Some(self.uuid("id")?),
            flags: self.texts("flags")?,
        })
    }

    fn column(&self) -> Result<ColumnRow> {
        Ok(ColumnRow {
            table_name: self.text("table_name")?,
            column_name: self.text("column_name")?,
            clustering_order: self.text("clustering_order")?,
            kind: self.text("kind")?,
            position: self.int("position")?,
            cql_type: self.text("type")?,
        })
    }

    fn udt(&self) -> Result<TypeRow> {
        Ok(TypeRow {
            type_name: self.text("type_name")?,
            field_names: self.texts("field_names")?,
            field_types: self.texts("field_types")?,
        })
    }

    fn dropped_column(&self) -> Result<DroppedColumnRow> {
        Ok(DroppedColumnRow {
            table_name: self.text("table_name")?,
            column_name: self.text("column_name")?,
            dropped_time_ms: self.timestamp_ms("dropped_time")?,
            // Not told before 4.0, which takes it for a regular column then (`SchemaKeyspace.java`).
            kind: if self.is_null("kind") { "regular".to_owned() } else { self.text("kind")? },
            cql_type: self.text("type")?,
        })
    }

    fn view(&self) -> Result<ViewRow> {
        Ok(ViewRow {
            view_name: self.text("view_name")?,
            base_table_name: self.text("base_table_name")?,
            id: Some(self.uuid("id")?),
        })
    }

    fn is_null(&self, name: &str) -> bool {
        self.batch.column_by_name(name).is_none_or(|column| column.is_null(self.index))
    }

    /// The value of column `name`, which `get` takes of it.
    fn value<T>(&self, name: &str, get: impl Fn(&dyn Array) -> Option<T>) -> Result<T> {
        let column = self.batch.column_by_name(name).filter(|_| !self.is_null(name));
        column.and_then(|column| get(&**column)).ok_or_else(|| {
            let problem = match self.is_null(name) {
                true => "no value",
                false => "a value of another type than Cassandra gives it",
            };
            let message = format!(
                "{KEYSPACE}.{}: a row has {problem} in column {name}; give the schema by --schema FILE",
                self.table
            );
            Error::new(ErrorKind::Corrupt, message)
        })
    }

    fn text(&self, name: &str) -> Result<String> {
        self.value(name, |column| Some(column.as_string_opt::<i32>()?.value(self.index).to_owned()))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>> {
        self.value(name, |column| {
            let list = column.as_list_opt::<i32>()?.value(self.index);
            let elements = list.as_string_opt::<i32>()?;
            elements.iter().map(|text| text.map(str::to_owned)).collect()
        })
    }

    fn int(&self, name: &str) -> Result<i32> {
        self.value(name, |column| Some(column.as_primitive_opt::<Int32Type>()?.value(self.index)))
    }

    fn timestamp_ms(&self, name: &str) -> Result<i64> {
        self.value(name, |column| {
            Some(column.as_primitive_opt::<TimestampMillisecondType>()?.value(self.index))
        })
    }

    fn uuid(&self, name: &str) -> Result<[u8; 16]> {
        self.value(name, |column| {
            column.as_fixed_size_binary_opt()?.value(self.index).try_into().ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, StringArray};

    use super::*;

    /// A row of `system_schema.columns` whose columns other than `names` are as they should be.
    fn column_row(changed: &[(&str, ArrayRef)]) -> RecordBatch {
        let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
        let mut columns: Vec<(&str, ArrayRef)> = vec![
            ("table_name", text("t")),
            ("column_name", text("c")),
            ("clustering_order", text("none")),
            ("kind", text("regular")),
            ("position", Arc::new(Int32Array::from(vec![-1]))),
            ("type", text("int")),
        ];
        for (name, array) in changed {
            columns.retain(|(column, _)| column != name);
            columns.push((name, Arc::clone(array)));
        }
        RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, a)| (n, a, true)))
            .unwrap()
    }

    fn parsed(batch: &RecordBatch) -> Result<ColumnRow> {
        Row { table: "columns", batch, index: 0 }.column()
    }

    #[test]
    fn values_that_are_not_there_are_errors() {
        let row = parsed(&column_row(&[])).unwrap();
        assert_eq!((row.column_name.as_str(), row.position), ("c", -1));
        let no_text: ArrayRef = Arc::new(StringArray::from(vec![None::<&str>]));
        let no_int: ArrayRef = Arc::new(Int32Array::from(vec![None]));
        let int: ArrayRef = Arc::new(Int32Array::from(vec![7]));
        for (name, array, problem) in [
            ("clustering_order", &no_text, "no value"),
            ("kind", &no_text, "no value"),
            ("type", &no_text, "no value"),
            ("position", &no_int, "no value"),
            ("position", &no_text, "no value"),
            ("type", &int, "another type"),
        ] {
            let error = parsed(&column_row(&[(name, Arc::clone(array))])).unwrap_err();
            let (kind, message) = (error.kind(), error.to_string());
            assert_eq!(kind, ErrorKind::Corrupt);
            assert!(message.starts_with("system_schema.columns: "), "{message}");
            assert!(message.contains(problem) && message.contains(name), "{message}");
        }
    }

    #[test]
    fn before_4_0_dropped_columns_do_not_tell_their_kind() {
        let time = arrow_array::TimestampMillisecondArray::from(vec![5]);
        let mut changed: Vec<(&str, ArrayRef)> = vec![("dropped_time", Arc::new(time))];
        let row = |changed: &[(&str, ArrayRef)]| {
            Row { table: "dropped_columns", batch: &column_row(changed), index: 0 }.dropped_column()
        };
        assert_eq!(row(&changed).unwrap().kind, "regular");
        changed.push(("kind", Arc::new(StringArray::from(vec![None::<&str>]))));
        let row = row(&changed).unwrap();
        assert_eq!((row.kind.as_str(), row.dropped_time_ms), ("regular", 5));
    }
}
