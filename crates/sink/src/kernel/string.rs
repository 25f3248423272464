use arrow_array::StringArray;

use super::{CellText, Marks, Slice};
use crate::Error;
use crate::block::TextBlock;
use crate::text::escape::{self, Shown};

/// How a dialect writes text and ascii.
pub(crate) trait Escape: Send {
    /// Around text that needs no escape
    const QUOTE: &'static [u8];

    /// Whether text with this byte needs an escape.
    fn is_special(byte: u8) -> bool;

    /// Appends text that needs one, quotes included.
    fn append(text: &[u8], out: &mut Vec<u8>);
}

/// A JSON string
pub(crate) struct JsonString;

impl Escape for JsonString {
    const QUOTE: &'static [u8] = b"\"";

    #[inline(always)]
    fn is_special(byte: u8) -> bool {
        escape::is_special_in_json(byte)
    }

    fn append(text: &[u8], out: &mut Vec<u8>) {
        escape::append_json_string(text, out);
    }
}

/// A string in a literal of cqlsh
pub(crate) struct LiteralString;

impl Escape for LiteralString {
    const QUOTE: &'static [u8] = b"'";

    #[inline(always)]
    fn is_special(byte: u8) -> bool {
        byte == b'\'' || escape::is_special_when_shown(byte)
    }

    fn append(text: &[u8], out: &mut Vec<u8>) {
        out.push(b'\'');
        escape::append_shown(text, Shown::Literal, out);
        out.push(b'\'');
    }
}

/// A field of CSV
pub(crate) struct FieldString;

impl Escape for FieldString {
    const QUOTE: &'static [u8] = b"";

    #[inline(always)]
    fn is_special(byte: u8) -> bool {
        matches!(byte, b',' | b'"') || escape::is_special_when_shown(byte)
    }

    fn append(text: &[u8], out: &mut Vec<u8>) {
        let quote: &[u8] = if text.contains(&b',') { b"\"" } else { b"" };
        out.extend_from_slice(quote);
        escape::append_shown(text, Shown::Field, out);
        out.extend_from_slice(quote);
    }
}

/// The text as it is
pub(crate) struct PlainString;

impl Escape for PlainString {
    const QUOTE: &'static [u8] = b"";

    #[inline(always)]
    fn is_special(_byte: u8) -> bool {
        false
    }

    fn append(text: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(text);
    }
}

/// A string literal of CQL
pub(crate) struct CqlString;

impl Escape for CqlString {
    const QUOTE: &'static [u8] = b"'";

    #[inline(always)]
    fn is_special(byte: u8) -> bool {
        byte == b'\''
    }

    fn append(text: &[u8], out: &mut Vec<u8>) {
        out.push(b'\'');
        for byte in text {
            if *byte == b'\'' {
                out.push(b'\'');
            }
            out.push(*byte);
        }
        out.push(b'\'');
    }
}

/// The kernel of text and ascii.
pub(crate) struct StringText<E> {
    escape: std::marker::PhantomData<E>,
    marks: Marks,
}

impl<E: Escape> StringText<E> {
    pub(crate) fn new(marks: Marks) -> Self {
        Self { escape: std::marker::PhantomData, marks }
    }

    #[inline(always)]
    fn push_plain(&self, value: &[u8], text: &mut TextBlock) {
        if value.is_empty() {
            return text.push(self.marks.empty);
        }
        let out = text.open();
        out.extend_from_slice(E::QUOTE);
        out.extend_from_slice(value);
        out.extend_from_slice(E::QUOTE);
        text.end_value();
    }

    fn push_checked(&self, value: &[u8], text: &mut TextBlock) {
        if !has_special::<E>(value) {
            return self.push_plain(value, text);
        }
        E::append(value, text.open());
        text.end_value();
    }
}

/// Looks at every byte, so that the compiler makes vector code of it.
fn has_special<E: Escape>(bytes: &[u8]) -> bool {
    bytes.iter().fold(false, |special, byte| special | E::is_special(*byte))
}

impl<E: Escape> CellText for StringText<E> {
    /// One check for the whole block: mostly nothing in it needs an escape.
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let array: &StringArray = values.downcast()?;
        let plain = !has_special::<E>(bytes_of(array, &values.rows));
        if plain && values.is_full() {
            for row in values.rows.clone() {
                self.push_plain(array.value(row).as_bytes(), text);
            }
            return Ok(());
        }
        for row in values.rows.clone() {
            match values.mark(row, self.marks) {
                Some(mark) => text.push(mark),
                None => self.push_checked(array.value(row).as_bytes(), text),
            }
        }
        Ok(())
    }
}

/// The bytes of all of `rows`.
fn bytes_of<'a>(array: &'a StringArray, rows: &std::ops::Range<usize>) -> &'a [u8] {
    let offsets = array.value_offsets();
    &array.value_data()[offsets[rows.start] as usize..offsets[rows.end] as usize]
}
