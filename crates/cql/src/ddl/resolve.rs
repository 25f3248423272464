//! Types as written become types, with their UDTs in place of names.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::raw_type::RawType;
use super::statement::RawField;
use super::type_text::native;
use crate::syntax::DEPTH_MAX;
use crate::{CqlType, SchemaError, UdtField, UdtType, marshal};

/// How many types a type may consist of, those in its UDTs included: a few declarations that each
/// use the one before twice would otherwise fill any memory.
const TYPES_MAX: usize = 1 << 16;

/// Keyspace and name of a table or type.
pub(super) type Key = (String, String);

/// How errors call a table or type.
pub(super) fn label((keyspace, name): &Key) -> String {
    if keyspace.is_empty() { name.clone() } else { format!("{keyspace}.{name}") }
}

/// A type, and whether a column of it has a cell for each element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) cql_type: CqlType,
    pub(super) multi_cell: bool,
}

/// Where UDTs are declared.
pub(super) trait Udts {
    /// The fields of a UDT; `None` if it is not declared.
    fn fields(&self, udt: &Key) -> Result<Option<Vec<RawField>>, SchemaError>;
}

/// Finds the UDTs of types, each once.
pub(super) struct Resolver<'a> {
    udts: &'a dyn Udts,
    /// Those that are known from elsewhere, where the declarations lack one
    known: &'a [Arc<UdtType>],
    resolved: BTreeMap<Key, Measured>,
    /// Those that are being resolved, from the outside to the inside
    open: Vec<Key>,
}

/// A resolved type and its size.
#[derive(Debug, Clone)]
struct Measured {
    resolved: Resolved,
    types: usize,
    depth: usize,
}

impl Measured {
    /// A type around others.
    fn around(resolved: Resolved, inner: &[Self]) -> Result<Self, SchemaError> {
        let types = inner.iter().map(|t| t.types).sum::<usize>();
        let depth = inner.iter().map(|t| t.depth).max().unwrap_or(0);
        Self { resolved, types: 1 + types, depth: 1 + depth }.checked()
    }

    fn of_java(java: &marshal::MarshalType) -> Result<Self, SchemaError> {
        let resolved = Resolved { cql_type: java.cql_type.clone(), multi_cell: java.multi_cell };
        let (types, depth) = types_and_depth(&resolved.cql_type);
        Self { resolved, types, depth }.checked()
    }

    fn checked(self) -> Result<Self, SchemaError> {
        if self.types <= TYPES_MAX && self.depth <= DEPTH_MAX {
            return Ok(self);
        }
        Err(SchemaError::new(format!(
            "a type of more than {TYPES_MAX} types, or nested more than {DEPTH_MAX} deep"
        )))
    }

    fn multi_cell(cql_type: CqlType, inner: &[Self]) -> Result<Self, SchemaError> {
        Self::around(Resolved { cql_type, multi_cell: true }, inner)
    }

    fn frozen(cql_type: CqlType, inner: &[Self]) -> Result<Self, SchemaError> {
        Self::around(Resolved { cql_type, multi_cell: false }, inner)
    }

    fn boxed(&self) -> Box<CqlType> {
        Box::new(self.resolved.cql_type.clone())
    }
}

impl<'a> Resolver<'a> {
    pub(super) fn new(udts: &'a dyn Udts, known: &'a [Arc<UdtType>]) -> Self {
        Self { udts, known, resolved: BTreeMap::new(), open: Vec::new() }
    }

    /// The type; UDTs without a keyspace are those of `keyspace`.
    pub(super) fn resolve(
        &mut self,
        raw: &RawType,
        keyspace: &str,
    ) -> Result<Resolved, SchemaError> {
        self.open.clear();
        Ok(self.resolve_at(raw, keyspace, 0)?.resolved)
    }

