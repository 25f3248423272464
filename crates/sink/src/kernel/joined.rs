use std::ops::Range;

use arrow_array::{Array, BinaryArray};
use outpour_cql::{Cell, ColumnBuilder};

use super::{CellText, Slice};
use crate::Error;
use crate::block::TextBlock;

/// How the parts of a value lie in its bytes, and what is put between their texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// Fields of a tuple or UDT: i32 length, bytes; -1 is null; later ones may be missing
    /// (`TupleType.getString`)
    Fields,
    /// Components of a composite: u16 length, bytes, i8 end (`AbstractCompositeType.getString`)
    Components,
}

/// The kernel of values whose text is that of their parts with `:` between them. The values come as
/// bytes: how many parts there are tells nothing but they.
pub(crate) struct Joined {
    joint: Joint,
    parts: Vec<Part>,
}

/// A part's bytes to its text.
pub(crate) struct Part {
    builder: Box<dyn ColumnBuilder>,
    kernel: Box<dyn CellText>,
    texts: TextBlock,
}

impl Part {
    pub(crate) fn new(builder: Box<dyn ColumnBuilder>, kernel: Box<dyn CellText>) -> Self {
        Self { builder, kernel, texts: TextBlock::default() }
    }

    /// The text of one value.
    pub(crate) fn text(&mut self, cell: Cell<'_>) -> Result<&[u8], Error> {
        self.builder.append(&[cell]).map_err(|e| Error::corrupt(e.expected, e.got))?;
        let values = self.builder.finish();
        self.texts.clear();
        let slice = Slice { array: &values.array, empties: &values.empties, rows: 0..1 };
        self.kernel.write(slice, &mut self.texts)?;
        Ok(self.texts.piece(0).text())
    }
}

impl Joined {
    pub(crate) fn new(joint: Joint, parts: Vec<Part>) -> Self {
        Self { joint, parts }
    }

    fn append(&mut self, mut value: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        for (index, part) in self.parts.iter_mut().enumerate() {
            if value.is_empty() {
                break;
            }
            if index > 0 {
                out.push(b':');
            }
            match self.joint {
                Joint::Fields => match take_field(&mut value)? {
                    None => out.push(b'@'),
                    field => escape(part.text(field)?, b":@", out),
                },
                Joint::Components => {
                    let (component, end) = take_component(&mut value)?;
                    append_component(part.text(Some(component))?, out);
                    if end != 0 {
                        out.extend_from_slice(if end < 0 { b":_" } else { b":!" });
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Appends the text of a component of a composite (`AbstractCompositeType.escape`).
pub(crate) fn append_component(text: &[u8], out: &mut Vec<u8>) {
    escape(text, b":", out);
    if text.ends_with(b"\\") || text.ends_with(b"!") {
        out.push(b'!');
    }
}

fn escape(text: &[u8], special: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        if special.contains(byte) {
            out.push(b'\\');
        }
        out.push(*byte);
    }
}

fn take_field<'a>(value: &mut &'a [u8]) -> Result<Cell<'a>, Error> {
    let short = || Error::corrupt("a field behind its length", "fewer bytes");
    let (len, rest) = value.split_first_chunk::<4>().ok_or_else(short)?;
    let len = i32::from_be_bytes(*len);
    let Ok(len) = usize::try_from(len) else {
        *value = rest;
        return Ok(None);
    };
    let (field, rest) = rest.split_at_checked(len).ok_or_else(short)?;
    *value = rest;
    Ok(Some(field))
}

/// Takes the first component of a composite, and the byte that ends it.
pub(crate) fn take_component<'a>(value: &mut &'a [u8]) -> Result<(&'a [u8], i8), Error> {
    let short = || Error::corrupt("a component behind its length", "fewer bytes");
    let (len, rest) = value.split_first_chunk::<2>().ok_or_else(short)?;
    let len = usize::from(u16::from_be_bytes(*len));
    let (component, rest) = rest.split_at_checked(len).ok_or_else(short)?;
    let (end, rest) = rest.split_first().ok_or_else(short)?;
    *value = rest;
    Ok((component, *end as i8))
}

impl CellText for Joined {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let array: &BinaryArray = values.downcast()?;
        let rows: Range<usize> = values.rows.clone();
        for row in rows {
            if !array.is_null(row) {
                self.append(array.value(row), text.open())?;
            }
            text.end_value();
        }
        Ok(())
    }
}
