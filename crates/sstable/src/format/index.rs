//! Index.db of format big (`io/sstable/format/big/RowIndexEntry.java`,
//! `io/sstable/IndexInfo.java`, Cassandra 5.0): one entry a partition, in their order.
//!
//! ```text
//! entry      u16 length, key │ vint position in Data.db │ vint size │ size bytes, a promoted index
//! promoted   vint header length │ partition deletion │ vint block count, 2 or more
//! index      block count × block │ block count × i32 where each block starts, from the first on
//! block      first clustering prefix │ last one │ vint offset in the partition
//!            signed vint width - 65536 │ u8 has open marker │ [deletion open at the block's end]
//! ```
//! Size 0: the partition has no promoted index, for its rows fit in one block. The header is the
//! partition's key, deletion and static row. Blocks follow each other without gaps. The last one
//! includes the byte that ends the partition, unless it was full before that.

use std::sync::Arc;

use outpour_codec::vint;
use outpour_storage::ReadAt;

use super::clustering::{ClusteringPrefix, Width};
use super::deletion::DeletionTime;
use crate::read::{Blocks, Span, Stop};
use crate::{Result, Version};

/// What a block's width is stored relative to, whatever the configured block size.
const WIDTH_BASE: i64 = 65536;

/// One entry of Index.db.
#[derive(Debug, Default)]
pub(crate) struct IndexEntry {
    /// Where it starts in Index.db
    pub(crate) at: u64,
    pub(crate) key: Vec<u8>,
    /// Where the partition starts in the uncompressed bytes of Data.db
    pub(crate) data_position: u64,
    pub(crate) promoted: Option<PromotedIndex>,
}

/// The blocks of a long partition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PromotedIndex {
    /// Where the first row or marker starts in the partition
    pub(crate) header_len: u64,
    pub(crate) deletion: DeletionTime,
    pub(crate) block_count: u64,
    blocks_at: u64,
    offsets_at: u64,
}

/// The entries of Index.db, one after the other.
#[derive(Debug)]
pub(crate) struct IndexEntries {
    file: Blocks,
    version: Version,
    next_at: u64,
}

/// An entry up to the blocks.
struct Head {
    key: Span,
    data_position: u64,
    /// Where the promoted index starts in the entry, and its size
    promoted: (usize, u64),
    header: Option<(u64, DeletionTime, u64)>,
}

impl IndexEntries {
    /// For one that is read from its start to its end.
    pub(crate) fn new(file: Arc<dyn ReadAt>, version: Version) -> Self {
        Self { file: Blocks::forward(file), version, next_at: 0 }
    }

    /// For one in which a few entries are looked up.
    pub(crate) fn scattered(file: Arc<dyn ReadAt>, version: Version) -> Self {
        Self { file: Blocks::scattered(file), version, next_at: 0 }
    }

    /// Goes on with the entry that starts at `at`.
    pub(crate) fn seek(&mut self, at: u64) {
        self.next_at = at;
    }

    /// The path of Index.db.
    pub(crate) fn file_name(&self) -> &str {
        self.file.file_name()
    }

    /// Bytes of Index.db.
    pub(crate) fn file_len(&self) -> u64 {
        self.file.file_len()
    }

    /// Puts the next entry into `entry`; false behind the last one.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes, Io.
    pub(crate) fn next(&mut self, entry: &mut IndexEntry) -> Result<bool> {
        let (at, version) = (self.next_at, self.version);
        if at >= self.file.file_len() {
            return Ok(false);
        }
        let read = |bytes: &[u8], place: &mut usize| read_head(bytes, place, version);
        let (head, head_end) = self.file.decode(at, "index entry", read)?;
        let promoted_at = at + head.promoted.0 as u64;
        entry.promoted = self.promoted(promoted_at, head_end, &head)?;
        self.next_at = promoted_at + head.promoted.1;
        entry.at = at;
        entry.data_position = head.data_position;
        entry.key.clear();
        let bytes = self.file.at(at, head.promoted.0)?;
        entry.key.extend_from_slice(head.key.of(bytes).unwrap_or_default());
        Ok(true)
    }

    fn promoted(&self, at: u64, blocks_at: u64, head: &Head) -> Result<Option<PromotedIndex>> {
        let size = head.promoted.1;
        let most = self.file.file_len() - at;
        if size > most {
            return Err(self.file.corrupt(at, "promoted index size", format!("0 to {most}"), size));
        }
        let Some((header_len, deletion, block_count)) = head.header else { return Ok(None) };
        let offsets_len = block_count.saturating_mul(4);
        match (at + size).checked_sub(offsets_len) {
            Some(offsets_at) if block_count >= 2 && offsets_at > blocks_at => {
                let index =
                    PromotedIndex { header_len, deletion, block_count, blocks_at, offsets_at };
                Ok(Some(index))
            }
            _ => {
                let expected = format!("2 or more in {size} bytes");
                Err(self.file.corrupt(at, "block count", expected, block_count))
            }
        }
    }
}

fn read_head(bytes: &[u8], at: &mut usize, version: Version) -> Result<Head, Stop> {
    let key = Span::read_short(bytes, at)?;
    let data_position = unsigned(bytes, at)?;
    let size = unsigned(bytes, at)?;
    let promoted = (*at, size);
    let header = match size {
        0 => None,
        _ => {
            let header_len = unsigned(bytes, at)?;
            let deletion = DeletionTime::decode(bytes, at, version)?;
            Some((header_len, deletion, unsigned(bytes, at)?))
        }
    };
    Ok(Head { key, data_position, promoted, header })
}

