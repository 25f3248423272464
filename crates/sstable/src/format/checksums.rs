//! CRC.db and Digest.crc32 (`io/util/DataIntegrityMetadata.java`, `ChecksumWriter.java`).
//!
//! ```text
//! CRC.db         i32 chunk size │ one u32 CRC-32 for each chunk of Data.db, the last one short;
//!                compactions may add one of an empty chunk
//! Digest.crc32   the CRC-32 of all stored bytes of Data.db, in decimal ASCII
//! ```
//! Where neither CRC.db nor CompressionInfo.db was written, the digest alone proves the bytes.

use std::sync::Arc;

use outpour_codec::{Crc32, crc32};
use outpour_run::Cancel;
use outpour_storage::{Directory, MemoryDirectory, ReadAt, read_whole};

use crate::{Error, Result};

/// Cassandra's writer buffer is 64 KiB, Scylla's 4 KiB.
const CHUNK_LEN_MAX: u32 = 1 << 24;
/// The longest `u32` in decimal, and room for a line ending.
const DIGEST_LEN_MAX: u64 = 16;
/// Checksums read at a time.
const PAGE_LEN: u64 = 4096;
/// Bytes of Data.db that a digest reads at a time.
const DIGEST_BLOCK_LEN: u64 = 256 << 10;

/// CRC.db of an uncompressed Data.db.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkChecksums {
    /// Bytes of Data.db under one checksum
    pub(crate) chunk_len: usize,
}

impl ChunkChecksums {
    /// Reads the head and checks that there is one checksum for each chunk of a Data.db of
    /// `data_len` bytes.
    pub(crate) fn read(file: &dyn ReadAt, data_len: u64) -> Result<Self> {
        let mut word = [0; 4];
        file.read_at(0, &mut word)?;
        let chunk_len = u32::from_be_bytes(word);
        if chunk_len == 0 || chunk_len > CHUNK_LEN_MAX {
            let expected = format!("1 to {CHUNK_LEN_MAX}");
            return Err(Error::corrupt(file.name(), None, "chunk size", expected, chunk_len));
        }
        let expected = 4 + 4 * data_len.div_ceil(u64::from(chunk_len));
        // As compressed files may end in an empty chunk, so may this one in its checksum, which is 0.
        let mut is_of_nothing = |file: &dyn ReadAt| -> Result<bool> {
            file.read_at(expected, &mut word)?;
            Ok(word == [0; 4])
        };
        let fits = file.len() == expected || (file.len() == expected + 4 && is_of_nothing(file)?);
        if !fits {
            return Err(Error::corrupt(file.name(), None, "file length", expected, file.len()));
        }
        // One chunk may be announced larger than all there is.
        let chunk_len = u64::from(chunk_len).min(data_len.max(1));
        Ok(Self { chunk_len: chunk_len as usize })
    }

    /// Reads a page of checksums that starts with that of chunk `index`.
    pub(crate) fn page(file: &dyn ReadAt, index: u64) -> Result<Vec<u32>> {
        let at = 4 + 4 * index;
        let mut bytes = vec![0; file.len().saturating_sub(at).min(4 * PAGE_LEN) as usize];
        file.read_at(at, &mut bytes)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_be_bytes(*word)).collect())
    }
}

/// Reads Digest.crc32.
pub(crate) fn read_digest(file: &dyn ReadAt) -> Result<u32> {
    let bytes = read_whole(file, DIGEST_LEN_MAX)?;
    let text = String::from_utf8_lossy(&bytes);
    text.trim_end().parse().map_err(|_| {
        Error::corrupt(file.name(), None, "digest", "a decimal CRC-32", text.escape_debug())
    })
}

/// Checks the stored bytes of Data.db against their digest.
///
/// # Errors
/// Corrupt if they differ, Io.
pub(crate) fn check_digest(data: &dyn ReadAt, expected: u32, cancel: &Cancel) -> Result<()> {
    let mut digest = Crc32::new();
    each_block(data, |block| {
        digest.update(block);
        Ok(cancel.check()?)
    })?;
    compare_digests(data, expected, digest)
}

/// What CRC.db would hold for a Data.db that came without it, once its bytes have proved to be those
/// of the digest.
///
/// # Errors
/// As of [`check_digest`].
pub(crate) fn checksums_by_digest(data: &dyn ReadAt, expected: u32) -> Result<Arc<dyn ReadAt>> {
    let mut digest = Crc32::new();
    let mut file = (DIGEST_BLOCK_LEN as u32).to_be_bytes().to_vec();
    each_block(data, |block| {
        digest.update(block);
        file.extend_from_slice(&crc32(block).to_be_bytes());
        Ok(())
    })?;
    compare_digests(data, expected, digest)?;
    Ok(MemoryDirectory::of("memory", [("CRC.db", file)]).open("CRC.db")?)
}

fn compare_digests(data: &dyn ReadAt, expected: u32, digest: Crc32) -> Result<()> {
    let got = digest.finalize();
    match expected == got {
        true => Ok(()),
        false => {
            let what = "CRC-32 of the whole file, by Digest.crc32";
            Err(Error::corrupt(data.name(), None, what, expected, got))
        }
    }
}

fn each_block(data: &dyn ReadAt, mut visit: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let mut block = vec![0; DIGEST_BLOCK_LEN.min(data.len()) as usize];
    let mut at = 0;
    while at < data.len() {
        let len = (data.len() - at).min(DIGEST_BLOCK_LEN) as usize;
        data.read_at(at, &mut block[..len])?;
        visit(&block[..len])?;
        at += len as u64;
    }
    Ok(())
}
