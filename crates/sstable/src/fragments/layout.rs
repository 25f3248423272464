use outpour_cql::{
    CellColumn, CellValues, CqlType, FragmentLayout, FragmentValues, ValueColumn, marshal,
};

use crate::format::clustering::Width;
use crate::format::statistics::{HeaderColumn, SerializationHeader};
use crate::format::unfiltered::Minima;
use crate::read::{ColumnKind, ColumnPlan, Plan, Side, sort_by_cells};
use crate::{Error, Result, Version};

/// How one SSTable is read without a table's schema, and what its fragments are made of: all that its
/// serialization header tells.
pub(super) struct FileLayout {
    pub(super) plan: Plan,
    pub(super) layout: FragmentLayout,
    /// How many of the layout's columns are static
    pub(super) statics: usize,
    /// How many components the partition key is split into
    pub(super) key_columns: usize,
}

/// A column of the header with its type parsed.
struct FileColumn<'a> {
    header: &'a HeaderColumn,
    kind: ColumnKind,
    cql_type: CqlType,
}

impl FileLayout {
    /// # Errors
    /// Unsupported for a type that is not known, Corrupt for columns in an order that no writer has;
    /// `file` is the path of Statistics.db.
    pub(super) fn new(
        header: &SerializationHeader,
        version: Version,
        file: &str,
        values: FragmentValues,
    ) -> Result<Self> {
        let parse = |java_type: &str| {
            marshal::parse(java_type)
                .map_err(|e| Error::unsupported(file, format!("type {java_type}"), e.to_string()))
        };
        let key = key_components(parse(&header.partition_key_type)?.cql_type, values);
        let clustering =
            header.clustering_types.iter().map(|java_type| Ok(parse(java_type)?.cql_type));
        let clustering = clustering.collect::<Result<Vec<_>>>()?;
        let columns = |columns: &'_ [HeaderColumn]| -> Result<Vec<_>> {
            let parsed = columns.iter().map(|header| {
                let parsed = parse(&header.java_type)?;
                let kind = ColumnKind::of(&parsed.cql_type, parsed.multi_cell);
                Ok((kind, parsed.cql_type))
            });
            parsed.collect()
        };
        let statics = in_cell_order(&header.statics, columns(&header.statics)?, file)?;
        let regulars = in_cell_order(&header.regulars, columns(&header.regulars)?, file)?;
        let plan = Plan {
            version,
            minima: Minima::new(header, version.has_uint_deletion_time()),
            clustering: clustering.iter().map(Width::of).collect(),
            statics: side(&statics),
            regulars: side(&regulars),
        };
        let mut compiler = Compiler { values, columns: Vec::new() };
        let key_columns = key.len();
        let partition_key =
            key.into_iter().map(|cql_type| compiler.text("partition key", cql_type));
        let partition_key = partition_key.collect();
        let clustering =
            clustering.into_iter().map(|cql_type| compiler.value("clustering", cql_type));
        let clustering = clustering.collect();
        let columns =
            statics.iter().chain(&regulars).map(|column| compiler.cells(column)).collect();
        let values = compiler.columns;
        let layout = FragmentLayout { values, partition_key, clustering, columns };
        Ok(Self { plan, layout, statics: statics.len(), key_columns })
    }
}

/// The parts of a partition key that are told apart. A composite of one component, which no CQL table
/// has, stays whole.
fn key_components(cql_type: CqlType, values: FragmentValues) -> Vec<CqlType> {
    match (values, cql_type) {
        (FragmentValues::Bytes, _) => vec![CqlType::Blob],
        (_, CqlType::Composite(components)) if components.len() > 1 => components,
        (_, whole) => vec![whole],
    }
}

fn in_cell_order<'a>(
    headers: &'a [HeaderColumn],
    types: Vec<(ColumnKind, CqlType)>,
    file: &str,
) -> Result<Vec<FileColumn<'a>>> {
    let columns = headers.iter().zip(types);
    let mut columns: Vec<_> =
        columns.map(|(header, (kind, cql_type))| FileColumn { header, kind, cql_type }).collect();
    sort_by_cells(&mut columns, |column| (column.kind, &column.header.name), file)?;
    Ok(columns)
}

fn side(columns: &[FileColumn<'_>]) -> Side {
    let plan = |(index, column): (u32, &FileColumn<'_>)| ColumnPlan {
        width: match column.kind.is_multi_cell() {
            true => Width::Prefixed,
            false => Width::of(&column.cql_type),
        },
        ..ColumnPlan::of_table(index, column.kind)
    };
    Side { columns: (0..).zip(columns).map(plan).collect() }
}

/// Numbers the columns of values.
struct Compiler {
    values: FragmentValues,
    columns: Vec<ValueColumn>,
}

impl Compiler {
    fn push(&mut self, name: &str, cql_type: CqlType, is_bytes: bool) -> usize {
        let is_bytes = is_bytes || self.values == FragmentValues::Bytes;
        self.columns.push(ValueColumn { name: name.to_owned(), cql_type, is_bytes });
        self.columns.len() - 1
    }

    /// A key or path, which is shown as text.
    fn text(&mut self, name: &str, cql_type: CqlType) -> usize {
        let is_bytes = !cql_type.inner().is_empty();
        self.push(name, cql_type, is_bytes)
    }

    fn value(&mut self, name: &str, cql_type: CqlType) -> usize {
        self.push(name, cql_type, false)
    }

    /// The value of a cell. A counter's is its context.
    fn cell(&mut self, name: &str, cql_type: CqlType) -> usize {
        let is_nested = !cql_type.inner().is_empty();
        let is_bytes = match self.values {
            FragmentValues::Shown => is_nested || cql_type == CqlType::Counter,
            FragmentValues::Typed | FragmentValues::Bytes => cql_type == CqlType::Counter,
        };
        self.push(name, cql_type, is_bytes)
    }

    fn cells(&mut self, column: &FileColumn<'_>) -> CellColumn {
        let name = column.header.name.as_str();
        let (path, values) = match column.kind {
            ColumnKind::Simple | ColumnKind::Counter => (None, self.one(name, &column.cql_type)),
            _ => self.multi_cell(name, &column.cql_type),
        };
        CellColumn {
            name: name.to_owned(),
            cql_type: column.cql_type.clone(),
            multi_cell: column.kind.is_multi_cell(),
            path,
            values,
        }
    }

    fn one(&mut self, name: &str, cql_type: &CqlType) -> CellValues {
        CellValues::One(self.cell(name, cql_type.clone()))
    }

    fn multi_cell(&mut self, name: &str, cql_type: &CqlType) -> (Option<usize>, CellValues) {
        let (path, value) = match cql_type {
            CqlType::List(element) => (CqlType::Timeuuid, &**element),
            CqlType::Set(element) => ((**element).clone(), &CqlType::Empty),
            CqlType::Map(key, value) => ((**key).clone(), &**value),
            CqlType::Udt(udt) if self.values != FragmentValues::Bytes => {
                let mut field = |field: &outpour_cql::UdtField| {
                    self.cell(&format!("{name}.{}", field.name), field.cql_type.clone())
                };
                return (None, CellValues::Fields(udt.fields.iter().map(&mut field).collect()));
            }
            other => (CqlType::Smallint, other),
        };
        (Some(self.text(name, path)), self.one(name, value))
    }
}
