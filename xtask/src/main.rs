//! House rules as a check: `cargo xtask tidy`. Each finding is a line with file, line and rule.
#![allow(clippy::print_stdout, clippy::print_stderr)] // A command prints.

mod arrows;
mod banned;
mod code;
mod functions;
mod lines;
mod modules;
mod repository;
mod testdata;

use std::process::ExitCode;

use repository::Repository;

fn main() -> ExitCode {
    let command = std::env::args().nth(1);
    if command.as_deref() != Some("tidy") {
        eprintln!("usage: cargo xtask tidy");
        return ExitCode::from(2);
    }
    match Repository::here() {
        Ok(repository) => report(&repository),
        Err(error) => {
            eprintln!("tidy: {error}");
            ExitCode::FAILURE
        }
    }
}

fn report(repository: &Repository) -> ExitCode {
    let findings = tidy(repository);
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {}", functions::summary(repository.rust_files()));
    println!("tidy: {} findings", findings.len());
    if findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tidy(repository: &Repository) -> Vec<String> {
    let mut findings = arrows::check(repository);
    findings.extend(modules::check(repository));
    findings.extend(banned::check(repository));
    for file in repository.rust_files() {
        findings.extend(functions::check(file));
        findings.extend(lines::check_width(file));
    }
    findings.extend(lines::check_tracked(repository));
    findings.extend(testdata::check(repository));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let repository = Repository::here().unwrap();
        assert!(repository.rust_files().len() > 100, "git lists the sources");
        assert_eq!(tidy(&repository), Vec::<String>::new());
    }
}
