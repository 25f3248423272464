use std::fmt::Display;
use std::ops::Range;
use std::sync::Arc;

use outpour_codec::crc32;
use outpour_run::Progress;
use outpour_storage::ReadAt;

use crate::format::checksums::ChunkChecksums;
use crate::format::compression_info::{ChunkOffsets, CompressionInfo};
use crate::{Error, Result};

/// Stored bytes asked of the storage at a time, where chunks are smaller and there is room; and bytes
/// of the window that they are decompressed to. Both stay in the L2 cache.
const READ_LEN: usize = 128 << 10;
/// Offsets and checksums of chunks that are held at a time, in bytes.
const PAGES_LEN: u64 = 64 << 10;

/// Data.db from start to end, chunk by chunk, each checked against its CRC-32.
///
/// ```text
/// compressed     for each chunk: stored bytes │ u32 CRC-32 of them
///                stored in max compressed length bytes or more: raw, zero-padded up to that length
/// uncompressed   the bytes; CRC.db has a CRC-32 for each of its chunks
/// ```
#[derive(Debug)]
pub(crate) struct ChunkReader {
    data: Arc<dyn ReadAt>,
    framing: Framing,
    next: u64,
    count: u64,
    /// How much to read at a time
    read_len: usize,
    /// Chunks from here on are probably not wanted: they are not read ahead
    unwanted_from: u64,
    stored: Vec<u8>,
    /// Where `stored` lies in Data.db
    stored_at: Range<u64>,
    progress: Progress,
}

#[derive(Debug)]
enum Framing {
    Compressed { info: CompressionInfo, offsets: ChunkOffsets },
    Plain { checksums: ChunkChecksums, file: Arc<dyn ReadAt>, page_start: u64, page: Vec<u32> },
}

impl ChunkReader {
    /// A compressed Data.db; `info` was read from `file`.
    pub(crate) fn compressed(
        data: Arc<dyn ReadAt>,
        info: CompressionInfo,
        file: Arc<dyn ReadAt>,
        progress: Progress,
    ) -> Self {
        let offsets = ChunkOffsets::new(file, &info, data.len());
        let count = info.chunk_count;
        Self::new(data, Framing::Compressed { info, offsets }, count, progress)
    }

    /// An uncompressed Data.db; `checksums` were read from `file`.
    pub(crate) fn plain(
        data: Arc<dyn ReadAt>,
        checksums: ChunkChecksums,
        file: Arc<dyn ReadAt>,
        progress: Progress,
    ) -> Self {
        let count = data.len().div_ceil(checksums.chunk_len as u64);
        let framing = Framing::Plain { checksums, file, page_start: 0, page: Vec::new() };
        Self::new(data, framing, count, progress)
    }

    fn new(data: Arc<dyn ReadAt>, framing: Framing, count: u64, progress: Progress) -> Self {
        let (stored, stored_at) = (Vec::new(), 0..0);
        Self {
            data,
            framing,
            next: 0,
            count,
            read_len: READ_LEN,
            unwanted_from: count,
            stored,
            stored_at,
            progress,
        }
    }

    /// Reads at most `len` bytes at a time, if chunks are not larger.
    pub(crate) fn with_read_len(mut self, len: usize) -> Self {
        self.read_len = self.read_len.min(len);
        self
    }

    /// Does not read ahead of byte `end` of the uncompressed bytes.
    pub(crate) fn read_ahead_to(&mut self, end: u64) {
        self.unwanted_from = end.div_ceil(self.chunk_len() as u64);
    }

    /// Whether the next chunk should be read only if there is need.
    pub(crate) fn is_next_unwanted(&self) -> bool {
        self.next >= self.unwanted_from
    }

    /// How much is read at a time.
    pub(crate) fn read_len(&self) -> usize {
        self.read_len
    }

