//! `outpour-bench DIRECTORY [ROUNDS] [STAGE]`: what each stage of an export takes on one thread, as the
//! least CPU time of several rotated rounds. DIRECTORY holds SSTables of one table and schema.cql.
#![allow(clippy::print_stdout, clippy::print_stderr)] // A command prints.

mod clock;
mod stage;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use outpour_cql::{Schema, Table};
use outpour_sstable::{Sstable, list_sstables};
use outpour_storage::{Directory, LocalDirectory};

use stage::{Run, Stage};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let Some(directory) = arguments.first() else {
        eprintln!("usage: outpour-bench DIRECTORY [ROUNDS] [STAGE]");
        return ExitCode::from(2);
    };
    let rounds = arguments.get(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
    match measure(Path::new(directory), rounds, arguments.get(2).map(String::as_str)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("outpour-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(path: &Path, rounds: usize, only: Option<&str>) -> Result<(), Box<dyn Error>> {
    let (table, sstables) = open(path)?;
    let plain: u64 = sstables.iter().map(Sstable::uncompressed_len).sum();
    let stages: Vec<_> = Stage::ALL
        .into_iter()
        .filter(|stage| only.is_none_or(|only| only == stage.name()))
        .collect();
    let mut best: Vec<Option<Run>> = vec![None; stages.len()];
    for _ in 0..rounds {
        for (stage, best) in stages.iter().zip(&mut best) {
            let run = stage.run(&table, &sstables)?;
            if best.is_none_or(|best| run.cpu < best.cpu) {
                *best = Some(run);
            }
        }
    }
    for (stage, run) in stages.iter().zip(best) {
        if let Some(run) = run {
            report(stage.name(), &run, plain);
        }
    }
    Ok(())
}

fn open(path: &Path) -> Result<(Table, Vec<Sstable>), Box<dyn Error>> {
    let schema = Schema::parse(&std::fs::read_to_string(path.join("schema.cql"))?)?;
    let table = schema.tables().first().cloned().ok_or("schema.cql has no table")?;
    let directory: Arc<dyn Directory> = Arc::new(LocalDirectory::open(path)?);
    let files = list_sstables(&[directory], &mut |_| {})?;
    let sstables = files.iter().map(Sstable::open).collect::<Result<_, _>>()?;
    Ok((table, sstables))
}

fn report(name: &str, run: &Run, plain: u64) {
    let seconds = run.cpu.as_secs_f64();
    let rows = run.rows as f64;
    println!(
        "{name:6} {rows:9} rows  {seconds:6.3} CPU-s  {:6.0} ns/row  {:5.2} M rows/s  {:5.0} MB/s of rows  {:5.0} MB/s of text",
        seconds * 1e9 / rows,
        rows / seconds / 1e6,
        plain as f64 / seconds / 1e6,
        run.bytes as f64 / seconds / 1e6,
    );
}
