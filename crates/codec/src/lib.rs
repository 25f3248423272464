//! The leaves that the formats are built from: integers, checksums, chunk compression, hashes.
//!
//! Nothing here does I/O or knows a file layout. Every function that takes foreign bytes returns an
//! error for bad ones and uses memory in proportion to its input or to a length that the caller set.

mod bloom;
mod compress;
mod error;
mod murmur3;
mod reader;
pub mod vint;

pub use bloom::bloom_bits;
pub use compress::Compressor;
pub use error::{Error, Result};
pub use murmur3::murmur3_x64_128;
pub use reader::Reader;

use md5::{Digest, Md5};

/// CRC-32 (zlib's polynomial) of `bytes`, the checksum of SSTables since 3.0.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// A CRC-32 that is fed piece by piece.
pub type Crc32 = crc32fast::Hasher;

/// MD5 of `bytes`, from which RandomPartitioner makes its tokens.
#[must_use]
pub fn md5(bytes: &[u8]) -> [u8; 16] {
    Md5::digest(bytes).into()
}
