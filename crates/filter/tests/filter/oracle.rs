//! Conditions evaluated row by row on the bytes of cells: slow, and nothing but the definitions.

use std::cmp::Ordering;

use outpour_cql::{Comparator, CqlType};
use outpour_filter::{Comparison, Part, Path, Pattern, Predicate, Step};

use crate::cells::Cell;

/// True, false, or neither.
type Answer = Option<bool>;

pub(crate) fn answer(predicate: &Predicate, row: &[Cell]) -> Answer {
    match predicate {
        Predicate::And(parts) => all(parts.iter().map(|part| answer(part, row))),
        Predicate::Or(parts) => any(parts.iter().map(|part| answer(part, row))),
        Predicate::Not(inner) => answer(inner, row).map(|holds| !holds),
        Predicate::IsNull(path) => Some(value(path, row).is_none()),
        Predicate::Compare { path, comparison, value: than } => {
            let order = compare(path.cql_type(), &value(path, row)?, than);
            Some(holds(*comparison, order))
        }
        Predicate::In { path, values } => {
            let value = value(path, row)?;
            Some(values.iter().any(|one| compare(path.cql_type(), &value, one).is_eq()))
        }
        Predicate::Like { path, pattern } => Some(is_like(&value(path, row)?, pattern)),
        Predicate::Contains { path, part, value: wanted } => {
            let collection = value(path, row)?;
            Some(contains(path.cql_type(), &collection, *part, wanted))
        }
        Predicate::Row { paths, comparison, values } => {
            let pairs: Vec<_> = paths.iter().zip(values).collect();
            row_answer(&pairs, *comparison, row)
        }
        Predicate::Token { key, partitioner, comparison, token } => {
            let cells = key.iter().map(|column| cell(&column.name, row).unwrap());
            let cells: Vec<Vec<u8>> = cells.collect();
            let bytes = match cells.as_slice() {
                [only] => only.clone(),
                _ => cells
                    .iter()
                    .flat_map(|c| [&(c.len() as u16).to_be_bytes()[..], c, &[0]].concat())
                    .collect(),
            };
            Some(holds(*comparison, partitioner.token(&bytes).value().cmp(token)))
        }
    }
}

fn all(answers: impl Iterator<Item = Answer>) -> Answer {
    let answers: Vec<_> = answers.collect();
    match (answers.contains(&Some(false)), answers.contains(&None)) {
        (true, _) => Some(false),
        (false, true) => None,
        (false, false) => Some(true),
    }
}

fn any(answers: impl Iterator<Item = Answer>) -> Answer {
    all(answers.map(|answer| answer.map(|holds| !holds))).map(|holds| !holds)
}

/// By the definition of SQL: the first pair that differs decides, and what is null leaves it open.
fn row_answer(pairs: &[(&Path, &Vec<u8>)], comparison: Comparison, row: &[Cell]) -> Answer {
    let orders =
        pairs.iter().map(|(path, than)| Some(compare(path.cql_type(), &value(path, row)?, than)));
    let orders: Vec<Option<Ordering>> = orders.collect();
    if comparison == Comparison::Equal {
        return all(orders.iter().map(|order| order.map(Ordering::is_eq)));
    }
    let ends = |rest: &[Option<Ordering>]| rest.is_empty();
    open_answer(&orders, comparison, ends)
}

fn open_answer(
    orders: &[Option<Ordering>],
    comparison: Comparison,
    ends: impl Fn(&[Option<Ordering>]) -> bool + Copy,
) -> Answer {
    let (first, rest) = orders.split_first().unwrap();
    if ends(rest) {
        return first.map(|order| holds(comparison, order));
    }
    let strict = match comparison {
        Comparison::LessOrEqual => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::Greater,
        other => other,
    };
    match first {
        Some(Ordering::Equal) => open_answer(rest, comparison, ends),
        Some(order) => Some(holds(strict, *order)),
        // Whatever it is, the answer is false or depends on it.
        None => None,
    }
}

