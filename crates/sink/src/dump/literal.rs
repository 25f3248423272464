//! Values as CQL literals (`AbstractType.toCQLString`, 5.0): the clustering in sstabledump's `-d`.

use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type};
use outpour_cql::{CqlType, quoted};

use crate::kernel::{
    Boolean, CellText, CqlString, Decimal, Duration, Hex, Integer, JavaInet, JsonDate, Leaf,
    LeafText, Marks, Member, Quoted, ShownDouble, ShownFloat, ShownTimestamp, StringText, Time,
    Uuid, Varint, list, map, record, vector,
};

const MARKS: Marks = Marks { null: b"null", empty: b"null" };
const TEXT_MARKS: Marks = Marks { empty: b"''", ..MARKS };

/// The kernel of a type's values.
pub(super) fn literal(cql_type: &CqlType) -> Box<dyn CellText> {
    match cql_type {
        CqlType::Ascii | CqlType::Text => Box::new(StringText::<CqlString>::new(TEXT_MARKS)),
        CqlType::Tinyint => leaf(Integer::<Int8Type>::new()),
        CqlType::Smallint => leaf(Integer::<Int16Type>::new()),
        CqlType::Int => leaf(Integer::<Int32Type>::new()),
        CqlType::Bigint | CqlType::Counter => leaf(Integer::<Int64Type>::new()),
        CqlType::Varint => leaf(Varint),
        CqlType::Decimal => leaf(Decimal),
        CqlType::Float => leaf(ShownFloat),
        CqlType::Double => leaf(ShownDouble),
        CqlType::Boolean => leaf(Boolean { yes: "true", no: "false" }),
        CqlType::Blob | CqlType::DynamicComposite => leaf(Hex { prefix: "0x" }),
        CqlType::Empty => leaf(Hex { prefix: "" }),
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => leaf(Uuid),
        CqlType::Inet => leaf(Quoted::<_, b'\''>(JavaInet)),
        CqlType::Timestamp | CqlType::LegacyTimestamp => leaf(Quoted::<_, b'\''>(ShownTimestamp)),
        CqlType::Date => leaf(Quoted::<_, b'\''>(JsonDate)),
        CqlType::Time => leaf(Quoted::<_, b'\''>(Time)),
        CqlType::Duration => leaf(Duration),
        CqlType::List(element) => list(*b"[]", literal(element), MARKS),
        CqlType::Set(element) => list(*b"{}", literal(element), MARKS),
        CqlType::Vector(element, _) => vector(literal(element), MARKS),
        CqlType::Map(key, value) => map(literal(key), literal(value), MARKS),
        CqlType::Tuple(_) | CqlType::Composite(_) => fields(*b"()", cql_type, |_| String::new()),
        CqlType::Udt(udt) => fields(*b"{}", cql_type, |index| {
            udt.fields.get(index).map_or_else(String::new, |f| format!("{}: ", quoted(&f.name)))
        }),
    }
}

fn leaf(leaf: impl Leaf + 'static) -> Box<dyn CellText> {
    Box::new(LeafText { leaf, marks: MARKS })
}

fn fields(
    brackets: [u8; 2],
    cql_type: &CqlType,
    name: impl Fn(usize) -> String,
) -> Box<dyn CellText> {
    let member = |(index, field)| {
        let comma = if index == 0 { "" } else { ", " };
        Member::new((comma.to_owned() + &name(index)).into_bytes(), literal(field))
    };
    record(brackets, cql_type.inner().into_iter().enumerate().map(member).collect(), MARKS)
}

#[cfg(test)]
mod tests {
    use outpour_cql::{column_builder, marshal};

    use super::*;
    use crate::block::TextBlock;
    use crate::kernel::Slice;

    fn text(java_type: &str, bytes: &[u8]) -> String {
        let cql_type = marshal::parse(java_type).unwrap().cql_type;
        let mut builder = column_builder(&cql_type);
        builder.append(&[Some(bytes)]).unwrap();
        let values = builder.finish();
        let mut text = TextBlock::default();
        let slice = Slice { array: &values.array, empties: &values.empties, rows: 0..1 };
        literal(&cql_type).write(slice, &mut text).unwrap();
        String::from_utf8(text.piece(0).text().to_vec()).unwrap()
    }

    /// As `AbstractType.toCQLString` of 5.0.9 answers.
    #[test]
    fn literals_of_cassandra() {
        for (java_type, bytes, expected) in [
            ("Int32Type", &[0, 0, 0, 1][..], "1"),
            ("Int32Type", b"", "null"),
            ("UTF8Type", b"", "''"),
            ("UTF8Type", b"it's", "'it''s'"),
            ("BytesType", b"", "0x"),
            ("FloatType", &[0x7f, 0xc0, 0, 0], "NaN"),
            ("InetAddressType", &[127, 0, 0, 1], "'127.0.0.1'"),
            ("SimpleDateType", &[0x80, 0, 0x4d, 0x46], "'2024-02-29'"),
            (
                "TupleType(Int32Type,UTF8Type)",
                &[255, 255, 255, 255, 0, 0, 0, 1, b'x'],
                "(null, 'x')",
            ),
            (
                "FrozenType(SetType(UTF8Type))",
                &[0, 0, 0, 2, 0, 0, 0, 1, b'a', 0, 0, 0, 1, b'b'],
                "{'a', 'b'}",
            ),
            (
                "FrozenType(MapType(UTF8Type,ByteType))",
                &[0, 0, 0, 1, 0, 0, 0, 1, b'a', 0, 0, 0, 1, 7],
                "{'a': 7}",
            ),
            (
                "FrozenType(UserType(ks,61,7a6970:ByteType,576569726420:UTF8Type))",
                &[0, 0, 0, 1, 9, 0, 0, 0, 1, b'x'],
                "{zip: 9, \"Weird \": 'x'}",
            ),
        ] {
            assert_eq!(text(java_type, bytes), expected, "{java_type} {bytes:?}");
        }
    }
}
