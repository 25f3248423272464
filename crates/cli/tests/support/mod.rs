//! Golden tables, and the binary run over them.
#![allow(dead_code, reason = "no test file uses all of it")]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

use serde_json::Value;

/// A table of a golden case.
pub(crate) struct Case {
    /// The folder's name
    pub(crate) case: String,
    pub(crate) keyspace: String,
    pub(crate) table: String,
    /// Seconds since 1970 at the SELECT
    pub(crate) now: String,
    home: PathBuf,
    sstables: Vec<String>,
    columns: Vec<Column>,
}

/// A column, as system_schema.columns has it.
#[derive(Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// partition_key, clustering, static or regular
    pub(crate) kind: String,
    /// Within the partition key or the clustering columns
    pub(crate) position: i64,
    pub(crate) cql_type: String,
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All tables of testdata/cassandra.
pub(crate) fn cases() -> Vec<Case> {
    let home = repository().join("testdata/cassandra");
    let mut names: Vec<_> = fs::read_dir(home).unwrap().flatten().map(|e| e.path()).collect();
    names.sort();
    names
        .iter()
        .filter(|path| path.join("meta.json").exists())
        .flat_map(|path| tables(path))
        .collect()
}

fn tables(home: &Path) -> Vec<Case> {
    let meta: Value = serde_json::from_slice(&fs::read(home.join("meta.json")).unwrap()).unwrap();
    let tables = meta["tables"].as_object().unwrap();
    let case = home.file_name().unwrap().to_str().unwrap();
    let schema = fs::read_to_string(home.join("schema.cql")).unwrap();
    let keyspace = schema.split("CREATE KEYSPACE IF NOT EXISTS ").nth(1).unwrap();
    let keyspace = keyspace.split(' ').next().unwrap();
    tables
        .iter()
        .map(|(table, about)| Case {
            case: case.to_owned(),
            keyspace: keyspace.to_owned(),
            table: table.clone(),
            now: meta["now"].to_string(),
            home: home.to_owned(),
            sstables: about["sstables"]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| name.as_str().unwrap().to_owned())
                .collect(),
            columns: about["columns"].as_array().unwrap().iter().map(column).collect(),
        })
        .collect()
}

fn column(about: &Value) -> Column {
    let text = |i: usize| about[i].as_str().unwrap().to_owned();
    let position = about[2].to_string().parse().unwrap();
    Column { name: text(0), kind: text(1), position, cql_type: text(3) }
}

impl Case {
    pub(crate) fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.case, self.table)
    }

    pub(crate) fn qualified(&self) -> String {
        format!("{}.{}", self.keyspace, self.table)
    }

    pub(crate) fn sstables(&self) -> String {
        self.home.join(&self.table).join("sstables").to_str().unwrap().to_owned()
    }

    pub(crate) fn sstable_names(&self) -> Vec<&str> {
        self.sstables.iter().map(String::as_str).collect()
    }

    /// What Cassandra answered, if that was asked.
    pub(crate) fn golden(&self, name: &str) -> Option<String> {
        let table = self.home.join(&self.table);
        if let Ok(text) = fs::read_to_string(table.join(name)) {
            return Some(text);
        }
        let file = fs::File::open(table.join(format!("{name}.gz"))).ok()?;
        let mut text = String::new();
        flate2::read::GzDecoder::new(file).read_to_string(&mut text).unwrap();
        Some(text)
    }

    pub(crate) fn arguments(&self, verb: &str) -> Vec<String> {
        let schema = self.home.join("schema.cql").to_str().unwrap().to_owned();
        let mut arguments = vec![verb.to_owned(), self.sstables(), "--schema".to_owned(), schema];
        arguments.extend(["--table".to_owned(), self.qualified()]);
        if matches!(verb, "export" | "count") {
            arguments.extend(["--now".to_owned(), self.now.clone()]);
        }
        arguments
    }
}

pub(crate) fn outpour() -> Command {
    Command::new(env!("CARGO_BIN_EXE_outpour"))
}

/// Standard output of a run that succeeds.
pub(crate) fn stdout(arguments: &[&str]) -> Result<String, String> {
    let done = outpour().args(arguments).output().map_err(|e| e.to_string())?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    String::from_utf8(done.stdout).map_err(|e| e.to_string())
}

pub(crate) fn export(case: &Case, more: &[&str]) -> Result<String, String> {
    let arguments = case.arguments("export");
    let mut arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    arguments.extend(more);
    stdout(&arguments)
}

