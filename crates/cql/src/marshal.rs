//! Java type strings (`db/marshal/TypeParser.java`), as Statistics.db has them.
//!
//! ```text
//! type    ident [ '(' params ')' ]       ident: letters, digits, - + . _ &
//! params  type {',' type}                lists, sets, maps, tuples, composites, reversed, frozen
//!         keyspace ',' hexname {',' hexname ':' type}       UserType
//!         type ',' int                                      VectorType
//!         alias '=>' type {',' …}                           DynamicCompositeType
//! ```
//! Blanks between tokens are skipped. Names without a dot are in `org.apache.cassandra.db.marshal`.

use std::fmt::Write;
use std::sync::Arc;

use crate::{CqlType, SchemaError, UdtField, UdtType};

/// The nesting that is read: types of real tables stay far below, and the parser recurses.
const DEPTH_MAX: usize = 64;

/// Java's `int`; the product over nested vectors stays below it too.
const DIMENSION_MAX: usize = i32::MAX as usize;

/// How much of a type string an error shows.
const SHOWN_LEN: usize = 200;

const PACKAGE: &str = "org.apache.cassandra.db.marshal.";

/// A column's type as a Java type string gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarshalType {
    /// The type, without its order and frozenness
    pub cql_type: CqlType,
    /// Whether it is a collection or UDT that is not frozen
    pub multi_cell: bool,
    /// Whether it orders descending (`ReversedType`)
    pub reversed: bool,
}

