use std::sync::Arc;

use super::assemble::{self, Declaration};
use super::declared::{Declared, DeclaredTable};
use super::resolve::{Key, Resolver, label};
use super::statement::{RawColumn, RawView};
use crate::{DroppedColumn, SchemaError, Table, UdtType};

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
    /// [`SchemaError`] with line and column for a statement that cannot be understood; with the
    /// table's name for a type that is not declared, a table that is declared twice in different
    /// ways, or a materialized view without its base table.
    pub fn parse(text: &str) -> Result<Self, SchemaError> {
        Self::parse_with_types(text, &[])
    }

    /// As [`Schema::parse`], with types that may be used although the text does not declare them: a
    /// snapshot's schema.cql lacks UDTs that are only used inside collections and tuples.
    ///
    /// # Errors
    /// As of [`Schema::parse`].
    pub fn parse_with_types(text: &str, known: &[Arc<UdtType>]) -> Result<Self, SchemaError> {
        let declared = Declared::read(text)?;
        let mut resolver = Resolver::new(&declared, known);
        let mut tables = Vec::new();
        for (name, table) in &declared.tables {
            tables.push(resolve_table(name, table, &mut resolver)?);
        }
        for (name, view) in &declared.views {
            let view = resolve_view(name, view, &tables)?;
            tables.push(view);
        }
        Ok(Self { tables })
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

fn resolve_table(
    name: &Key,
    declared: &DeclaredTable,
    resolver: &mut Resolver<'_>,
) -> Result<Table, SchemaError> {
    let mut resolve = |column: &RawColumn| {
        let resolved = resolver.resolve(&column.raw_type, &name.0).map_err(|e| {
            SchemaError::new(format!("{}, column {}: {e}", label(name), column.name))
        })?;
        Ok::<_, SchemaError>(Declaration {
            name: column.name.clone(),
            resolved,
            is_static: column.is_static,
        })
    };
    let raw = &declared.table;
    let columns = raw.columns.iter().map(&mut resolve).collect::<Result<Vec<_>, _>>()?;
    let mut table = assemble::table(name, &columns, &raw.key, &raw.options)?;
    for dropped in &declared.dropped {
        let declaration = resolve(&dropped.column)?;
        table.dropped.push(DroppedColumn {
            column: declaration.column(),
            is_static: declaration.is_static,
            // Dropped now: no cell that is in a file is younger.
            drop_time_us: dropped.time_us.unwrap_or(i64::MAX),
        });
    }
    Ok(table)
}

fn resolve_view(name: &Key, view: &RawView, tables: &[Table]) -> Result<Table, SchemaError> {
    let base = tables.iter().find(|table| {
        view.base.keyspace.as_deref() == Some(&*table.keyspace) && table.name == view.base.name
    });
    let base = base.ok_or_else(|| {
        SchemaError::new(format!(
            "the columns of materialized view {} are those of {}, whose CREATE TABLE is not here; put both into one file",
            label(name),
            view.base.name
        ))
    })?;
    assemble::view(name, view, base)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ddl::create_table;
    use crate::random::Random;
    use crate::{CqlType, Layout};

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

    /// Of 4.1.10, the options cut.
    const DROPPED: &str = "
CREATE TYPE IF NOT EXISTS s.\"Addr\" (
    street text,
    zip frozen<list<int>>
);
CREATE TABLE IF NOT EXISTS s.d (
    id int,
    c int,
    a int,
    b \"Addr\",
    s int static,
    l list<int>,
    f frozen<tuple<text, frozen<list<int>>>>,
    PRIMARY KEY (id, c)
) WITH ID = 647b11c0-ed36-11f1-8141-611a3919f3c9
    AND CLUSTERING ORDER BY (c DESC)
    AND comment = 'it''s /* odd -- ; */ $$';
ALTER TABLE s.d DROP s USING TIMESTAMP 1796095329873000;
ALTER TABLE s.d ADD s int static;
ALTER TABLE s.d DROP l USING TIMESTAMP 1796095330012000;
ALTER TABLE s.d DROP f USING TIMESTAMP -1;
";

    #[test]
    fn dropped_columns_are_kept_and_may_come_back() {
        let table = one(DROPPED);
        let dropped = table.dropped.iter();
        let dropped: Vec<_> =
            dropped.map(|d| (d.column.name.as_str(), d.drop_time_us, d.is_static)).collect();
        assert_eq!(
            dropped,
            [
                ("s", 1_796_095_329_873_000, true),
                ("l", 1_796_095_330_012_000, false),
                ("f", -1, false)
            ]
        );
        assert!(table.dropped[1].column.multi_cell && !table.dropped[2].column.multi_cell);
        let names: Vec<_> = table.select_order().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["id", "c", "s", "a", "b"]);
        // Two snapshots of a table, one after the other.
        assert_eq!(one(&DROPPED.repeat(2)), table);
        // Dropped at a time that is not told.
        let table = one("CREATE TABLE t (id int PRIMARY KEY, v int); ALTER TABLE t DROP v");
        assert_eq!(table.dropped[0].drop_time_us, i64::MAX);
    }

    #[test]
    fn tables_and_types_are_altered() {
        let table = one(
            "CREATE TYPE k.u (a int); ALTER TYPE k.u ADD b text; ALTER TYPE k.u RENAME a TO \"A\" AND b TO c;
             ALTER TYPE k.u ALTER c TYPE blob; ALTER TYPE k.u ADD IF NOT EXISTS c int;
             CREATE TABLE k.t (id int, c1 int, v u, w varint, PRIMARY KEY (id, c1)) WITH CLUSTERING ORDER BY (c1 DESC);
             ALTER TABLE k.t RENAME id TO \"Id\" AND c1 TO c2; ALTER TABLE k.t ADD (x int, s int static);
             ALTER TABLE k.t ADD IF NOT EXISTS x text; ALTER TABLE k.t DROP IF EXISTS y;
             ALTER TABLE k.t ALTER w TYPE blob;
             ALTER TABLE k.t ALTER x MASKED WITH DEFAULT; ALTER TABLE k.t WITH comment = 'x'; ALTER TABLE IF EXISTS k.no ADD x int",
        );
        let printed = create_table(&table);
        let lines: Vec<_> = printed.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            [
                "CREATE TYPE k.u (",
                "\"A\" int,",
                "c blob",
                ");",
                "",
                "CREATE TABLE k.t (",
                "\"Id\" int,",
                "c2 int,",
                "s int static,",
                "v u,",
                "w blob,",
                "x int,",
                "PRIMARY KEY (\"Id\", c2)",
                ") WITH CLUSTERING ORDER BY (c2 DESC);"
            ]
        );
    }

    /// Of 4.1.10, the options cut.
    const COMPACT: &str = "
