//! Which crate may use which (ARCHITECTURE.md), and what each manifest says.

use crate::repository::Repository;

const ARROWS: [(&str, &[&str]); 11] = [
    ("codec", &[]),
    ("run", &[]),
    ("storage", &["run"]),
    ("cql", &["codec"]),
    ("filter", &["cql"]),
    ("sstable", &["codec", "cql", "filter", "run", "storage"]),
    ("sink", &["codec", "cql", "run"]),
    ("engine", &["codec", "cql", "filter", "run", "sink", "sstable", "storage"]),
    ("cli", &["engine", "run"]),
    ("bench", &["cql", "filter", "run", "sink", "sstable", "storage"]),
    ("xtask", &[]),
];

pub(crate) fn check(repository: &Repository) -> Vec<String> {
    let manifests = repository.files().iter().filter_map(|path| {
        let folder = path.strip_suffix("/Cargo.toml")?;
        Some((folder.trim_start_matches("crates/"), path))
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
    let used = dependencies(text).into_iter().filter(|used| !allowed.contains(used));
    let mut findings: Vec<_> =
        used.map(|used| format!("{path}: {name} must not use {used}")).collect();
    for needed in ["description = \"", "[lints]\nworkspace = true"] {
        if !text.contains(needed) {
            findings.push(format!("{path}: {needed:?} is missing"));
        }
    }
    findings
}

/// Our own crates among the dependencies that are built for users.
fn dependencies(text: &str) -> Vec<&str> {
    let mut section = "";
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        }
        // The name stands in the section, or in its title: `[dependencies.name]`.
        let is_entry = section.ends_with("dependencies]") && line != section;
        let title = line.strip_prefix('[').and_then(|title| title.split_once("dependencies."));
        let entry = title.map(|(_, entry)| entry).or(is_entry.then_some(line));
        let is_of_tests = section.contains("dev-dependencies");
        let name = entry.and_then(|entry| entry.strip_prefix("outpour-")).filter(|_| !is_of_tests);
        found.extend(name.and_then(|name| name.split(['.', ' ', '=', ']']).next()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\ndescription = \"x\"\n\n[lints]\nworkspace = true\n\n\
        [dependencies]\noutpour-codec.workspace = true\noutpour-sink = { workspace = true }\n\n\
        [dev-dependencies]\noutpour-engine.workspace = true\n";

    #[test]
    fn arrows_that_point_the_wrong_way_are_found() {
        assert_eq!(check_manifest("cql", "m", MANIFEST), ["m: cql must not use sink"]);
        assert_eq!(check_manifest("engine", "m", MANIFEST), Vec::<String>::new());
        assert_eq!(check_manifest("nope", "m", MANIFEST), ["m: crate nope is in no arrow: add it"]);
    }

    #[test]
    fn dependencies_are_found_in_every_form() {
        let text = "[dependencies]\noutpour-a= \"1\"\nserde = \"1\"\n[dependencies.outpour-b]\n\
            path = \"b\"\n[target.'cfg(unix)'.dependencies]\noutpour-c.workspace = true\n\
            [build-dependencies]\noutpour-d.workspace = true\n[dev-dependencies.outpour-e]\n";
        assert_eq!(dependencies(text), ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_manifest_describes_its_crate_and_keeps_the_lints() {
        assert_eq!(check_manifest("run", "m", "[package]\n").len(), 2);
    }
}
