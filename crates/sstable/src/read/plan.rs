use std::cmp::Ordering;

use outpour_cql::{Column, CqlType, DroppedColumn, Layout, Table, compare_names, marshal};

use crate::format::clustering::Width;
use crate::format::statistics::{HeaderColumn, SerializationHeader};
use crate::format::unfiltered::Minima;
use crate::{Error, Result, Version};

/// How the cells of one SSTable are decoded and where in a table they belong: made once, when the
/// file is opened, from its serialization header and the table's schema.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) version: Version,
    pub(crate) minima: Minima,
    pub(crate) clustering: Vec<Width>,
    pub(crate) statics: Side,
    pub(crate) regulars: Side,
}

/// The static or the regular columns of one SSTable, in the order of their cells.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) columns: Vec<ColumnPlan>,
}

/// One column of an SSTable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ColumnPlan {
    pub(crate) kind: ColumnKind,
    /// Of its cells' values
    pub(crate) width: Width,
    /// Index among the table's static or regular columns; `None` if the table has it no longer
    pub(crate) column: Option<u32>,
    /// Cells written up to then were dropped with the column; `i64::MIN` if it never was
    pub(crate) drop_time_us: i64,
}

impl ColumnPlan {
    /// A column that the table has no longer.
    pub(crate) const UNKNOWN: Self = Self {
        kind: ColumnKind::Simple,
        width: Width::Prefixed,
        column: None,
        drop_time_us: i64::MIN,
    };

    /// Column `index` of the table; what was dropped of it is gone already.
    pub(crate) fn of_table(index: u32, kind: ColumnKind) -> Self {
        Self { kind, column: Some(index), ..Self::UNKNOWN }
    }
}

/// What a column's cells mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Simple,
    Counter,
    List,
    Set,
    Map,
    /// With so many fields
    Udt(u16),
}

impl ColumnKind {
    pub(crate) fn is_multi_cell(self) -> bool {
        !matches!(self, Self::Simple | Self::Counter)
    }

    /// The kind of a column of the table.
    pub(crate) fn of(cql_type: &CqlType, multi_cell: bool) -> Self {
        match cql_type {
            CqlType::Counter => Self::Counter,
            CqlType::List(_) if multi_cell => Self::List,
            CqlType::Set(_) if multi_cell => Self::Set,
            CqlType::Map(..) if multi_cell => Self::Map,
            CqlType::Udt(udt) if multi_cell => {
                Self::Udt(u16::try_from(udt.fields.len()).unwrap_or(u16::MAX))
            }
            _ => Self::Simple,
        }
    }
}

/// The order of columns' cells in a row: simple columns first, each kind by name.
fn compare_cell_order(a: (ColumnKind, &str), b: (ColumnKind, &str)) -> Ordering {
    let kinds = a.0.is_multi_cell().cmp(&b.0.is_multi_cell());
    kinds.then_with(|| compare_names(a.1, b.1))
}

/// Sorts the columns of a header by the order of their cells. Cassandra lists them so, Scylla by name
/// alone; both list those of a kind by name, or the header, which nothing protects before `na`, is
/// damaged. `file` is the path of Statistics.db.
///
/// # Errors
/// Corrupt.
pub(crate) fn sort_by_cells<T>(
    columns: &mut [T],
    of: impl Fn(&T) -> (ColumnKind, &str),
    file: &str,
) -> Result<()> {
    for is_multi_cell in [false, true] {
        let mut before: Option<&str> = None;
        let same_kind =
            columns.iter().map(&of).filter(|(kind, _)| kind.is_multi_cell() == is_multi_cell);
        for (_, name) in same_kind {
            if let Some(before) = before.filter(|before| compare_names(before, name).is_ge()) {
                let (what, expected) =
                    ("column in serialization header", format!("one behind {before:?}"));
                return Err(Error::corrupt(file, None, what, expected, format!("{name:?}")));
            }
            before = Some(name);
        }
    }
    columns.sort_by(|a, b| compare_cell_order(of(a), of(b)));
    Ok(())
}

/// The table's columns that are stored as static cells.
pub(crate) fn stored_statics(table: &Table) -> &[Column] {
    if table.layout == Layout::CompactStatic { &table.regulars } else { &table.statics }
}

/// The table's columns that are stored as cells of rows.
pub(crate) fn stored_regulars(table: &Table) -> &[Column] {
    if table.layout == Layout::CompactStatic { &[] } else { &table.regulars }
}

/// The number of the hidden value column that tables with COMPACT STORAGE have if they declare none:
/// behind all that are shown.
pub(crate) fn hidden_column(table: &Table) -> Option<u32> {
    let is_dense = table.layout == Layout::CompactDense;
    is_dense.then_some(stored_regulars(table).len() as u32)
}