    fn resolve_at(
        &mut self,
        raw: &RawType,
        keyspace: &str,
        depth: usize,
    ) -> Result<Measured, SchemaError> {
        if depth > DEPTH_MAX {
            return Err(SchemaError::new(format!("types nested more than {DEPTH_MAX} deep")));
        }
        match raw {
            RawType::Java(java) => Measured::of_java(java),
            RawType::Vector { element, dimension } => {
                let element = self.resolve_at(element, keyspace, depth + 1)?;
                let vector = marshal::vector(element.resolved.cql_type.clone(), *dimension);
                let vector = vector.ok_or_else(|| {
                    SchemaError::new(format!("{dimension} is no dimension of a vector"))
                })?;
                Measured::frozen(vector, &[element])
            }
            RawType::Named { keyspace: of, name } => match native(name).filter(|_| of.is_none()) {
                Some(native) => Measured::frozen(native, &[]),
                None => {
                    let keyspace = of.as_deref().unwrap_or(keyspace);
                    self.udt((keyspace.to_owned(), name.clone()), depth)
                }
            },
            RawType::Generic { name, parameters } => {
                let parameters = parameters
                    .iter()
                    .map(|parameter| self.resolve_at(parameter, keyspace, depth + 1))
                    .collect::<Result<Vec<_>, _>>()?;
                generic(name, &parameters)
            }
        }
    }

    fn known_udt(&self, key: &Key) -> Result<Measured, SchemaError> {
        let is_key = |udt: &&Arc<UdtType>| udt.keyspace == key.0 && udt.name == key.1;
        let udt = self.known.iter().find(is_key);
        let udt =
            udt.ok_or_else(|| SchemaError::new(format!("type {} is not declared", label(key))))?;
        let (cql_type, multi_cell) = (CqlType::Udt(Arc::clone(udt)), true);
        Measured::of_java(&marshal::MarshalType { cql_type, multi_cell, reversed: false })
    }

    fn udt(&mut self, key: Key, depth: usize) -> Result<Measured, SchemaError> {
        if let Some(known) = self.resolved.get(&key) {
            return Ok(known.clone());
        }
        if self.open.contains(&key) {
            return Err(SchemaError::new(format!("type {} holds itself", label(&key))));
        }
        let Some(fields) = self.udts.fields(&key)? else { return self.known_udt(&key) };
        self.open.push(key.clone());
        let types = fields
            .iter()
            .map(|field| self.resolve_at(&field.raw_type, &key.0, depth + 1))
            .collect::<Result<Vec<_>, _>>()?;
        self.open.pop();
        let field = |(field, sized): (RawField, &Measured)| UdtField {
            name: field.name,
            cql_type: sized.resolved.cql_type.clone(),
        };
        let fields = fields.into_iter().zip(&types).map(field).collect();
        let udt = UdtType { keyspace: key.0.clone(), name: key.1.clone(), fields };
        let sized = Measured::multi_cell(CqlType::Udt(Arc::new(udt)), &types)?;
        self.resolved.insert(key, sized.clone());
        Ok(sized)
    }
}

fn generic(name: &str, parameters: &[Measured]) -> Result<Measured, SchemaError> {
    match (name, parameters) {
        ("frozen", [inner]) => {
            let resolved = Resolved { multi_cell: false, ..inner.resolved.clone() };
            Ok(Measured { resolved, ..inner.clone() })
        }
        ("list", [element]) => Measured::multi_cell(CqlType::List(element.boxed()), parameters),
        ("set", [element]) => Measured::multi_cell(CqlType::Set(element.boxed()), parameters),
        ("map", [key, value]) => {
            Measured::multi_cell(CqlType::Map(key.boxed(), value.boxed()), parameters)
        }
        ("tuple", types) => {
            let types = types.iter().map(|t| t.resolved.cql_type.clone()).collect();
            Measured::frozen(CqlType::Tuple(types), parameters)
        }
        _ => {
            let count = parameters.len();
            Err(SchemaError::new(format!("{name}<…> of {count} is no type")))
        }
    }
}

