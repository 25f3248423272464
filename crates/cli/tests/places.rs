//! Where tables lie: directories of other names, links, snapshots, tables that are not meant; and what is told of
//! files that are passed over.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

use support::{Case, cases, outpour, repository};
use tempfile::TempDir;

/// Of `shop.orders` in testdata/sample, which has a system_schema too.
const ORDERS: &str = "shop.orders";

/// A copy of the sample's data directory.
struct Node {
    home: TempDir,
}

impl Node {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        copy_all(&repository().join("testdata/sample/data"), &home.path().join("data"));
        Self { home }
    }

    fn data(&self) -> PathBuf {
        self.home.path().join("data")
    }

    /// The directory of a table of the keyspace shop.
    fn table(&self, name: &str) -> PathBuf {
        let tables = fs::read_dir(self.data().join("shop")).unwrap().flatten();
        let is_it = |path: &PathBuf| {
            path.file_name().unwrap().to_str().unwrap().starts_with(&format!("{name}-"))
        };
        tables.map(|entry| entry.path()).find(is_it).unwrap()
    }
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().flatten() {
        let below = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_all(&entry.path(), &below),
            false => drop(fs::copy(entry.path(), below).unwrap()),
        }
    }
}

fn run(verb: &str, path: &Path, more: &[&str]) -> Output {
    let now = fs::read_to_string(repository().join("testdata/sample/now")).unwrap();
    let mut command = outpour();
    command.arg(verb).arg(path).args(more);
    if verb == "export" {
        command.args(["--now", now.trim()]);
    }
    command.output().unwrap()
}

/// The rows of a run that succeeds, and what it told beside them.
#[track_caller]
fn rows(path: &Path, more: &[&str]) -> (String, String) {
    let done = run("export", path, more);
    let told = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{told}");
    (String::from_utf8(done.stdout).unwrap(), told)
}

#[track_caller]
fn refusal(path: &Path, more: &[&str]) -> String {
    let done = run("export", path, more);
    let told = String::from_utf8(done.stderr).unwrap();
    assert_eq!((done.status.code(), done.stdout.len()), (Some(1), 0), "{told}");
    told
}

fn golden(table: &str) -> String {
    fs::read_to_string(repository().join(format!("testdata/sample/{table}.jsonl"))).unwrap()
}

#[track_caller]
fn assert_is_orders(rows: &str) {
    support::compare(&golden("orders"), rows, false).unwrap();
}

fn case(name: &str) -> Case {
    cases().into_iter().find(|case| case.case == name).unwrap()
}

#[test]
fn a_linked_table_directory_keeps_its_name() {
    let node = Node::new();
    let (named, moved) = (node.table("orders"), node.home.path().join("moved"));
    fs::rename(&named, &moved).unwrap();
    symlink(&moved, &named).unwrap();
    assert_is_orders(&rows(&named, &[]).0);
    assert_is_orders(&rows(&node.data(), &["--table", ORDERS]).0);
    // A link of the user's own, to a table in a data directory.
    let (link, visits) = (node.home.path().join("link"), node.table("visits"));
    symlink(&visits, &link).unwrap();
    assert_eq!(rows(&link, &[]).0, rows(&visits, &[]).0);
    // One whose name tells another keyspace.
    let desk = node.home.path().join("desk");
    fs::create_dir(&desk).unwrap();
    let named = desk.join(visits.file_name().unwrap());
    symlink(&visits, &named).unwrap();
    assert_eq!(rows(&named, &[]).0, rows(&visits, &[]).0);
}

#[test]
fn a_keyspace_whose_name_starts_as_those_of_the_system_is_read() {
    let case = case("tombstones_nb");
    let home = tempfile::tempdir().unwrap();
    let id = "0123456789abcdef0123456789abcdef";
    for (keyspace, found) in [("system_metrics", true), ("system_auth", false), ("dse_perf", false)]
    {
        let data = home.path().join(keyspace).join("data");
        let table = data.join(keyspace).join(format!("t-{id}"));
        copy_all(Path::new(&case.sstables()), &table);
        match found {
            true => assert!(!rows(&data, &["--infer-schema"]).0.is_empty(), "{keyspace}"),
            false => {
                refusal(&data, &["--infer-schema"]);
                let table = format!("{keyspace}.t");
                assert!(!rows(&data, &["--infer-schema", "--table", &table]).0.is_empty());
            }
        }
    }
}

#[test]
fn tables_that_have_only_a_snapshot_are_told() {
    let node = Node::new();
    let orders = node.table("orders");
    for entry in fs::read_dir(&orders).unwrap().flatten().filter(|e| e.path().is_file()) {
        fs::remove_file(entry.path()).unwrap();
    }
    let snapshot = orders.join("snapshots/sample");
    for path in [node.data(), node.data().join("shop")] {
        let message = refusal(&path, &["--table", ORDERS]);
        assert!(message.contains(snapshot.to_str().unwrap()), "{message}");
        assert!(message.contains("no SSTables of shop.orders"), "{message}");
    }
    assert_is_orders(&rows(&snapshot, &[]).0);
    // Named itself, it is read from its only snapshot.
    let (text, told) = rows(&orders, &[]);
    assert_is_orders(&text);
    assert!(told.contains("its snapshot sample is read"), "{told}");
}

