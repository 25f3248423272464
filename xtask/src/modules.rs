//! Which files the compiler sees: those that `mod` lines lead to from the roots.

use std::collections::BTreeSet;

use crate::repository::{Repository, Source};

/// Findings: sources that nothing leads to.
pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let files = repository.rust_files();
    let seen = reached(
        files,
        |file| is_product_root(&file.path) || is_test_root(&file.path),
        |file| &file.code,
    );
    let dead = files.iter().filter(|file| !seen.contains(&file.path));
    dead.map(|file| format!("{}: no `mod` leads to this file", file.path)).collect()
}

/// The paths of the files that a user's build has: no tests, and no modules that only tests have.
pub(crate) fn product(files: &[Source]) -> BTreeSet<String> {
    reached(files, |file| is_product_root(&file.path), |file| &file.product)
}

fn reached(
    files: &[Source],
    is_root: impl Fn(&Source) -> bool,
    code: impl Fn(&Source) -> &str,
) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<_> = files.iter().filter(|file| is_root(file)).collect();
    while let Some(file) = next.pop() {
        if seen.insert(file.path.clone()) {
            let declared = declared(&file.path, code(file));
            next.extend(files.iter().filter(|file| declared.contains(&file.path)));
        }
    }
    seen
}

fn is_product_root(path: &str) -> bool {
    ["/src/lib.rs", "/src/main.rs", "/build.rs"].iter().any(|root| path.ends_with(root))
}

fn is_test_root(path: &str) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    ["/tests", "/benches", "/examples"].iter().any(|kind| directory.ends_with(kind))
        || (name == "main.rs" && path.contains("/tests/"))
}

/// The paths that the `mod` lines of a file's code may mean.
fn declared(path: &str, code: &str) -> Vec<String> {
    let folder = folder_of_modules(path);
    let modules = code.lines().filter_map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("pub").map_or(line, |line| {
            line.trim_start_matches("(crate)").trim_start_matches("(super)").trim_start()
        });
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    modules
        .flat_map(|name| [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")])
        .collect()
}

fn folder_of_modules(path: &str) -> &str {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_in_own_folder = is_product_root(path) || is_test_root(path) || path.ends_with("/mod.rs");
    if is_in_own_folder { folder } else { path.trim_end_matches(".rs") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources() -> Vec<Source> {
        let files = [
            ("c/src/lib.rs", "mod a;\n#[cfg(test)]\nmod sample;\n// mod comment;\n"),
            ("c/src/a.rs", "pub(crate) mod b;\n#[cfg(test)]\nmod tests;\n"),
            ("c/src/a/b.rs", ""),
            ("c/src/a/tests.rs", ""),
            ("c/src/sample.rs", ""),
            ("c/src/comment.rs", ""),
            ("c/src/dead/mod.rs", "mod deader;"),
            ("c/src/dead/deader.rs", ""),
            ("c/tests/golden/main.rs", "mod support;"),
            ("c/tests/golden/support.rs", ""),
            ("c/tests/alone.rs", "mod shared;"),
            ("c/tests/shared/mod.rs", ""),
        ];
        files.map(|(path, text)| Source::new(path, text)).into()
    }

    #[test]
    fn files_that_nothing_leads_to_are_found() {
        let findings = check(&Repository::of(sources()));
        let dead: Vec<_> =
            findings.iter().filter_map(|finding| finding.split(':').next()).collect();
        assert_eq!(dead, ["c/src/comment.rs", "c/src/dead/mod.rs", "c/src/dead/deader.rs"]);
    }

    #[test]
    fn modules_of_tests_are_no_product() {
        let product: Vec<_> = product(&sources()).into_iter().collect();
        assert_eq!(product, ["c/src/a.rs", "c/src/a/b.rs", "c/src/lib.rs"]);
    }
}
