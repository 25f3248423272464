//! Rows that nobody wants are not decoded, and where they are many, not read.

use super::bounds::Side;
use super::sources::Sources;
use crate::merge::Position;
use crate::read::{Cursor, RowPlace, Step};
use crate::{DeletionTime, Error, ErrorKind, Result};

/// So many bytes of a partition are passed over before the index is asked for a way around more: asking
/// takes as long as passing over them, and few partitions of a scan are much longer;
const PASS_LEN: u64 = 64 << 10;
/// but one that was looked up by its key may well be.
const PASS_LEN_OF_ONE: u64 = 16 << 10;

impl Sources {
    /// Whether the row or marker that cursor `i` has come to is wanted. If not, the cursor may move on,
    /// to the next row that is, and the step is the one to take instead, if there is one.
    pub(super) fn pass(
        &mut self,
        i: usize,
        step: Step,
        before_refill: &mut impl FnMut(&[Cursor]) -> Result<()>,
    ) -> Result<Option<Step>> {
        let Some(bounds) = &self.bounds else { return Ok(Some(step)) };
        let (cursor, head) = (&self.cursors[i], &mut self.heads[i]);
        if head.is_past {
            return Ok(None);
        }
        match bounds.side(Position::of(cursor)) {
            Side::Within => Ok(Some(step)),
            Side::Before => {
                if step == Step::Marker {
                    head.open = cursor.open_deletion();
                }
                self.jump_when_due(i, before_refill)?;
                Ok(None)
            }
            // What is open here covers rows that others have yet to show.
            Side::Behind if !head.open.is_live() => Ok(Some(step)),
            Side::Behind if head.is_only => {
                before_refill(&self.cursors)?;
                self.cursors[i].give_up();
                Ok(Some(Step::PartitionEnd))
            }
            Side::Behind => {
                head.is_past = true;
                Ok(None)
            }
        }
    }

    fn jump_when_due(
        &mut self,
        i: usize,
        before_refill: &mut impl FnMut(&[Cursor]) -> Result<()>,
    ) -> Result<()> {
        let offset = self.cursors[i].offset();
        let head = &mut self.heads[i];
        let pass_len = if head.is_only { PASS_LEN_OF_ONE } else { PASS_LEN };
        if head.has_jumped || offset - head.partition_start < pass_len {
            return Ok(());
        }
        head.has_jumped = true;
        let widths = self.cursors[i].clustering_widths();
        let Some(places) = head.row_places(widths) else { return Ok(()) };
        before_refill(&self.cursors)?;
        let place = match self.find_place(i, &places, offset) {
            Ok(place) => place,
            Err(e) if e.kind() == ErrorKind::Corrupt => None,
            Err(e) => return Err(e),
        };
        let (offset, open) = place.unwrap_or((offset, self.heads[i].open));
        self.heads[i].open = open;
        self.cursors[i].seek_in_partition(offset, open)
    }

    /// The last place in front of the wanted rows, of those that the index tells behind `offset`, and
    /// the range tombstone that is open there; if the data confirms both.
    fn find_place(
        &mut self,
        i: usize,
        places: &[RowPlace],
        offset: u64,
    ) -> Result<Option<(u64, DeletionTime)>> {
        let start = self.heads[i].partition_start;
        let mut low = places.partition_point(|place| start.saturating_add(place.offset) <= offset);
        let (first, mut high) = (low, places.len());
        while low < high {
            let middle = low + (high - low) / 2;
            match self.is_in_front(i, start.saturating_add(places[middle].offset))? {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        let Some(place) = (low > first).then(|| places[low - 1]) else { return Ok(None) };
        let offset = start + place.offset;
        Ok(self.is_open(i, offset, place.open)?.then_some((offset, place.open)))
    }

    /// Whether the row or marker at `offset` stands in front of the wanted rows: all before it do too.
    fn is_in_front(&mut self, i: usize, offset: u64) -> Result<bool> {
        let step = self.step_at(i, offset)?;
        let Some(bounds) = &self.bounds else { return Ok(false) };
        let is_before = bounds.side(Position::of(&self.cursors[i])) == Side::Before;
        Ok(matches!(step, Step::Row | Step::Marker) && is_before)
    }

    fn step_at(&mut self, i: usize, offset: u64) -> Result<Step> {
        let cursor = &mut self.cursors[i];
        if offset >= self.heads[i].sstable.uncompressed_len() {
            let file = cursor.file_name();
            return Err(Error::corrupt(file, offset, "rows", "a row or marker", "the end"));
        }
        cursor.seek_in_partition(offset, DeletionTime::LIVE)?;
        self.next_step(i)
    }

    fn next_step(&mut self, i: usize) -> Result<Step> {
        let cursor = &mut self.cursors[i];
        loop {
            match cursor.step()? {
                Step::NeedData => {
                    self.cancel.check()?;
                    cursor.refill()?;
                }
                step => return Ok(step),
            }
        }
    }

    /// Whether the range tombstone `open` is open at `offset`, by the next marker behind it.
    fn is_open(&mut self, i: usize, offset: u64, open: DeletionTime) -> Result<bool> {
        let stats = &self.heads[i].sstable.statistics().stats;
        if stats.tombstones.is_empty() {
            return Ok(open.is_live());
        }
        let mut step = self.step_at(i, offset)?;
        while step == Step::Row {
            step = self.next_step(i)?;
        }
        match step {
            Step::Marker => Ok(self.cursors[i].closed_deletion() == open),
            _ => Ok(open.is_live()),
        }
    }
}
