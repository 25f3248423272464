use super::{CellText, Marks, Slice};
use crate::Error;
use crate::block::TextBlock;
use crate::text::escape;

/// The kernel of a field of CSV that is a literal of cqlsh.
pub(crate) struct Field {
    literal: Box<dyn CellText>,
    texts: TextBlock,
    marks: Marks,
}

impl Field {
    pub(crate) fn new(literal: Box<dyn CellText>, marks: Marks) -> Self {
        Self { literal, texts: TextBlock::default(), marks }
    }
}

impl CellText for Field {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        self.texts.clear();
        self.literal.write(values.clone(), &mut self.texts)?;
        for (index, row) in values.rows.clone().enumerate() {
            if let Some(mark) = values.mark(row, self.marks) {
                text.push(mark);
            } else {
                escape::append_field(self.texts.piece(index).text(), text.open());
                text.end_value();
            }
        }
        Ok(())
    }
}
