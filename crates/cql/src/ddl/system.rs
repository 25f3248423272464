//! Tables from the rows of `system_schema` (`schema/SchemaKeyspace.java`, 3.0 to 5.0).

use super::assemble::{self, Declaration};
use super::raw_type::parse_alone;
use super::resolve::{Key, Resolver, Udts};
use super::schema_file::Schema;
use super::statement::{Options, RawField, RawKey};
use crate::{CqlType, DroppedColumn, Layout, SchemaError, Table, View};

/// The tables of `system_schema` that are read, with the columns that are needed of them; their
/// files may have more.
const SYSTEM_TABLES: &str = "
CREATE TABLE system_schema.tables (keyspace_name text, table_name text, id uuid, flags frozen<set<text>>,
    PRIMARY KEY (keyspace_name, table_name));
CREATE TABLE system_schema.columns (keyspace_name text, table_name text, column_name text, clustering_order text,
    kind text, position int, type text, PRIMARY KEY (keyspace_name, table_name, column_name));
CREATE TABLE system_schema.types (keyspace_name text, type_name text, field_names frozen<list<text>>,
    field_types frozen<list<text>>, PRIMARY KEY (keyspace_name, type_name));
CREATE TABLE system_schema.dropped_columns (keyspace_name text, table_name text, column_name text,
    dropped_time timestamp, kind text, type text, PRIMARY KEY (keyspace_name, table_name, column_name));
CREATE TABLE system_schema.views (keyspace_name text, view_name text, base_table_name text, id uuid,
    PRIMARY KEY (keyspace_name, view_name));
";

/// The schema of a table of `system_schema`: `tables`, `columns`, `types`, `dropped_columns` or
/// `views`. The table's files may have columns that it does not name.
#[must_use]
pub fn system_table(name: &str) -> Option<Table> {
    // The text above is ours, and a test reads it.
    let schema = Schema::parse(SYSTEM_TABLES).ok()?;
    let table = schema.find(Some("system_schema"), name).next()?;
    Some(Table { accepts_unknown_columns: true, ..table.clone() })
}

/// A row of `system_schema.tables`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct TableRow {
    pub table_name: String,
    pub id: Option<[u8; 16]>,
    pub flags: Vec<String>,
}

/// A row of `system_schema.columns`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct ColumnRow {
    pub table_name: String,
    pub column_name: String,
    pub clustering_order: String,
    pub kind: String,
    pub position: i32,
    pub cql_type: String,
}

/// A row of `system_schema.types`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct TypeRow {
    pub type_name: String,
    pub field_names: Vec<String>,
    pub field_types: Vec<String>,
}

/// A row of `system_schema.dropped_columns`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct DroppedColumnRow {
    pub table_name: String,
    pub column_name: String,
    pub dropped_time_ms: i64,
    pub kind: String,
    pub cql_type: String,
}

/// A row of `system_schema.views`.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the columns are.
pub struct ViewRow {
    pub view_name: String,
    pub base_table_name: String,
    pub id: Option<[u8; 16]>,
}

/// The rows of `system_schema` that one keyspace has.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs)] // Named as the tables are.
pub struct SystemRows {
    pub keyspace: String,
    pub tables: Vec<TableRow>,
    pub columns: Vec<ColumnRow>,
    pub types: Vec<TypeRow>,
    pub dropped_columns: Vec<DroppedColumnRow>,
    pub views: Vec<ViewRow>,
}

impl Udts for SystemRows {
    fn fields(&self, (keyspace, name): &Key) -> Result<Option<Vec<RawField>>, SchemaError> {
        let row = self.types.iter().find(|row| row.type_name == *name);
        let Some(row) = row.filter(|_| *keyspace == self.keyspace) else { return Ok(None) };
        let (names, types) = (&row.field_names, &row.field_types);
        if names.len() != types.len() {
            let (names, types) = (names.len(), types.len());
            return Err(SchemaError::new(format!(
                "system_schema.types has {names} names and {types} types of the fields of {name}"
            )));
        }
        let field = |(name, text): (&String, &String)| {
            Ok(RawField { name: name.clone(), raw_type: parse_alone(text)? })
        };
        names.iter().zip(types).map(field).collect::<Result<_, _>>().map(Some)
    }
}

