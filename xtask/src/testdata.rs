//! Every folder of test data is described, and nothing else is.

use std::collections::BTreeSet;

use crate::repository::Repository;

const MANIFEST: &str = "testdata/MANIFEST.md";
const CASES: &str = "testdata/cassandra/";

pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let manifest = repository.read(MANIFEST);
    check_manifest(repository.files(), &String::from_utf8_lossy(&manifest))
}

fn check_manifest(files: &[String], manifest: &str) -> Vec<String> {
    let cases: BTreeSet<_> = files.iter().filter_map(|path| case(path)).collect();
    let described: BTreeSet<_> = manifest.lines().filter_map(described_case).collect();
    let missing = cases.difference(&described);
    let missing = missing.map(|case| format!("{MANIFEST}: {case} is not described"));
    let gone = described.difference(&cases);
    let gone = gone.map(|case| format!("{MANIFEST}: there is no {case}"));
    missing.chain(gone).collect()
}

fn case(path: &str) -> Option<&str> {
    let (case, _) = path.strip_prefix(CASES)?.split_once('/')?;
    Some(case)
}

/// The case of a row ``| `case` | release | about |`` that says something.
fn described_case(line: &str) -> Option<&str> {
    let mut cells = line.strip_prefix("| `")?.split('|').map(str::trim);
    let case = cells.next()?.strip_suffix('`')?;
    let [_release, about] = [cells.next()?, cells.next()?];
    (!about.is_empty()).then_some(case)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_descriptions_must_agree() {
        let files = ["testdata/cassandra/a/meta.json", "testdata/cassandra/b/t/x", "src/c/d"];
        let files = files.map(str::to_owned);
        let row = |case: &str, about: &str| format!("| `{case}` | 5.0.9 | {about} |\n");
        let both = row("a", "first") + &row("b", "second");
        assert_eq!(check_manifest(&files, &both), Vec::<String>::new());
        let findings =
            check_manifest(&files, &(row("a", "") + &row("b", "second") + &row("c", "none")));
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings[0].ends_with("a is not described") && findings[1].ends_with("no c"));
    }
}
