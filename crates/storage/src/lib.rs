//! Random reads of files and directories, and output that is complete or absent.
//!
//! Everything above this crate reads through [`ReadAt`] and [`Directory`], so that the same code
//! works on local files, on bytes in memory and on a storage that fails on purpose.

mod directory;
mod error;
mod faulty;
mod local;
mod memory;
mod output;
mod read_at;

pub use directory::{Directory, Entry, EntryKind};
pub use error::{Error, ErrorKind, Result};
pub use faulty::{Fault, FaultyDirectory};
pub use local::LocalDirectory;
pub use memory::MemoryDirectory;
pub use output::Output;
pub use read_at::{ReadAt, read_whole};