/// What `system_schema.columns` calls the columns of the key.
const PARTITION_KEY: &str = "partition_key";
const CLUSTERING: &str = "clustering";

impl SystemRows {
    /// The table or materialized view called `name`; `None` if there is none.
    ///
    /// # Errors
    /// [`SchemaError`] for rows that contradict each other, types that are not known, and super
    /// column families.
    pub fn table(&self, name: &str) -> Result<Option<Table>, SchemaError> {
        let view = self.views.iter().find(|view| view.view_name == name);
        let row = self.tables.iter().find(|table| table.table_name == name);
        let (id, layout) = match (row, view) {
            (Some(row), _) => (row.id, layout(&row.flags)?),
            (None, Some(view)) => (view.id, Layout::Plain),
            (None, None) => return Ok(None),
        };
        let mut resolver = Resolver::new(self, &[]);
        let mut table = self.declared(name, id, &mut resolver)?;
        hide(&mut table, layout)?;
        for row in self.dropped_columns.iter().filter(|row| row.table_name == name) {
            table.dropped.push(self.dropped(row, layout, &mut resolver)?);
        }
        table.view = view.map(|view| self.view(view, &table)).transpose()?;
        Ok(Some(table))
    }

    fn declared(
        &self,
        name: &str,
        id: Option<[u8; 16]>,
        resolver: &mut Resolver<'_>,
    ) -> Result<Table, SchemaError> {
        let mut rows: Vec<_> = self.columns.iter().filter(|row| row.table_name == name).collect();
        rows.sort_by_key(|row| row.position);
        check_kinds(&rows)?;
        let declaration = |row: &&ColumnRow| {
            self.declaration(&row.column_name, &row.cql_type, &row.kind, resolver)
        };
        let columns = rows.iter().map(declaration).collect::<Result<Vec<_>, _>>()?;
        let key = RawKey {
            partition: key_names(&rows, PARTITION_KEY)?,
            clustering: key_names(&rows, CLUSTERING)?,
        };
        let clustering = rows.iter().filter(|row| row.kind == CLUSTERING);
        let order = clustering.map(|row| (row.column_name.clone(), row.is_descending()));
        let options = Options { id, order: order.collect(), is_compact: false };
        assemble::table(&(self.keyspace.clone(), name.to_owned()), &columns, &key, &options)
    }

    fn declaration(
        &self,
        name: &str,
        cql_type: &str,
        kind: &str,
        resolver: &mut Resolver<'_>,
    ) -> Result<Declaration, SchemaError> {
        let resolved = parse_alone(cql_type).and_then(|raw| resolver.resolve(&raw, &self.keyspace));
        let resolved = resolved.map_err(|e| SchemaError::new(format!("column {name}: {e}")))?;
        Ok(Declaration { name: name.to_owned(), resolved, is_static: kind == "static" })
    }

    fn dropped(
        &self,
        row: &DroppedColumnRow,
        layout: Layout,
        resolver: &mut Resolver<'_>,
    ) -> Result<DroppedColumn, SchemaError> {
        let declaration = self.declaration(&row.column_name, &row.cql_type, &row.kind, resolver)?;
        Ok(DroppedColumn {
            column: declaration.column(),
            // The columns of a static compact table are static only in its files.
            is_static: declaration.is_static && layout != Layout::CompactStatic,
            drop_time_us: row.dropped_time_ms.saturating_mul(1000),
        })
    }

    fn view(&self, row: &ViewRow, view: &Table) -> Result<View, SchemaError> {
        let base = &row.base_table_name;
        let columns = self.columns.iter().filter(|column| column.table_name == *base);
        let key: Vec<_> = columns
            .filter(|column| matches!(column.kind.as_str(), PARTITION_KEY | CLUSTERING))
            .map(|column| &column.column_name)
            .collect();
        if key.is_empty() {
            return Err(SchemaError::new(format!(
                "{base}, the base table of this materialized view, is not in system_schema.columns"
            )));
        }
        let strict_liveness = view.primary_key().any(|column| !key.contains(&&column.name));
        Ok(View { base_table: base.clone(), strict_liveness })
    }
}

impl ColumnRow {
    fn is_descending(&self) -> bool {
        self.clustering_order.eq_ignore_ascii_case("desc")
    }
}