/*
Warning: Table s.den omitted because it has constructs not compatible with CQL (was created via legacy API).
Approximate structure, for reference:
(this should not be used to reproduce this schema)

CREATE TABLE IF NOT EXISTS s.den (
    a int,
    b int,
    c text,
    PRIMARY KEY (a, b, c)
) WITH COMPACT STORAGE
    AND ID = 434ea340-ed36-11f1-8ae7-4987a2389d5e
    AND CLUSTERING ORDER BY (b DESC, c ASC)
    AND comment = ''
    AND crc_check_chance = 1.0;
*/
/*
Warning: Table s.cc omitted because it has constructs not compatible with CQL (was created via legacy API).
Approximate structure, for reference:
(this should not be used to reproduce this schema)

CREATE TABLE IF NOT EXISTS s.cc (
    a int,
    column1 int,
    value int,
    PRIMARY KEY (a)
) WITH COMPACT STORAGE
    AND CLUSTERING ORDER BY (column2 ASC)
    AND extensions = {};
*/
/* Don't: CREATE TABLE s.no (a) */
";

    #[test]
    fn compact_tables_are_found_in_comments() {
        let schema = Schema::parse(COMPACT).unwrap();
        let find = |name| schema.find(Some("s"), name).next().unwrap();
        let (dense, fixed) = (find("den"), find("cc"));
        assert_eq!((dense.layout, dense.clustering.len()), (Layout::CompactDense, 2));
        assert!(dense.clustering[0].descending && !dense.clustering[1].descending);
        assert!(dense.regulars.is_empty() && dense.id.is_some());
        assert_eq!((fixed.layout, fixed.regulars.len()), (Layout::CompactStatic, 2));
        assert_eq!(schema.tables().len(), 2);
        let told = format!("{COMPACT} CREATE TABLE s.cc (a int PRIMARY KEY, z int);");
        let schema = Schema::parse(&told).unwrap();
        assert_eq!(schema.find(Some("s"), "cc").next().unwrap().layout, Layout::Plain);
    }

    #[test]
    fn a_hidden_clustering_column_may_be_in_the_key() {
        let table = one("CREATE TABLE IF NOT EXISTS s.st2 (\n\ta int,\n\tb int,\n\tv int,\n\t\
            PRIMARY KEY ((a, b), column1))\n\tWITH ID = 434ea340-ed36-11f1-8ae7-4987a2389d5e\n\tAND COMPACT STORAGE");
        assert_eq!((table.layout, table.partition_key.len()), (Layout::CompactStatic, 2));
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
             CREATE CUSTOM INDEX ON t (v) USING 'sai'; ALTER KEYSPACE k WITH x = {}; DROP TABLE k.u; // end",
        );
        assert_eq!(table.keyspace, "k");
        assert_eq!(table.regulars.len(), 2);
        // As 6.0 writes constraints.
        let table = one("CREATE TABLE IF NOT EXISTS s.c (
            id int PRIMARY KEY,
            n text CHECK NOT NULL AND LENGTH() > 2,
            v int MASKED WITH DEFAULT CHECK v > 0 AND v < 100
            ) WITH ID = 1b255f4d-ef25-40a6-0000-000000000005 AND comment = '';");
        assert_eq!(table.regulars.len(), 2);
    }

    #[test]
    fn errors_say_where_and_what() {
        for (text, said) in [
            ("CREATE TABLE t (id int)", "line 1, column 24: expected a PRIMARY KEY"),
            ("CREATE TABLE t (id int PRIMARY KEY,\n  v list<int)", "line 2, column 13"),
            ("CREATE TABLE t (id foo PRIMARY KEY)", "t, column id: type foo is not declared"),
            ("CREATE TABLE t (id int, PRIMARY KEY (x))", "t: key column x is not declared"),
            ("CREATE TABLE t (id int, PRIMARY KEY (id, id))", "id is twice in the key"),
            ("CREATE TABLE t (id int PRIMARY KEY, v int, v text)", "v is twice declared"),
            ("CREATE TABLE t (id int PRIMARY KEY) WITH ID = 5", "a UUID"),
            (
                "CREATE TABLE t (id int PRIMARY KEY) WITH CLUSTERING ORDER BY (c DESC)",
                "c in CLUSTERING",
            ),
            (
                "CREATE TABLE t (id int PRIMARY KEY) WITH a = 1 CREATE TABLE",
                "expected ';', got create",
            ),
            ("CREATE TABLE t (id int PRIMARY KEY) CREATE", "expected WITH, got create"),
            (
                "CREATE TABLE t (a int, b int, c int, d int, PRIMARY KEY (a, b)) WITH COMPACT STORAGE",
                "not 2",
            ),
            ("CREATE TABLE t (a int PRIMARY KEY, s int static) WITH COMPACT STORAGE", "no static"),
            ("CREATE TABLE t (id 'FooType' PRIMARY KEY)", "FooType"),
            (
                "CREATE TYPE a (x frozen<a>); CREATE TABLE t (id a PRIMARY KEY)",
                "type a holds itself",
            ),
            ("CREATE MATERIALIZED VIEW k.v AS SELECT * FROM k.b PRIMARY KEY (a)", "CREATE TABLE"),
            (
                "CREATE TABLE b (a int PRIMARY KEY); CREATE MATERIALIZED VIEW v AS SELECT a, x FROM b PRIMARY KEY (a)",
                "column x is not in b",
            ),
            (
                "CREATE TABLE t (id text PRIMARY KEY, v 'x",
                "line 1, column 40: a quote that is not closed",
            ),
            (
                "CREATE TABLE t (id int PRIMARY KEY);\nCREATE TABLE t (id text PRIMARY KEY)",
                "line 2, column 1: table t is declared twice",
            ),
            ("CREATE TYPE u (a int); CREATE TYPE u (a text)", "type u is declared twice"),
            ("ALTER TABLE t ADD a int", "table t is not declared"),
            ("ALTER TYPE t ADD a int", "type t is not declared"),
            ("ALTER TABLE t RENAME a", "expected TO"),
            ("ALTER TABLE t FOO", "expected WITH, got foo"),
            ("CREATE TABLE t (a int PRIMARY KEY); ALTER TABLE t DROP v", "no column v"),
            ("CREATE TABLE t (a int PRIMARY KEY); ALTER TABLE t DROP a", "of the key"),
            ("CREATE TABLE t (a int PRIMARY KEY, v int); ALTER TABLE t ADD v int", "already"),
            (
                "CREATE TABLE t (a int PRIMARY KEY, v int); ALTER TABLE t DROP v USING TIMESTAMP x",
                "a number",
            ),
            (
                "CREATE TABLE t (a int PRIMARY KEY, v int); ALTER TABLE t DROP v; ALTER TABLE t ADD v int",
                "USING TIMESTAMP",
            ),
            ("CREATE TYPE t (é int, ü '", "line 1, column 25"),
        ] {
            let error = Schema::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        let shown = COMPACT.replace("PRIMARY KEY (a)", "PRIMARY KEY a");
        let error = Schema::parse(&shown).unwrap_err().to_string();
        assert!(error.starts_with("line 27, column 17: expected \"(\", got a"), "{error}");
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
            "CREATE TABLE k.c (k text, a int, b int, PRIMARY KEY (k, a, b)) WITH COMPACT STORAGE",
            "CREATE TABLE \"K\".\"a\"\"b\" (\"1\" text PRIMARY KEY, v 'DynamicCompositeType(a=>Int32Type)', w 'LexicalUUIDType')",
            DROPPED,
        ] {
            let table = one(text);
            assert_eq!(one(&create_table(&table)), table, "{}", create_table(&table));
        }
    }

    #[test]
    fn damaged_text_is_read_or_refused() {
        let mut random = Random::seeded(0x6464_6c21);
        let texts = [DROPPED, COMPACT].map(|text| text.replace("PRIMARY", " PRIMARY "));
        for _ in 0..5_000 {
            let mut bytes = random.pick(&texts).clone().into_bytes();
            for _ in 0..1 + random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = *random.pick(b"(),;<>'\"$/*- aZ0\xc3");
            }
            bytes.truncate(bytes.len() - random.below(2) * random.below(bytes.len()));
            if let Ok(schema) = Schema::parse(&String::from_utf8_lossy(&bytes)) {
                for table in schema.tables() {
                    assert_eq!(one(&create_table(table)), *table);
                }
            }
        }
    }
}