/// Parses a Java type string.
///
/// # Errors
/// [`SchemaError`] for text that is no type, and for classes whose values are not known.
pub fn parse(text: &str) -> Result<MarshalType, SchemaError> {
    let mut parser = Parser { text, at: 0 };
    let parsed = parser.parse_type(0)?;
    parser.skip_blanks();
    if parser.at < text.len() {
        return Err(parser.error("the end"));
    }
    Ok(parsed)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn error(&self, expected: &str) -> SchemaError {
        let shown = |text: &str| text.chars().take(SHOWN_LEN).collect::<String>();
        SchemaError::new(format!(
            "type string {:?}, byte {}: expected {expected}, got {:?}",
            shown(self.text),
            self.at,
            shown(self.rest())
        ))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\n']).len();
    }

    fn take(&mut self, token: char) -> bool {
        self.skip_blanks();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len_utf8() } else { 0 };
        found
    }

    fn expect(&mut self, token: char) -> Result<(), SchemaError> {
        if self.take(token) { Ok(()) } else { Err(self.error(&format!("{token:?}"))) }
    }

    fn ident(&mut self) -> Result<&'a str, SchemaError> {
        self.skip_blanks();
        let is_ident = |c: char| c.is_ascii_alphanumeric() || "-+._&".contains(c);
        let len = self.rest().find(|c| !is_ident(c)).unwrap_or(self.rest().len());
        if len == 0 {
            return Err(self.error("a name"));
        }
        let ident = &self.rest()[..len];
        self.at += len;
        Ok(ident)
    }

    fn parse_type(&mut self, depth: usize) -> Result<MarshalType, SchemaError> {
        if depth > DEPTH_MAX {
            return Err(self.error(&format!("types nested at most {DEPTH_MAX} deep")));
        }
        let start = self.at;
        let class = self.ident()?;
        let class = class.strip_prefix(PACKAGE).unwrap_or(class);
        if let Some(cql_type) = simple(class) {
            return Ok(MarshalType { cql_type, multi_cell: false, reversed: false });
        }
        let nested = |cql_type, multi_cell| MarshalType { cql_type, multi_cell, reversed: false };
        Ok(match class {
            "ReversedType" => MarshalType { reversed: true, ..self.one_parameter(depth)? },
            "FrozenType" => MarshalType { multi_cell: false, ..self.one_parameter(depth)? },
            "ListType" => nested(CqlType::List(Box::new(self.element(depth)?)), true),
            "SetType" => nested(CqlType::Set(Box::new(self.element(depth)?)), true),
            "MapType" => {
                let [key, value] = self
                    .parameters(depth)?
                    .try_into()
                    .map_err(|_| self.error("two parameters of MapType"))?;
                nested(CqlType::Map(Box::new(key), Box::new(value)), true)
            }
            "TupleType" => nested(CqlType::Tuple(self.parameters(depth)?), false),
            "CompositeType" => nested(CqlType::Composite(self.parameters(depth)?), false),
            "UserType" => nested(self.user_type(depth)?, true),
            "VectorType" => nested(self.vector(depth)?, false),
            "DynamicCompositeType" => {
                self.skip_parameters()?;
                nested(CqlType::DynamicComposite, false)
            }
            "ColumnToCollectionType" | "PartitionerDefinedOrder" => {
                return Err(SchemaError::new(format!("{class} is not supported")));
            }
            _ => {
                self.at = start;
                return Err(self.error("a type that is known"));
            }
        })
    }

    fn one_parameter(&mut self, depth: usize) -> Result<MarshalType, SchemaError> {
        self.expect('(')?;
        let parameter = self.parse_type(depth + 1)?;
        self.expect(')')?;
        Ok(parameter)
    }

    fn element(&mut self, depth: usize) -> Result<CqlType, SchemaError> {
        Ok(self.one_parameter(depth)?.cql_type)
    }

    fn parameters(&mut self, depth: usize) -> Result<Vec<CqlType>, SchemaError> {
        self.expect('(')?;
        let mut parameters = vec![self.parse_type(depth + 1)?.cql_type];
        while self.take(',') {
            parameters.push(self.parse_type(depth + 1)?.cql_type);
        }
        self.expect(')')?;
        Ok(parameters)
    }

    fn user_type(&mut self, depth: usize) -> Result<CqlType, SchemaError> {
        self.expect('(')?;
        let keyspace = self.ident()?.to_owned();
        self.expect(',')?;
        let name = self.hex_name()?;
        let mut fields = Vec::new();
        while self.take(',') {
            let name = self.hex_name()?;
            self.expect(':')?;
            fields.push(UdtField { name, cql_type: self.parse_type(depth + 1)?.cql_type });
        }
        self.expect(')')?;
        Ok(CqlType::Udt(Arc::new(UdtType { keyspace, name, fields })))
    }

    fn hex_name(&mut self) -> Result<String, SchemaError> {
        let start = self.at;
        let hex = self.ident()?;
        let digits: Option<Vec<u8>> =
            hex.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
        let bytes = digits.filter(|digits| digits.len() % 2 == 0).map(|digits| {
            digits.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low).collect()
        });
        bytes.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
            self.at = start;
            self.error("a name in hex")
        })
    }

    fn vector(&mut self, depth: usize) -> Result<CqlType, SchemaError> {
        self.expect('(')?;
        let element = self.parse_type(depth + 1)?.cql_type;
        self.expect(',')?;
        self.skip_blanks();
        let start = self.at;
        let vector = self.ident()?.parse().ok().and_then(|dimension| vector(element, dimension));
        let vector = vector.ok_or_else(|| {
            self.at = start;
            self.error("a vector's dimension")
        })?;
        self.expect(')')?;
        Ok(vector)
    }

    /// Skips balanced parentheses, if any come next.
    fn skip_parameters(&mut self) -> Result<(), SchemaError> {
        let mut open = usize::from(self.take('('));
        while open > 0 {
            let Some(c) = self.rest().chars().next() else { return Err(self.error("')'")) };
            self.at += c.len_utf8();
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
        }
        Ok(())
    }
}

/// A vector; `None` for a dimension that no vector can have.
pub(crate) fn vector(element: CqlType, dimension: usize) -> Option<CqlType> {
    let valid = (1..=DIMENSION_MAX / flat_dimension(&element)).contains(&dimension);
    valid.then(|| CqlType::Vector(Box::new(element), dimension))
}

/// How many elements a vector has that are no vectors.
fn flat_dimension(cql_type: &CqlType) -> usize {
    match cql_type {
        CqlType::Vector(element, dimension) => flat_dimension(element) * dimension,
        _ => 1,
    }
}

