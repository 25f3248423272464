use super::refusal::Flaw;
use super::{Cell, CellError, ColumnBuilder};
use crate::CqlType;

/// Hands the values inside a block of cells on to their builder, many at a time.
pub(super) struct Feed<'b, 'c> {
    builder: &'b mut dyn ColumnBuilder,
    part: &'static str,
    pending: Vec<Cell<'c>>,
    /// Values that the builder has got
    appended: usize,
    values_max: usize,
}

/// So many values are appended at once: enough to make up for the dispatch, and their places stay
/// in the cache.
const PENDING_MAX: usize = 1024;

impl<'b, 'c> Feed<'b, 'c> {
    /// Feeds `builder` with what lies in `cells`, each a `part` of one of them that takes `footprint`
    /// bytes at least.
    pub(super) fn new(
        builder: &'b mut dyn ColumnBuilder,
        part: &'static str,
        footprint: usize,
        cells: &[Cell<'_>],
    ) -> Self {
        let given: usize = cells.iter().flatten().map(|cell| cell.len()).sum();
        let allowed = EXPANSION_FREE.saturating_add(given.saturating_mul(EXPANSION_MAX));
        let values_max = allowed / footprint.max(1);
        Self { builder, part, pending: Vec::new(), appended: 0, values_max }
    }

    /// Values that were pushed so far.
    pub(super) fn len(&self) -> usize {
        self.appended + self.pending.len()
    }

    /// Appends a value.
    ///
    /// # Errors
    /// Of any value pushed so far.
    #[inline]
    pub(super) fn push(&mut self, cell: Cell<'c>) -> Result<(), Flaw> {
        if self.pending.len() == PENDING_MAX {
            self.flush()?;
        }
        self.pending.push(cell);
        Ok(())
    }

    /// Appends what is pending.
    pub(super) fn flush(&mut self) -> Result<(), Flaw> {
        self.check(self.len())?;
        let (appended, part) = (self.appended, self.part);
        self.builder.append(&self.pending).map_err(|error| {
            Flaw::Inside(CellError { index: appended + error.index, ..error }, part)
        })?;
        self.appended += self.pending.len();
        self.pending.clear();
        Ok(())
    }

    /// That so many values may come from one block.
    pub(super) fn check(&self, values: usize) -> Result<(), Flaw> {
        if values <= self.values_max {
            return Ok(());
        }
        let expected = format!("at most {} values inside one block", self.values_max);
        Err(Flaw::Inside(CellError::new(self.appended, expected, values.to_string()), self.part))
    }
}

// Four bytes can say that there is no value in a place that takes thousands in an array, as the
// vectors of a list do. What a block's values become is therefore bounded by what it holds.
/// Bytes that a block's values may take in any case.
const EXPANSION_FREE: usize = 128 << 20;
/// Bytes that they may take in addition for each one that the block holds.
const EXPANSION_MAX: usize = 16;

/// Bytes that a null of a type takes in an array.
pub(super) fn footprint(cql_type: &CqlType) -> usize {
    let sum = |types: &mut dyn Iterator<Item = &CqlType>| {
        types.map(footprint).fold(1, usize::saturating_add)
    };
    match cql_type {
        CqlType::Boolean | CqlType::Tinyint => 1,
        CqlType::Smallint => 2,
        CqlType::Bigint | CqlType::Counter | CqlType::Double | CqlType::Time => 8,
        CqlType::Timestamp | CqlType::LegacyTimestamp => 8,
        CqlType::Uuid | CqlType::Timeuuid | CqlType::LexicalUuid | CqlType::Duration => 16,
        CqlType::Tuple(types) | CqlType::Composite(types) => sum(&mut types.iter()),
        CqlType::Udt(udt) => sum(&mut udt.fields.iter().map(|field| &field.cql_type)),
        CqlType::Vector(element, dimension) => footprint(element).saturating_mul(*dimension).max(1),
        // Four-byte numbers, and the offsets of what has a variable length.
        _ => 4,
    }
}
