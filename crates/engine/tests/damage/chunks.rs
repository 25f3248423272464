//! A compressed Data.db taken apart, changed, and put together again with right checksums.

use outpour_codec::{Compressor, Reader, crc32};

use crate::copy::{Change, Copy};

/// Bytes of an uncompressed Data.db under one checksum of CRC.db.
const PLAIN_CHUNK_LEN: usize = 64 << 10;

pub(crate) struct Chunks {
    /// CompressionInfo.db up to the chunk count
    head: Vec<u8>,
    compressor: Compressor,
    chunk_len: usize,
    max_compressed_len: usize,
    data_len: usize,
    /// As they lie in Data.db, without their checksums
    pub(crate) stored: Vec<Vec<u8>>,
}

impl Chunks {
    pub(crate) fn parse(info: &[u8], data: &[u8]) -> Self {
        let mut r = Reader::new(info);
        let class = r.short_bytes().unwrap();
        let compressor = Compressor::parse(std::str::from_utf8(class).unwrap()).unwrap();
        for _ in 0..2 * r.u32().unwrap() {
            r.short_bytes().unwrap();
        }
        let (chunk_len, max_compressed_len) = (r.u32().unwrap(), r.u32().unwrap());
        let data_len = r.i64().unwrap();
        let head = info[..r.offset()].to_vec();
        let count = r.u32().unwrap();
        let mut offsets: Vec<_> = (0..count).map(|_| r.i64().unwrap() as usize).collect();
        offsets.push(data.len());
        Self {
            head,
            compressor,
            chunk_len: chunk_len as usize,
            max_compressed_len: max_compressed_len as usize,
            data_len: data_len as usize,
            stored: offsets.windows(2).map(|pair| data[pair[0]..pair[1] - 4].to_vec()).collect(),
        }
    }

    /// CompressionInfo.db and Data.db.
    pub(crate) fn files(&self) -> (Vec<u8>, Vec<u8>) {
        let (mut info, mut data) = (self.head.clone(), Vec::new());
        info.extend((self.stored.len() as u32).to_be_bytes());
        for chunk in &self.stored {
            info.extend((data.len() as u64).to_be_bytes());
            data.extend(chunk);
            data.extend(crc32(chunk).to_be_bytes());
        }
        (info, data)
    }

    /// What they hold.
    fn plain(&self) -> Vec<u8> {
        let mut plain = vec![0; self.data_len];
        for (stored, out) in self.stored.iter().zip(plain.chunks_mut(self.chunk_len)) {
            match stored.len() < self.max_compressed_len {
                true => self.compressor.decompress(stored, out).unwrap(),
                false => out.copy_from_slice(&stored[..out.len()]),
            }
        }
        plain
    }
}

/// The same SSTables without compression.
pub(crate) fn uncompressed(copy: &Copy) -> Copy {
    let mut files = copy.files().clone();
    for name in copy.names("CompressionInfo.db") {
        let prefix = name.strip_suffix("CompressionInfo.db").unwrap();
        let data = format!("{prefix}Data.db");
        let plain = Chunks::parse(copy.bytes(name), copy.bytes(&data)).plain();
        files.remove(name);
        files.extend(plain_files(&data, plain).map(|(name, bytes)| (name, bytes.unwrap())));
        let toc = files.get_mut(&format!("{prefix}TOC.txt")).unwrap();
        let listed = String::from_utf8(toc.clone()).unwrap();
        *toc = listed.replace("CompressionInfo.db", "CRC.db").into_bytes();
    }
    Copy::with(files)
}

/// An uncompressed Data.db and its CRC.db.
pub(crate) fn plain_files(name: &str, data: Vec<u8>) -> [Change; 2] {
    let mut checksums = (PLAIN_CHUNK_LEN as u32).to_be_bytes().to_vec();
    for chunk in data.chunks(PLAIN_CHUNK_LEN) {
        checksums.extend(crc32(chunk).to_be_bytes());
    }
    let crc = name.replace("Data.db", "CRC.db");
    [(crc, Some(checksums)), (name.to_owned(), Some(data))]
}

#[test]
fn put_together_they_are_the_same() {
    let mut count = 0;
    for table in crate::table::tables(&["damage_nb", "damage_da", "comp_minratio_pad_nb"]) {
        let copy = Copy::of(&table.home);
        for name in copy.names("CompressionInfo.db") {
            let data = copy.bytes(&name.replace("CompressionInfo.db", "Data.db"));
            let info = copy.bytes(name);
            assert_eq!(Chunks::parse(info, data).files(), (info.to_vec(), data.to_vec()));
            count += 1;
        }
        let plain = uncompressed(&copy);
        assert!(plain.names("CompressionInfo.db").is_empty());
        assert_eq!(table.rows(plain.path()), table.rows(copy.path()), "{}", table.name);
    }
    assert!(count > 20, "{count}");
}