impl Plan {
    /// Compiles the plan; `file` is the path of Statistics.db, for messages.
    ///
    /// # Errors
    /// Invalid if the schema does not fit the file, with the column and both types; Corrupt for columns
    /// in an order that no writer has.
    pub(crate) fn new(
        header: &SerializationHeader,
        table: &Table,
        version: Version,
        file: &str,
    ) -> Result<Self> {
        let compiler = Compiler { table, file };
        compiler.check_partition_key(&header.partition_key_type)?;
        Ok(Self {
            version,
            minima: Minima::new(header, version.has_uint_deletion_time()),
            clustering: compiler.clustering(&header.clustering_types)?,
            statics: compiler.side(&header.statics, stored_statics(table), true)?,
            regulars: compiler.side(&header.regulars, stored_regulars(table), false)?,
        })
    }
}

struct Compiler<'a> {
    table: &'a Table,
    file: &'a str,
}

impl Compiler<'_> {
    fn parse(&self, java_type: &str) -> Result<marshal::MarshalType> {
        marshal::parse(java_type)
            .map_err(|e| Error::unsupported(self.file, format!("type {java_type}"), e.to_string()))
    }

    fn mismatch(&self, what: &str, schema: impl ToString, stored: impl ToString) -> Error {
        let (schema, stored) = (schema.to_string(), stored.to_string());
        Error::invalid(
            self.file,
            format!(
                "the schema does not fit this file: {what} is {schema} in the schema and {stored} in the file"
            ),
            "give the table's own schema by --schema",
        )
    }

    fn check_partition_key(&self, java_type: &str) -> Result<()> {
        let stored = self.parse(java_type)?.cql_type;
        let components = match (&stored, self.table.partition_key.as_slice()) {
            (_, [_]) => std::slice::from_ref(&stored),
            (CqlType::Composite(components), _) => components,
            _ => std::slice::from_ref(&stored),
        };
        let columns = &self.table.partition_key;
        if columns.len() != components.len() {
            let columns = columns.iter().map(|c| c.cql_type.to_string()).collect::<Vec<_>>();
            return Err(self.mismatch("the partition key", columns.join(", "), java_type));
        }
        for (column, stored) in columns.iter().zip(components) {
            if !column.cql_type.holds_values_of(stored) {
                let what = format!("partition key column {}", column.name);
                return Err(self.mismatch(&what, &column.cql_type, stored));
            }
        }
        Ok(())
    }

    fn clustering(&self, java_types: &[String]) -> Result<Vec<Width>> {
        let stored = java_types.iter().map(|name| self.parse(name)).collect::<Result<Vec<_>>>()?;
        let widths = stored.iter().map(|stored| Width::of(&stored.cql_type)).collect();
        if self.table.layout == Layout::CompactStatic {
            return Ok(widths);
        }
        let columns = &self.table.clustering;
        if columns.len() != stored.len() {
            let (schema, file) = (columns.len(), stored.len());
            return Err(self.mismatch("the number of clustering columns", schema, file));
        }
        for (column, stored) in columns.iter().zip(&stored) {
            let what = format!("clustering column {}", column.column.name);
            if !column.column.cql_type.holds_values_of(&stored.cql_type) {
                return Err(self.mismatch(&what, &column.column.cql_type, &stored.cql_type));
            }
            if column.descending != stored.reversed {
                let order = |descending| if descending { "DESC" } else { "ASC" };
                let what = format!("the order of {what}");
                return Err(self.mismatch(&what, order(column.descending), order(stored.reversed)));
            }
        }
        Ok(widths)
    }

    fn side(&self, header: &[HeaderColumn], columns: &[Column], is_static: bool) -> Result<Side> {
        let mut plans = header
            .iter()
            .map(|column| Ok((self.column(column, columns, is_static)?, column.name.as_str())))
            .collect::<Result<Vec<_>>>()?;
        sort_by_cells(&mut plans, |(plan, name)| (plan.kind, name), self.file)?;
        Ok(Side { columns: plans.into_iter().map(|(plan, _)| plan).collect() })
    }

    fn column(
        &self,
        header: &HeaderColumn,
        columns: &[Column],
        is_static: bool,
    ) -> Result<ColumnPlan> {
        let stored = self.parse(&header.java_type)?;
        let dropped = self.dropped(&header.name, is_static);
        let index = columns.iter().position(|column| column.name == header.name);
        let known = index.and_then(|i| columns.get(i));
        match (known, dropped) {
            (Some(column), _) => self.check_column(column, &stored, dropped)?,
            (None, Some(_)) => {}
            (None, None) if self.table.accepts_unknown_columns => {}
            (None, None) if self.is_hidden(&stored.cql_type, is_static) => {}
            (None, None) => return Err(self.unknown_column(header, is_static)),
        }
        let stored_kind = ColumnKind::of(&stored.cql_type, stored.multi_cell);
        let declared_kind = known.and_then(|column| declared_kind(column, stored_kind));
        let kind = declared_kind.unwrap_or(stored_kind);
        Ok(ColumnPlan {
            kind,
            width: if kind.is_multi_cell() { Width::Prefixed } else { Width::of(&stored.cql_type) },
            column: match self.is_hidden(&stored.cql_type, is_static) {
                true => hidden_column(self.table),
                false => index.filter(|_| declared_kind.is_some()).map(|i| i as u32),
            },
            drop_time_us: dropped.map_or(i64::MIN, |dropped| dropped.drop_time_us),
        })
    }

    fn check_column(
        &self,
        column: &Column,
        stored: &marshal::MarshalType,
        dropped: Option<&DroppedColumn>,
    ) -> Result<()> {
        let fits = column.cql_type.holds_values_of(&stored.cql_type)
            && column.multi_cell == stored.multi_cell;
        let fitted =
            dropped.is_some_and(|old| old.column.cql_type.holds_values_of(&stored.cql_type));
        if fits || fitted {
            return Ok(());
        }
        let show = |cql_type: &CqlType, multi_cell| match multi_cell {
            true => format!("{cql_type} (not frozen)"),
            false => cql_type.to_string(),
        };
        Err(self.mismatch(
            &format!("column {}", column.name),
            show(&column.cql_type, column.multi_cell),
            show(&stored.cql_type, stored.multi_cell),
        ))
    }

    fn dropped(&self, name: &str, is_static: bool) -> Option<&DroppedColumn> {
        let mut dropped = self.table.dropped.iter();
        let is_static = is_static && self.table.layout != Layout::CompactStatic;
        dropped.find(|dropped| dropped.column.name == name && dropped.is_static == is_static)
    }

    /// Columns that compact tables have and CQL does not show.
    fn is_hidden(&self, cql_type: &CqlType, is_static: bool) -> bool {
        match self.table.layout {
            Layout::Plain => false,
            Layout::CompactStatic => !is_static,
            Layout::CompactDense => *cql_type == CqlType::Empty,
        }
    }

    fn unknown_column(&self, header: &HeaderColumn, is_static: bool) -> Error {
        let kind = if is_static { "static" } else { "regular" };
        Error::invalid(
            self.file,
            format!(
                "the schema does not fit this file: it has no {kind} column {}, which the file has as {}",
                header.name, header.java_type
            ),
            "give the table's own schema by --schema, with its dropped columns",
        )
    }
}