fn check_kinds(rows: &[&ColumnRow]) -> Result<(), SchemaError> {
    let is_known = |kind: &str| matches!(kind, PARTITION_KEY | CLUSTERING | "static" | "regular");
    match rows.iter().find(|row| !is_known(&row.kind)) {
        None => Ok(()),
        Some(row) => {
            let (name, kind) = (&row.column_name, &row.kind);
            Err(SchemaError::new(format!("column {name}: {kind:?} is no kind of column")))
        }
    }
}

/// The names of the columns of `kind`, of `rows` by position; none may be missing.
fn key_names(rows: &[&ColumnRow], kind: &str) -> Result<Vec<String>, SchemaError> {
    let columns = rows.iter().filter(|row| row.kind == kind);
    let name = |(position, row): (i32, &&ColumnRow)| match row.position == position {
        true => Ok(row.column_name.clone()),
        false => Err(SchemaError::new(format!(
            "column {} is at position {} of the {kind}, expected {position}",
            row.column_name, row.position
        ))),
    };
    (0..).zip(columns).map(name).collect()
}

/// `TableMetadata.isStaticCompactTable`, `isCompactTable` (4.0 to 5.0).
fn layout(flags: &[String]) -> Result<Layout, SchemaError> {
    let has = |flag: &str| flags.iter().any(|found| found == flag);
    if has("super") {
        return Err(SchemaError::new("super column families are not supported"));
    }
    Ok(match (has("dense"), has("compound")) {
        (false, true) => Layout::Plain,
        (false, false) => Layout::CompactStatic,
        (true, _) => Layout::CompactDense,
    })
}