    /// The most bytes that its own buffers take.
    pub(crate) fn stored_len(&self) -> u64 {
        let longest = match &self.framing {
            Framing::Compressed { info, .. } => longest_stored(info),
            // Chunks are read to where they are wanted.
            Framing::Plain { .. } => return PAGES_LEN,
        };
        longest.max(self.read_len as u64) + PAGES_LEN
    }

    /// The path of Data.db.
    pub(crate) fn file_name(&self) -> &str {
        self.data.name()
    }

    /// The most bytes that one chunk holds.
    pub(crate) fn chunk_len(&self) -> usize {
        match &self.framing {
            Framing::Compressed { info, .. } => info.chunk_len,
            Framing::Plain { checksums, .. } => checksums.chunk_len,
        }
    }

    /// How many uncompressed bytes there are.
    pub(crate) fn data_len(&self) -> u64 {
        match &self.framing {
            Framing::Compressed { info, .. } => info.data_len,
            Framing::Plain { .. } => self.data.len(),
        }
    }

    /// Goes on with the chunk that holds byte `offset` of the uncompressed bytes, and returns where it
    /// starts.
    pub(crate) fn seek(&mut self, offset: u64) -> u64 {
        let chunk_len = self.chunk_len() as u64;
        self.next = offset / chunk_len;
        self.next * chunk_len
    }

    /// Where the next chunk starts in the uncompressed bytes.
    pub(crate) fn next_offset(&self) -> u64 {
        self.next * self.chunk_len() as u64
    }

    /// Puts the next chunk at the start of `out`, which must have room for it, and returns how many
    /// bytes it holds; `None` behind the last one.
    ///
    /// # Errors
    /// Corrupt for a chunk whose checksum or length is wrong, Io.
    pub(crate) fn read_next(&mut self, out: &mut [u8]) -> Result<Option<usize>> {
        if self.next >= self.count {
            return Ok(None);
        }
        let index = self.next;
        self.next += 1;
        let plain_len = match &self.framing {
            Framing::Compressed { .. } => self.read_compressed(index, out)?,
            Framing::Plain { .. } => self.read_plain(index, out)?,
        };
        Ok(Some(plain_len))
    }

    fn read_compressed(&mut self, index: u64, out: &mut [u8]) -> Result<usize> {
        let Framing::Compressed { info, offsets } = &mut self.framing else { return Ok(0) };
        let range = offsets.range(index)?;
        let plain_len = info.plain_len(index);
        let most = longest_stored(info);
        if range.end - range.start > most {
            let expected = format!("at most {most} stored bytes");
            let got = range.end - range.start;
            return Err(self.corrupt(range.start, "chunk length", expected, got));
        }
        self.buffer(index, &range)?;
        let Framing::Compressed { info, .. } = &self.framing else { return Ok(0) };
        let (chunk, crc) = self.chunk(&range)?;
        let computed = crc32(chunk);
        if crc != computed {
            return Err(self.crc_mismatch(&range, crc, computed));
        }
        let Some(out) = out.get_mut(..plain_len).filter(|out| !out.is_empty()) else {
            return self.check_degenerate(index, &range, plain_len);
        };
        if chunk.len() >= info.max_compressed_len {
            self.copy_raw(&range, chunk, out)?;
        } else if let Err(e) = info.compressor.decompress(chunk, out) {
            return Err(Error::decode(self.data.name(), range.start, e));
        }
        Ok(plain_len)
    }

    /// Compactions of 5.0 may end in one chunk that holds nothing; nowhere else is that right.
    fn check_degenerate(&self, index: u64, range: &Range<u64>, plain_len: usize) -> Result<usize> {
        if plain_len == 0 && index + 1 == self.count {
            return Ok(0);
        }
        Err(self.corrupt(range.start, "chunk", "a chunk with data", format!("chunk {index}")))
    }