/// The classes without parameters, and their types.
const SIMPLE: [(&str, CqlType); 24] = [
    ("AsciiType", CqlType::Ascii),
    ("LongType", CqlType::Bigint),
    ("BytesType", CqlType::Blob),
    ("BooleanType", CqlType::Boolean),
    ("CounterColumnType", CqlType::Counter),
    ("SimpleDateType", CqlType::Date),
    ("DecimalType", CqlType::Decimal),
    ("DoubleType", CqlType::Double),
    ("DurationType", CqlType::Duration),
    ("FloatType", CqlType::Float),
    ("InetAddressType", CqlType::Inet),
    ("Int32Type", CqlType::Int),
    ("ShortType", CqlType::Smallint),
    ("UTF8Type", CqlType::Text),
    ("TimeType", CqlType::Time),
    ("TimestampType", CqlType::Timestamp),
    ("TimeUUIDType", CqlType::Timeuuid),
    ("ByteType", CqlType::Tinyint),
    ("UUIDType", CqlType::Uuid),
    ("IntegerType", CqlType::Varint),
    ("EmptyType", CqlType::Empty),
    ("DateType", CqlType::LegacyTimestamp),
    ("LexicalUUIDType", CqlType::LexicalUuid),
    ("LegacyTimeUUIDType", CqlType::Timeuuid),
];

fn simple(class: &str) -> Option<CqlType> {
    SIMPLE.iter().find(|(name, _)| *name == class).map(|(_, cql_type)| cql_type.clone())
}

/// Prints a column's type as Cassandra does.
#[must_use]
pub fn print(column: &MarshalType) -> String {
    let mut text = String::new();
    if column.reversed {
        text.push_str(PACKAGE);
        text.push_str("ReversedType(");
    }
    print_type(&column.cql_type, column.multi_cell, false, &mut text);
    if column.reversed {
        text.push(')');
    }
    text
}

/// `in_frozen`: a FrozenType around this freezes all of it.
fn print_type(cql_type: &CqlType, multi_cell: bool, in_frozen: bool, out: &mut String) {
    let frozen = cql_type.can_be_multi_cell() && !multi_cell && !in_frozen;
    if frozen {
        out.push_str(PACKAGE);
        out.push_str("FrozenType(");
    }
    out.push_str(PACKAGE);
    print_class(cql_type, frozen || in_frozen, out);
    if frozen {
        out.push(')');
    }
}