/// Takes away the columns that compact tables have and CQL does not show
/// (`TableMetadata.CompactTableMetadata`, 4.0 to 5.0).
fn hide(table: &mut Table, layout: Layout) -> Result<(), SchemaError> {
    let fits = match layout {
        Layout::Plain => true,
        Layout::CompactStatic => table.clustering.len() == 1 && table.regulars.len() == 1,
        Layout::CompactDense => {
            !table.clustering.is_empty() && table.statics.is_empty() && table.regulars.len() == 1
        }
    };
    if !fits {
        return Err(SchemaError::new(
            "the flags in system_schema.tables do not fit its columns: those of a table WITH COMPACT STORAGE are others",
        ));
    }
    table.layout = layout;
    match layout {
        Layout::Plain => {}
        Layout::CompactStatic => {
            table.clustering.clear();
            table.regulars = std::mem::take(&mut table.statics);
        }
        Layout::CompactDense => table.regulars.retain(|column| column.cql_type != CqlType::Empty),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_tables_are_known() {
        for name in ["tables", "columns", "types", "dropped_columns", "views"] {
            assert_eq!(system_table(name).unwrap().name, name);
        }
        assert!(system_table("keyspaces").is_none());
    }

    fn column(name: &str, kind: &str, position: i32, cql_type: &str) -> ColumnRow {
        ColumnRow {
            table_name: "t".into(),
            column_name: name.into(),
            clustering_order: if name == "c" { "desc".into() } else { "none".into() },
            kind: kind.into(),
            position,
            cql_type: cql_type.into(),
        }
    }

    fn rows(flags: &[&str], columns: Vec<ColumnRow>) -> SystemRows {
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        SystemRows {
            keyspace: "k".into(),
            tables: vec![TableRow { table_name: "t".into(), id: None, flags }],
            columns,
            types: vec![TypeRow {
                type_name: "Addr".into(),
                field_names: vec!["zip".into()],
                field_types: vec!["int".into()],
            }],
            ..SystemRows::default()
        }
    }

    #[test]
    fn rows_make_the_same_table_as_cql() {
        let rows = rows(
            &["compound"],
            vec![
                column("b", "partition_key", 1, "text"),
                column("a", "partition_key", 0, "int"),
                column("c", "clustering", 0, "timestamp"),
                column("s", "static", -1, "set<frozen<\"Addr\">>"),
                column("r", "regular", -1, "\"Addr\""),
            ],
        );
        let cql = "CREATE TYPE k.\"Addr\" (zip int); CREATE TABLE k.t (a int, b text, c timestamp, \
            s set<frozen<\"Addr\">> static, r \"Addr\", PRIMARY KEY ((a, b), c)) WITH CLUSTERING ORDER BY (c DESC)";
        let schema = Schema::parse(cql).unwrap();
        assert_eq!(rows.table("t").unwrap().as_ref(), schema.tables().first());
        assert_eq!(rows.table("u"), Ok(None));
    }

    fn names(table: &Table) -> Vec<&str> {
        table.select_order().map(|column| column.name.as_str()).collect()
    }

    #[test]
    fn columns_of_compact_tables_are_hidden() {
        let mut fixed = rows(
            &[],
            vec![
                column("k", "partition_key", 0, "text"),
                column("column1", "clustering", 0, "text"),
                column("a", "static", -1, "int"),
                column("value", "regular", -1, "blob"),
            ],
        );
        let dropped = DroppedColumnRow {
            table_name: "t".into(),
            column_name: "b".into(),
            dropped_time_ms: 5,
            kind: "static".into(),
            cql_type: "int".into(),
        };
        fixed.dropped_columns.push(dropped);
        let table = fixed.table("t").unwrap().unwrap();
        assert_eq!((names(&table), table.layout), (vec!["k", "a"], Layout::CompactStatic));
        assert_eq!((table.dropped[0].drop_time_us, table.dropped[0].is_static), (5000, false));
        // As 4.1 has them.
        let dense = vec![
            column("a", "partition_key", 0, "int"),
            column("b", "clustering", 0, "int"),
            column("c", "clustering", 1, "text"),
            column("value", "regular", -1, "empty"),
        ];
        let table = rows(&["compound", "dense"], dense).table("t").unwrap().unwrap();
        assert_eq!((names(&table), table.layout), (vec!["a", "b", "c"], Layout::CompactDense));
        assert!(!table.clustering[0].descending && table.clustering[1].descending);
    }

    #[test]
    fn a_view_knows_its_base_table() {
        let mut rows = rows(
            &["compound"],
            vec![column("id", "partition_key", 0, "int"), column("a", "regular", -1, "int")],
        );
        let of_view = |row: ColumnRow| ColumnRow { table_name: "v".into(), ..row };
        rows.columns.push(of_view(column("a", "partition_key", 0, "int")));
        rows.columns.push(of_view(column("id", "clustering", 0, "int")));
        let base = |name: &str| ViewRow {
            view_name: "v".into(),
            base_table_name: name.into(),
            id: Some([7; 16]),
        };
        rows.views = vec![base("t")];
        let table = rows.table("v").unwrap().unwrap();
        let view = View { base_table: "t".into(), strict_liveness: true };
        assert_eq!((table.view, table.id), (Some(view), Some([7; 16])));
        rows.views = vec![base("x")];
        assert!(rows.table("v").unwrap_err().to_string().contains("base table"));
    }

    #[test]
    fn rows_that_contradict_each_other_are_refused() {
        let key = || column("k", "partition_key", 0, "int");
        let refused: Vec<(&[&str], Vec<ColumnRow>, &str)> = vec![
            (&["compound"], vec![], "no partition key"),
            (&["compound"], vec![column("k", "partition_key", 1, "int")], "position 1"),
            (&["compound"], vec![key(), column("c", "clustering", 1, "int")], "expected 0"),
            (&["compound"], vec![key(), column("v", "regulra", -1, "int")], "no kind"),
            (&["compound"], vec![key(), column("v", "regular", -1, "")], "column v"),
            (&["compound"], vec![key(), column("v", "regular", -1, "u")], "k.u is not declared"),
            (&["compound"], vec![key(), column("k", "regular", -1, "int")], "k is twice declared"),
            (&["super"], vec![key()], "super"),
            (&["dense"], vec![key()], "COMPACT STORAGE"),
            (&[], vec![key()], "COMPACT STORAGE"),
        ];
        for (flags, columns, said) in refused {
            let error = rows(flags, columns).table("t").unwrap_err().to_string();
            assert!(error.contains(said), "{said}: {error}");
        }
        let mut rows = rows(&["compound"], vec![key(), column("v", "regular", -1, "\"Addr\"")]);
        rows.types[0].field_types.clear();
        assert!(rows.table("t").unwrap_err().to_string().contains("1 names and 0 types"));
    }
}