pub(crate) fn lines(text: &str) -> Vec<Value> {
    let lines = text.split('\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// Compares rows, their order, their columns and the text of every value. `some_columns`: those of
/// the golden rows only.
pub(crate) fn compare(golden: &str, got: &str, some_columns: bool) -> Result<(), String> {
    let (golden, got) = (lines(golden), lines(got));
    for (row, (want, got)) in golden.iter().zip(&got).enumerate() {
        let (Some(want), Some(got)) = (want.as_object(), got.as_object()) else {
            return Err(format!("row {row} is no object"));
        };
        if !some_columns && !want.keys().eq(got.keys()) {
            return Err(format!("row {row}: columns {:?}", got.keys().collect::<Vec<_>>()));
        }
        for (column, want) in want {
            let got = got.get(column).ok_or_else(|| format!("row {row}: no column {column}"))?;
            if !same(want, got) {
                return Err(format!("row {row}, {column}: got {got}, expected {want}"));
            }
        }
    }
    match golden.len() == got.len() {
        true => Ok(()),
        false => Err(format!("{} rows, expected {}", got.len(), golden.len())),
    }
}

/// Equal values; where Cassandra's text loses something, ours may say more: NaN and infinities are
/// null there, and years outside 0 to 9999 lose their era. A double may have another text, since
/// that depends on the JVM.
pub(crate) fn same(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            want.len() == got.len()
                && want.iter().zip(got).all(|((k, w), (l, g))| k == l && same(w, g))
        }
        (Value::Array(want), Value::Array(got)) => {
            want.len() == got.len() && want.iter().zip(got).all(|(w, g)| same(w, g))
        }
        (Value::Number(want), Value::Number(got)) => {
            let (want, got) = (want.to_string(), got.to_string());
            let is_float = want.contains(['.', 'E']) && got.contains(['.', 'E']);
            want == got || (is_float && want.parse::<f64>() == got.parse::<f64>())
        }
        (Value::Null, Value::String(got)) => matches!(&**got, "NaN" | "Infinity" | "-Infinity"),
        (Value::String(want), Value::String(got)) => {
            want == got || (odd_year(want) && odd_year(got))
        }
        _ => want == got,
    }
}

fn odd_year(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    let year = digits.split('-').next().unwrap_or_default();
    let signed = digits.len() < text.len();
    year.bytes().all(|b| b.is_ascii_digit()) && (year.len() > 4 || (signed && year.len() == 4))
}

/// A copy of a directory's files that may be changed.
pub(crate) fn copy(directory: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        if entry.path().is_file() {
            fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
        }
    }
    copy
}

pub(crate) fn largest_data_file(directory: &Path) -> PathBuf {
    let files = fs::read_dir(directory).unwrap().flatten().map(|entry| entry.path());
    let data = files.filter(|path| path.to_str().unwrap().ends_with("-Data.db"));
    data.max_by_key(|path| path.metadata().unwrap().len()).unwrap()
}

/// A line of a transaction log: `kind` with the files of `sstable`, or alone.
pub(crate) fn record(kind: &str, directory: &Path, sstable: Option<&str>) -> String {
    let path = sstable.map(|name| format!("{}/{name}", directory.display())).unwrap_or_default();
    let (newest, count) = match kind {
        "REMOVE" => files_of(&path),
        "ADD" => (0, 8),
        _ => (0, 0),
    };
    let mut crc = flate2::Crc::new();
    crc.update(path.as_bytes());
    crc.update(kind.as_bytes());
    crc.update(&(newest as u32).to_be_bytes());
    crc.update(&((newest >> 32) as u32).to_be_bytes());
    crc.update(&(count as u32).to_be_bytes());
    format!("{kind}:[{path},{newest},{count}][{}]\n", crc.sum())
}

/// When the newest of an SSTable's files was changed, in milliseconds since 1970, and how many there
/// are.
fn files_of(prefix: &str) -> (u64, usize) {
    let (directory, name) = prefix.rsplit_once('/').unwrap();
    let entries = fs::read_dir(directory).unwrap().flatten();
    let times: Vec<_> = entries
        .filter(|entry| entry.file_name().to_str().unwrap().starts_with(&format!("{name}-")))
        .map(|entry| entry.metadata().unwrap().modified().unwrap())
        .map(|time| time.duration_since(UNIX_EPOCH).unwrap().as_millis() as u64)
        .collect();
    (times.iter().max().copied().unwrap(), times.len())
}
