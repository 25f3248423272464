use std::ops::Range;

use arrow_array::MapArray;

use super::{CellText, Marks, Slice};
use crate::Error;
use crate::block::TextBlock;

/// The kernel of maps.
pub(crate) fn map(
    key: Box<dyn CellText>,
    value: Box<dyn CellText>,
    marks: Marks,
) -> Box<dyn CellText> {
    let (keys, values) = (TextBlock::default(), TextBlock::default());
    Box::new(MapText { key, value, keys, values, marks })
}

struct MapText {
    key: Box<dyn CellText>,
    value: Box<dyn CellText>,
    keys: TextBlock,
    values: TextBlock,
    marks: Marks,
}

impl MapText {
    fn push(&self, entries: Range<usize>, text: &mut TextBlock) {
        let out = text.open();
        out.push(b'{');
        let pieces = self.keys.pieces(entries.clone()).zip(self.values.pieces(entries));
        for (index, (key, value)) in pieces.enumerate() {
            if index > 0 {
                out.extend_from_slice(b", ");
            }
            key.append_to(out);
            out.extend_from_slice(b": ");
            value.append_to(out);
        }
        out.push(b'}');
        text.end_value();
    }
}

impl CellText for MapText {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let array: &MapArray = values.downcast()?;
        let offset = |row: usize| array.value_offsets()[row] as usize;
        let entries = offset(values.rows.start)..offset(values.rows.end);
        self.keys.clear();
        self.key.write(values.child(0, array.keys(), entries.clone()), &mut self.keys)?;
        self.keys.finish();
        self.values.clear();
        self.value.write(values.child(1, array.values(), entries.clone()), &mut self.values)?;
        self.values.finish();
        let first = entries.start;
        for row in values.rows.clone() {
            match values.mark(row, self.marks) {
                Some(mark) => text.push(mark),
                None => self.push(offset(row) - first..offset(row + 1) - first, text),
            }
        }
        Ok(())
    }
}
