//! Calls that libraries must not make, and what to do instead.

use crate::modules;
use crate::repository::{Repository, Source};

/// Clippy knows most of them too; here they cannot be allowed away. Whether `expect` is that of an `Option`
/// only clippy can tell.
const BANNED: [(&str, &str); 13] = [
    ("println!(", "return it: only the binary prints"),
    ("print!(", "return it: only the binary prints"),
    ("eprintln!(", "return an error, or report progress through `run`"),
    ("eprint!(", "return an error, or report progress through `run`"),
    ("dbg!(", "delete it"),
    ("todo!(", "return an error of kind Unsupported"),
    ("unimplemented!(", "return an error of kind Unsupported"),
    (".unwrap()", "return an error"),
    ("clippy::expect_used", "keep the lint: return an error"),
    ("SystemTime::now(", "take `now` as an argument"),
    ("Instant::now(", "take the time as an argument"),
    ("process::exit(", "return to the binary"),
    ("process::abort(", "return to the binary"),
];

pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let product = modules::product(repository.rust_files());
    let files = repository.rust_files().iter();
    let libraries = files.filter(|file| product.contains(&file.path) && is_library(&file.path));
    libraries.flat_map(check_file).collect()
}

fn is_library(path: &str) -> bool {
    path.starts_with("crates/") && !path.starts_with("crates/cli/")
}

fn check_file(file: &Source) -> Vec<String> {
    let lines = (1..).zip(file.product.lines());
    lines.flat_map(|(number, line)| check_line(&file.path, number, line)).collect()
}

fn check_line(path: &str, number: usize, line: &str) -> Vec<String> {
    let found = BANNED.iter().filter(|(call, _)| calls(line, call));
    found.map(|(call, instead)| format!("{path}:{number}: {call} is banned: {instead}")).collect()
}

/// Whether a line of code makes the call, and not one whose name only ends alike.
fn calls(line: &str, call: &str) -> bool {
    line.match_indices(call).any(|(at, _)| {
        let is_longer = line[..at].ends_with(|char: char| char == '_' || char.is_alphanumeric());
        call.starts_with('.') || !is_longer
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        check(&Repository::of(vec![Source::new(path, text)]))
    }

    #[test]
    fn banned_calls_are_found_outside_tests_and_texts() {
        let text = "fn f() { std::time::Instant::now(); }\n// dbg!(x)\nfn g() { h(\"todo!()\") }\n\
            #[cfg(test)]\nmod t { fn g() { x.unwrap(); } }\nfn i() { x().unwrap() }\n";
        let found = findings("crates/x/src/lib.rs", text);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/x/src/lib.rs:1: Instant::now( is banned"));
        assert!(found[1].starts_with("crates/x/src/lib.rs:6: .unwrap() is banned"));
    }

    #[test]
    fn the_binary_and_tests_may() {
        assert_eq!(findings("crates/cli/src/main.rs", "fn f() { println!() }").len(), 0);
        assert_eq!(findings("crates/x/tests/a.rs", "fn f() { println!() }").len(), 0);
    }

    #[test]
    fn each_call_is_found_once() {
        for (call, _) in BANNED {
            let found = findings("crates/x/src/lib.rs", &format!("fn f() {{ x{call} }}"));
            let named = findings("crates/x/src/lib.rs", &format!("fn f() {{ {call} }}"));
            assert_eq!(named.len(), 1, "{call}");
            assert_eq!(found.len(), usize::from(call.starts_with('.')), "{call}");
        }
        assert_eq!(findings("crates/x/src/lib.rs", "fn f() { x.unwrap_or(1) }").len(), 0);
    }
}
