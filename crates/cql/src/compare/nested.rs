//! Orders of values inside values. Two values are read side by side, part by part, and the first
//! parts that differ decide; layouts are drawn in [`crate::frozen`].

use std::cmp::Ordering;

use outpour_codec::{Reader, Result};

use super::Order;
use crate::{Cell, CqlType, frozen};

/// What stands next in a value. A later kind comes after an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part<'a> {
    End,
    Null,
    Value(&'a [u8]),
    /// What a composite has beside its components
    Mark(i8),
    /// The bytes from where the layout is broken
    Broken(&'a [u8]),
}

/// Compares what `next` reads from `a` and `b`, values of the `i`th part by `order(i)`.
fn compare_parts<'a>(
    [mut a, mut b]: [Parts<'a>; 2],
    next: impl Fn(&mut Parts<'a>) -> Part<'a>,
    order: impl Fn(usize) -> &'a Order,
) -> Ordering {
    for i in 0.. {
        let compared = match (next(&mut a), next(&mut b)) {
            (Part::Value(x), Part::Value(y)) => order(i).compare(x, y),
            (x @ (Part::End | Part::Broken(_)), y) => return x.cmp(&y),
            (x, y) => x.cmp(&y),
        };
        if compared.is_ne() {
            return compared;
        }
    }
    Ordering::Equal
}
