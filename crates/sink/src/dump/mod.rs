//! Fragments to text: as Cassandra's sstabledump writes them, and without loss.

mod debug;
mod json;
mod key;
mod literal;
mod lossless;
mod punctuation;
mod shown;
mod texts;
mod times;

use outpour_cql::{FragmentBatch, FragmentLayout, FragmentValues};

use crate::Error;

pub use key::{KeyList, KeyText};

/// The releases whose sstabledump print differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DumpRelease {
    /// 3.x and 4.x: a partition's position is where it starts
    Before5,
    /// 5.0 and later: it is where its rows start; the kind of table is told
    Since5,
}

/// How an SSTable is dumped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DumpForm {
    /// sstabledump's JSON: one array of partitions
    Json,
    /// sstabledump's `-l`: one partition a line
    JsonLines,
    /// sstabledump's `-d`: one row or marker a line, as Cassandra's own log shows them
    Debug,
    /// Our own lines with every byte, time, flag and deletion
    Lossless,
}

/// What the text of a dump depends on besides the fragments.
#[derive(Debug, Clone)]
pub struct DumpOptions {
    /// The form of the text
    pub form: DumpForm,
    /// Times as numbers
    pub raw_times: bool,
    /// Whose form it has
    pub release: DumpRelease,
    /// Seconds since 1970 at which expiry is judged
    pub now: i64,
    /// The JSON object that tells of the SSTable in a lossless dump
    pub head: String,
}

impl DumpForm {
    /// What the form needs of values.
    #[must_use]
    pub fn values(self) -> FragmentValues {
        match self {
            Self::Json | Self::JsonLines => FragmentValues::Typed,
            Self::Debug => FragmentValues::Shown,
            Self::Lossless => FragmentValues::Bytes,
        }
    }
}

/// Writes the fragments of one SSTable.
///
/// [`Dump::begin`] once, [`Dump::write`] for every batch in order, [`Dump::finish`] once.
pub trait Dump: Send {
    /// Appends what stands before the fragments.
    fn begin(&mut self, out: &mut Vec<u8>);

    /// Appends the fragments of `batch`.
    ///
    /// # Errors
    /// A value's bytes are none of its type, or the batch is not of the layout.
    fn write(&mut self, batch: &FragmentBatch, out: &mut Vec<u8>) -> Result<(), Error>;

    /// Appends what stands after the fragments.
    fn finish(&mut self, out: &mut Vec<u8>);
}

/// The dump of an SSTable whose batches have this layout.
#[must_use]
pub fn dump(options: &DumpOptions, layout: &FragmentLayout) -> Box<dyn Dump> {
    match options.form {
        DumpForm::Json => Box::new(json::Json::new(options, layout, &punctuation::PRETTY)),
        DumpForm::JsonLines => Box::new(json::Json::new(options, layout, &punctuation::LINES)),
        DumpForm::Lossless => Box::new(lossless::Lossless::new(layout, options.head.clone())),
        DumpForm::Debug => Box::new(debug::Debug::new(layout)),
    }
}