fn types_and_depth(cql_type: &CqlType) -> (usize, usize) {
    let inner = cql_type.inner().into_iter().map(types_and_depth);
    let (types, depth) = inner.fold((0, 0), |all, one| (all.0 + one.0, all.1.max(one.1)));
    (types + 1, depth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ddl::raw_type::parse_alone;
    use crate::ddl::type_text::type_text;

    struct Declared(BTreeMap<Key, Vec<RawField>>);

    impl Udts for Declared {
        fn fields(&self, udt: &Key) -> Result<Option<Vec<RawField>>, SchemaError> {
            Ok(self.0.get(udt).cloned())
        }
    }

    fn declare(udts: &[(&str, &[(&str, &str)])]) -> Declared {
        let field = |(name, text): &(&str, &str)| RawField {
            name: (*name).to_owned(),
            raw_type: parse_alone(text).unwrap(),
        };
        let udt = |(name, fields): &(&str, &[(&str, &str)])| {
            (("ks".to_owned(), (*name).to_owned()), fields.iter().map(field).collect())
        };
        Declared(udts.iter().map(udt).collect())
    }

    /// What `CQLTypeParser.parse`, `AbstractType.toString` and `asCQL3Type` of Cassandra 5.0.9 give:
    /// CQL read, Java string without the package, CQL printed.
    const TYPES: &[[&str; 3]] = &[
        ["varchar", "@UTF8Type", "text"],
        ["empty", "@EmptyType", "empty"],
        ["list<int>", "@ListType(@Int32Type)", "list<int>"],
        ["FROZEN<List<INT>>", "@FrozenType(@ListType(@Int32Type))", "frozen<list<int>>"],
        [
            "tuple<int, set<int>>",
            "@TupleType(@Int32Type,@SetType(@Int32Type))",
            "frozen<tuple<int, frozen<set<int>>>>",
        ],
        [
            "map<text, frozen<list<frozen<\"Addr\">>>>",
            "@MapType(@UTF8Type,@FrozenType(@ListType(@UserType(ks,41646472,737472656574:@UTF8Type,7a6970:@ListType(@Int32Type)))))",
            "map<text, frozen<list<frozen<\"Addr\">>>>",
        ],
        [
            "frozen<map<text, list<ks.\"Addr\">>>",
            "@FrozenType(@MapType(@UTF8Type,@ListType(@UserType(ks,41646472,737472656574:@UTF8Type,7a6970:@ListType(@Int32Type)))))",
            "frozen<map<text, frozen<list<frozen<\"Addr\">>>>>",
        ],
        [
            "\"Addr\"",
            "@UserType(ks,41646472,737472656574:@UTF8Type,7a6970:@FrozenType(@ListType(@Int32Type)))",
            "\"Addr\"",
        ],
        [
            "frozen<\"Addr\">",
            "@FrozenType(@UserType(ks,41646472,737472656574:@UTF8Type,7a6970:@ListType(@Int32Type)))",
            "frozen<\"Addr\">",
        ],
        [
            "outer_t",
            "@UserType(ks,6f757465725f74,61:@FrozenType(@UserType(ks,41646472,737472656574:@UTF8Type,7a6970:@ListType(@Int32Type))),6c:@FrozenType(@ListType(@UserType(ks,41646472,737472656574:@UTF8Type,7a6970:@ListType(@Int32Type)))))",
            "outer_t",
        ],
        ["vector<float, 3>", "@VectorType(@FloatType , 3)", "vector<float, 3>"],
        [
            "vector<frozen<list<int>>, 3>",
            "@VectorType(@FrozenType(@ListType(@Int32Type)) , 3)",
            "vector<frozen<list<int>>, 3>",
        ],
        [
            "vector<vector<text, 2>, 3>",
            "@VectorType(@VectorType(@UTF8Type , 2) , 3)",
            "vector<vector<text, 2>, 3>",
        ],
        [
            "list<frozen<vector<float, 2>>>",
            "@ListType(@VectorType(@FloatType , 2))",
            "list<vector<float, 2>>",
        ],
        [
            "frozen<tuple<int, vector<frozen<list<int>>, 2>>>",
            "@TupleType(@Int32Type,@VectorType(@ListType(@Int32Type) , 2))",
            "frozen<tuple<int, vector<frozen<list<int>>, 2>>>",
        ],
        [
            "list<'org.apache.cassandra.db.marshal.LexicalUUIDType'>",
            "@ListType(@LexicalUUIDType)",
            "list<'org.apache.cassandra.db.marshal.LexicalUUIDType'>",
        ],
        ["'ListType(Int32Type)'", "@ListType(@Int32Type)", "list<int>"],
        [
            "'CompositeType(Int32Type,UTF8Type)'",
            "@CompositeType(@Int32Type,@UTF8Type)",
            "'org.apache.cassandra.db.marshal.CompositeType(org.apache.cassandra.db.marshal.Int32Type,org.apache.cassandra.db.marshal.UTF8Type)'",
        ],
    ];

    #[test]
    fn types_are_those_of_cassandra() {
        let udts = declare(&[
            ("Addr", &[("street", "text"), ("zip", "frozen<list<int>>")]),
            ("outer_t", &[("a", "frozen<\"Addr\">"), ("l", "frozen<list<frozen<\"Addr\">>>")]),
        ]);
        let mut resolver = Resolver::new(&udts, &[]);
        for [cql, java, printed] in TYPES {
            let resolved = resolver.resolve(&parse_alone(cql).unwrap(), "ks").unwrap();
            assert_eq!(type_text(&resolved.cql_type, resolved.multi_cell), *printed, "{cql}");
            let Resolved { cql_type, multi_cell } = resolved;
            let column = marshal::MarshalType { cql_type, multi_cell, reversed: false };
            let text = marshal::print(&column).replace("org.apache.cassandra.db.marshal.", "@");
            assert_eq!(text, *java, "{cql}");
            let again = resolver.resolve(&parse_alone(printed).unwrap(), "ks").unwrap();
            assert_eq!(again.cql_type, column.cql_type, "{cql}");
        }
    }

    #[test]
    fn types_that_cannot_be_are_refused() {
        let udts = declare(&[("a", &[("b", "frozen<b>")]), ("b", &[("a", "list<frozen<a>>")])]);
        for (text, said) in [
            ("list<int, int>", "list<…> of 2"),
            ("map<int>", "map<…> of 1"),
            ("bag<int>", "bag<…> of 1"),
            ("vector<float, 0>", "no dimension"),
            ("foo", "ks.foo is not declared"),
            ("other.int", "other.int is not declared"),
            ("set<a>", "ks.a holds itself"),
        ] {
            let raw = parse_alone(text).unwrap();
            let error = Resolver::new(&udts, &[]).resolve(&raw, "ks").unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        for text in ["", "list<", "list<int>>", "int int", "vector<float>", "'Foo'", "list<>"] {
            assert!(parse_alone(text).is_err(), "{text}");
        }
    }

    #[test]
    fn types_that_grow_without_bound_are_refused() {
        let twice = |i: usize| format!("frozen<map<u{i}, u{i}>>");
        let nested = |i: usize| format!("{}u{i}{}", "list<".repeat(20), ">".repeat(20));
        for text in [&twice as &dyn Fn(usize) -> String, &nested] {
            let declared = (0..60).map(|i| {
                let raw_type = parse_alone(&if i == 0 { "int".into() } else { text(i - 1) });
                let field = RawField { name: "f".into(), raw_type: raw_type.unwrap() };
                (("ks".to_owned(), format!("u{i}")), vec![field])
            });
            let udts = Declared(declared.collect());
            let raw = parse_alone("u59").unwrap();
            assert!(Resolver::new(&udts, &[]).resolve(&raw, "ks").is_err());
            // Small ones first: each is found finished by the next.
            let mut resolver = Resolver::new(&udts, &[]);
            let resolve = |i| resolver.resolve(&parse_alone(&format!("u{i}")).unwrap(), "ks");
            let results: Vec<_> = (0..60).map(resolve).collect();
            assert!(results[2].is_ok() && results[59].is_err());
        }
    }
}
