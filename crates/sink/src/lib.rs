//! Rows to text: JSON as Cassandra's `SELECT JSON` writes it, CSV as cqlsh's `COPY TO` does.
//!
//! A column's type is resolved once, to a kernel that writes the text of a block of its values in
//! one monomorphic loop; then the texts of all columns are put together row by row.

mod block;
mod csv;
mod dump;
mod error;
mod framing;
mod json;
mod kernel;
mod rows;
mod sink;
mod text;

pub use dump::{Dump, DumpForm, DumpOptions, DumpRelease, KeyList, KeyText, dump};
pub use error::{Error, ErrorKind};
pub use framing::Framing;
pub use sink::{Format, Sink, Values, framing, sink};
