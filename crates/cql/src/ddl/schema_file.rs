use std::collections::BTreeMap;
use std::sync::Arc;

use super::lexer::{Kind, Token, lex};
use super::statement::{self, Name, Options, RawColumn, RawKey, RawTable, RawView, Statement};
use super::type_text::{RawType, Resolved};
use crate::{
    ClusteringColumn, Column, CqlType, DroppedColumn, Layout, SchemaError, Table, UdtField,
    UdtType, View,
};

/// UDTs in UDTs: a cycle would have no end.
const UDT_DEPTH_MAX: usize = 64;

/// The tables that a CQL file declares.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    tables: Vec<Table>,
}

impl Schema {
    /// Reads the CREATE and ALTER statements of CQL text; all other statements are passed over.
    ///
    /// The order of statements does not matter, but for ALTER. A snapshot's schema.cql has tables
    /// with COMPACT STORAGE in a comment, since CQL cannot create them again: they are found there.
    ///
    /// # Errors
    /// [`SchemaError`] with line and column for a statement that cannot be understood, a type that
    /// is not declared, or a table that is declared twice in different ways.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        let lexed = lex(text)?;
        let mut declared = Declared::default();
        declared.read(text, &lexed.tokens)?;
        for comment in lexed.comments {
            declared.read_comment(comment)?;
        }
        declared.resolve()
    }

    /// All tables and materialized views.
    #[must_use]
    pub fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// The tables called `name`, of `keyspace` if one is given.
    pub fn find<'a>(
        &'a self,
        keyspace: Option<&'a str>,
        name: &'a str,
    ) -> impl Iterator<Item = &'a Table> {
        self.tables.iter().filter(move |table| {
            let agrees = |k: &str| table.keyspace == k || table.keyspace.is_empty();
            table.name == name && keyspace.is_none_or(agrees)
        })
    }
}

type Key = (String, String);

/// What statements have declared so far, by keyspace and name.
#[derive(Default)]
struct Declared {
    keyspace: String,
    udts: BTreeMap<Key, Vec<(String, RawType)>>,
    tables: BTreeMap<Key, RawTableState>,
    views: Vec<RawView>,
}

struct RawTableState {
    raw: RawTable,
    dropped: Vec<(RawColumn, i64)>,
}

impl Declared {
    fn read(&mut self, text: &str, tokens: &[Token]) -> Result<(), SchemaError> {
        let is_end = |token: &Token| token.kind == Kind::Symbol && token.text == ";";
        for tokens in tokens.split(is_end) {
            if let Some(statement) = statement::parse(text, tokens)? {
                self.apply(statement)?;
            }
        }
        Ok(())
    }

    /// The tables of a comment, where they are not declared outside one.
    fn read_comment(&mut self, comment: &str) -> Result<(), SchemaError> {
        let Some(start) = comment.find("CREATE TABLE") else { return Ok(()) };
        let text = &comment[start..];
        let tokens = lex(text)?.tokens;
        let end = tokens.iter().position(|t| t.kind == Kind::Symbol && t.text == ";");
        let tokens = &tokens[..end.unwrap_or(tokens.len())];
        if let Some(Statement::CreateTable(raw)) = statement::parse(text, tokens)?
            && !self.tables.contains_key(&self.key(&raw.name))
        {
            self.apply(Statement::CreateTable(raw))?;
        }
        Ok(())
    }

    fn key(&self, name: &Name) -> Key {
        (name.keyspace.clone().unwrap_or_else(|| self.keyspace.clone()), name.name.clone())
    }