#[test]
fn directories_without_ids_are_tables_of_their_names() {
    let home = tempfile::tempdir().unwrap();
    let (backup, node) = (home.path().join("backup"), Node::new());
    for table in ["orders", "visits"] {
        copy_all(&node.table(table).join("snapshots/sample"), &backup.join("shop").join(table));
    }
    // Below a directory of keyspaces, and below that of the keyspace.
    for path in [backup.clone(), backup.join("shop")] {
        for table in [ORDERS, "orders"] {
            assert_is_orders(&rows(&path, &["--table", table]).0);
        }
        let message = refusal(&path, &[]);
        assert!(message.contains("choose one by --table"), "{message}");
    }
    assert_is_orders(&rows(&backup.join("shop/orders"), &[]).0);
    // In a data directory, of tables created before 2.1.
    let orders = node.table("orders");
    fs::rename(&orders, node.data().join("shop/orders")).unwrap();
    assert_is_orders(&rows(&node.data(), &["--table", ORDERS]).0);
    assert_is_orders(&rows(&node.data().join("shop"), &["--table", ORDERS]).0);
    // Beside one that has an id it is not clear which of them counts.
    copy_all(&node.data().join("shop/orders"), &orders);
    let message = refusal(&node.data(), &["--table", ORDERS]);
    assert!(message.contains("created several times"), "{message}");
}

#[test]
fn directories_that_are_not_called_as_tables_are_told() {
    let (home, case) = (tempfile::tempdir().unwrap(), case("tombstones_nb"));
    for name in ["backups", "copy 1"] {
        copy_all(Path::new(&case.sstables()), &home.path().join(name));
    }
    let message = refusal(home.path(), &[]);
    for name in ["backups", "copy 1"] {
        let path = home.path().join(name);
        assert!(message.contains(path.to_str().unwrap()), "{message}");
    }
    assert!(message.contains("name one of these"), "{message}");
}

#[test]
fn sstables_in_other_directories_of_a_table_are_told() {
    let node = Node::new();
    let orders = node.table("orders");
    copy_all(&orders.join("snapshots/sample"), &orders.join("part2"));
    copy_all(&orders.join("snapshots/sample"), &orders.join("backups"));
    fs::create_dir(orders.join("notes")).unwrap();
    for path in [orders.clone(), node.data()] {
        let (text, told) = rows(&path, &["--table", ORDERS]);
        assert_is_orders(&text);
        assert_eq!(told.lines().count(), 1, "{told}");
        assert!(told.contains(orders.join("part2").to_str().unwrap()), "{told}");
    }
    // Both named: the copies change nothing.
    let part = orders.join("part2");
    assert_is_orders(&rows(&orders, &[part.to_str().unwrap(), "--table", ORDERS]).0);
}

#[test]
fn another_table_of_an_old_version_is_no_hindrance() {
    let node = Node::new();
    let shop = node.data().join("shop");
    for old in ["old", "older-0123456789abcdef0123456789abcdef"] {
        fs::create_dir(shop.join(old)).unwrap();
        fs::write(shop.join(old).join("la-1-big-Data.db"), "").unwrap();
    }
    for path in [node.data(), shop] {
        assert_is_orders(&rows(&path, &["--table", "orders"]).0);
        for old in ["old", "older"] {
            let message = refusal(&path, &["--table", old]);
            assert!(message.contains("before 3.0"), "{message}");
        }
    }
}

#[test]
fn sstables_that_scylla_did_not_finish_are_told() {
    let node = Node::new();
    let orders = node.table("orders");
    fs::write(orders.join("me-77-big-Data.db"), "half").unwrap();
    fs::write(orders.join("me-77-big-TOC.txt.tmp"), "Data.db\n").unwrap();
    let (text, told) = rows(&orders, &[]);
    assert_is_orders(&text);
    assert!(told.contains("me-77-big-TOC.txt.tmp") && told.contains("left out: 1"), "{told}");
}

/// A segment of a commit log whose one section holds `mutation`.
fn segment(mutation: &[u8]) -> Vec<u8> {
    let mut segment =
        [&7_u32.to_be_bytes()[..], &1_u64.to_be_bytes(), &[0, 2], b"{}", &[0; 4]].concat();
    let end = segment.len() + 8 + mutation.len() + 16;
    segment.extend((end as u32).to_be_bytes());
    segment.extend([0; 4]);
    segment.extend((mutation.len() as u32).to_be_bytes());
    segment.extend(mutation);
    segment.resize(end + 64, 0);
    segment
}

#[test]
fn writes_that_are_only_in_the_commit_log_are_told() {
    let node = Node::new();
    let log = node.home.path().join("commitlog");
    fs::create_dir(&log).unwrap();
    let snapshot = node.table("orders").join("snapshots/sample");
    let told = |path: &Path| rows(path, &["--table", ORDERS]).1;
    let zeros = vec![0; 4096];
    for (name, bytes) in [("a", &segment(b"")), ("b", &zeros), ("c", &Vec::new())] {
        fs::write(log.join(format!("CommitLog-7-{name}.log")), bytes).unwrap();
    }
    fs::write(log.join("CommitLog-7-1_cdc.idx"), "12").unwrap();
    assert_eq!(told(&node.data()), "");
    fs::write(log.join("CommitLog-7-1.log"), segment(b"mutation")).unwrap();
    for path in [node.data(), node.table("orders")] {
        let told = told(&path);
        assert!(told.contains(log.to_str().unwrap()) && told.contains("nodetool flush"), "{told}");
        assert!(told.contains("1 segment "), "{told}");
    }
    // A snapshot is what it is.
    assert_eq!(told(&snapshot), "");
    // What is not understood may be writes.
    fs::write(log.join("CommitLog-9-2.log"), "what").unwrap();
    assert!(told(&node.data()).contains("2 segments "));
}
