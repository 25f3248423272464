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