    fn apply(&mut self, statement: Statement) -> Result<(), SchemaError> {
        match statement {
            Statement::Use(keyspace) => self.keyspace = keyspace,
            Statement::CreateType { name, fields } => {
                let key = self.key(&name);
                if self.udts.get(&key).is_some_and(|known| *known != fields) {
                    return Err(declared_twice("type", &key));
                }
                self.udts.insert(key, fields);
            }
            Statement::AddField { name, field } => self.fields(&name)?.push(field),
            Statement::RenameFields { name, renames } => {
                let fields = self.fields(&name)?;
                for (old, new) in renames {
                    fields.iter_mut().filter(|f| f.0 == old).for_each(|f| f.0.clone_from(&new));
                }
            }
            Statement::CreateTable(raw) => {
                let key = self.key(&raw.name);
                if self.tables.contains_key(&key) {
                    return Err(declared_twice("table", &key));
                }
                let state = RawTableState { raw, dropped: Vec::new() };
                self.tables.insert(key, state);
            }
            Statement::CreateView(mut raw) => {
                raw.name.keyspace = Some(self.key(&raw.name).0);
                raw.base.keyspace = Some(self.key(&raw.base).0);
                self.views.push(raw);
            }
            Statement::AddColumns { table, columns } => {
                self.table(&table)?.raw.columns.extend(columns);
            }
            Statement::DropColumns { table, columns, timestamp_us } => {
                self.table(&table)?.drop_columns(&columns, timestamp_us);
            }
            Statement::DropCompactStorage { table } => {
                self.table(&table)?.raw.options.is_compact = false;
            }
        }
        Ok(())
    }

    fn fields(&mut self, name: &Name) -> Result<&mut Vec<(String, RawType)>, SchemaError> {
        let key = self.key(name);
        self.udts.get_mut(&key).ok_or_else(|| not_declared("type", &key))
    }

    fn table(&mut self, name: &Name) -> Result<&mut RawTableState, SchemaError> {
        let key = self.key(name);
        self.tables.get_mut(&key).ok_or_else(|| not_declared("table", &key))
    }

    fn resolve(&self) -> Result<Schema, SchemaError> {
        let mut tables = self
            .tables
            .iter()
            .map(|(key, state)| self.resolve_table(key, state))
            .collect::<Result<Vec<_>, _>>()?;
        for raw in &self.views {
            let base = tables.iter().find(|table| {
                raw.base.keyspace.as_deref() == Some(&*table.keyspace)
                    && table.name == raw.base.name
            });
            let base = base.ok_or_else(|| {
                let view = &raw.name.name;
                let base = &raw.base.name;
                SchemaError::new(format!(
                    "the columns of materialized view {view} are those of {base}, whose CREATE TABLE is not here"
                ))
            })?;
            let view = view_of(raw, base)?;
            tables.push(view);
        }
        Ok(Schema { tables })
    }

    fn resolve_table(&self, key: &Key, state: &RawTableState) -> Result<Table, SchemaError> {
        let resolve = |column: &RawColumn| {
            let resolved = self.resolve_type(&column.raw_type, &key.0, 0)?;
            Ok::<_, SchemaError>((column.name.clone(), resolved, column.is_static))
        };
        let columns = state.raw.columns.iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
        let mut table = build(key, &columns, &state.raw.key, &state.raw.options)?;
        for (column, drop_time_us) in &state.dropped {
            let (name, resolved, is_static) = resolve(column)?;
            let column = column_of(name, resolved);
            table.dropped.push(DroppedColumn { column, is_static, drop_time_us: *drop_time_us });
        }
        Ok(table)
    }

    fn resolve_type(
        &self,
        raw: &RawType,
        keyspace: &str,
        depth: usize,
    ) -> Result<Resolved, SchemaError> {
        raw.resolve(&mut |of, name| {
            let key = (of.unwrap_or(keyspace).to_owned(), name.to_owned());
            if depth > UDT_DEPTH_MAX {
                return Err(SchemaError::new(format!("type {name} holds itself")));
            }
            let fields = self.udts.get(&key).ok_or_else(|| not_declared("type", &key))?;
            let fields = fields
                .iter()
                .map(|(name, raw)| {
                    let cql_type = self.resolve_type(raw, &key.0, depth + 1)?.cql_type;
                    Ok(UdtField { name: name.clone(), cql_type })
                })
                .collect::<Result<_, SchemaError>>()?;
            let udt = UdtType { keyspace: key.0, name: key.1, fields };
            Ok(CqlType::Udt(Arc::new(udt)))
        })
    }
}

