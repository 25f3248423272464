use arrow_array::StructArray;

use super::{CellText, Marks, Slice};
use crate::Error;
use crate::block::{Literal, TextBlock};

/// One field of a tuple or UDT.
pub(crate) struct Member {
    lead: Literal,
    kernel: Box<dyn CellText>,
    texts: TextBlock,
}

impl Member {
    /// `lead` stands before the field's text.
    pub(crate) fn new(lead: Vec<u8>, kernel: Box<dyn CellText>) -> Self {
        Self { lead: Literal::new(lead), kernel, texts: TextBlock::default() }
    }
}

/// The kernel of tuples and UDTs.
pub(crate) fn record(brackets: [u8; 2], members: Vec<Member>, marks: Marks) -> Box<dyn CellText> {
    Box::new(RecordText { brackets, members, marks })
}

struct RecordText {
    brackets: [u8; 2],
    members: Vec<Member>,
    marks: Marks,
}

impl RecordText {
    fn push(&self, index: usize, text: &mut TextBlock) {
        let [opening, closing] = self.brackets;
        let out = text.open();
        out.push(opening);
        for member in &self.members {
            member.lead.piece().append_to(out);
            member.texts.piece(index).append_to(out);
        }
        out.push(closing);
        text.end_value();
    }
}

impl CellText for RecordText {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let array: &StructArray = values.downcast()?;
        if array.num_columns() != self.members.len() {
            let (expected, got) = (self.members.len(), array.num_columns());
            return Err(Error::invalid(format!("{expected} fields"), format!("{got} fields")));
        }
        for (index, (member, column)) in self.members.iter_mut().zip(array.columns()).enumerate() {
            member.texts.clear();
            let fields = values.child(index, column, values.rows.clone());
            member.kernel.write(fields, &mut member.texts)?;
            member.texts.finish();
        }
        for (index, row) in values.rows.clone().enumerate() {
            match values.mark(row, self.marks) {
                Some(mark) => text.push(mark),
                None => self.push(index, text),
            }
        }
        Ok(())
    }
}
