//! Tests of values inside values: all of them are tested at once, then gathered by rows.

use std::ops::Range;

use arrow_array::{Array, FixedSizeListArray, ListArray, MapArray, StructArray};
use arrow_buffer::BooleanBuffer;
use outpour_cql::NotOfType;

use super::Test;
use super::truth::{Truth, View};
use crate::Part;

/// Whether a value is there: true, or not known where it is null.
pub(super) struct Presence;

impl Test for Presence {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let holds = BooleanBuffer::new_set(values.array.len());
        Ok(Truth { holds, known: values.present() })
    }
}

/// Whether there is no value. `presence` is that of the part that may be missing.
pub(super) struct NullTest {
    pub(super) presence: Box<dyn Test>,
}

impl Test for NullTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let holds = !&self.presence.truth(values)?.trues();
        Ok(Truth { holds, known: None })
    }
}

/// The test of one field of a UDT.
pub(super) struct FieldTest {
    pub(super) index: usize,
    pub(super) inner: Box<dyn Test>,
}

impl Test for FieldTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let array = values.downcast::<StructArray>()?;
        let field = array.columns().get(self.index).ok_or_else(|| {
            NotOfType::new(format!("field {}", self.index), array.num_columns().to_string())
        })?;
        let inner = self.inner.truth(values.child(self.index, field))?;
        let outer = array.nulls().map(|nulls| nulls.inner().clone());
        let known = match (inner.known, outer) {
            (Some(inner), Some(outer)) => Some(&inner & &outer),
            (inner, outer) => inner.or(outer),
        };
        Ok(Truth { holds: inner.holds, known })
    }
}

/// The test of the value of one key of a map.
pub(super) struct EntryTest {
    pub(super) key: Box<dyn Test>,
    pub(super) inner: Box<dyn Test>,
}

impl Test for EntryTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let array = values.downcast::<MapArray>()?;
        let is_key = self.key.truth(values.child(0, array.keys()))?.trues();
        let inner = self.inner.truth(values.child(1, array.values()))?;
        let found = first_of(array.value_offsets(), &is_key);
        Ok(inner.at(&found))
    }
}

/// For each row the first of its entries that is marked.
fn first_of(offsets: &[i32], marks: &BooleanBuffer) -> Vec<Option<usize>> {
    let first = |row: &[i32]| range(row).find(|entry| marks.value(*entry));
    offsets.windows(2).map(first).collect()
}

fn range(row: &[i32]) -> Range<usize> {
    row.first().map_or(0, |start| *start as usize)..row.last().map_or(0, |end| *end as usize)
}

/// The test of one element of a list.
pub(super) struct ListElementTest {
    pub(super) index: usize,
    pub(super) inner: Box<dyn Test>,
}

impl Test for ListElementTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let array = values.downcast::<ListArray>()?;
        let inner = self.inner.truth(values.child(0, array.values()))?;
        let element = |row: &[i32]| range(row).nth(self.index);
        let found: Vec<_> = array.value_offsets().windows(2).map(element).collect();
        Ok(inner.at(&found))
    }
}

/// The test of one element of a vector.
pub(super) struct VectorElementTest {
    pub(super) index: usize,
    pub(super) inner: Box<dyn Test>,
}

impl Test for VectorElementTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let array = values.downcast::<FixedSizeListArray>()?;
        let inner = self.inner.truth(values.child(0, array.values()))?;
        let dimension = array.value_length() as usize;
        let element = |row: usize| {
            let is_there = self.index < dimension && !array.is_null(row);
            is_there.then(|| array.value_offset(row) as usize + self.index)
        };
        let found: Vec<_> = (0..array.len()).map(element).collect();
        Ok(inner.at(&found))
    }
}

impl Truth {
    /// The answers for the values at these places; not known where there is none.
    fn at(&self, places: &[Option<usize>]) -> Self {
        let is_known = |at: usize| self.known.as_ref().is_none_or(|known| known.value(at));
        let known = |row: usize| places[row].is_some_and(is_known);
        let holds = |row: usize| places[row].is_some_and(|at| self.holds.value(at));
        Self {
            holds: BooleanBuffer::collect_bool(places.len(), holds),
            known: Some(BooleanBuffer::collect_bool(places.len(), known)),
        }
    }
}

/// The test of CONTAINS; `inner` is what an element is tested for.
pub(super) struct ContainsTest {
    pub(super) is_map: bool,
    pub(super) part: Part,
    pub(super) inner: Box<dyn Test>,
}

impl Test for ContainsTest {
    fn truth(&self, values: View<'_>) -> Result<Truth, NotOfType> {
        let (offsets, elements) = match (self.is_map, self.part) {
            (false, _) => {
                let array = values.downcast::<ListArray>()?;
                (array.value_offsets(), values.child(0, array.values()))
            }
            (true, Part::Keys) => {
                let array = values.downcast::<MapArray>()?;
                (array.value_offsets(), values.child(0, array.keys()))
            }
            (true, Part::Values) => {
                let array = values.downcast::<MapArray>()?;
                (array.value_offsets(), values.child(1, array.values()))
            }
        };
        let found = self.inner.truth(elements)?.trues();
        let holds = BooleanBuffer::collect_bool(values.array.len(), |row| {
            range(&offsets[row..row + 2]).any(|element| found.value(element))
        });
        Ok(Truth { holds, known: values.present() })
    }
}
