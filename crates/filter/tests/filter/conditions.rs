//! Random conditions on random rows.

use outpour_cql::{CqlType, Partitioner};
use outpour_filter::{Column, Comparison, Part, Path, Pattern, Place, Predicate, Step};

use crate::cells::any_value;
use crate::random::Random;
use crate::rows::{Rows, name};

const COMPARISONS: [Comparison; 5] = [
    Comparison::Equal,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];

pub(crate) fn any_condition(random: &mut Random, rows: &Rows, depth: usize) -> Predicate {
    let part = |random: &mut Random| any_condition(random, rows, depth - 1);
    match if depth == 0 { 9 } else { random.below(8) } {
        0 => Predicate::And((0..random.below(4)).map(|_| part(random)).collect()),
        1 => Predicate::Or((0..random.below(4)).map(|_| part(random)).collect()),
        2 | 3 => Predicate::Not(Box::new(part(random))),
        _ => any_leaf(random, rows),
    }
}

fn any_leaf(random: &mut Random, rows: &Rows) -> Predicate {
    let path = any_path(random, rows);
    let cql_type = path.cql_type().clone();
    match (random.below(8), &cql_type) {
        (0, _) => Predicate::IsNull(path),
        (1, _) => {
            let count = *random.pick(&[0, 1, 3, 40]);
            let values = (0..count).map(|_| any_value(random, &cql_type)).collect();
            Predicate::In { path, values }
        }
        (2 | 3, CqlType::Text | CqlType::Ascii) => {
            Predicate::Like { path, pattern: any_pattern(random) }
        }
        (2..=5, CqlType::List(element) | CqlType::Set(element)) => {
            Predicate::Contains { path, part: Part::Values, value: any_value(random, element) }
        }
        (2 | 3, CqlType::Map(_, value)) => {
            Predicate::Contains { path, part: Part::Values, value: any_value(random, value) }
        }
        (4 | 5, CqlType::Map(key, _)) => {
            Predicate::Contains { path, part: Part::Keys, value: any_value(random, key) }
        }
        (6, _) => any_row(random, rows),
        (7, _) => any_token(random, rows),
        _ => {
            let comparison = comparison(random, &cql_type);
            Predicate::Compare { path, comparison, value: any_value(random, &cql_type) }
        }
    }
}

/// Durations are only asked to be equal.
fn comparison(random: &mut Random, cql_type: &CqlType) -> Comparison {
    match cql_type {
        CqlType::Duration => Comparison::Equal,
        _ => *random.pick(&COMPARISONS),
    }
}

fn any_pattern(random: &mut Random) -> Pattern {
    let make = *random.pick(&[
        Pattern::Whole as fn(String) -> Pattern,
        Pattern::Prefix,
        Pattern::Suffix,
        Pattern::Infix,
    ]);
    make((*random.pick(&["a", "b", "ab", "a%", "%"])).to_owned())
}

fn any_row(random: &mut Random, rows: &Rows) -> Predicate {
    let paths: Vec<_> = (0..1 + random.below(3)).map(|_| any_path(random, rows)).collect();
    let has_duration = paths.iter().any(|path| *path.cql_type() == CqlType::Duration);
    let comparison = if has_duration { Comparison::Equal } else { *random.pick(&COMPARISONS) };
    let values = paths.iter().map(|path| any_value(random, path.cql_type())).collect();
    Predicate::Row { paths, comparison, values }
}

fn any_token(random: &mut Random, rows: &Rows) -> Predicate {
    let key = (0..1 + random.below(2)).map(|index| column(rows, index)).collect();
    let partitioner = *random.pick(&[Partitioner::Murmur3, Partitioner::Random]);
    let token = i128::from(random.next() as i64);
    Predicate::Token { key, partitioner, comparison: *random.pick(&COMPARISONS), token }
}

fn column(rows: &Rows, index: usize) -> Column {
    let cql_type = rows.types[index].clone();
    Column { name: name(index), place: Place::Other, cql_type }
}

/// A column, or a part of it as deep as it goes.
fn any_path(random: &mut Random, rows: &Rows) -> Path {
    let index = random.below(rows.types.len());
    let mut path = Path { column: column(rows, index), steps: Vec::new() };
    while !random.one_in(3) {
        let step = match path.cql_type() {
            CqlType::Map(key, _) => Step::Key(any_value(random, key)),
            CqlType::List(_) => Step::Index(random.below(4)),
            CqlType::Vector(_, dimension) => Step::Index(random.below(dimension + 1)),
            CqlType::Udt(udt) => Step::Field(random.below(udt.fields.len())),
            _ => break,
        };
        path.steps.push(step);
    }
    path
}
