use super::{CellText, Slice};
use crate::Error;
use crate::block::{Piece, TextBlock};
use crate::text::escape;

/// The kernel of the keys of a map in JSON: their JSON text, made a string if it is none
/// (`MapType.toJSONString`).
pub(crate) struct Key {
    json: Box<dyn CellText>,
    texts: TextBlock,
}

impl Key {
    pub(crate) fn new(json: Box<dyn CellText>) -> Self {
        Self { json, texts: TextBlock::default() }
    }
}

impl CellText for Key {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let len = values.rows.len();
        self.texts.clear();
        self.json.write(values, &mut self.texts)?;
        for piece in self.texts.pieces(0..len).map(Piece::text) {
            if piece.starts_with(b"\"") {
                text.push(piece);
            } else {
                escape::append_json_string(piece, text.open());
                text.end_value();
            }
        }
        Ok(())
    }
}

/// The kernel of values whose text is a JSON string.
pub(crate) struct JsonText {
    plain: Box<dyn CellText>,
    texts: TextBlock,
}

impl JsonText {
    pub(crate) fn new(plain: Box<dyn CellText>) -> Self {
        Self { plain, texts: TextBlock::default() }
    }
}

impl CellText for JsonText {
    fn write(&mut self, values: Slice<'_>, text: &mut TextBlock) -> Result<(), Error> {
        let len = values.rows.len();
        self.texts.clear();
        self.plain.write(values, &mut self.texts)?;
        for piece in self.texts.pieces(0..len).map(Piece::text) {
            escape::append_json_string(piece, text.open());
            text.end_value();
        }
        Ok(())
    }
}
