//! Signals end a run, whatever it waits for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // A test.

mod support;

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use support::repository;

/// A pipe that no one reads is full after 64 KiB.
#[test]
fn a_run_that_writes_to_a_full_pipe_ends() {
    let case = repository().join("testdata/cassandra/big_cell_nb");
    for command in ["export", "dump"] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_outpour"))
            .arg(command)
            .arg(case.join("t/sstables"))
            .arg("--schema")
            .arg(case.join("schema.cql"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(700));
        assert!(run.try_wait().unwrap().is_none(), "{command} had room for all it wrote");
        let killed = Command::new("kill").args(["-TERM", &run.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let start = Instant::now();
        while run.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < Duration::from_secs(20), "{command} goes on");
            sleep(Duration::from_millis(50));
        }
        assert_eq!(run.wait().unwrap().code(), Some(1), "{command}");
    }
}
