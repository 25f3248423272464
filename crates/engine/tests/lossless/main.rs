//! A lossless dump holds everything: Data.db is made of it again, byte for byte, by an encoder that knows
//! nothing but the dump and the format.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod data;
mod encode;

use std::fs;
use std::path::{Path, PathBuf};

use outpour_engine::{DumpContent, DumpForm, DumpOptions, SchemaOptions, SourceOptions, dump};
use outpour_run::{Cancel, Progress};

/// All Data.db files of testdata/cassandra.
fn data_files() -> Vec<PathBuf> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cassandra");
    let below = |path: &Path| fs::read_dir(path).unwrap().flatten().map(|entry| entry.path());
    let tables = below(&home).flat_map(|case| below(&case).collect::<Vec<_>>());
    let directories = tables.map(|table| table.join("sstables")).filter(|path| path.is_dir());
    let files = directories.flat_map(|directory| below(&directory).collect::<Vec<_>>());
    let mut files: Vec<_> =
        files.filter(|path| path.to_str().unwrap().ends_with("-Data.db")).collect();
    files.sort();
    files
}

fn lossless(data_file: &Path, threads: usize) -> String {
    let options = DumpOptions {
        source: SourceOptions { paths: vec![data_file.to_owned()], table: None },
        schema: SchemaOptions::default(),
        keys: Vec::new(),
        excluded: Vec::new(),
        content: DumpContent::All(DumpForm::Lossless),
        raw_times: false,
        now: 0,
        memory: 64 << 20,
        threads,
    };
    let mut out = Vec::new();
    let (cancel, progress) = (Cancel::default(), Progress::default());
    dump(&options, &mut out, (&cancel, &progress), &mut |_| {})
        .unwrap_or_else(|e| panic!("{}: {e}", data_file.display()));
    String::from_utf8(out).unwrap()
}

#[test]
fn data_is_made_again_of_its_dump() {
    let files = data_files();
    assert!(files.len() > 100, "only {} SSTables", files.len());
    for file in &files {
        let expected = data::uncompressed(file);
        let encoded = encode::data(&lossless(file, 1), data::is_of_cassandra_5(file));
        let difference = encoded.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(difference, None, "{}: first byte that differs", file.display());
        assert_eq!(encoded.len(), expected.len(), "{}", file.display());
    }
}

#[test]
fn threads_change_nothing() {
    for file in data_files() {
        assert!(lossless(&file, 1) == lossless(&file, 2), "{}", file.display());
    }
}
