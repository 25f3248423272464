//! Which crate may use which (ARCHITECTURE.md).

use crate::repository::Repository;

const ARROWS: [(&str, &[&str]); 8] = [
    ("codec", &[]),
    ("run", &[]),
    ("storage", &["run"]),
    ("cql", &["codec"]),
    ("sstable", &["codec", "cql", "run", "storage"]),
    ("sink", &["codec", "cql", "run"]),
    ("engine", &["codec", "cql", "run", "sink", "sstable", "storage"]),
    ("cli", &["engine", "run"]),
];

pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let manifests = repository.files().iter().filter_map(|path| {
        let name = path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml")?;
        Some((name, path))
    });
    manifests
        .flat_map(|(name, path)| {
            let text = String::from_utf8_lossy(&repository.read(path)).into_owned();
            check_manifest(name, path, &text)
        })
        .collect()
}

fn check_manifest(name: &str, path: &str, text: &str) -> Vec<String> {
    let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        return vec![format!("{path}: crate {name} is in no arrow: add it")];
    };
    let mut findings: Vec<_> = dependencies(text)
        .filter(|dependency| !allowed.contains(dependency))
        .map(|dependency| format!("{path}: {name} must not use {dependency}"))
        .collect();
    for needed in ["description = ", "[lints]\nworkspace = true"] {
        if !text.contains(needed) {
            findings.push(format!("{path}: {needed:?} is missing"));
        }
    }
    findings
}

/// Our own crates among the dependencies that are built for users.
fn dependencies(text: &str) -> impl Iterator<Item = &str> {
    let section = text.split("[dependencies]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    section.lines().filter_map(|line| line.strip_prefix("outpour-")?.split(['.', ' ']).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_that_point_the_wrong_way_are_found() {
        let text = "description = \"x\"\n[lints]\nworkspace = true\n[dependencies]\n\
            outpour-codec.workspace = true\noutpour-sink.workspace = true\n[dev-dependencies]\n\
            outpour-engine.workspace = true\n";
        assert_eq!(check_manifest("cql", "m", text), ["m: cql must not use sink"]);
        assert_eq!(check_manifest("sink", "m", "")[0], "m: \"description = \" is missing");
        assert_eq!(check_manifest("nope", "m", text).len(), 1);
    }
}
