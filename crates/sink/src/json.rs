//! JSON as Cassandra's `SELECT JSON` writes it (`Selection.rowToJson`, `AbstractType.toJSONString`;
//! 2.2 to 5.0), except where that loses the value: a NaN or an infinity is a string, an empty boolean
//! too, and years keep their era.

use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type};
use outpour_cql::{CqlType, OutputColumn, UdtType};

use crate::kernel::{
    Boolean, CellText, Decimal, Duration, Hex, Integer, JavaDouble, JavaFloat, JavaInet, JsonDate,
    JsonString, JsonTimestamp, Key, Leaf, LeafText, Marks, Member, Quoted, StringText, Time, Uuid,
    Varint, list, map, record, vector,
};
use crate::rows::RowText;
use crate::text::escape;
use crate::{Framing, Values};

const MARKS: Marks = Marks { null: b"null", empty: b"\"\"" };

/// Around objects, one a line.
pub(crate) const LINES: Framing =
    Framing { opening: Vec::new(), between: b"", closing: b"", closing_empty: b"" };

/// Between the objects of an array.
const COMMA: &[u8] = b",";

/// One object a line.
pub(crate) fn lines(values: Values, columns: &[OutputColumn]) -> RowText {
    objects(values, columns, RowText::new("{".into(), b"", "}\n".into()))
}

/// The objects of an array.
pub(crate) fn array(values: Values, columns: &[OutputColumn]) -> RowText {
    objects(values, columns, RowText::new("\n{".into(), COMMA, "}".into()))
}

/// Around the objects of an array.
pub(crate) fn array_framing() -> Framing {
    Framing { opening: b"[".to_vec(), between: COMMA, closing: b"\n]\n", closing_empty: b"]\n" }
}

fn objects(values: Values, columns: &[OutputColumn], mut rows: RowText) -> RowText {
    for (index, column) in columns.iter().enumerate() {
        // SELECT JSON spells names as identifiers; values as bytes stand under the plain names.
        let (name, kernel) = match values {
            Values::Text => (spelled(&column.name), kernel(&column.cql_type)),
            Values::Raw => (column.name.clone(), quoted(Hex { prefix: "" })),
        };
        rows.push(&column.name, lead(index, &name), kernel);
    }
    rows
}

/// A name with an upper-case letter is a quoted identifier.
fn spelled(name: &str) -> String {
    if name == name.to_lowercase() { name.to_owned() } else { format!("\"{name}\"") }
}

/// What stands before value `index` of an object.
fn lead(index: usize, name: &str) -> Vec<u8> {
    let mut lead = if index == 0 { Vec::new() } else { b", ".to_vec() };
    escape::append_json_string(name.as_bytes(), &mut lead);
    lead.extend_from_slice(b": ");
    lead
}

pub(crate) fn kernel(cql_type: &CqlType) -> Box<dyn CellText> {
    match cql_type {
        CqlType::Ascii | CqlType::Text => Box::new(StringText::<JsonString>::new(MARKS)),
        CqlType::Tinyint => leaf(Integer::<Int8Type>::new()),
        CqlType::Smallint => leaf(Integer::<Int16Type>::new()),
        CqlType::Int => leaf(Integer::<Int32Type>::new()),
        CqlType::Bigint | CqlType::Counter => leaf(Integer::<Int64Type>::new()),
        CqlType::Varint => leaf(Varint),
        CqlType::Decimal => leaf(Decimal),
        CqlType::Float => leaf(JavaFloat),
        CqlType::Double => leaf(JavaDouble),
        CqlType::Boolean => leaf(Boolean { yes: "true", no: "false" }),
        CqlType::Blob | CqlType::DynamicComposite => quoted(Hex { prefix: "0x" }),
        CqlType::Empty => quoted(Hex { prefix: "" }),
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => quoted(Uuid),
        CqlType::Inet => quoted(JavaInet),
        CqlType::Timestamp | CqlType::LegacyTimestamp => quoted(JsonTimestamp),
        CqlType::Date => quoted(JsonDate),
        CqlType::Time => quoted(Time),
        CqlType::Duration => quoted(Duration),
        CqlType::List(element) | CqlType::Set(element) => list(*b"[]", kernel(element), MARKS),
        CqlType::Vector(element, _) => vector(kernel(element), MARKS),
        CqlType::Map(key, value) => map(Box::new(Key::new(kernel(key))), kernel(value), MARKS),
        CqlType::Tuple(types) | CqlType::Composite(types) => tuple(types),
        CqlType::Udt(udt) => object(udt),
    }
}

fn leaf(leaf: impl Leaf + 'static) -> Box<dyn CellText> {
    Box::new(LeafText { leaf, marks: MARKS })
}

pub(crate) fn quoted(inner: impl Leaf + 'static) -> Box<dyn CellText> {
    leaf(Quoted::<_, b'"'>(inner))
}

fn tuple(types: &[CqlType]) -> Box<dyn CellText> {
    let member = |(index, cql_type)| {
        let lead = if index == 0 { "" } else { ", " };
        Member::new(lead.into(), kernel(cql_type))
    };
    record(*b"[]", types.iter().enumerate().map(member).collect(), MARKS)
}

fn object(udt: &UdtType) -> Box<dyn CellText> {
    let fields = udt.fields.iter().enumerate();
    let members = fields.map(|(index, field)| {
        Member::new(lead(index, &spelled(&field.name)), kernel(&field.cql_type))
    });
    record(*b"{}", members.collect(), MARKS)
}