fn print_class(cql_type: &CqlType, in_frozen: bool, out: &mut String) {
    // `TupleType.toString` leaves out every FrozenType inside.
    let in_frozen = in_frozen || matches!(cql_type, CqlType::Tuple(_));
    let mut list = |class: &str, types: &[&CqlType]| {
        out.push_str(class);
        for (i, cql_type) in types.iter().enumerate() {
            out.push(if i == 0 { '(' } else { ',' });
            print_type(cql_type, false, in_frozen, out);
        }
        out.push(')');
    };
    match cql_type {
        CqlType::List(element) => list("ListType", &[element]),
        CqlType::Set(element) => list("SetType", &[element]),
        CqlType::Map(key, value) => list("MapType", &[key, value]),
        CqlType::Tuple(types) => list("TupleType", &types.iter().collect::<Vec<_>>()),
        CqlType::Composite(types) => list("CompositeType", &types.iter().collect::<Vec<_>>()),
        CqlType::DynamicComposite => out.push_str("DynamicCompositeType"),
        CqlType::Vector(element, dimension) => {
            out.push_str("VectorType(");
            print_type(element, false, in_frozen, out);
            // Writing to a string cannot fail.
            let _ = write!(out, " , {dimension})");
        }
        CqlType::Udt(udt) => {
            let hex = |name: &str| name.bytes().map(|b| format!("{b:02x}")).collect::<String>();
            let _ = write!(out, "UserType({},{}", udt.keyspace, hex(&udt.name));
            for field in &udt.fields {
                let _ = write!(out, ",{}:", hex(&field.name));
                print_type(&field.cql_type, false, in_frozen, out);
            }
            out.push(')');
        }
        simple => {
            let class = SIMPLE.iter().find(|(_, known)| known == simple).map(|(name, _)| *name);
            out.push_str(class.unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn full(text: &str) -> String {
        let mut out = String::new();
        for (i, part) in text.split('@').enumerate() {
            out.push_str(if i == 0 { "" } else { PACKAGE });
            out.push_str(part);
        }
        out
    }

    /// As Cassandra 4.0 to 5.0 wrote them to Statistics.db.
    const HEADERS: &[&str] = &[
        "@Int32Type",
        "@TimeUUIDType",
        "@ReversedType(@TimestampType)",
        "@CompositeType(@Int32Type,@UTF8Type)",
        "@CompositeType(@FrozenType(@ListType(@Int32Type)),@Int32Type)",
        "@ReversedType(@FrozenType(@ListType(@Int32Type)))",
        "@FrozenType(@MapType(@UTF8Type,@ListType(@Int32Type)))",
        "@MapType(@UTF8Type,@FrozenType(@ListType(@UserType(ks,61646472,7a6970:@Int32Type))))",
        "@ListType(@FrozenType(@MapType(@Int32Type,@UTF8Type)))",
        "@TupleType(@Int32Type,@TupleType(@UTF8Type,@DoubleType),@SetType(@Int32Type))",
        "@TupleType(@Int32Type,@UserType(ks,41,7a6970:@ListType(@Int32Type)))",
        "@TupleType(@Int32Type,@VectorType(@ListType(@Int32Type) , 2))",
        "@SetType(@TupleType(@Int32Type,@SetType(@Int32Type)))",
        "@UserType(ks,61646472,737472656574:@UTF8Type,7a6970:@FrozenType(@ListType(@Int32Type)))",
        "@UserType(ks,6f,69:@FrozenType(@UserType(ks,69,78:@ListType(@Int32Type))))",
        "@FrozenType(@UserType(ks,61,62:@ListType(@UserType(ks,63,64:@UTF8Type))))",
        "@VectorType(@FloatType , 3)",
        "@VectorType(@VectorType(@FloatType , 2) , 2)",
        "@VectorType(@FrozenType(@ListType(@Int32Type)) , 2)",
        "@ListType(@VectorType(@FloatType , 2))",
    ];

    #[test]
    fn types_of_real_headers_round_trip() {
        let simple = SIMPLE.iter().map(|(class, _)| *class);
        // It reads as timeuuid, which has another name by now.
        let simple = simple.filter(|class| *class != "LegacyTimeUUIDType");
        let simple = simple.map(|class| format!("@{class}"));
        for text in HEADERS.iter().map(|text| (*text).to_owned()).chain(simple) {
            let text = full(&text);
            assert_eq!(print(&parse(&text).unwrap()), text);
        }
    }

    #[test]
    fn frozenness_and_order_are_of_the_column() {
        let parsed = parse("ReversedType( FrozenType(SetType(LongType)) )").unwrap();
        assert!(parsed.reversed && !parsed.multi_cell);
        assert_eq!(parsed.cql_type, CqlType::Set(Box::new(CqlType::Bigint)));
        assert!(parse("SetType(LongType)").unwrap().multi_cell);
        assert!(!parse("TupleType(LongType)").unwrap().multi_cell);
        for dynamic in ["(a=>AsciiType,b=>ReversedType(LongType))", "()", ""] {
            let dynamic = format!("DynamicCompositeType{dynamic}");
            assert_eq!(parse(&dynamic).unwrap().cql_type, CqlType::DynamicComposite);
        }
    }

    #[test]
    fn text_that_is_no_type_is_refused() {
        for text in [
            "",
            "Foo",
            "ListType",
            "ListType(",
            "ListType()",
            "ListType(Int32Type",
            "Int32Type)",
            "MapType(Int32Type)",
            "UserType(ks,6,61:Int32Type)",
            "UserType(ks,6é,61:Int32Type)",
            "VectorType(FloatType,x)",
            "VectorType(FloatType , 0)",
            "VectorType(FloatType , 2147483648)",
            "VectorType(VectorType(FloatType , 65536) , 65536)",
            "DynamicCompositeType(a=>AsciiType",
            "é",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        for class in ["ColumnToCollectionType(61:Int32Type)", "PartitionerDefinedOrder", "Foo(é"] {
            let error = parse(class).unwrap_err().to_string();
            assert!(error.contains(class.split('(').next().unwrap()), "{error}");
        }
        let deep = "ListType(".repeat(10_000) + "Int32Type" + &")".repeat(10_000);
        let error = parse(&deep).unwrap_err().to_string();
        assert!(error.contains("nested") && error.len() < 3 * SHOWN_LEN, "{error}");
    }

    #[test]
    fn damaged_text_is_read_or_refused() {
        let mut random = Random::seeded(0x6d61_7273_6861);
        for _ in 0..20_000 {
            let header: &&str = random.pick(HEADERS);
            let mut bytes = full(header).into_bytes();
            for _ in 0..random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] = *random.pick(b"(),:=> 0aZ\xc3");
            }
            bytes.truncate(random.below(bytes.len() + 1));
            let text = String::from_utf8_lossy(&bytes);
            if let Ok(parsed) = parse(&text) {
                assert_eq!(parse(&print(&parsed)), Ok(parsed), "{text}");
            }
        }
    }
}
