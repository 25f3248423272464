use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use outpour_storage::{Directory, Entry, MemoryDirectory, ReadAt};

use super::*;

/// A directory of a live node, which compacts `nb-2` and `nb-1` away when it is read for the first time
/// behind so many opened files.
#[derive(Debug)]
struct Live {
    before: MemoryDirectory,
    after: MemoryDirectory,
    opens_left: AtomicUsize,
}

impl Live {
    fn state(&self) -> &MemoryDirectory {
        if self.opens_left.load(Ordering::SeqCst) > 0 { &self.before } else { &self.after }
    }
}

impl Directory for Live {
    fn location(&self) -> &str {
        self.before.location()
    }

    fn list(&self) -> outpour_storage::Result<Vec<Entry>> {
        self.state().list()
    }

    fn open(&self, name: &str) -> outpour_storage::Result<Arc<dyn ReadAt>> {
        let state = self.state();
        let left = |left: usize| Some(left.saturating_sub(1));
        let _ = self.opens_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left);
        state.open(name)
    }

    fn subdirectory(&self, name: &str) -> outpour_storage::Result<Arc<dyn Directory>> {
        self.state().subdirectory(name)
    }
}

fn case() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cassandra/gens_lww_nb")
}

fn copy() -> MemoryDirectory {
    let directory = outpour_storage::LocalDirectory::open(case().join("t/sstables")).unwrap();
    MemoryDirectory::copy_of(&directory).unwrap()
}

fn without(removed: &str) -> MemoryDirectory {
    let mut files = copy();
    for entry in files.list().unwrap() {
        if entry.name.starts_with(removed) {
            files.remove(&entry.name);
        }
    }
    files
}

/// The verdicts as text, what was noticed, and how it ended.
fn run(directory: impl Directory + 'static) -> (Vec<String>, Vec<String>, Result<()>) {
    let source = TableSource::in_memory(Arc::new(directory), "gens_lww_nb", "t");
    let options = VerifyOptions {
        source: SourceOptions::default(),
        schema: SchemaOptions { file: Some(case().join("schema.cql")), infer: false },
        tokens: Vec::new(),
        memory: 64 << 20,
        threads: 1,
    };
    let (mut verdicts, mut notices) = (Vec::new(), Vec::new());
    let ended = verify_table(
        &source,
        &options,
        (&Cancel::default(), &Progress::default()),
        &mut |text| notices.push(text.to_owned()),
        &mut |verdict| {
            verdicts.push(format!("{} {}", verdict.name, verdict.ok));
            Ok(())
        },
    );
    (verdicts, notices, ended)
}

#[test]
fn an_sstable_that_a_node_compacts_away_is_not_judged() {
    let (mut seen_first, mut seen_later) = (false, false);
    for opens in 0.. {
        let live =
            Live { before: copy(), after: without("nb-2"), opens_left: AtomicUsize::new(opens) };
        let (verdicts, notices, ended) = run(live);
        ended.unwrap();
        match (&*verdicts, &*notices) {
            // Gone before it was opened: it was listed again.
            ([one], []) if one == "nb-1-big true" => seen_first = true,
            ([one], [notice]) if one == "nb-1-big true" => {
                assert!(notice.contains("nb-2-big was removed"), "{notice}");
                seen_later = true;
            }
            ([_, _], []) => {
                assert_eq!(verdicts, ["nb-1-big true", "nb-2-big true"], "{opens}");
                break;
            }
            _ => panic!("{opens}: {verdicts:?} {notices:?}"),
        }
    }
    assert!(seen_first && seen_later);
}

#[test]
fn nothing_to_check_is_an_error() {
    let (verdicts, _, ended) = run(MemoryDirectory::new("/d"));
    assert_eq!((verdicts.len(), ended.unwrap_err().kind()), (0, ErrorKind::NotFound));
    // All gone while they are checked.
    let gone = (0..200).map(|opens| {
        let after = MemoryDirectory::new("/d");
        run(Live { before: copy(), after, opens_left: AtomicUsize::new(opens) }).2
    });
    let kinds: Vec<_> = gone.filter_map(|ended| ended.err().map(|e| e.kind())).collect();
    assert!(kinds.len() > 10 && kinds.iter().all(|kind| *kind == ErrorKind::NotFound), "{kinds:?}");
}

#[test]
fn a_file_that_cannot_be_opened_and_is_listed_is_a_finding() {
    let fault = outpour_storage::Fault::VanishesOnOpen { file: "nb-2-big-Index.db".to_owned() };
    let inner: Arc<dyn Directory> = Arc::new(copy());
    let (verdicts, notices, ended) = run(outpour_storage::FaultyDirectory::new(inner, vec![fault]));
    ended.unwrap();
    assert_eq!(verdicts, ["nb-1-big true", "nb-2-big false"]);
    assert!(notices.is_empty(), "{notices:?}");
}

#[test]
fn reads_that_fail_are_findings() {
    let inner: Arc<dyn Directory> = Arc::new(copy());
    let mut failed = 0;
    for nth in 0..60 {
        let fault = outpour_storage::Fault::ReadFails { nth };
        let faulty = outpour_storage::FaultyDirectory::new(Arc::clone(&inner), vec![fault]);
        let (verdicts, _, ended) = run(faulty);
        ended.unwrap();
        assert_eq!(verdicts.len(), 2);
        failed += usize::from(verdicts.iter().any(|verdict| verdict.ends_with("false")));
    }
    assert!(failed > 20, "{failed}");
}
