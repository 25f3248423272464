//! What no tracked file may hold.

use crate::repository::{Repository, Source};

const WIDTH_MAX: usize = 120;
const FILE_LEN_MAX: usize = 1 << 20;

/// Folders that only the machine of a developer has; `var`, `etc` and the like may stand in an example.
const MACHINE_FOLDERS: [&str; 4] = ["home", "root", "tmp", "work"];

/// Lines that are too wide. rustfmt breaks all but literals, and where to break those is taste.
pub(crate) fn check_width(file: &Source) -> Vec<String> {
    let lines = (1..).zip(file.text.lines());
    let wide = lines.filter(|(_, line)| line.chars().count() > WIDTH_MAX && !line.contains('"'));
    wide.map(|(number, _)| format!("{}:{number}: more than {WIDTH_MAX} columns", file.path))
        .collect()
}

pub(crate) fn check_tracked(repository: &Repository) -> Vec<String> {
    let files = repository.files().iter();
    files.flat_map(|path| check_bytes(path, &repository.read(path))).collect()
}

fn check_bytes(path: &str, bytes: &[u8]) -> Vec<String> {
    let mut findings = Vec::new();
    if bytes.len() > FILE_LEN_MAX {
        findings.push(format!("{path}: {} bytes are too many to commit", bytes.len()));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        findings.extend(machine_paths(path, text));
    }
    findings
}

fn machine_paths(path: &str, text: &str) -> Vec<String> {
    let folders = MACHINE_FOLDERS.map(|folder| format!("/{folder}/"));
    let names = |line: &str| folders.iter().any(|folder| starts_path(line, folder));
    let lines = (1..).zip(text.lines()).filter(|(_, line)| names(line));
    lines.map(|(number, _)| format!("{path}:{number}: a path of a machine")).collect()
}

/// Whether a path starts with the folder, and does not merely pass through one of that name.
fn starts_path(line: &str, folder: &str) -> bool {
    let is_inner = |char: char| char.is_alphanumeric() || matches!(char, '.' | '_' | '-' | '/');
    line.match_indices(folder).any(|(at, _)| !line[..at].ends_with(is_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_lines_are_found_but_for_literals() {
        let [fits, wide, literal] = ["x".repeat(120), "x".repeat(121), "\"x\"".repeat(50)];
        let file = Source::new("f.rs", &format!("{fits}\n{wide}\n{literal}\n"));
        assert_eq!(check_width(&file), ["f.rs:2: more than 120 columns"]);
    }

    #[test]
    fn machine_paths_are_found() {
        let own = format!("see {}work{}x", '/', '/');
        assert_eq!(machine_paths("f", &own), ["f:1: a path of a machine"]);
        let others = "`/var/lib/cassandra`\ntarget/work/x\nx.rs/tmp/\n";
        assert_eq!(machine_paths("f", others).len(), 0);
    }

    #[test]
    fn large_files_are_found() {
        assert_eq!(check_bytes("f", &vec![0xff; FILE_LEN_MAX]).len(), 0);
        assert_eq!(check_bytes("f", &vec![0xff; FILE_LEN_MAX + 1]).len(), 1);
    }
}
