//! The bytes of Data.db before compression.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outpour_codec::{Compressor, Reader};
use outpour_sstable::{Descriptor, Sstable, SstableFiles};
use outpour_storage::{Directory, LocalDirectory};

pub(crate) fn uncompressed(data_file: &Path) -> Vec<u8> {
    let stored = fs::read(data_file).unwrap();
    match fs::read(component(data_file, "CompressionInfo.db")) {
        Ok(info) => decompress(&stored, &info, has_max_compressed_len(data_file)),
        Err(_) => stored,
    }
}

fn component(data_file: &Path, name: &str) -> PathBuf {
    let path = data_file.to_str().unwrap();
    PathBuf::from(path.strip_suffix("Data.db").unwrap().to_owned() + name)
}

fn has_max_compressed_len(data_file: &Path) -> bool {
    !data_file.file_name().unwrap().to_str().unwrap().starts_with('m')
}

fn decompress(stored: &[u8], info: &[u8], has_max: bool) -> Vec<u8> {
    let mut r = Reader::new(info);
    let class = String::from_utf8(r.short_bytes().unwrap().to_vec()).unwrap();
    let compressor = Compressor::parse(&class).unwrap();
    for _ in 0..2 * r.i32().unwrap() {
        r.short_bytes().unwrap();
    }
    let chunk_len = r.i32().unwrap() as usize;
    let raw_from = if has_max { r.i32().unwrap() as usize } else { usize::MAX };
    let data_len = r.i64().unwrap() as usize;
    let count = r.i32().unwrap();
    let mut ends: Vec<_> = (0..count).map(|_| r.i64().unwrap() as usize).collect();
    ends.push(stored.len());
    let mut data = vec![0; data_len];
    for (chunk, bounds) in data.chunks_mut(chunk_len).zip(ends.windows(2)) {
        let bytes = &stored[bounds[0]..bounds[1] - 4];
        match bytes.len() >= raw_from {
            true => chunk.copy_from_slice(&bytes[..chunk.len()]),
            false => compressor.decompress(bytes, chunk).unwrap(),
        }
    }
    data
}

/// Which release wrote it: they write a live deletion of a collection differently.
pub(crate) fn is_of_cassandra_5(data_file: &Path) -> bool {
    let (parent, name) = (data_file.parent().unwrap(), data_file.file_name().unwrap());
    let directory: Arc<dyn Directory> = Arc::new(LocalDirectory::open(parent).unwrap());
    let (descriptor, _) = Descriptor::parse("", name.to_str().unwrap()).unwrap().unwrap();
    let files = SstableFiles::find(&directory, descriptor).unwrap();
    Sstable::open(&files).unwrap().is_of_cassandra_5()
}
