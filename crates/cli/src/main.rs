//! The `outpour` binary: arguments in, rows to standard output, everything else to standard error.
#![allow(clippy::print_stdout, clippy::print_stderr)] // The one place that prints.

mod arguments;
mod commands;
mod progress;
mod size;
mod terminal;
mod time;

use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;

fn main() -> ExitCode {
    // Wrong usage, --help and --version end here, with status 2 or 0.
    let arguments = Arguments::parse();
    // Each SSTable holds two files open. A limit that cannot be raised is noticed at the open.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    commands::run(arguments)
}
