//! Sources that no `mod` leads to.

use std::collections::BTreeSet;

use crate::repository::{Repository, Source};

pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let declared: BTreeSet<_> = repository.rust_files().iter().flat_map(declared_by).collect();
    repository
        .rust_files()
        .iter()
        .filter(|file| !is_root(&file.path) && !declared.contains(&file.path))
        .map(|file| format!("{}: no `mod` leads to this file", file.path))
        .collect()
}

fn is_root(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let crate_root = directory.ends_with("/src") || directory == "xtask/src";
    (crate_root && matches!(name, "lib.rs" | "main.rs"))
        || ["/tests", "/benches", "/examples"].iter().any(|kind| directory.ends_with(kind))
        || (name == "main.rs" && path.contains("/tests/"))
}

/// The paths that the `mod` lines of a file may mean.
fn declared_by(file: &Source) -> Vec<String> {
    let (directory, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let base = match name {
        _ if is_root(&file.path) => directory.to_owned(),
        "mod.rs" => directory.to_owned(),
        _ => format!("{directory}/{}", name.trim_end_matches(".rs")),
    };
    let modules = file.text.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches("pub(crate) ").trim_start_matches("pub ");
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    modules
        .flat_map(|name| [format!("{base}/{name}.rs"), format!("{base}/{name}/mod.rs")])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_lead_to_files() {
        let file = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let root = file("crates/x/src/lib.rs", "mod a;\npub mod b;\n");
        assert!(declared_by(&root).contains(&"crates/x/src/a.rs".to_owned()));
        assert!(declared_by(&root).contains(&"crates/x/src/b/mod.rs".to_owned()));
        let inner = file("crates/x/src/a.rs", "    mod c;");
        assert!(declared_by(&inner).contains(&"crates/x/src/a/c.rs".to_owned()));
        assert!(is_root("crates/x/tests/golden.rs") && !is_root("crates/x/src/a.rs"));
    }
}
