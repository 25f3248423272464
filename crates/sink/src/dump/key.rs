use outpour_cql::CqlType;

use super::shown;
use crate::Error;
use crate::kernel::{Part, take_component};
use crate::text::escape;

/// The text of partition keys, as sstabledump's `-k`, `-x` and `-d` have it: of a key of several
/// columns with `:` between them.
pub struct KeyText {
    whole: Part,
}

impl KeyText {
    /// For keys of the type that an SSTable's header has.
    #[must_use]
    pub fn new(key_type: &CqlType) -> Self {
        Self { whole: shown::part(key_type) }
    }

    /// The text of `key`.
    ///
    /// # Errors
    /// Corrupt for bytes that are no key of the type.
    pub fn text(&mut self, key: &[u8]) -> Result<&[u8], Error> {
        self.whole.text(Some(key)).map_err(|e| e.of_column("partition key"))
    }
}

/// The partition keys of an SSTable as one JSON array, each an array of its columns' text:
/// sstabledump's `-e` (`JsonTransformer.keysToJson`).
pub struct KeyList {
    parts: Vec<Part>,
    is_composite: bool,
    has_key: bool,
}

impl KeyList {
    /// For keys of the type that an SSTable's header has.
    #[must_use]
    pub fn new(key_type: &CqlType) -> Self {
        let (parts, is_composite) = match key_type {
            CqlType::Composite(components) => (components.iter().map(shown::part).collect(), true),
            single => (vec![shown::part(single)], false),
        };
        Self { parts, is_composite, has_key: false }
    }

    /// Appends what stands before the keys.
    pub fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"[ ");
    }

    /// Appends `key`.
    ///
    /// # Errors
    /// Corrupt for bytes that are no key of the type.
    pub fn push(&mut self, key: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        let is_first = !std::mem::replace(&mut self.has_key, true);
        out.extend_from_slice(if is_first { b"[ " } else { b", [ " });
        let mut rest = key;
        for (index, part) in self.parts.iter_mut().enumerate() {
            if index > 0 {
                out.extend_from_slice(b", ");
            }
            let component = match self.is_composite {
                true => take_component(&mut rest).map(|(component, _)| component),
                false => Ok(key),
            };
            let text = component.and_then(|component| part.text(Some(component)));
            escape::append_json_string(text.map_err(|e| e.of_column("partition key"))?, out);
        }
        out.extend_from_slice(b" ]");
        Ok(())
    }

    /// Appends what stands after the keys.
    pub fn finish(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.has_key { b"\n]\n" } else { b"]\n" });
    }
}
