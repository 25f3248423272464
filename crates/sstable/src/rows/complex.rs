//! Cells of a multi-cell column to one value, as the CQL protocol carries it.
//!
//! ```text
//! list   i32 count │ count × (i32 length, value)        path: a time UUID, for the order only
//! set    i32 count │ count × (i32 length, path)         value: empty
//! map    i32 count │ count × (i32 length, path │ i32 length, value)
//! UDT    for each field: i32 length, value; -1: null    path: i16 field number
//! ```

use crate::read::{ColumnKind, Span, Stop};

/// A value that is being put together at the end of a buffer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ComplexValue {
    kind: ColumnKind,
    start: usize,
    count: u32,
}

impl ComplexValue {
    /// Starts a value at the end of `out`.
    pub(crate) fn begin(kind: ColumnKind, out: &mut Vec<u8>) -> Self {
        let start = out.len();
        if !matches!(kind, ColumnKind::Udt(_)) {
            out.extend_from_slice(&[0; 4]);
        }
        Self { kind, start, count: 0 }
    }

    /// Adds a live cell; those of a UDT must come by field.
    ///
    /// # Errors
    /// Corrupt for a path that is no field of the UDT, or one that comes twice.
    pub(crate) fn push(
        &mut self,
        path: &[u8],
        value: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Stop> {
        match self.kind {
            ColumnKind::Set => push_sized(path, out),
            ColumnKind::Map => {
                push_sized(path, out);
                push_sized(value, out);
            }
            ColumnKind::Udt(fields) => {
                let field = field_number(path, self.count, fields)?;
                for _ in self.count..u32::from(field) {
                    out.extend_from_slice(&NULL_LEN);
                }
                self.count = u32::from(field);
                push_sized(value, out);
            }
            ColumnKind::List | ColumnKind::Simple | ColumnKind::Counter => push_sized(value, out),
        }
        self.count += 1;
        Ok(())
    }

    /// Ends the value; null if it has no element, as CQL has no empty collections of this kind.
    pub(crate) fn finish(self, out: &mut Vec<u8>) -> Span {
        if self.count == 0 {
            out.truncate(self.start);
            return Span::NULL;
        }
        if let ColumnKind::Udt(fields) = self.kind {
            for _ in self.count..u32::from(fields) {
                out.extend_from_slice(&NULL_LEN);
            }
        } else {
            out[self.start..self.start + 4].copy_from_slice(&self.count.to_be_bytes());
        }
        Span::new(self.start, out.len() - self.start)
    }
}

const NULL_LEN: [u8; 4] = (-1_i32).to_be_bytes();

fn push_sized(value: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&(value.len() as u32).to_be_bytes());
    out.extend_from_slice(value);
}

fn field_number(path: &[u8], next: u32, fields: u16) -> Result<u16, Stop> {
    match path.first_chunk::<2>().map(|bytes| u16::from_be_bytes(*bytes)) {
        Some(field) if path.len() == 2 && u32::from(field) >= next && field < fields => Ok(field),
        _ => {
            let expected = format!("2 bytes, {next} to {}", i32::from(fields) - 1);
            Err(Stop::corrupt(0, "UDT field number", expected, format!("{path:02x?}")))
        }
    }
}
