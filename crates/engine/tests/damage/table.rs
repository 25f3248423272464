//! Tables of testdata/cassandra.

use std::fs;
use std::path::{Path, PathBuf};

use outpour_engine::{
    DumpContent, DumpForm, DumpOptions, ExportOptions, Format, OnCorrupt, SchemaOptions,
    SourceOptions, Values, dump, export,
};
use outpour_run::{Cancel, Progress};
use serde_json::Value;

use crate::limits;

pub(crate) struct Table {
    /// With its keyspace, which is its case
    pub(crate) name: String,
    /// Where its files are
    pub(crate) home: PathBuf,
    schema: PathBuf,
    now: i64,
}

/// All tables of some cases.
pub(crate) fn tables(cases: &[&str]) -> Vec<Table> {
    cases.iter().flat_map(|case| tables_of(case)).collect()
}

fn tables_of(case: &str) -> Vec<Table> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cassandra");
    let home = cases.join(case);
    let meta = fs::read(home.join("meta.json")).unwrap_or_else(|e| panic!("{case}: {e}"));
    let meta: Value = serde_json::from_slice(&meta).unwrap();
    let tables = meta["tables"].as_object().unwrap().keys();
    tables
        .map(|table| Table {
            name: format!("{case}.{table}"),
            home: home.join(table).join("sstables"),
            schema: home.join("schema.cql"),
            now: meta["now"].as_i64().unwrap(),
        })
        .collect()
}

impl Table {
    /// The rows of the files in `directory` with their write times, or why there are none.
    pub(crate) fn rows(&self, directory: &Path) -> Result<Vec<u8>, String> {
        self.shown(directory, Values::Raw)
    }

    /// The same as `SELECT JSON` shows them.
    pub(crate) fn text(&self, directory: &Path) -> Result<Vec<u8>, String> {
        self.shown(directory, Values::Text)
    }

    /// Everything that the files in `directory` hold, in one form.
    pub(crate) fn dump(&self, directory: &Path, content: DumpContent) -> Result<Vec<u8>, String> {
        let options = DumpOptions {
            source: SourceOptions { paths: vec![directory.to_owned()], table: None },
            schema: SchemaOptions::default(),
            keys: Vec::new(),
            excluded: Vec::new(),
            content,
            raw_times: false,
            now: self.now,
            memory: limits::BUDGET,
            threads: 1,
        };
        let mut out = Vec::new();
        let (cancel, progress) = (Cancel::default(), Progress::default());
        match dump(&options, &mut out, (&cancel, &progress), &mut |_| {}) {
            Ok(()) => Ok(out),
            Err(e) => Err(e.to_string()),
        }
    }

    pub(crate) fn json(&self, directory: &Path) -> Result<Vec<u8>, String> {
        self.dump(directory, DumpContent::All(DumpForm::Json))
    }

    pub(crate) fn debug(&self, directory: &Path) -> Result<Vec<u8>, String> {
        self.dump(directory, DumpContent::All(DumpForm::Debug))
    }

    pub(crate) fn lossless(&self, directory: &Path) -> Result<Vec<u8>, String> {
        self.dump(directory, DumpContent::All(DumpForm::Lossless))
    }

    pub(crate) fn keys(&self, directory: &Path) -> Result<Vec<u8>, String> {
        self.dump(directory, DumpContent::Keys)
    }

    fn shown(&self, directory: &Path, values: Values) -> Result<Vec<u8>, String> {
        let options = ExportOptions {
            source: SourceOptions {
                paths: vec![directory.to_owned()],
                table: Some(self.name.clone()),
            },
            schema: SchemaOptions { file: Some(self.schema.clone()), infer: false },
            columns: None,
            condition: None,
            limit: None,
            since: None,
            now: self.now,
            write_times: true,
            ttls: false,
            format: Format::JsonLines,
            values,
            memory: limits::BUDGET,
            threads: 1,
            on_corrupt: OnCorrupt::Fail,
        };
        let mut out = Vec::new();
        let (cancel, progress) = (Cancel::default(), Progress::default());
        match export(&options, &mut out, (&cancel, &progress), &mut |_| {}) {
            Ok(_) => Ok(out),
            Err(e) => Err(e.to_string()),
        }
    }
}