fn declared_twice(what: &str, (keyspace, name): &Key) -> SchemaError {
    SchemaError::new(format!("{what} {keyspace}.{name} is declared twice"))
}

fn not_declared(what: &str, (keyspace, name): &Key) -> SchemaError {
    SchemaError::new(format!("{what} {keyspace}.{name} is not declared"))
}

impl RawTableState {
    /// Of several drops of a name the newest counts.
    fn drop_columns(&mut self, names: &[String], timestamp_us: i64) {
        for name in names {
            let columns = &mut self.raw.columns;
            let Some(at) = columns.iter().position(|column| column.name == *name) else { continue };
            let column = columns.remove(at);
            self.dropped.retain(|(dropped, _)| dropped.name != *name);
            self.dropped.push((column, timestamp_us));
        }
    }
}

pub(super) fn column_of(name: String, resolved: Resolved) -> Column {
    Column { name, cql_type: resolved.cql_type, multi_cell: resolved.multi_cell }
}

/// Puts a table together from its columns and key.
pub(super) fn build(
    (keyspace, name): &Key,
    columns: &[(String, Resolved, bool)],
    key: &RawKey,
    options: &Options,
) -> Result<Table, SchemaError> {
    let key_column = |wanted: &String| {
        let found = columns.iter().find(|(name, ..)| name == wanted);
        let (name, resolved, _) = found.ok_or_else(|| {
            SchemaError::new(format!("{keyspace}.{name}: key column {wanted} is not declared"))
        })?;
        // Key columns are frozen, whether or not that is said.
        let cql_type = resolved.cql_type.clone();
        Ok(Column { name: name.clone(), cql_type, multi_cell: false })
    };
    let partition_key =
        key.partition.iter().map(key_column).collect::<Result<Vec<_>, SchemaError>>()?;
    let clustering = key
        .clustering
        .iter()
        .map(|name| {
            let descending = options.descending.contains(name);
            Ok(ClusteringColumn { column: key_column(name)?, descending })
        })
        .collect::<Result<Vec<_>, SchemaError>>()?;
    let is_key = |name: &String| key.partition.contains(name) || key.clustering.contains(name);
    let others = columns.iter().filter(|(name, ..)| !is_key(name));
    let (statics, regulars): (Vec<_>, Vec<_>) = others.partition(|(.., is_static)| *is_static);
    let by_name = |columns: Vec<&(String, Resolved, bool)>| {
        let column = |c: &(String, Resolved, bool)| column_of(c.0.clone(), c.1.clone());
        let mut columns: Vec<_> = columns.into_iter().map(column).collect();
        columns.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        columns
    };
    let (statics, regulars) = (by_name(statics), by_name(regulars));
    let layout = match (options.is_compact, clustering.is_empty()) {
        (false, _) => Layout::Plain,
        (true, true) => Layout::CompactStatic,
        (true, false) if regulars.len() > 1 => {
            return Err(SchemaError::new(format!(
                "{keyspace}.{name}: COMPACT STORAGE with clustering columns has one column outside the key, not {}",
                regulars.len()
            )));
        }
        (true, false) => Layout::CompactDense,
    };
    Ok(Table {
        keyspace: keyspace.clone(),
        name: name.clone(),
        id: options.id,
        partition_key,
        clustering,
        statics,
        regulars,
        dropped: Vec::new(),
        layout,
        view: None,
        accepts_unknown_columns: false,
    })
}

