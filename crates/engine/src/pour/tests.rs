use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outpour_cql::{Schema, Table};
use outpour_filter::ClusteringRange;
use outpour_run::{Budget, Cancel, Progress};
use outpour_sink::{Format, Values, framing};
use outpour_sstable::{Component, Projection, ScanOptions, Splits, Sstable, list_sstables};
use outpour_storage::{Directory, LocalDirectory, MemoryDirectory, read_whole};

use super::writer::Writer;
use super::{Job, Selection, splits};
use crate::Result;

const MEMORY: u64 = 64 << 20;

struct Golden {
    case: String,
    table: Table,
    projection: Projection,
    files: MemoryDirectory,
    /// Of the rows to pour, a WHERE
    condition: Option<&'static str>,
}

impl Golden {
    fn open(case: &str) -> Self {
        Self::of(&home().join(case).join("t"))
    }

    /// The table whose golden is in the directory `at`, which is called as the table is.
    fn of(at: &Path) -> Self {
        let schema = fs::read_to_string(at.with_file_name("schema.cql")).unwrap();
        let schema = Schema::parse(&schema).unwrap();
        let name = at.file_name().unwrap().to_str().unwrap();
        let table = schema.tables().iter().find(|table| table.name == name).unwrap().clone();
        let directory = LocalDirectory::open(at.join("sstables")).unwrap();
        Self {
            case: at.display().to_string(),
            projection: Projection::all(&table),
            table,
            files: MemoryDirectory::copy_of(&directory).unwrap(),
            condition: None,
        }
    }

    /// All tables of all cases; also of those in the directory that OUTPOUR_GOLDENS names.
    fn all() -> impl Iterator<Item = Self> {
        let more = std::env::var_os("OUTPOUR_GOLDENS").map(PathBuf::from);
        let cases = [home()].into_iter().chain(more).flat_map(|home| directories(&home));
        let tables = cases.flat_map(|case| directories(&case));
        tables.filter(|table| table.join("sstables").is_dir()).map(|table| Self::of(&table))
    }

    /// Pours the table with `pour`, and tells what was written and noticed.
    fn pour(
        &self,
        (format, memory): (Format, u64),
        pour: impl FnOnce(&Job<'_>, &mut Vec<u8>, &mut dyn FnMut(&str)) -> Result<()>,
    ) -> Result<(String, Vec<String>)> {
        let files: Arc<dyn Directory> = Arc::new(self.files.clone());
        let files = list_sstables(&[files], &mut |_| {}).unwrap();
        let sstables: Vec<_> = files.iter().map(|files| Sstable::open(files).unwrap()).collect();
        let scan = ScanOptions {
            now: 0,
            budget: Budget::new(memory),
            cancel: Cancel::default(),
            progress: Progress::default(),
            skip_corrupt: false,
            parallel: 1,
            rows: ClusteringRange::default(),
            since: None,
        };
        let mut projection = self.projection.clone();
        let partitioner = sstables[0].partitioner().unwrap();
        let select = |condition| {
            Selection::new(condition, (&self.table, partitioner), &mut projection).unwrap()
        };
        let selection = self.condition.map(select);
        let job = Job {
            table: &self.table,
            sstables: &sstables,
            projection: &projection,
            scan: &scan,
            selection: selection.as_ref(),
            format: Some(format),
            values: Values::Text,
            limit: None,
        };
        let (mut output, mut notices) = (Vec::new(), Vec::new());
        pour(&job, &mut output, &mut |notice| notices.push(notice.to_owned()))?;
        assert_eq!(scan.budget.used(), 0, "{}", self.case);
        Ok((String::from_utf8(output).unwrap(), notices))
    }

    fn alone(&self, format: Format, memory: u64) -> Result<String> {
        let pour = |job: &Job<'_>, out: &mut Vec<u8>, notice: &mut dyn FnMut(&str)| {
            job.pour(1, out, notice).map(|_| ())
        };
        Ok(self.pour((format, memory), pour)?.0)
    }

    fn in_splits(
        &self,
        format: Format,
        memory: u64,
        (threads, count): (usize, u64),
    ) -> Result<(String, Vec<String>)> {
        self.pour((format, memory), |job, out, notice| {
            let mut writer = Writer::new(out, framing(format, self.projection.columns()));
            writer.begin()?;
            let splits = match job.restriction() {
                Some(restriction) => {
                    let len = job.sstables.iter().map(Sstable::uncompressed_len).sum::<u64>();
                    let (len, budget) = (Some(len / count), &job.scan.budget);
                    Splits::within(job.sstables, restriction, len, budget)?
                }
                None => Splits::new(job.sstables, count),
            };
            splits::pour(job, splits, threads, &mut writer, notice)?;
            writer.finish().map(|_| ())
        })
    }
}

