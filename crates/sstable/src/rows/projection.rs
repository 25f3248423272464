use arrow_schema::{DataType, Field};
use outpour_cql::{
    Column, ColumnBuilder, CqlType, OutputColumn, Table, arrow, cell_builder, column_builder,
};

use crate::read::{stored_regulars, stored_statics};
use crate::{Error, Result};

/// Which columns of a table a scan shows, in which order.
#[derive(Debug, Clone)]
pub struct Projection {
    columns: Vec<OutputColumn>,
    sources: Vec<Source>,
    is_raw: bool,
}

/// Where an output column comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    PartitionKey(usize),
    Clustering(usize),
    Static(usize, Aspect),
    Regular(usize, Aspect),
}

/// What of a cell is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aspect {
    Value,
    WriteTime,
    Ttl,
}

impl Projection {
    /// The columns in the order of `SELECT *`.
    #[must_use]
    pub fn all(table: &Table) -> Self {
        let mut projection = Self { columns: Vec::new(), sources: Vec::new(), is_raw: false };
        for column in table.select_order() {
            // Every column of a table has a source.
            if let Some(source) = Source::of(table, &column.name) {
                projection.push(column.name.clone(), column.cql_type.clone(), source);
            }
        }
        projection
    }

    /// The columns of `names`, in that order.
    ///
    /// # Errors
    /// Invalid for a name that the table does not have, and for one that comes twice: objects cannot
    /// have two members of one name.
    pub fn of(table: &Table, names: &[String]) -> Result<Self> {
        let mut projection = Self { columns: Vec::new(), sources: Vec::new(), is_raw: false };
        for name in names {
            let column = table.select_order().find(|column| column.name == *name);
            let (Some(column), Some(source)) = (column, Source::of(table, name)) else {
                return Err(no_such_column(table, name));
            };
            if projection.sources.contains(&source) {
                return Err(named_twice(table, name));
            }
            projection.push(name.clone(), column.cql_type.clone(), source);
        }
        Ok(projection)
    }

    /// Adds `writetime(c)` for each static or regular column `c` that is shown: microseconds, a
    /// list of them for a column of several cells.
    #[must_use]
    pub fn with_write_times(self, table: &Table) -> Self {
        self.with_times(table, "writetime", &CqlType::Bigint, Aspect::WriteTime)
    }

    /// Adds `ttl(c)` for each static or regular column `c` that is shown: seconds left, a list of
    /// them for a column of several cells.
    #[must_use]
    pub fn with_ttls(self, table: &Table) -> Self {
        self.with_times(table, "ttl", &CqlType::Int, Aspect::Ttl)
    }

    fn with_times(
        mut self,
        table: &Table,
        function: &str,
        cql_type: &CqlType,
        aspect: Aspect,
    ) -> Self {
        for source in self.sources.clone() {
            let Some((column, source)) = source.with_aspect(table, aspect) else { continue };
            let of_one_cell = !column.multi_cell;
            let cql_type = match of_one_cell {
                true => cql_type.clone(),
                false => CqlType::List(Box::new(cql_type.clone())),
            };
            let name = format!("{function}({})", column.name);
            self.push(name, cql_type, source);
        }
        self
    }

    fn push(&mut self, name: String, cql_type: CqlType, source: Source) {
        self.columns.push(OutputColumn { name, cql_type });
        self.sources.push(source);
    }

    /// Shows of each value its bytes, as the CQL protocol carries them: all columns are binary.
    #[must_use]
    pub fn raw(mut self) -> Self {
        self.is_raw = true;
        self
    }

    /// Whether it shows bytes: see [`Projection::raw`].
    #[must_use]
    pub fn is_raw(&self) -> bool {
        self.is_raw
    }

    /// Where the values of column `name` are among the columns; added behind the others if they are
    /// not there.
    ///
    /// # Errors
    /// Invalid for a name that the table does not have.
    pub fn place_of(&mut self, table: &Table, name: &str) -> Result<usize> {
        let column = table.select_order().find(|column| column.name == name);
        let (Some(column), Some(source)) = (column, Source::of(table, name)) else {
            return Err(no_such_column(table, name));
        };
        let output = OutputColumn { name: name.to_owned(), cql_type: column.cql_type.clone() };
        Ok(self.place_of_output(output, source))
    }

    /// As [`Projection::place_of`], of the cells of a column of the partition key.
    ///
    /// # Errors
    /// Invalid for a name that the partition key does not have.
    pub fn place_of_cells(&mut self, table: &Table, name: &str) -> Result<usize> {
        let index = table.partition_key.iter().position(|column| column.name == name);
        let source = Source::PartitionKey(index.ok_or_else(|| no_such_column(table, name))?);
        // Every cell is a blob.
        let output = OutputColumn { name: name.to_owned(), cql_type: CqlType::Blob };
        Ok(self.place_of_output(output, source))
    }