/// What cells of a column mean, as the table declares it: a UDT may have got fields since they were
/// written. `None` if the column was dropped and added again with another kind of type, so that all
/// cells of the `stored` kind are older than the drop.
fn declared_kind(column: &Column, stored: ColumnKind) -> Option<ColumnKind> {
    let declared = ColumnKind::of(&column.cql_type, column.multi_cell);
    let is_same = std::mem::discriminant(&declared) == std::mem::discriminant(&stored);
    is_same.then_some(declared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    const SIMPLE: ColumnKind = ColumnKind::Simple;
    const SET: ColumnKind = ColumnKind::Set;

    fn sorted(columns: &[(ColumnKind, &str)]) -> Result<String> {
        let mut columns = columns.to_vec();
        sort_by_cells(&mut columns, |column| *column, "nb-1-big-Statistics.db")?;
        Ok(columns.iter().map(|(_, name)| *name).collect())
    }

    #[test]
    fn headers_list_columns_by_name() {
        // As Cassandra lists them, and as Scylla does.
        for header in [
            [(SIMPLE, "a"), (SIMPLE, "d"), (SET, "b"), (SET, "c")],
            [(SIMPLE, "a"), (SET, "b"), (SET, "c"), (SIMPLE, "d")],
        ] {
            assert_eq!(sorted(&header).unwrap(), "adbc");
        }
        assert_eq!(sorted(&[]).unwrap(), "");
        for damaged in [
            &[(SIMPLE, "b"), (SIMPLE, "a")][..],
            &[(SIMPLE, "a"), (SIMPLE, "b"), (SIMPLE, "a")],
            &[(SIMPLE, "a"), (SIMPLE, "a")],
            &[(SIMPLE, "a"), (SET, "c"), (SET, "b")],
        ] {
            let error = sorted(damaged).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt);
            let message = error.to_string();
            assert!(message.starts_with("nb-1-big-Statistics.db: "), "{message}");
        }
    }
}
