//! Chunks of a compressed Data.db (`io/compress/*Compressor.java`).
//!
//! ```text
//! LZ4Compressor      i32 little-endian uncompressed length │ one LZ4 block, no frame
//! SnappyCompressor   one raw Snappy block
//! DeflateCompressor  one zlib stream (RFC 1950)
//! ZstdCompressor     one zstd frame (4.0+), as ZstdDictionaryCompressor (6.0+) without a dictionary
//! NoopCompressor     the bytes (4.0+)
//! ```

use crate::{Error, Result};

/// A compressor of Cassandra, by its class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compressor {
    /// `LZ4Compressor`, whatever its encoder's effort.
    Lz4,
    /// `SnappyCompressor`
    Snappy,
    /// `DeflateCompressor`
    Deflate,
    /// `ZstdCompressor`
    Zstd,
    /// `ZstdDictionaryCompressor` of a table that has no trained dictionary
    ZstdDictionary,
    /// `NoopCompressor`
    Noop,
}

impl Compressor {
    /// The compressor of a class name, simple or in Cassandra's own package.
    ///
    /// # Errors
    /// [`Error::UnknownCompressor`] for any other name.
    pub fn parse(class: &str) -> Result<Self> {
        let simple = class.strip_prefix("org.apache.cassandra.io.compress.").unwrap_or(class);
        match simple {
            "LZ4Compressor" => Ok(Self::Lz4),
            "SnappyCompressor" => Ok(Self::Snappy),
            "DeflateCompressor" => Ok(Self::Deflate),
            "ZstdCompressor" => Ok(Self::Zstd),
            "ZstdDictionaryCompressor" => Ok(Self::ZstdDictionary),
            "NoopCompressor" => Ok(Self::Noop),
            _ => Err(Error::UnknownCompressor(class.to_owned())),
        }
    }

    /// The simple class name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lz4 => "LZ4Compressor",
            Self::Snappy => "SnappyCompressor",
            Self::Deflate => "DeflateCompressor",
            Self::Zstd => "ZstdCompressor",
            Self::ZstdDictionary => "ZstdDictionaryCompressor",
            Self::Noop => "NoopCompressor",
        }
    }

    /// Fills `out` with the content of the chunk `stored`.
    ///
    /// # Errors
    /// [`Error::Chunk`] if the chunk is damaged or does not hold exactly `out.len()` bytes.
    pub fn decompress(self, stored: &[u8], out: &mut [u8]) -> Result<()> {
        let decompressed = match self {
            Self::Lz4 => lz4(stored, out),
            Self::Snappy => snappy(stored, out),
            Self::Deflate => deflate(stored, out),
            Self::Zstd | Self::ZstdDictionary => {
                zstd::bulk::decompress_to_buffer(stored, out).map_err(|e| e.to_string())
            }
            Self::Noop => noop(stored, out),
        };
        let reason = match decompressed {
            Ok(len) if len == out.len() => return Ok(()),
            Ok(len) => format!("holds {len} bytes instead of {}", out.len()),
            Err(reason) => reason,
        };
        Err(Error::Chunk { compressor: self.name(), reason })
    }
}

type Decompressed = std::result::Result<usize, String>;

fn lz4(stored: &[u8], out: &mut [u8]) -> Decompressed {
    let (len, block) = stored.split_first_chunk::<4>().ok_or("shorter than its length word")?;
    let len = u32::from_le_bytes(*len) as usize;
    if len != out.len() {
        return Ok(len);
    }
    lz4_flex::block::decompress_into(block, out).map_err(|e| e.to_string())
}

fn snappy(stored: &[u8], out: &mut [u8]) -> Decompressed {
    let len = snap::raw::decompress_len(stored).map_err(|e| e.to_string())?;
    if len != out.len() {
        return Ok(len);
    }
    snap::raw::Decoder::new().decompress(stored, out).map_err(|e| e.to_string())
}

fn deflate(stored: &[u8], out: &mut [u8]) -> Decompressed {
    let mut zlib = flate2::Decompress::new(true);
    match zlib.decompress(stored, out, flate2::FlushDecompress::Finish) {
        Ok(flate2::Status::StreamEnd) => Ok(zlib.total_out() as usize),
        Ok(_) if zlib.total_out() as usize == out.len() => Err("goes on past its length".into()),
        Ok(_) => Err("ends before its stream does".into()),
        Err(e) => Err(e.to_string()),
    }
}

fn noop(stored: &[u8], out: &mut [u8]) -> Decompressed {
    if stored.len() == out.len() {
        out.copy_from_slice(stored);
    }
    Ok(stored.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compress(compressor: Compressor, plain: &[u8]) -> Vec<u8> {
        match compressor {
            Compressor::Lz4 => lz4_flex::block::compress_prepend_size(plain),
            Compressor::Snappy => snap::raw::Encoder::new().compress_vec(plain).unwrap(),
            Compressor::Zstd | Compressor::ZstdDictionary => {
                zstd::bulk::compress(plain, 3).unwrap()
            }
            Compressor::Noop => plain.to_vec(),
            Compressor::Deflate => {
                let mut zlib = flate2::Compress::new(flate2::Compression::default(), true);
                let mut out = Vec::with_capacity(plain.len() + 64);
                zlib.compress_vec(plain, &mut out, flate2::FlushCompress::Finish).unwrap();
                out
            }
        }
    }

    const ALL: [Compressor; 6] = [
        Compressor::Lz4,
        Compressor::Snappy,
        Compressor::Deflate,
        Compressor::Zstd,
        Compressor::ZstdDictionary,
        Compressor::Noop,
    ];

    #[test]
    fn names_round_trip() {
        for compressor in ALL {
            assert_eq!(Compressor::parse(compressor.name()), Ok(compressor));
        }
        assert!(Compressor::parse("com.example.LZ4Compressor").is_err());
    }

    #[test]
    fn chunks_round_trip_and_wrong_lengths_are_errors() {
        let plain: Vec<u8> = (0..5000_u32).flat_map(|i| (i * i % 251).to_le_bytes()).collect();
        for compressor in ALL {
            let stored = compress(compressor, &plain);
            let mut out = vec![0; plain.len()];
            compressor.decompress(&stored, &mut out).unwrap();
            assert_eq!(out, plain);
            for len in [0, 1, plain.len() - 1, plain.len() + 1, plain.len() * 2] {
                assert!(compressor.decompress(&stored, &mut vec![0; len]).is_err(), "{len}");
            }
            for len in 0..stored.len() {
                assert!(compressor.decompress(&stored[..len], &mut out).is_err(), "{len}");
            }
        }
    }
}
