//! Partition keys (`db/marshal/CompositeType.java`).
//!
//! ```text
//! of one column        the value
//! of several columns   for each: u16 length │ value │ 00
//! ```

use crate::read::Span;

/// Puts where the values of the `columns` columns lie in `key` into `components`.
///
/// # Errors
/// What was expected of the key.
pub(crate) fn split(key: &[u8], columns: usize, components: &mut Vec<Span>) -> Result<(), String> {
    components.clear();
    if columns == 1 {
        components.push(Span::new(0, key.len()));
        return Ok(());
    }
    let mut at = 0;
    while at < key.len() {
        let len = key.get(at..at + 2).and_then(<[u8]>::first_chunk).copied();
        let len = usize::from(u16::from_be_bytes(len.unwrap_or([0xff; 2])));
        let end = at + 2 + len;
        if key.get(end) != Some(&0) {
            return Err(format!("{columns} components that fill the key"));
        }
        components.push(Span::new(at + 2, len));
        at = end + 1;
    }
    match components.len() == columns {
        true => Ok(()),
        false => Err(format!("{columns} components")),
    }
}