fn unsigned(bytes: &[u8], at: &mut usize) -> Result<u64, Stop> {
    vint::read_unsigned(bytes, at).ok_or(Stop::Incomplete)
}

impl PromotedIndex {
    /// That of a partition which has none
    const NONE: Self = Self {
        header_len: 0,
        deletion: DeletionTime::LIVE,
        block_count: 0,
        blocks_at: 0,
        offsets_at: 0,
    };
}

/// One block of a promoted index.
#[derive(Debug)]
pub(crate) struct IndexBlock {
    /// Where it starts in Index.db
    pub(crate) at: u64,
    pub(crate) first: ClusteringPrefix,
    pub(crate) last: ClusteringPrefix,
    /// Where the block starts in the partition
    pub(crate) offset: u64,
    pub(crate) width: u64,
    /// The range tombstone that is open at its end; live if none is
    pub(crate) open: DeletionTime,
}

/// The blocks of promoted indexes, one after the other.
#[derive(Debug)]
pub(crate) struct IndexBlocks {
    file: Blocks,
    offsets: Blocks,
    version: Version,
    widths: Vec<Width>,
    index: PromotedIndex,
    next: u64,
    next_at: u64,
    /// Where the next block must start in the partition
    next_offset: u64,
}

impl IndexBlocks {
    /// Before the first entry of the Index.db `file`; `widths` are those of the clustering values.
    pub(crate) fn new(file: &Arc<dyn ReadAt>, version: Version, widths: Vec<Width>) -> Self {
        Self {
            file: Blocks::forward(Arc::clone(file)),
            offsets: Blocks::forward(Arc::clone(file)),
            version,
            widths,
            index: PromotedIndex::NONE,
            next: 0,
            next_at: 0,
            next_offset: 0,
        }
    }

    /// Goes on with the blocks of an entry.
    pub(crate) fn start(&mut self, index: Option<PromotedIndex>) {
        self.index = index.unwrap_or(PromotedIndex::NONE);
        self.next = 0;
        self.next_at = self.index.blocks_at;
        self.next_offset = self.index.header_len;
    }

    /// Whether all blocks have been read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.next == self.index.block_count
    }

    /// The next block; `None` behind the last one.
    ///
    /// # Errors
    /// Corrupt for bytes that no Cassandra writes, and for a block that does not follow the one before;
    /// Io.
    pub(crate) fn next(&mut self) -> Result<Option<IndexBlock>> {
        if self.is_at_end() {
            return Ok(None);
        }
        let (at, version) = (self.next_at, self.version);
        self.check_start(at)?;
        let widths = &self.widths;
        let read = |bytes: &[u8], place: &mut usize| read_block(bytes, place, version, widths);
        let (block, end) = self.file.decode(at, "index block", read)?;
        self.check(at, end, &block)?;
        self.next += 1;
        self.next_at = end;
        self.next_offset = block.offset.saturating_add(block.width);
        Ok(Some(IndexBlock { at, ..block }))
    }

    /// The array behind the blocks must tell the same place.
    fn check_start(&mut self, at: u64) -> Result<()> {
        let place = self.index.offsets_at + 4 * self.next;
        let word = self.offsets.at(place, 4)?.first_chunk::<4>().copied().unwrap_or_default();
        let (expected, got) = (at - self.index.blocks_at, u32::from_be_bytes(word));
        match u64::from(got) == expected {
            true => Ok(()),
            false => Err(self.file.corrupt(place, "start of an index block", expected, got)),
        }
    }

    fn check(&self, at: u64, end: u64, block: &IndexBlock) -> Result<()> {
        if block.offset != self.next_offset {
            let expected = self.next_offset;
            return Err(self.file.corrupt(at, "offset of the block", expected, block.offset));
        }
        let is_last = self.next + 1 == self.index.block_count;
        if end > self.index.offsets_at || (is_last && end != self.index.offsets_at) {
            let expected = format!("the end of the blocks at {}", self.index.offsets_at);
            return Err(self.file.corrupt(at, "index block", expected, end));
        }
        Ok(())
    }
}

fn read_block(
    bytes: &[u8],
    at: &mut usize,
    version: Version,
    widths: &[Width],
) -> Result<IndexBlock, Stop> {
    let first = ClusteringPrefix::read(bytes, at, widths)?;
    let last = ClusteringPrefix::read(bytes, at, widths)?;
    let offset = unsigned(bytes, at)?;
    let width_at = *at;
    let stored = vint::read_signed(bytes, at).ok_or(Stop::Incomplete)?;
    let width = u64::try_from(stored.saturating_add(WIDTH_BASE)).unwrap_or(0);
    if width == 0 {
        return Err(Stop::corrupt(width_at, "width of the block", "1 byte or more", stored));
    }
    let flag_at = *at;
    *at += 1;
    let open = match bytes.get(flag_at).ok_or(Stop::Incomplete)? {
        0 => DeletionTime::LIVE,
        1 => DeletionTime::decode(bytes, at, version)?,
        flag => return Err(Stop::corrupt(flag_at, "has open marker", "0 or 1", flag)),
    };
    Ok(IndexBlock { at: 0, first, last, offset, width, open })
}

#[cfg(test)]
mod tests;
