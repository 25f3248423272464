//! From a source to a sink: finds tables and their schemas, scans them, and pours the rows out.

mod count;
mod dump;
mod dump_head;
mod error;
mod export;
mod infer;
mod info;
mod pour;
mod schema;
mod source;
mod system_schema;
mod verify;

pub use count::{Count, CountOptions, count};
pub use dump::{DumpContent, DumpOptions, dump};
pub use error::{Error, ErrorKind, Result};
pub use export::{ExportOptions, OnCorrupt, Summary, export, write_file};
pub use info::{
    Bucket, ClusteringInfo, ColumnInfo, CommitLogInfo, ComponentInfo, Distribution, DropTime,
    Droppable, EncodingInfo, InfoError, InfoOptions, LevelInfo, SstableInfo, TableInfo, Totals,
    info,
};
pub use outpour_sink::{DumpForm, Format, Values};
pub use outpour_sstable::TokenRange;
pub use schema::{SchemaOptions, schema_text};
pub use source::SourceOptions;
pub use verify::{ComponentVerdict, Finding, Verdict, VerifyOptions, verify};