    fn copy_raw(&self, range: &Range<u64>, chunk: &[u8], out: &mut [u8]) -> Result<()> {
        let (plain, padding) = chunk
            .split_at_checked(out.len())
            .ok_or_else(|| self.corrupt(range.start, "raw chunk length", out.len(), chunk.len()))?;
        let Framing::Compressed { info, .. } = &self.framing else { return Ok(()) };
        let padded = chunk.len() == info.max_compressed_len && padding.iter().all(|b| *b == 0);
        if !padding.is_empty() && !padded {
            let expected = format!("{} bytes and zeros", out.len());
            return Err(self.corrupt(range.start, "raw chunk", expected, chunk.len()));
        }
        out.copy_from_slice(plain);
        Ok(())
    }

    fn read_plain(&mut self, index: u64, out: &mut [u8]) -> Result<usize> {
        let crc = self.plain_crc(index)?;
        let chunk_len = self.chunk_len() as u64;
        let start = index * chunk_len;
        let range = start..(start + chunk_len).min(self.data.len());
        let plain_len = (range.end - range.start) as usize;
        let out = &mut out[..plain_len];
        self.data.read_at(start, out)?;
        self.progress.add_bytes(plain_len as u64);
        let computed = crc32(out);
        if crc != computed {
            return Err(self.crc_mismatch(&range, crc, computed));
        }
        Ok(plain_len)
    }

    fn plain_crc(&mut self, index: u64) -> Result<u32> {
        let Framing::Plain { file, page_start, page, .. } = &mut self.framing else { return Ok(0) };
        if index < *page_start || index - *page_start >= page.len() as u64 {
            *page = ChunkChecksums::page(&**file, index)?;
            *page_start = index;
        }
        page.get((index - *page_start) as usize).copied().ok_or_else(|| {
            Error::corrupt(file.name(), None, "checksums", format!("more than {index}"), page.len())
        })
    }

    /// Makes sure that the stored bytes of chunk `index`, which are those of `range`, are in memory.
    fn buffer(&mut self, index: u64, range: &Range<u64>) -> Result<()> {
        if range.start >= self.stored_at.start && range.end <= self.stored_at.end {
            return Ok(());
        }
        let wanted = self.unwanted_from.saturating_sub(index) * self.chunk_len() as u64;
        let ahead = (self.read_len as u64).min(wanted);
        let end = range.end.max((range.start + ahead).min(self.data.len()));
        self.stored.resize((end - range.start) as usize, 0);
        self.data.read_at(range.start, &mut self.stored)?;
        self.progress.add_bytes(end - self.stored_at.end.max(range.start).min(end));
        self.stored_at = range.start..end;
        Ok(())
    }

    /// The stored bytes of a buffered chunk, and the checksum behind them.
    fn chunk(&self, range: &Range<u64>) -> Result<(&[u8], u32)> {
        let start = (range.start - self.stored_at.start) as usize;
        let bytes = self.stored.get(start..start + (range.end - range.start) as usize);
        match bytes.and_then(<[u8]>::split_last_chunk::<4>) {
            Some((chunk, crc)) => Ok((chunk, u32::from_be_bytes(*crc))),
            None => Err(self.corrupt(range.start, "chunk", "4 bytes or more", range.end)),
        }
    }

    fn crc_mismatch(&self, range: &Range<u64>, stored: u32, computed: u32) -> Error {
        let what = "CRC-32 of the chunk";
        self.corrupt(range.start, what, format!("{stored:08x}"), format!("{computed:08x}"))
    }

    fn corrupt(
        &self,
        at: u64,
        what: &'static str,
        expected: impl Display,
        got: impl Display,
    ) -> Error {
        Error::corrupt(self.data.name(), at, what, expected, got)
    }
}

/// The most bytes that a compressor of Cassandra makes of a whole chunk, generously, or that a raw
/// chunk is padded to; with the checksum.
fn longest_stored(info: &CompressionInfo) -> u64 {
    let expanded = info.chunk_len as u64 + info.chunk_len as u64 / 4 + 1024;
    let padded = match info.max_compressed_len {
        len if len < i32::MAX as usize => len as u64,
        _ => 0,
    };
    expanded.max(padded.min(2 * info.chunk_len as u64)) + 4
}