    fn place_of_output(&mut self, output: OutputColumn, source: Source) -> usize {
        let is_it = |(known, from): (&OutputColumn, &Source)| {
            *from == source && (self.is_raw || known.cql_type == output.cql_type)
        };
        let known = self.columns.iter().zip(&self.sources).position(is_it);
        known.unwrap_or_else(|| {
            self.push(output.name, output.cql_type, source);
            self.columns.len() - 1
        })
    }

    /// The columns of the scan's batches.
    #[must_use]
    pub fn columns(&self) -> &[OutputColumn] {
        &self.columns
    }

    pub(crate) fn builder(&self, column: &OutputColumn) -> Box<dyn ColumnBuilder> {
        if self.is_raw { cell_builder() } else { column_builder(&column.cql_type) }
    }

    pub(crate) fn field(&self, column: &OutputColumn) -> Field {
        match self.is_raw {
            true => Field::new(&column.name, DataType::Binary, true),
            false => arrow::field(column),
        }
    }
}

fn named_twice(table: &Table, name: &str) -> Error {
    let table = format!("{}.{}", table.keyspace, table.name);
    Error::invalid(table, format!("column {name} is asked for twice"), "name each column once")
}

fn no_such_column(table: &Table, name: &str) -> Error {
    let known: Vec<_> = table.select_order().map(|column| column.name.as_str()).collect();
    Error::invalid(
        format!("{}.{}", table.keyspace, table.name),
        format!("there is no column {name}"),
        format!("the columns are {}", known.join(", ")),
    )
}

impl Source {
    fn of(table: &Table, name: &str) -> Option<Self> {
        let index = |columns: &[Column]| columns.iter().position(|column| column.name == name);
        let clustering = || table.clustering.iter().position(|c| c.column.name == name);
        index(&table.partition_key)
            .map(Self::PartitionKey)
            .or_else(|| clustering().map(Self::Clustering))
            .or_else(|| index(stored_statics(table)).map(|i| Self::Static(i, Aspect::Value)))
            .or_else(|| index(stored_regulars(table)).map(|i| Self::Regular(i, Aspect::Value)))
    }

    fn with_aspect(self, table: &Table, aspect: Aspect) -> Option<(&Column, Self)> {
        match self {
            Self::Static(i, Aspect::Value) => {
                Some((stored_statics(table).get(i)?, Self::Static(i, aspect)))
            }
            Self::Regular(i, Aspect::Value) => {
                Some((stored_regulars(table).get(i)?, Self::Regular(i, aspect)))
            }
            _ => None,
        }
    }
}

/// Where the parts of a row go among the output columns, by the table's own column numbers.
#[derive(Debug)]
pub(crate) struct Outputs {
    pub(crate) partition_key: Vec<(usize, u32)>,
    pub(crate) clustering: Vec<(usize, u32)>,
    pub(crate) statics: Vec<CellOutputs>,
    pub(crate) regulars: Vec<CellOutputs>,
}

/// The output columns of one column's cells.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CellOutputs {
    pub(crate) value: Option<u32>,
    pub(crate) write_time: Option<u32>,
    pub(crate) ttl: Option<u32>,
}

impl CellOutputs {
    pub(crate) fn has_times(&self) -> bool {
        self.write_time.is_some() || self.ttl.is_some()
    }

    pub(crate) fn is_none(&self) -> bool {
        self.value.is_none() && !self.has_times()
    }

    fn set(&mut self, aspect: Aspect, output: u32) {
        let place = match aspect {
            Aspect::Value => &mut self.value,
            Aspect::WriteTime => &mut self.write_time,
            Aspect::Ttl => &mut self.ttl,
        };
        *place = Some(output);
    }
}

impl Outputs {
    pub(crate) fn new(projection: &Projection, table: &Table) -> Self {
        let mut outputs = Self {
            partition_key: Vec::new(),
            clustering: Vec::new(),
            statics: vec![CellOutputs::default(); stored_statics(table).len()],
            regulars: vec![CellOutputs::default(); stored_regulars(table).len()],
        };
        for (output, source) in (0..).zip(&projection.sources) {
            match *source {
                Source::PartitionKey(i) => outputs.partition_key.push((i, output)),
                Source::Clustering(i) => outputs.clustering.push((i, output)),
                Source::Static(i, aspect) => outputs.statics[i].set(aspect, output),
                Source::Regular(i, aspect) => outputs.regulars[i].set(aspect, output),
            }
        }
        outputs
    }
}
