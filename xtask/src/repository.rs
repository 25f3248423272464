//! The tracked files of this repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::code;

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
    /// The text without comments and literals
    pub(crate) code: String,
    /// The code without what only tests have
    pub(crate) product: String,
}

impl Repository {
    /// The repository that this program was built in.
    ///
    /// # Errors
    /// If git does not list its files.
    pub(crate) fn here() -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        // A file that is deleted but not yet committed is gone.
        let files: Vec<_> =
            tracked(&root)?.into_iter().filter(|path| root.join(path).is_file()).collect();
        let rust = files.iter().filter(|path| path.ends_with(".rs"));
        let read = |path: &String| {
            let text = fs::read_to_string(root.join(path)).unwrap_or_default();
            Source::new(path, &text)
        };
        let rust = rust.map(read).collect();
        Ok(Self { root, files, rust })
    }

    #[cfg(test)]
    pub(crate) fn of(rust: Vec<Source>) -> Self {
        let files = rust.iter().map(|file| file.path.clone()).collect();
        Self { root: PathBuf::new(), files, rust }
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

fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    git.arg("-C").arg(root).args(["-c", "core.quotePath=false", "ls-files"]);
    let output = git.output().map_err(|error| format!("git: {error}"))?;
    if !output.status.success() {
        return Err(format!("git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

impl Source {
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let code = code::mask(text);
        let product = code::without_tests(&code);
        Self { path: path.to_owned(), text: text.to_owned(), code, product }
    }
}