fn directories(path: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut directories: Vec<_> = paths.filter(|path| path.is_dir()).collect();
    directories.sort();
    directories
}

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cassandra")
}

#[test]
fn splits_are_written_in_order() {
    let mut count = 0;
    for golden in Golden::all() {
        for format in [Format::JsonLines, Format::Json, Format::Csv] {
            let expected = golden.alone(format, MEMORY).unwrap();
            for (threads, splits) in [(1, 1), (2, 2), (2, 7), (3, 64)] {
                let (text, _) = golden.in_splits(format, MEMORY, (threads, splits)).unwrap();
                assert_eq!(text, expected, "{} {format:?} {threads} {splits}", golden.case);
                count += 1;
            }
        }
    }
    assert!(count > 1100, "{count} times");
}

#[test]
fn damaged_indexes_are_told_and_change_nothing() {
    let (mut count, mut told) = (0, 0);
    for case in ["gens_lww_nb", "many_parts_da"] {
        let golden = Golden::open(case);
        let expected = golden.alone(Format::Json, MEMORY).unwrap();
        for name in index_files(&golden) {
            let content = read_whole(&*golden.files.open(&name).unwrap(), u64::MAX).unwrap();
            for at in (0..content.len()).step_by(content.len() / 40 + 1) {
                let mut flipped = content.clone();
                flipped[at] ^= 0x40 >> (at % 3);
                let mut damaged = Golden::open(case);
                damaged.files.insert(&name, flipped);
                let (text, notices) = damaged.in_splits(Format::Json, MEMORY, (2, 9)).unwrap();
                assert_eq!(text, expected, "{case}: {name} damaged at {at}");
                count += 1;
                told += usize::from(!notices.is_empty());
            }
        }
    }
    assert!(count > 50 && told > 10, "{told} of {count} damages were told");
}

fn index_files(golden: &Golden) -> Vec<String> {
    let index = [Component::Index, Component::Summary, Component::Partitions, Component::Rows];
    let directory: Arc<dyn Directory> = Arc::new(golden.files.clone());
    let mut names = Vec::new();
    for files in list_sstables(&[directory], &mut |_| {}).unwrap() {
        for component in index.iter().filter(|component| files.has(component)) {
            names.push(files.descriptor().file_name(component));
        }
    }
    names
}

/// Where one reader has enough memory and several have not, one reads on.
#[test]
fn less_memory_is_no_failure() {
    let mut told = 0;
    for case in ["big_cell_nb", "many_parts_nb", "wide_da", "gens_lww_nb"] {
        let golden = Golden::open(case);
        let expected = golden.alone(Format::Json, MEMORY).unwrap();
        for memory in (0..70).map(|i| (64 << 10) + (i * i * 4096)) {
            let Ok(text) = golden.alone(Format::Json, memory) else { continue };
            assert_eq!(text, expected);
            let (text, notices) = golden.in_splits(Format::Json, memory, (4, 64)).unwrap();
            assert_eq!(text, expected, "{case} in {memory} bytes");
            told += usize::from(!notices.is_empty());
        }
    }
    assert!(told > 0, "there was enough memory always");
}

/// Some rows of many, whoever reads them and in however little memory.
#[test]
fn selected_rows_are_some_of_all_rows() {
    let mut golden = Golden::open("many_parts_nb");
    let all = golden.alone(Format::JsonLines, MEMORY).unwrap();
    golden.condition = Some("NOT token(k) < -3000000000000000000");
    let selected = golden.alone(Format::JsonLines, MEMORY).unwrap();
    let rows: Vec<_> = selected.lines().collect();
    // Rows come in the order of their tokens.
    assert!(rows.len() > 1000 && selected.len() < all.len() && all.ends_with(&selected));
    for memory in [MEMORY, 16 << 20, 4 << 20] {
        for (threads, splits) in [(2, 2), (3, 64)] {
            let (text, _) = golden.in_splits(Format::JsonLines, memory, (threads, splits)).unwrap();
            assert_eq!(text, selected, "{memory} bytes, {threads} threads, {splits} splits");
        }
    }
    golden.condition = Some("k IN ()");
    assert_eq!(golden.alone(Format::JsonLines, MEMORY).unwrap(), "");
}
