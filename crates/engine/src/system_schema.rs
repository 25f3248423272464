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
use crate::{Error, Result};

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
    let each = |table: &str, add: &mut dyn FnMut(&Row<'_>)| -> Result<()> {
        scan(paths, table, budget, &mut |batch| {
            for index in 0..batch.num_rows() {
                let row = Row { batch, index };
                if row.text("keyspace_name") == keyspace {
                    add(&row);
                }
            }
        })
    };
    each("tables", &mut |row| {
        rows.tables.push(TableRow {
            table_name: row.text("table_name"),
            id: row.uuid("id"),
            flags: row.texts("flags"),
        });
    })?;
    each("columns", &mut |row| {
        rows.columns.push(ColumnRow {
            table_name: row.text("table_name"),
            column_name: row.text("column_name"),
            clustering_order: row.text("clustering_order"),
            kind: row.text("kind"),
            position: row.int("position"),
            cql_type: row.text("type"),
        });
    })?;
    each("types", &mut |row| {
        rows.types.push(TypeRow {
            type_name: row.text("type_name"),
            field_names: row.texts("field_names"),
            field_types: row.texts("field_types"),
        });
    })?;
    each("dropped_columns", &mut |row| {
        rows.dropped_columns.push(DroppedColumnRow {
            table_name: row.text("table_name"),
            column_name: row.text("column_name"),
            dropped_time_ms: row.timestamp_ms("dropped_time"),
            kind: row.text("kind"),
            cql_type: row.text("type"),
        });
    })?;
    each("views", &mut |row| {
        rows.views.push(ViewRow {
            view_name: row.text("view_name"),
            base_table_name: row.text("base_table_name"),
            id: row.uuid("id"),
        });
    })?;
    Ok(rows)
}

/// Hands all rows of a table of system_schema to `visit`; a table without files has none.
fn scan(
    paths: &[PathBuf],
    name: &str,
    budget: &Budget,
    visit: &mut dyn FnMut(&RecordBatch),
) -> Result<()> {
    let Some(table) = system_table(name) else { return Ok(()) };
    let paths = paths.to_vec();
    let options = SourceOptions { paths, table: Some(format!("{KEYSPACE}.{name}")) };
    for source in options.tables()? {
        let sstables = source.open()?;
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
            visit(&scanned.batch.record);
        }
    }
    Ok(())
}

/// A row of a batch, by column name; what is null or missing reads as empty.
struct Row<'a> {
    batch: &'a RecordBatch,
    index: usize,
}

impl Row<'_> {
    fn column(&self, name: &str) -> Option<&dyn Array> {
        let column = self.batch.column_by_name(name)?;
        column.is_valid(self.index).then_some(&**column)
    }

    fn text(&self, name: &str) -> String {
        let text =
            |column: &dyn Array| Some(column.as_string_opt::<i32>()?.value(self.index).to_owned());
        self.column(name).and_then(text).unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let texts = |column: &dyn Array| {
            let list = column.as_list_opt::<i32>()?.value(self.index);
            let elements = list.as_string_opt::<i32>()?;
            Some(elements.iter().map(|text| text.unwrap_or_default().to_owned()).collect())
        };
        self.column(name).and_then(texts).unwrap_or_default()
    }

    fn int(&self, name: &str) -> i32 {
        let int =
            |column: &dyn Array| Some(column.as_primitive_opt::<Int32Type>()?.value(self.index));
        self.column(name).and_then(int).unwrap_or_default()
    }

    fn timestamp_ms(&self, name: &str) -> i64 {
        let time = |column: &dyn Array| {
            Some(column.as_primitive_opt::<TimestampMillisecondType>()?.value(self.index))
        };
        self.column(name).and_then(time).unwrap_or_default()
    }

    fn uuid(&self, name: &str) -> Option<[u8; 16]> {
        let uuids = self.column(name)?.as_fixed_size_binary_opt()?;
        uuids.value(self.index).try_into().ok()
    }
}
