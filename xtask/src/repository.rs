use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The tracked files of this repository.
pub(crate) struct Repository {
    root: PathBuf,
    files: Vec<String>,
    rust: Vec<Source>,
}

/// A Rust source.
pub(crate) struct Source {
    /// From the root
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Repository {
    /// The repository that this program was built in.
    pub(crate) fn here() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let listed = Command::new("git").arg("-C").arg(&root).args(["ls-files"]).output();
        let listed = listed.map(|output| output.stdout).unwrap_or_default();
        let listed = String::from_utf8_lossy(&listed);
        // A file that is deleted but not yet committed is gone.
        let files: Vec<_> =
            listed.lines().filter(|path| root.join(path).is_file()).map(str::to_owned).collect();
        let read = |path: &String| Source {
            path: path.clone(),
            text: fs::read_to_string(root.join(path)).unwrap_or_default(),
        };
        let rust = files.iter().filter(|path| path.ends_with(".rs")).map(read).collect();
        Self { root, files, rust }
    }

    pub(crate) fn rust_files(&self) -> &[Source] {
        &self.rust
    }

    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }

    pub(crate) fn read(&self, path: &str) -> Vec<u8> {
        fs::read(self.root.join(path)).unwrap_or_default()
    }
}

impl Source {
    /// The lines before the module's tests, with their numbers.
    pub(crate) fn product_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = (1..).zip(self.text.lines());
        lines.take_while(|(_, line)| *line != "#[cfg(test)]")
    }

    /// Whether it is part of a library: not of a binary, a test or a tool.
    pub(crate) fn is_library(&self) -> bool {
        self.path.starts_with("crates/")
            && self.path.contains("/src/")
            && !self.path.starts_with("crates/cli/")
    }
}
