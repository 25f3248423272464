//! Values as text (`AbstractType.getString`, 3.0 to 5.0): keys and paths in sstabledump's JSON.

use arrow_array::types::{Int8Type, Int16Type, Int32Type, Int64Type};
use outpour_cql::{CqlType, cell_builder, column_builder};

use crate::kernel::{
    Boolean, CellText, Decimal, Duration, Hex, Integer, JavaInet, Joined, Joint, JsonDate, Leaf,
    LeafText, Marks, Part, PlainString, ShownDouble, ShownFloat, ShownTimestamp, StringText, Time,
    Uuid, Varint,
};

const MARKS: Marks = Marks { null: b"", empty: b"" };

/// The kernel of a type's values. Those with values inside come as bytes.
pub(super) fn shown(cql_type: &CqlType) -> Box<dyn CellText> {
    match cql_type {
        CqlType::Ascii | CqlType::Text => Box::new(StringText::<PlainString>::new(MARKS)),
        CqlType::Tinyint => leaf(Integer::<Int8Type>::new()),
        CqlType::Smallint => leaf(Integer::<Int16Type>::new()),
        CqlType::Int => leaf(Integer::<Int32Type>::new()),
        CqlType::Bigint | CqlType::Counter => leaf(Integer::<Int64Type>::new()),
        CqlType::Varint => leaf(Varint),
        CqlType::Decimal => leaf(Decimal),
        CqlType::Float => leaf(ShownFloat),
        CqlType::Double => leaf(ShownDouble),
        CqlType::Boolean => leaf(Boolean { yes: "true", no: "false" }),
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid => leaf(Uuid),
        CqlType::Inet => leaf(JavaInet),
        CqlType::Timestamp | CqlType::LegacyTimestamp => leaf(ShownTimestamp),
        CqlType::Date => leaf(JsonDate),
        CqlType::Time => leaf(Time),
        CqlType::Duration => leaf(Duration),
        CqlType::Tuple(_) | CqlType::Udt(_) => joined(Joint::Fields, cql_type),
        CqlType::Composite(_) => joined(Joint::Components, cql_type),
        CqlType::Blob
        | CqlType::Empty
        | CqlType::DynamicComposite
        | CqlType::List(_)
        | CqlType::Set(_)
        | CqlType::Map(..)
        | CqlType::Vector(..) => leaf(Hex { prefix: "" }),
    }
}

/// Text of single values of a type.
pub(super) fn part(cql_type: &CqlType) -> Part {
    let builder = match cql_type.inner().is_empty() {
        true => column_builder(cql_type),
        false => cell_builder(),
    };
    Part::new(builder, shown(cql_type))
}

fn leaf(leaf: impl Leaf + 'static) -> Box<dyn CellText> {
    Box::new(LeafText { leaf, marks: MARKS })
}

fn joined(joint: Joint, cql_type: &CqlType) -> Box<dyn CellText> {
    Box::new(Joined::new(joint, cql_type.inner().into_iter().map(part).collect()))
}

#[cfg(test)]
mod tests {
    use outpour_cql::marshal;

    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(digit).collect()
    }

    fn text(java_type: &str, hex: &str) -> String {
        let cql_type = marshal::parse(java_type).unwrap().cql_type;
        let mut part = part(&cql_type);
        String::from_utf8(part.text(Some(&bytes(hex))).unwrap().to_vec()).unwrap()
    }

    /// As `AbstractType.getString` of 5.0.9 answers.
    #[test]
    fn text_of_cassandra() {
        for (java_type, hex, expected) in [
            ("Int32Type", "00000001", "1"),
            ("Int32Type", "", ""),
            ("UTF8Type", "61620a22", "ab\n\""),
            ("BytesType", "00ff", "00ff"),
            ("BooleanType", "01", "true"),
            ("FloatType", "3dcccccd", "0.1"),
            ("FloatType", "7fc00000", "NaN"),
            ("DoubleType", "fff0000000000000", "-Infinity"),
            ("TimestampType", "0000018cc251f47b", "2024-01-01T00:00:00.123Z"),
            ("ReversedType(TimestampType)", "0000018cc251f47b", "2024-01-01T00:00:00.123Z"),
            ("SimpleDateType", "80004d46", "2024-02-29"),
            ("TimeType", "000003ef1680a268", "01:12:05.409596008"),
            ("InetAddressType", "20010db8000000000000000000000001", "2001:db8:0:0:0:0:0:1"),
            ("IntegerType", "0100", "256"),
            ("DecimalType", "000000010f", "1.5"),
            ("DurationType", "020406", "1mo2d3ns"),
            ("DurationType", "000000", ""),
            ("ByteType", "03", "3"),
            ("DateType", "0000018cc251f47b", "2024-01-01T00:00:00.123Z"),
            ("EmptyType", "", ""),
            (
                "FrozenType(ListType(Int32Type))",
                "000000010000000400000001",
                "000000010000000400000001",
            ),
            ("VectorType(FloatType , 2)", "3f80000040000000", "3f80000040000000"),
            ("TupleType(Int32Type,UTF8Type)", "00000004000000010000000361403a", r"1:a\@\:"),
            ("TupleType(Int32Type,UTF8Type)", "ffffffff0000000178", "@:x"),
            ("TupleType(Int32Type,UTF8Type)", "0000000400000001", "1"),
            ("TupleType(Int32Type,UTF8Type)", "0000000000000000", ":"),
            ("TupleType(Int32Type,UTF8Type)", "", ""),
            (
                "TupleType(BytesType,TimestampType,DoubleType)",
                "000000020a0b000000080000018cc251f47b000000083ff8000000000000",
                r"0a0b:2024-01-01T00\:00\:00.123Z:1.5",
            ),
            (
                "TupleType(Int32Type,TupleType(UTF8Type,Int32Type))",
                "00000004000000010000000d00000001610000000400000009",
                r"1:a\:9",
            ),
            (
                "FrozenType(UserType(ks,61646472,737472656574:UTF8Type,7a6970:Int32Type))",
                "00000002613a0000000400000009",
                r"a\::9",
            ),
            (
                "FrozenType(UserType(ks,61646472,737472656574:UTF8Type,7a6970:Int32Type))",
                "00000002613a",
                r"a\:",
            ),
            ("CompositeType(Int32Type,UTF8Type)", "000400000001000003613a6200", r"1:a\:b"),
            ("CompositeType(Int32Type,UTF8Type)", "000400000001000003613a6201", r"1:a\:b:!"),
            (
                "CompositeType(UTF8Type,TimestampType)",
                "0003615c620000080000018cc251f47b00",
                r"a\b:2024-01-01T00\:00\:00.123Z",
            ),
        ] {
            assert_eq!(text(java_type, hex), expected, "{java_type} {hex}");
        }
    }

    #[test]
    fn bytes_that_are_no_value_are_refused() {
        for (java_type, hex) in [
            ("Int32Type", "0000"),
            ("UTF8Type", "ff"),
            ("TupleType(Int32Type)", "00000004"),
            ("TupleType(Int32Type)", "0000000200ff"),
            ("CompositeType(Int32Type,UTF8Type)", "0004000000"),
        ] {
            let cql_type = marshal::parse(java_type).unwrap().cql_type;
            assert!(part(&cql_type).text(Some(&bytes(hex))).is_err(), "{java_type} {hex}");
        }
    }
}
