//! House rules as a check: `cargo xtask tidy`. Each finding is a line with file, line and rule.
#![allow(clippy::print_stdout, clippy::print_stderr)] // A command prints.

mod arrows;
mod dead_files;
mod functions;
mod lines;
mod repository;

use std::process::ExitCode;

use repository::Repository;

fn main() -> ExitCode {
    let command = std::env::args().nth(1);
    if command.as_deref() != Some("tidy") {
        eprintln!("usage: cargo xtask tidy");
        return ExitCode::from(2);
    }
    let findings = tidy(&Repository::here());
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {} findings", findings.len());
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tidy(repository: &Repository) -> Vec<String> {
    let mut findings = arrows::check(repository);
    findings.extend(dead_files::check(repository));
    for file in repository.rust_files() {
        findings.extend(functions::check(file));
        findings.extend(lines::check_rust(file));
    }
    findings.extend(lines::check_tracked(repository));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        assert_eq!(tidy(&Repository::here()), Vec::<String>::new());
    }
}
