//! What no line may hold.

use crate::repository::{Repository, Source};

const WIDTH_MAX: usize = 120;
const FILE_LEN_MAX: usize = 1 << 20;

/// Calls that libraries must not make, and what to do instead; clippy bans prints and panics.
const BANNED: [(&str, &str); 3] = [
    ("SystemTime::now(", "take `now` as an argument"),
    ("Instant::now(", "take the time as an argument"),
    ("process::exit(", "return to the binary"),
];

pub(crate) fn check_rust(file: &Source) -> Vec<String> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(file.text.lines()) {
        if line.chars().count() > WIDTH_MAX && !line.contains('"') {
            findings.push(format!("{}:{number}: more than {WIDTH_MAX} columns", file.path));
        }
    }
    let product = file.product_lines().filter(|_| file.is_library());
    for (number, line) in product.filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for (banned, instead) in BANNED.iter().filter(|(banned, _)| line.contains(banned)) {
            findings.push(format!("{}:{number}: {banned} is banned: {instead}", file.path));
        }
    }
    findings
}

/// Folders of the machines that this was written on; never a user's.
const MACHINE_PATHS: [&str; 4] = ["/work/", "/root/", "/home/", "/tmp/"];

pub(crate) fn check_tracked(repository: &Repository) -> Vec<String> {
    let mut findings = Vec::new();
    for path in repository.files() {
        let bytes = repository.read(path);
        if bytes.len() > FILE_LEN_MAX {
            findings.push(format!("{path}: {} bytes are too many to commit", bytes.len()));
        }
        // The list above names them.
        let Ok(text) = std::str::from_utf8(&bytes) else { continue };
        if path != "xtask/src/lines.rs" && !path.starts_with("testdata/") {
            findings.extend(machine_paths(path, text));
        }
    }
    findings
}

fn machine_paths(path: &str, text: &str) -> Vec<String> {
    let names = |line: &str| MACHINE_PATHS.iter().any(|machine| line.contains(machine));
    let lines = (1..).zip(text.lines()).filter(|(_, line)| names(line));
    lines.map(|(number, _)| format!("{path}:{number}: a path of a machine")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn banned_calls_are_found_outside_tests() {
        let text = "fn f() { Instant::now(); }\n// Instant::now()\n#[cfg(test)]\nmod t { fn g() { Instant::now(); } }\n";
        let file = |path: &str| Source { path: path.into(), text: text.into() };
        assert_eq!(check_rust(&file("crates/x/src/a.rs")).len(), 1);
        assert_eq!(check_rust(&file("crates/cli/src/a.rs")).len(), 0);
        assert_eq!(check_rust(&file("crates/x/tests/a.rs")).len(), 0);
    }

    #[test]
    fn machine_paths_are_found() {
        assert_eq!(machine_paths("f", "see /work/x\n/var/lib\n").len(), 1);
    }
}
