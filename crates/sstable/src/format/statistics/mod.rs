//! Statistics.db (`io/sstable/metadata/MetadataSerializer.java`).
//!
//! ```text
//! i32 component count │ u32 CRC-32 of it (na+)
//! count × (i32 type, i32 absolute offset) │ u32 CRC-32 of the count and of these pairs (na+)
//! components, each followed by its u32 CRC-32 (na+)
//! ```
//! Types: 0 validation, 1 compaction, 2 stats, 3 serialization header.

mod clustering;
mod header;
mod histogram;
mod stats;

use std::ops::Range;

use outpour_codec::{Crc32, Reader, crc32};
use outpour_storage::{ReadAt, read_whole};

pub use clustering::{ClusteringBound, ClusteringBounds};
pub use header::{HeaderColumn, SerializationHeader};
pub use histogram::{EstimatedHistogram, TombstoneBin};
pub use stats::{CommitLogInterval, CommitLogPosition, Stats};

use crate::{Error, Result, Version};

/// Key histograms, tombstone bins and 16-bit-long clustering values stay far below this.
const LEN_MAX: u64 = 64 << 20;
/// Cassandra writes four; more would be a newer format.
const COMPONENT_COUNT_MAX: usize = 16;

/// What Statistics.db tells of an SSTable.
#[derive(Debug, Clone)]
pub struct Statistics {
    /// Full class name of the partitioner
    pub partitioner: String,
    /// The table's bloom_filter_fp_chance when the file was written
    pub bloom_filter_fp_chance: f64,
    /// Totals, bounds and histograms
    pub stats: Stats,
    /// Types and minima that Data.db is decoded with
    pub header: SerializationHeader,
}

impl Statistics {
    /// Reads the file and checks all its checksums.
    ///
    /// # Errors
    /// Corrupt for a checksum, length or field that is wrong or a part that is missing.
    pub fn read(file: &dyn ReadAt, version: Version) -> Result<Self> {
        let bytes = read_whole(file, LEN_MAX)?;
        let parts = Parts::split(file.name(), &bytes, version)?;
        let decoded =
            |part: Part, at: usize, e| Error::decode(file.name(), at as u64, e).in_part(part);
        let (at, validation) = parts.get(Part::Validation)?;
        let (partitioner, bloom_filter_fp_chance) =
            validation_fields(validation).map_err(|e| decoded(Part::Validation, at, e))?;
        let (at, stats) = parts.get(Part::Stats)?;
        let stats = match Stats::parse(stats, at, version) {
            Err(outpour_codec::Error::Truncated { .. }) if version == Version::Na => {
                return Err(pre_release(file.name()));
            }
            stats => stats.map_err(|e| decoded(Part::Stats, at, e))?,
        };
        let (at, header) = parts.get(Part::Header)?;
        let header =
            SerializationHeader::parse(header).map_err(|e| decoded(Part::Header, at, e))?;
        Ok(Self { partitioner, bloom_filter_fp_chance, stats, header })
    }
}

/// `na` was written by 4.0's alpha and beta releases too, with fewer fields.
fn pre_release(file: &str) -> Error {
    Error::unsupported(
        file,
        "SSTable version \"na\" was written here by a pre-release of Cassandra 4.0, before 4.0-rc1, whose Statistics.db lacks fields",
        "rewrite it with sstableupgrade of the pre-release that wrote it and then of Cassandra 4.0",
    )
}

fn validation_fields(bytes: &[u8]) -> outpour_codec::Result<(String, f64)> {
    let mut r = Reader::new(bytes);
    Ok((String::from_utf8_lossy(r.short_bytes()?).into_owned(), r.f64()?))
}

/// The parts of Statistics.db that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Validation = 0,
    Stats = 2,
    Header = 3,
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Validation => "validation metadata",
            Self::Stats => "stats metadata",
            Self::Header => "serialization header",
        }
    }
}

impl Error {
    fn in_part(self, part: Part) -> Self {
        self.context(part.name())
    }
}

struct Parts<'a> {
    file: &'a str,
    bytes: &'a [u8],
    ranges: Vec<(i32, Range<usize>)>,
}

impl<'a> Parts<'a> {
    fn split(file: &'a str, bytes: &'a [u8], version: Version) -> Result<Self> {
        let checksum_len = if version.has_statistics_checksums() { 4 } else { 0 };
        let (toc, toc_end) = read_toc(file, bytes, checksum_len)?;
        let mut parts = Self { file, bytes, ranges: Vec::new() };
        for (i, (part, start)) in toc.iter().enumerate() {
            let end = toc.get(i + 1).map_or(bytes.len(), |(_, next)| *next);
            let content = start.saturating_add(checksum_len)..end;
            if *start < toc_end || content.start > end || end > bytes.len() {
                return Err(Error::corrupt(
                    file,
                    toc_end as u64,
                    "component offset",
                    format!("{toc_end} to {}", bytes.len()),
                    start,
                ));
            }
            parts.ranges.push((*part, *start..end - checksum_len));
            if checksum_len > 0 {
                check_crc(
                    file,
                    bytes,
                    end - checksum_len,
                    crc32(&bytes[*start..end - checksum_len]),
                )?;
            }
        }
        Ok(parts)
    }

    fn get(&self, part: Part) -> Result<(usize, &'a [u8])> {
        match self.ranges.iter().find(|(ordinal, _)| *ordinal == part as i32) {
            Some((_, range)) => Ok((range.start, &self.bytes[range.clone()])),
            None => Err(Error::corrupt(self.file, None, part.name(), "one of the parts", "none")),
        }
    }
}

/// The parts' types and offsets, by offset, and where this table of contents ends.
fn read_toc(file: &str, bytes: &[u8], checksum_len: usize) -> Result<(Vec<(i32, usize)>, usize)> {
    let mut r = Reader::new(bytes);
    let decode = |e| Error::decode(file, 0, e);
    let count = r.count("component count", 8).map_err(decode)?;
    if count > COMPONENT_COUNT_MAX {
        let expected = format!("0 to {COMPONENT_COUNT_MAX}");
        return Err(Error::corrupt(file, None, "component count", expected, count));
    }
    let mut running = Crc32::new();
    running.update(&bytes[..4]);
    if checksum_len > 0 {
        check_crc(file, bytes, 4, running.clone().finalize())?;
        r.u32().map_err(decode)?;
    }
    let start = r.offset();
    let mut toc = (0..count)
        .map(|_| Ok((r.i32()?, r.u32()? as usize)))
        .collect::<outpour_codec::Result<Vec<_>>>()
        .map_err(decode)?;
    running.update(&bytes[start..r.offset()]);
    if checksum_len > 0 {
        check_crc(file, bytes, r.offset(), running.finalize())?;
    }
    // Scylla does not list them by type, nor by offset.
    toc.sort_by_key(|(_, offset)| *offset);
    Ok((toc, r.offset() + checksum_len))
}

fn check_crc(file: &str, bytes: &[u8], at: usize, computed: u32) -> Result<()> {
    let stored = Reader::at(bytes.get(at..).unwrap_or_default(), at).u32();
    let stored = stored.map_err(|e| Error::decode(file, 0, e))?;
    if stored == computed {
        return Ok(());
    }
    let (expected, got) = (format!("{stored:08x}"), format!("{computed:08x}"));
    Err(Error::corrupt(file, at as u64, "checksum of the bytes before", expected, got))
}
