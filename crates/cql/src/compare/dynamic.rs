use std::cmp::Ordering;

use outpour_codec::{Reader, Result};

use super::{Comparator, Order, compare_irregular};
use crate::frozen::{self, ComponentType};
use crate::marshal;

/// The order of `DynamicCompositeType`: component by component; where their types differ the class
/// names decide, simple names first.
///
/// What an alias stands for only the type of the whole column tells, and a [`crate::CqlType`] does
/// not carry it: values of one alias compare as bytes, aliases by their letters and before classes.
pub(super) fn compare(a: &[u8], b: &[u8]) -> Ordering {
    if a.is_empty() || b.is_empty() {
        return compare_irregular(a, b, |_| true);
    }
    let (mut rest_a, mut rest_b) = (a, b);
    loop {
        let compared = match (next(&mut rest_a), next(&mut rest_b)) {
            (Part::Component(x), Part::Component(y)) => x.compare(&y),
            (x, y) => return x.rank().cmp(&y.rank()),
        };
        if compared.is_ne() {
            return compared;
        }
    }
}

enum Part<'a> {
    End,
    Component(Component<'a>),
    /// The bytes from where the layout is broken
    Broken(&'a [u8]),
}

struct Component<'a> {
    class: ComponentType<'a>,
    value: &'a [u8],
    end: i8,
}

fn next<'a>(rest: &mut &'a [u8]) -> Part<'a> {
    if rest.is_empty() {
        return Part::End;
    }
    let mut reader = Reader::new(rest);
    match component(&mut reader) {
        Ok(component) => {
            *rest = rest.get(reader.offset()..).unwrap_or_default();
            Part::Component(component)
        }
        Err(_) => Part::Broken(rest),
    }
}

fn component<'a>(reader: &mut Reader<'a>) -> Result<Component<'a>> {
    let class = frozen::component_type(reader)?;
    let (value, end) = frozen::component(reader)?;
    Ok(Component { class, value, end })
}

impl<'a> Part<'a> {
    fn rank(&self) -> (u8, &'a [u8]) {
        match self {
            Self::End => (0, &[]),
            Self::Component(_) => (1, &[]),
            Self::Broken(rest) => (2, rest),
        }
    }
}

impl Component<'_> {
    fn compare(&self, other: &Self) -> Ordering {
        let by_value = || comparator(self.class).compare(self.value, other.value);
        let by_class = class_key(self.class).cmp(&class_key(other.class));
        by_class.then_with(by_value).then(self.end.cmp(&other.end))
    }
}

/// What orders a type among other types: letter, or simple name, package and parameters.
fn class_key(class: ComponentType<'_>) -> (u16, [&[u8]; 3]) {
    let name = match class {
        ComponentType::Alias(letter) => return (u16::from(letter), [&[]; 3]),
        ComponentType::Class(name) => name,
    };
    let parameters = name.iter().position(|byte| *byte == b'(').unwrap_or(name.len());
    let (name, parameters) = name.split_at(parameters);
    match name.iter().rposition(|byte| *byte == b'.') {
        Some(dot) => (CLASSES, [&name[dot + 1..], &name[..dot], parameters]),
        None => (CLASSES, [name, PACKAGE, parameters]),
    }
}

/// Behind all letters
const CLASSES: u16 = 0x100;

/// The package of classes that are named without one.
const PACKAGE: &[u8] = b"org.apache.cassandra.db.marshal";

/// The order of a component's values; unsigned bytes if its type is not known.
fn comparator(class: ComponentType<'_>) -> Comparator {
    let name = match class {
        ComponentType::Alias(_) => "",
        ComponentType::Class(name) => std::str::from_utf8(name).unwrap_or_default(),
    };
    match marshal::parse(name) {
        // Values that nest as deep as they like would need a stack as deep.
        Ok(class) if !name.contains("DynamicCompositeType") => {
            Comparator::new(&class.cql_type, class.reversed)
        }
        _ => Comparator { order: Order::Bytes, descending: false },
    }
}
