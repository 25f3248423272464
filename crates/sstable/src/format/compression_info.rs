//! CompressionInfo.db (`io/compress/CompressionMetadata.java`).
//!
//! ```text
//! u16 length, compressor class │ i32 n, n × (key, value), each u16 length and bytes
//! i32 chunk length │ i32 max compressed length (na+) │ i64 data length
//! i32 chunk count │ chunk count × i64 offset in Data.db │ dictionary (pa+, where used)
//! ```
//! Only the head is held in memory; offsets are read a page at a time, so that a table of any size
//! takes the same memory.

use std::ops::Range;
use std::sync::Arc;

use outpour_codec::{Compressor, Reader};
use outpour_storage::ReadAt;

use crate::{Error, Result, Version};

/// No compressor of Cassandra has options near this many bytes.
const HEAD_LEN_MAX: u64 = 64 << 10;
/// Offsets read at a time.
const PAGE_LEN: u64 = 4096;
/// Cassandra's own limit: the chunk length is a positive `int` and a power of two.
const CHUNK_LEN_MAX: u32 = 1 << 30;

/// How Data.db is cut into chunks.
#[derive(Debug, Clone)]
pub struct CompressionInfo {
    /// What chunks are compressed with
    pub compressor: Compressor,
    /// Compressor options other than class, chunk length and ratio
    pub options: Vec<(String, String)>,
    /// Uncompressed bytes of every chunk but the last; a power of two
    pub chunk_len: usize,
    /// Chunks stored in so many bytes or more are stored raw
    pub max_compressed_len: usize,
    /// Uncompressed bytes of Data.db
    pub data_len: u64,
    /// Chunks of Data.db, a degenerate last one included
    pub chunk_count: u64,
    offsets_at: u64,
}

impl CompressionInfo {
    /// Reads the head and checks that the file has the length that it announces.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes, Unsupported for an unknown compressor or a
    /// compression dictionary.
    pub fn read(file: &dyn ReadAt, version: Version) -> Result<Self> {
        let mut head = vec![0; file.len().min(HEAD_LEN_MAX) as usize];
        file.read_at(0, &mut head)?;
        let info = Self::parse(&head, version).map_err(|e| Error::decode(file.name(), 0, e))?;
        info.check(file, version)?;
        Ok(info)
    }

    fn parse(head: &[u8], version: Version) -> outpour_codec::Result<Self> {
        let mut r = Reader::new(head);
        let compressor = Compressor::parse(&utf(&mut r)?)?;
        let options = (0..r.count("option count", 4)?)
            .map(|_| Ok((utf(&mut r)?, utf(&mut r)?)))
            .collect::<outpour_codec::Result<_>>()?;
        let chunk_len = chunk_len(&mut r)?;
        let max_compressed_len = match version.has_max_compressed_length() {
            true => non_negative(&mut r, "max compressed length")? as usize,
            false => usize::MAX,
        };
        let data_len = r.i64()? as u64;
        let chunk_count = u64::from(non_negative(&mut r, "chunk count")?);
        let offsets_at = r.offset() as u64;
        Ok(Self {
            compressor,
            options,
            chunk_len,
            max_compressed_len,
            data_len,
            chunk_count,
            offsets_at,
        })
    }

    fn check(&self, file: &dyn ReadAt, version: Version) -> Result<()> {
        let needed = self.data_len.div_ceil(self.chunk_len as u64);
        if self.data_len > i64::MAX as u64
            || (self.chunk_count != needed && self.chunk_count != needed + 1)
        {
            let expected = format!("{needed} chunks for {} bytes of data", self.data_len);
            let at = self.offsets_at - 4;
            return Err(Error::corrupt(
                file.name(),
                Some(at),
                "chunk count",
                expected,
                self.chunk_count,
            ));
        }
        let end = self.offsets_at + 8 * self.chunk_count;
        if file.len() > end && version.may_have_dictionary() {
            return Err(Error::unsupported(
                file.name(),
                "compression dictionary",
                "only tables without a trained dictionary can be read",
            ));
        }
        if file.len() != end {
            return Err(Error::corrupt(file.name(), Some(end), "file length", end, file.len()));
        }
        Ok(())
    }

    /// Uncompressed bytes of chunk `index`: 0 for the degenerate last chunk of a compaction.
    pub(crate) fn plain_len(&self, index: u64) -> usize {
        let start = index * self.chunk_len as u64;
        self.data_len.saturating_sub(start).min(self.chunk_len as u64) as usize
    }
}

fn utf(r: &mut Reader<'_>) -> outpour_codec::Result<String> {
    Ok(String::from_utf8_lossy(r.short_bytes()?).into_owned())
}

fn non_negative(r: &mut Reader<'_>, what: &'static str) -> outpour_codec::Result<u32> {
    let offset = r.offset();
    let value = r.i32()?;
    u32::try_from(value).map_err(|_| invalid(what, offset, "0 or more", value))
}

fn chunk_len(r: &mut Reader<'_>) -> outpour_codec::Result<usize> {
    let offset = r.offset();
    let len = non_negative(r, "chunk length")?;
    if len.is_power_of_two() && len <= CHUNK_LEN_MAX {
        return Ok(len as usize);
    }
    Err(invalid("chunk length", offset, "a power of two", len))
}

fn invalid(
    what: &'static str,
    offset: usize,
    expected: &str,
    got: impl ToString,
) -> outpour_codec::Error {
    outpour_codec::Error::Invalid {
        what,
        offset,
        expected: expected.to_owned(),
        got: got.to_string(),
    }
}

/// Chunk offsets, read a page at a time.
#[derive(Debug)]
pub(crate) struct ChunkOffsets {
    file: Arc<dyn ReadAt>,
    at: u64,
    count: u64,
    data_file_len: u64,
    page_start: u64,
    page: Vec<u64>,
}

impl ChunkOffsets {
    /// The offsets of `info`, which was read from `file`; Data.db has `data_file_len` bytes.
    pub(crate) fn new(file: Arc<dyn ReadAt>, info: &CompressionInfo, data_file_len: u64) -> Self {
        let (at, count) = (info.offsets_at, info.chunk_count);
        Self { file, at, count, data_file_len, page_start: 0, page: Vec::new() }
    }

    /// Where chunk `index` and its checksum lie in Data.db.
    pub(crate) fn range(&mut self, index: u64) -> Result<Range<u64>> {
        let start = self.offset(index)?;
        let end =
            if index + 1 == self.count { self.data_file_len } else { self.offset(index + 1)? };
        if start.saturating_add(4) > end || end > self.data_file_len || (index == 0 && start != 0) {
            let at = self.at + 8 * index;
            let expected = format!("ascending offsets up to {}", self.data_file_len);
            let got = format!("{start}, then {end}");
            return Err(Error::corrupt(self.file.name(), Some(at), "chunk offset", expected, got));
        }
        Ok(start..end)
    }

    fn offset(&mut self, index: u64) -> Result<u64> {
        let in_page = index.checked_sub(self.page_start).map(|i| i as usize);
        if let Some(offset) = in_page.and_then(|i| self.page.get(i)) {
            return Ok(*offset);
        }
        let mut bytes = vec![0; 8 * (self.count - index).min(PAGE_LEN) as usize];
        self.file.read_at(self.at + 8 * index, &mut bytes)?;
        self.page.clear();
        self.page.extend(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_be_bytes(*word)));
        self.page_start = index;
        Ok(self.page.first().copied().unwrap_or_default())
    }
}