fn view_of(raw: &RawView, base: &Table) -> Result<Table, SchemaError> {
    let is_key =
        |name: &String| raw.key.partition.contains(name) || raw.key.clustering.contains(name);
    let shown =
        |name: &String| raw.columns.is_empty() || raw.columns.contains(name) || is_key(name);
    let columns = base
        .select_order()
        .filter(|column| shown(&column.name))
        .map(|column| {
            let (cql_type, multi_cell) = (column.cql_type.clone(), column.multi_cell);
            (column.name.clone(), Resolved { cql_type, multi_cell }, false)
        })
        .collect::<Vec<_>>();
    let key = (base.keyspace.clone(), raw.name.name.clone());
    let mut view = build(&key, &columns, &raw.key, &raw.options)?;
    let keys = raw.key.partition.iter().chain(&raw.key.clustering);
    let base_key = |name: &String| base.primary_key().any(|column| column.name == *name);
    view.view = Some(View {
        base_table: base.name.clone(),
        strict_liveness: keys.into_iter().any(|name| !base_key(name)),
    });
    Ok(view)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ddl::create_table;

    fn one(text: &str) -> Table {
        let schema = Schema::parse(text).unwrap();
        schema.tables().last().unwrap().clone()
    }

    #[test]
    fn types_may_follow_the_tables_that_use_them() {
        let table = one(
            "CREATE TABLE k.t (id int PRIMARY KEY, a frozen<outer>, b outer, c list<frozen<\"In\">>);
             CREATE TYPE k.outer (i frozen<\"In\">); CREATE TYPE k.\"In\" (x int, \"Y y\" text);",
        );
        assert_eq!(table.regulars[0].cql_type, table.regulars[1].cql_type);
        assert!(!table.regulars[0].multi_cell && table.regulars[1].multi_cell);
        let CqlType::List(element) = &table.regulars[2].cql_type else { panic!("no list") };
        let CqlType::Udt(inner) = &**element else { panic!("no UDT") };
        assert_eq!(inner.fields[1].name, "Y y");
    }

    #[test]
    fn keys_statics_order_and_options() {
        let table = one(
            "create table if not exists ks.\"T t\" (b text, a int, c bigint, d int static, z int, y set<int>,
               primary key ((a, b), c)) with id = 54b4bb30-ed16-11f1-9476-9bd18a530709
               and compression = {'class': 'x', 'and': ') and'} and clustering order by (c desc);",
        );
        let names: Vec<_> = table.select_order().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "y", "z"]);
        assert!(table.clustering[0].descending);
        assert_eq!(table.id.unwrap()[..4], [0x54, 0xb4, 0xbb, 0x30]);
        assert_eq!((table.keyspace.as_str(), table.name.as_str()), ("ks", "T t"));
    }

    #[test]
    fn dropped_columns_are_kept_and_may_come_back() {
        let table = one("CREATE TABLE k.t (id int PRIMARY KEY, a int, b text, s int static);
             ALTER TABLE k.t DROP a USING TIMESTAMP 17; ALTER TABLE k.t DROP b USING TIMESTAMP 18;
             ALTER TABLE k.t ADD b int; ALTER TABLE k.t DROP s USING TIMESTAMP 19");
        let dropped: Vec<_> = table
            .dropped
            .iter()
            .map(|d| (d.column.name.as_str(), d.drop_time_us, d.is_static))
            .collect();
        assert_eq!(dropped, [("a", 17, false), ("b", 18, false), ("s", 19, true)]);
        assert_eq!(table.regulars.len(), 1);
        assert_eq!(table.regulars[0].cql_type, CqlType::Int);
    }

    #[test]
    fn compact_tables_are_found_in_comments() {
        let text = "CREATE KEYSPACE k WITH replication = {'class': 'x'};
            /*\nWarning: Table k.t omitted\n\nCREATE TABLE IF NOT EXISTS k.t (\n k text,\n c text,\n v text,
            PRIMARY KEY (k, c)\n) WITH COMPACT STORAGE\n*/\n/*\nCREATE TABLE k.u (k text PRIMARY KEY, a int) WITH COMPACT STORAGE\n    AND ID = 54b4bb30-ed16-11f1-9476-9bd18a530709;\n*/";
        let schema = Schema::parse(text).unwrap();
        let layout = |name| schema.find(Some("k"), name).next().unwrap().layout;
        assert_eq!(layout("t"), Layout::CompactDense);
        assert_eq!(layout("u"), Layout::CompactStatic);
    }

    #[test]
    fn views_take_their_columns_from_the_base_table() {
        let text = "CREATE TABLE k.base (id int PRIMARY KEY, a int, b text);
            CREATE MATERIALIZED VIEW k.v AS SELECT * FROM k.base WHERE a IS NOT NULL AND id IS NOT NULL
              PRIMARY KEY (a, id) WITH CLUSTERING ORDER BY (id DESC);
            CREATE MATERIALIZED VIEW k.w AS SELECT id, b FROM k.base WHERE id > 5 PRIMARY KEY (id);";
        let schema = Schema::parse(text).unwrap();
        let view = schema.find(None, "v").next().unwrap();
        assert!(view.view.as_ref().unwrap().strict_liveness && view.clustering[0].descending);
        let view = schema.find(None, "w").next().unwrap();
        assert!(!view.view.as_ref().unwrap().strict_liveness);
        assert_eq!(view.regulars.len(), 1);
    }

    #[test]
    fn other_statements_are_passed_over() {
        let table = one(
            "USE k; -- comment; with ; signs\n INSERT INTO t (id) VALUES ('a;b'); CREATE FUNCTION f() AS $$ x; y $$;
             CREATE TABLE t (id int PRIMARY KEY, v int MASKED WITH system.mask_inner(1, null), w vector<float, 3>);
             CREATE CUSTOM INDEX ON t (v) USING 'sai'; // end",
        );
        assert_eq!(table.keyspace, "k");
        assert_eq!(table.regulars.len(), 2);
    }

    #[test]
    fn errors_say_where_and_what() {
        for (text, said) in [
            ("CREATE TABLE t (id int)", "PRIMARY KEY"),
            ("CREATE TABLE t (id int PRIMARY KEY,\n  v list<int)", "line 2, column 13"),
            ("CREATE TABLE t (id foo PRIMARY KEY)", "foo is not declared"),
            ("CREATE TABLE t (id int, PRIMARY KEY (x))", "key column x"),
            ("CREATE TABLE t (id int PRIMARY KEY) WITH ID = 5", "a UUID"),
            ("CREATE TABLE t (id 'FooType' PRIMARY KEY)", "FooType"),
            ("CREATE TYPE a (x frozen<a>); CREATE TABLE t (id a PRIMARY KEY)", "holds itself"),
            ("CREATE MATERIALIZED VIEW k.v AS SELECT * FROM k.b PRIMARY KEY (a)", "CREATE TABLE"),
            ("CREATE TABLE t (id text PRIMARY KEY, v 'x", "not closed"),
            ("CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE t (id int PRIMARY KEY)", "twice"),
        ] {
            let error = Schema::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        let deep = format!("CREATE TABLE t (id {}int", "frozen<list<".repeat(5000));
        assert!(Schema::parse(&deep).unwrap_err().to_string().contains("nested"));
    }

    #[test]
    fn printed_tables_are_read_back() {
        for text in [
            "CREATE TYPE k.\"In\" (x int, \"Y y\" text); CREATE TYPE k.outer (i frozen<\"In\">, l frozen<list<int>>);
             CREATE TABLE k.\"T t\" (a int, b text, c frozen<tuple<int, text>>, \"select\" outer, e map<text, frozen<set<\"In\">>>, s int static,
              v vector<float, 3>, PRIMARY KEY ((a, b), c)) WITH ID = 54b4bb30-ed16-11f1-9476-9bd18a530709
              AND CLUSTERING ORDER BY (c DESC);
             ALTER TABLE k.\"T t\" DROP s USING TIMESTAMP 17; ALTER TABLE k.\"T t\" ADD s bigint static",
            "CREATE TABLE k.c (k text PRIMARY KEY, a int, b int) WITH COMPACT STORAGE",
        ] {
            let table = one(text);
            assert_eq!(one(&create_table(&table)), table, "{}", create_table(&table));
        }
    }
}
