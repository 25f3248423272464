use arrow_buffer::BooleanBuffer;
use outpour_cql::{CqlType, NotOfType};

use super::inside::{
    ContainsTest, EntryTest, FieldTest, ListElementTest, NullTest, Presence, VectorElementTest,
};
use super::like::LikeTest;
use super::ordered::Question;
use super::token::TokenTest;
use super::truth::View;
use super::{Form, Input, Test, kernel};
use crate::{Column, Comparison, Path, Predicate, Step};

/// A part of a compiled predicate, with NOT in the leaves alone.
pub(super) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Leaf { leaf: Leaf, negated: bool },
}

pub(super) enum Leaf {
    Column { input: usize, test: Box<dyn Test> },
    Token(TokenTest),
}

/// The number of an input, and what is wrong with its column.
type Refused = (usize, NotOfType);

impl Node {
    /// Which rows it is true of.
    pub(super) fn true_rows(
        &self,
        rows: usize,
        columns: &[View<'_>],
    ) -> Result<BooleanBuffer, Refused> {
        match self {
            Self::All(parts) => {
                let mut all = BooleanBuffer::new_set(rows);
                for part in parts {
                    all = &all & &part.true_rows(rows, columns)?;
                    if all.count_set_bits() == 0 {
                        break;
                    }
                }
                Ok(all)
            }
            Self::Any(parts) => {
                let mut any = BooleanBuffer::new_unset(rows);
                for part in parts {
                    any = &any | &part.true_rows(rows, columns)?;
                }
                Ok(any)
            }
            Self::Leaf { leaf, negated } => {
                let truth = match leaf {
                    Leaf::Token(test) => test.truth(rows, columns)?,
                    Leaf::Column { input, test } => {
                        let refused = |e| (*input, e);
                        let view = columns.get(*input);
                        let view =
                            view.ok_or_else(|| refused(NotOfType::new("a column", "none")))?;
                        test.truth(*view).map_err(refused)?
                    }
                };
                Ok(if *negated { truth.falses() } else { truth.trues() })
            }
        }
    }
}

/// Makes nodes of predicates, and notes which columns they look at.
#[derive(Default)]
pub(super) struct Compiler {
    pub(super) inputs: Vec<Input>,
}

impl Compiler {
    /// The node that is true where `predicate` is true; where it is false, if `negated`.
    pub(super) fn node(&mut self, predicate: &Predicate, negated: bool) -> Node {
        match predicate {
            Predicate::And(parts) => self.connected(parts, negated, negated),
            Predicate::Or(parts) => self.connected(parts, !negated, negated),
            Predicate::Not(inner) => self.node(inner, !negated),
            Predicate::Row { paths, comparison, values } => {
                self.node(&columnwise(paths, *comparison, values), negated)
            }
            leaf => Node::Leaf { leaf: self.leaf(leaf), negated },
        }
    }

    fn connected(&mut self, parts: &[Predicate], is_any: bool, negated: bool) -> Node {
        let nodes = parts.iter().map(|part| self.node(part, negated)).collect();
        if is_any { Node::Any(nodes) } else { Node::All(nodes) }
    }

    fn leaf(&mut self, predicate: &Predicate) -> Leaf {
        let (path, test): (_, Box<dyn Test>) = match predicate {
            Predicate::Compare { path, comparison, value } => {
                let question = Question::Compare(*comparison, value.clone());
                (path, inside(path, kernel::test(path.cql_type(), &question)))
            }
            Predicate::In { path, values } => {
                let question = Question::In(values.clone());
                (path, inside(path, kernel::test(path.cql_type(), &question)))
            }
            Predicate::Like { path, pattern } => {
                (path, inside(path, Box::new(LikeTest::new(pattern))))
            }
            Predicate::Contains { path, part, value } => {
                (path, inside(path, contains(path.cql_type(), *part, value)))
            }
            Predicate::IsNull(path) => {
                (path, Box::new(NullTest { presence: inside(path, Box::new(Presence)) }))
            }
            Predicate::Token { key, partitioner, comparison, token } => {
                let inputs = key.iter().map(|column| self.input(column, Form::Cells)).collect();
                let (partitioner, comparison, token) = (*partitioner, *comparison, *token);
                return Leaf::Token(TokenTest { inputs, partitioner, comparison, token });
            }
            Predicate::And(_) | Predicate::Or(_) | Predicate::Not(_) | Predicate::Row { .. } => {
                unreachable!("these are no leaves")
            }
        };
        Leaf::Column { input: self.input(&path.column, Form::Values), test }
    }

    fn input(&mut self, column: &Column, form: Form) -> usize {
        let cql_type = column.cql_type.clone();
        let input = Input { column: column.name.clone(), cql_type, form };
        self.inputs.iter().position(|known| *known == input).unwrap_or_else(|| {
            self.inputs.push(input);
            self.inputs.len() - 1
        })
    }
}

/// The test of a column whose part at `path` is asked by `test`.
fn inside(path: &Path, test: Box<dyn Test>) -> Box<dyn Test> {
    let mut types = vec![&path.column.cql_type];
    for step in &path.steps {
        types.extend(types.last().and_then(|cql_type| step.of(cql_type)));
    }
    path.steps.iter().zip(&types).rfold(test, |inner, (step, cql_type)| match (step, cql_type) {
        (Step::Field(index), _) => Box::new(FieldTest { index: *index, inner }),
        (Step::Key(key), CqlType::Map(key_type, _)) => {
            let question = Question::Compare(Comparison::Equal, key.clone());
            Box::new(EntryTest { key: kernel::test(key_type, &question), inner })
        }
        (Step::Index(index), CqlType::Vector(..)) => {
            Box::new(VectorElementTest { index: *index, inner })
        }
        (Step::Index(index), _) => Box::new(ListElementTest { index: *index, inner }),
        (Step::Key(_), _) => inner,
    })
}

fn contains(cql_type: &CqlType, part: crate::Part, value: &[u8]) -> Box<dyn Test> {
    let (is_map, element) = match (cql_type, part) {
        (CqlType::Map(key, _), crate::Part::Keys) => (true, &**key),
        (CqlType::Map(_, value), crate::Part::Values) => (true, &**value),
        (CqlType::List(element) | CqlType::Set(element), _) => (false, &**element),
        (other, _) => (false, other),
    };
    let question = Question::Compare(Comparison::Equal, value.to_vec());
    Box::new(ContainsTest { is_map, part, inner: kernel::test(element, &question) })
}

/// The same condition, column by column: `(a, b) > (1, 2)` is `a > 1 OR (a = 1 AND b > 2)`.
pub(super) fn columnwise(paths: &[Path], comparison: Comparison, values: &[Vec<u8>]) -> Predicate {
    let compare = |i: usize, comparison| {
        let (path, value) = (paths[i].clone(), values[i].clone());
        Predicate::Compare { path, comparison, value }
    };
    let count = paths.len().min(values.len());
    let equal_before = |i: usize| (0..i).map(|i| compare(i, Comparison::Equal));
    if comparison == Comparison::Equal {
        return Predicate::And(equal_before(count).collect());
    }
    let decided_at = |i: usize| {
        let comparison = if i + 1 == count { comparison } else { comparison.strict() };
        Predicate::And(equal_before(i).chain([compare(i, comparison)]).collect())
    };
    Predicate::Or((0..count).map(decided_at).collect())
}