fn holds(comparison: Comparison, order: Ordering) -> bool {
    match comparison {
        Comparison::Equal => order == Ordering::Equal,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
    }
}

fn compare(cql_type: &CqlType, a: &[u8], b: &[u8]) -> Ordering {
    match cql_type {
        CqlType::Counter => Comparator::new(&CqlType::Bigint, false).compare(a, b),
        _ => Comparator::new(cql_type, false).compare(a, b),
    }
}

fn is_like(value: &[u8], pattern: &Pattern) -> bool {
    let value = std::str::from_utf8(value).unwrap();
    match pattern {
        Pattern::Whole(text) => value == text,
        Pattern::Prefix(text) => value.starts_with(text),
        Pattern::Suffix(text) => value.ends_with(text),
        Pattern::Infix(text) => value.contains(text),
    }
}

fn cell(name: &str, row: &[Cell]) -> Cell {
    row[name[1..].parse::<usize>().unwrap()].clone()
}

fn value(path: &Path, row: &[Cell]) -> Cell {
    let mut value = cell(&path.column.name, row);
    let mut cql_type = &path.column.cql_type;
    for step in &path.steps {
        let bytes = value?;
        (cql_type, value) = match (step, cql_type) {
            (Step::Field(index), CqlType::Udt(udt)) => {
                let field = parts(&bytes).into_iter().nth(*index).flatten();
                (&udt.fields[*index].cql_type, field)
            }
            (Step::Key(key), CqlType::Map(key_type, value_type)) => {
                let all = parts(bytes.get(4..).unwrap_or_default());
                let is_key = |e: &&[Cell]| compare(key_type, e[0].as_ref().unwrap(), key).is_eq();
                (&**value_type, all.chunks(2).find(is_key).and_then(|entry| entry[1].clone()))
            }
            (Step::Index(index), CqlType::List(element)) => {
                let all = parts(bytes.get(4..).unwrap_or_default());
                (&**element, all.into_iter().nth(*index).flatten())
            }
            (Step::Index(index), CqlType::Vector(element, dimension)) => {
                let found = (!bytes.is_empty() && index < dimension)
                    .then(|| vector_element(&bytes, element, *index));
                (&**element, found)
            }
            other => panic!("{other:?}"),
        };
    }
    value
}

fn vector_element(bytes: &[u8], element: &CqlType, index: usize) -> Vec<u8> {
    if let Some(len) = element.fixed_len() {
        return bytes[index * len..(index + 1) * len].to_vec();
    }
    let mut at = 0;
    for i in 0.. {
        let len = outpour_codec::vint::read_unsigned(bytes, &mut at).unwrap() as usize;
        if i == index {
            return bytes[at..at + len].to_vec();
        }
        at += len;
    }
    unreachable!()
}

fn contains(cql_type: &CqlType, collection: &[u8], part: Part, wanted: &[u8]) -> bool {
    let all = parts(collection.get(4..).unwrap_or_default());
    let (element, looked_at): (_, Vec<_>) = match (cql_type, part) {
        (CqlType::Map(key, _), Part::Keys) => (key, all.into_iter().step_by(2).collect()),
        (CqlType::Map(_, value), _) => (value, all.into_iter().skip(1).step_by(2).collect()),
        (CqlType::List(element) | CqlType::Set(element), _) => (element, all),
        other => panic!("{other:?}"),
    };
    looked_at.iter().flatten().any(|one| compare(element, one, wanted).is_eq())
}

/// Cells with their lengths in front.
fn parts(mut bytes: &[u8]) -> Vec<Cell> {
    let mut parts = Vec::new();
    while let Some((len, rest)) = bytes.split_first_chunk::<4>() {
        let len = usize::try_from(i32::from_be_bytes(*len)).ok();
        let (value, rest) = rest.split_at(len.unwrap_or(0));
        parts.push(len.map(|_| value.to_vec()));
        bytes = rest;
    }
    parts
}
