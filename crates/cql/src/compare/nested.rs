//! Orders of values inside values. Two values are read side by side, part by part, and the first
//! parts that differ decide; [`crate::frozen`] draws the layouts.

use std::cmp::Ordering;

use outpour_codec::{Reader, Result};

use super::{BYTES, Order, compare_irregular};
use crate::{Cell, CqlType, frozen};

/// What stands next in a value. Of two kinds the one that is named first here comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    End,
    Null,
    Value(&'a [u8]),
    /// Of a composite, with the byte that ends it
    Component(&'a [u8], i8),
    /// The bytes from where the layout is broken
    Broken(&'a [u8]),
}

#[derive(Debug, Clone, Copy)]
enum Layout {
    Elements,
    Fields,
    Vector(Option<usize>),
    Composite,
}

/// Reads a value part by part. Behind [`Part::End`] and [`Part::Broken`] nothing may be read.
struct Parts<'a> {
    bytes: &'a [u8],
    reader: Reader<'a>,
    layout: Layout,
    /// Parts to come; `None` if not even their number can be read
    left: Option<usize>,
}

impl<'a> Parts<'a> {
    fn new(bytes: &'a [u8], layout: Layout, parts: usize) -> Self {
        Self { bytes, reader: Reader::new(bytes), layout, left: Some(parts) }
    }

    /// Those of a collection whose elements have `parts` each.
    fn of_collection(bytes: &'a [u8], parts: usize) -> Self {
        let mut reader = Reader::new(bytes);
        let left = reader.count("count", 4 * parts).ok().map(|count| count * parts);
        Self { bytes, reader, layout: Layout::Elements, left }
    }

    fn next(&mut self) -> Part<'a> {
        let rest = self.bytes.get(self.reader.offset()..).unwrap_or_default();
        match self.left.as_mut() {
            Some(0) if rest.is_empty() => return Part::End,
            None | Some(0) => return Part::Broken(rest),
            Some(left) => *left -= 1,
        }
        self.read().unwrap_or(Part::Broken(rest))
    }

    fn read(&mut self) -> Result<Part<'a>> {
        let cell = |cell: Cell<'a>| cell.map_or(Part::Null, Part::Value);
        match self.layout {
            Layout::Elements => frozen::element(&mut self.reader).map(cell),
            Layout::Fields => frozen::field(&mut self.reader).map(cell),
            Layout::Vector(len) => frozen::vector_element(&mut self.reader, len).map(Part::Value),
            Layout::Composite if self.reader.remaining() == 0 => Ok(Part::End),
            Layout::Composite => {
                let (value, end) = frozen::component(&mut self.reader)?;
                Ok(Part::Component(value, end))
            }
        }
    }
}

/// Compares two values, of which `order(i)` is the order of the parts numbered `i`.
fn compare_parts<'o>(
    mut a: Parts<'_>,
    mut b: Parts<'_>,
    order: impl Fn(usize) -> &'o Order,
) -> Ordering {
    if a.bytes.is_empty() || b.bytes.is_empty() {
        return compare_irregular(a.bytes, b.bytes, |_| true);
    }
    let mut i = 0;
    loop {
        let compared = match (a.next(), b.next()) {
            (Part::Value(x), Part::Value(y)) => order(i).compare(x, y),
            (Part::Component(x, end_x), Part::Component(y, end_y)) => {
                order(i).compare(x, y).then(end_x.cmp(&end_y))
            }
            (Part::Null, Part::Null) => Ordering::Equal,
            (x, y) => return x.cmp(&y),
        };
        if compared.is_ne() {
            return compared;
        }
        i += 1;
    }
}

/// Lists and sets: element by element, then by their number.
pub(super) fn compare_lists(element: &Order, a: &[u8], b: &[u8]) -> Ordering {
    compare_parts(Parts::of_collection(a, 1), Parts::of_collection(b, 1), |_| element)
}

/// Maps: key and value, entry by entry, then by their number.
pub(super) fn compare_maps([key, value]: &[Order; 2], a: &[u8], b: &[u8]) -> Ordering {
    let order = |i| if i % 2 == 0 { key } else { value };
    compare_parts(Parts::of_collection(a, 2), Parts::of_collection(b, 2), order)
}

/// Tuples and UDTs: field by field, null and missing ones first.
pub(super) fn compare_tuples(fields: &[Order], a: &[u8], b: &[u8]) -> Ordering {
    let parts = |bytes| Parts::new(bytes, Layout::Fields, fields.len());
    compare_parts(parts(a), parts(b), |i| fields.get(i).unwrap_or(&BYTES))
}

/// Composites: component by component; the name of a static column comes first.
pub(super) fn compare_composites(components: &[Order], a: &[u8], b: &[u8]) -> Ordering {
    if a.is_empty() || b.is_empty() {
        return compare_irregular(a, b, |_| true);
    }
    let (static_a, a) = split_static(a);
    let (static_b, b) = split_static(b);
    let parts = |bytes| Parts::new(bytes, Layout::Composite, usize::MAX);
    let order = |i| components.get(i).unwrap_or(&BYTES);
    static_b.cmp(&static_a).then_with(|| compare_parts(parts(a), parts(b), order))
}

fn split_static(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes {
        [0xff, 0xff, rest @ ..] => (true, rest),
        _ => (false, bytes),
    }
}

/// The order of a vector type.
#[derive(Debug, Clone)]
pub(super) struct Vector {
    element: Order,
    fixed_len: Option<usize>,
    dimension: usize,
}

impl Vector {
    pub(super) fn new(element: &CqlType, dimension: usize) -> Self {
        Self { element: Order::of(element), fixed_len: element.fixed_len(), dimension }
    }

    /// Element by element.
    pub(super) fn compare(&self, a: &[u8], b: &[u8]) -> Ordering {
        let parts = |bytes| Parts::new(bytes, Layout::Vector(self.fixed_len), self.dimension);
        compare_parts(parts(a), parts(b), |_| &self.element)
    }
}
