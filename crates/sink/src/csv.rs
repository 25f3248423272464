//! CSV as cqlsh's `COPY TO ... WITH HEADER = TRUE` writes it (cqlsh 6.2.2, `copyutil.py` and
//! `formatting.py`), but with full digits, and so that null, empty and text can be told apart:
//!
//! | value | field | inside a literal |
//! |---|---|---|
//! | null | nothing | `NULL`; in a UDT nothing, as cqlsh |
//! | empty, of any type; the zero duration | `""` | `''` |

use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type};
use outpour_cql::{CqlType, OutputColumn, UdtType};

use crate::kernel::{
    Boolean, CDouble, CFloat, CellText, CsvDate, CsvTimestamp, Decimal, Duration, Field,
    FieldString, Hex, Integer, Leaf, LeafText, LiteralString, Marks, Member, PosixInet, Quoted,
    StringText, Time, Uuid, Varint, list, map, record, vector,
};
use crate::rows::RowText;
use crate::text::escape::{self, Shown};
use crate::{Framing, Values};

const LINE_END: &str = "\r\n";

const FIELD: Marks = Marks { null: b"", empty: b"\"\"" };
const LITERAL: Marks = Marks { null: b"NULL", empty: b"''" };
const LITERAL_IN_UDT: Marks = Marks { null: b"", ..LITERAL };

/// A header before the rows.
pub(crate) fn framing(columns: &[OutputColumn]) -> Framing {
    Framing { opening: header(columns), between: b"", closing: b"", closing_empty: b"" }
}

/// A line for each row.
pub(crate) fn table(values: Values, columns: &[OutputColumn]) -> RowText {
    let mut rows = RowText::new(Vec::new(), b"", LINE_END.into());
    for (index, column) in columns.iter().enumerate() {
        let kernel = match values {
            Values::Text => field(&column.cql_type),
            Values::Raw => leaf(Hex { prefix: "" }, FIELD),
        };
        rows.push(&column.name, if index == 0 { Vec::new() } else { b",".to_vec() }, kernel);
    }
    rows
}

fn header(columns: &[OutputColumn]) -> Vec<u8> {
    let mut header = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            header.push(b',');
        }
        escape::append_field(column.name.as_bytes(), &mut header);
    }
    header.extend_from_slice(LINE_END.as_bytes());
    header
}

/// A field: most values stand there as in a literal.
fn field(cql_type: &CqlType) -> Box<dyn CellText> {
    match cql_type {
        CqlType::Ascii | CqlType::Text => Box::new(StringText::<FieldString>::new(FIELD)),
        CqlType::Inet => leaf(PosixInet, FIELD),
        CqlType::Timestamp | CqlType::LegacyTimestamp => leaf(CsvTimestamp, FIELD),
        CqlType::List(_)
        | CqlType::Set(_)
        | CqlType::Map(..)
        | CqlType::Tuple(_)
        | CqlType::Udt(_)
        | CqlType::Vector(..)
        | CqlType::Composite(_) => Box::new(Field::new(literal(cql_type, LITERAL), FIELD)),
        _ => literal(cql_type, FIELD),
    }
}

fn literal(cql_type: &CqlType, marks: Marks) -> Box<dyn CellText> {
    match cql_type {
        CqlType::Ascii | CqlType::Text => Box::new(StringText::<LiteralString>::new(marks)),
        CqlType::Tinyint => leaf(Integer::<Int8Type>::new(), marks),
        CqlType::Smallint => leaf(Integer::<Int16Type>::new(), marks),
        CqlType::Int => leaf(Integer::<Int32Type>::new(), marks),
        CqlType::Bigint | CqlType::Counter => leaf(Integer::<Int64Type>::new(), marks),
        CqlType::Varint => leaf(Varint, marks),
        CqlType::Decimal => leaf(Decimal, marks),
        CqlType::Float => leaf(CFloat, marks),
        CqlType::Double => leaf(CDouble, marks),
        CqlType::Boolean => leaf(Boolean { yes: "True", no: "False" }, marks),
        CqlType::Blob | CqlType::DynamicComposite => leaf(Hex { prefix: "0x" }, marks),
        CqlType::Empty => leaf(Hex { prefix: "" }, marks),
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => leaf(Uuid, marks),
        CqlType::Inet => leaf(Quoted::<_, b'\''>(PosixInet), marks),
        CqlType::Timestamp | CqlType::LegacyTimestamp => {
            leaf(Quoted::<_, b'\''>(CsvTimestamp), marks)
        }
        CqlType::Date => leaf(CsvDate, marks),
        CqlType::Time => leaf(Time, marks),
        CqlType::Duration => leaf(Duration, marks),
        CqlType::List(element) => list(*b"[]", literal(element, LITERAL), marks),
        CqlType::Set(element) => list(*b"{}", literal(element, LITERAL), marks),
        CqlType::Vector(element, _) => vector(literal(element, LITERAL), marks),
        CqlType::Map(key, value) => map(literal(key, LITERAL), literal(value, LITERAL), marks),
        CqlType::Tuple(types) | CqlType::Composite(types) => tuple(types, marks),
        CqlType::Udt(udt) => object(udt, marks),
    }
}

fn leaf(leaf: impl Leaf + 'static, marks: Marks) -> Box<dyn CellText> {
    Box::new(LeafText { leaf, marks })
}

fn tuple(types: &[CqlType], marks: Marks) -> Box<dyn CellText> {
    let member = |(index, cql_type)| Member::new(comma(index), literal(cql_type, LITERAL));
    record(*b"()", types.iter().enumerate().map(member).collect(), marks)
}

fn object(udt: &UdtType, marks: Marks) -> Box<dyn CellText> {
    let fields = udt.fields.iter().enumerate();
    let members = fields.map(|(index, field)| {
        let mut lead = comma(index);
        escape::append_shown(field.name.as_bytes(), Shown::Name, &mut lead);
        lead.extend_from_slice(b": ");
        Member::new(lead, literal(&field.cql_type, LITERAL_IN_UDT))
    });
    record(*b"{}", members.collect(), marks)
}

fn comma(index: usize) -> Vec<u8> {
    if index == 0 { Vec::new() } else { b", ".to_vec() }
}
