use outpour_cql::CqlType;

use super::Test;
use super::boolean::BooleanTest;
use super::bytes::{BytesTest, NumberTest};
use super::fixed::{self, FixedTest};
use super::ordered::{Ordered, Question};
use super::whole::WholeTest;

/// The test that asks `question` of values of `cql_type`.
pub(super) fn test(cql_type: &CqlType, question: &Question) -> Box<dyn Test> {
    let ordered = Ordered::new(cql_type, question);
    match cql_type {
        CqlType::Tinyint => fixed::<fixed::Tinyint>(question, &ordered),
        CqlType::Smallint => fixed::<fixed::Smallint>(question, &ordered),
        CqlType::Int => fixed::<fixed::Int>(question, &ordered),
        CqlType::Bigint | CqlType::Counter => fixed::<fixed::Bigint>(question, &ordered),
        CqlType::Float => fixed::<fixed::Float>(question, &ordered),
        CqlType::Double => fixed::<fixed::Double>(question, &ordered),
        CqlType::Date => fixed::<fixed::Date>(question, &ordered),
        CqlType::Time => fixed::<fixed::Time>(question, &ordered),
        CqlType::Timestamp => fixed::<fixed::Timestamp>(question, &ordered),
        CqlType::LegacyTimestamp => fixed::<fixed::LegacyTimestamp>(question, &ordered),
        CqlType::Duration => fixed::<fixed::Duration>(question, &ordered),
        CqlType::Uuid => fixed::<fixed::Uuid>(question, &ordered),
        CqlType::Timeuuid => fixed::<fixed::Timeuuid>(question, &ordered),
        CqlType::LexicalUuid => fixed::<fixed::LexicalUuid>(question, &ordered),
        CqlType::Boolean => Box::new(BooleanTest::new(&ordered)),
        CqlType::Text | CqlType::Ascii => Box::new(BytesTest::of_text(question)),
        CqlType::Blob | CqlType::Inet | CqlType::Empty => Box::new(BytesTest::new(question)),
        CqlType::Varint | CqlType::Decimal | CqlType::DynamicComposite => {
            Box::new(NumberTest { ordered })
        }
        _ => Box::new(WholeTest { cql_type: cql_type.clone(), ordered }),
    }
}

fn fixed<F: fixed::Fixed>(question: &Question, ordered: &Ordered) -> Box<dyn Test> {
    Box::new(FixedTest::<F>::new(question, ordered.holds(&[])))
}
