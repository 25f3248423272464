use std::collections::BTreeMap;
use std::sync::Arc;

use crate::directory::{check_name, join};
use crate::read_at::check_range;
use crate::{Directory, Entry, EntryKind, Error, ReadAt, Result, read_whole};

/// A directory that lies in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryDirectory {
    location: String,
    nodes: BTreeMap<String, Node>,
}

#[derive(Debug, Clone)]
enum Node {
    File { bytes: Arc<[u8]>, modified_ms: Option<i64> },
    Directory(MemoryDirectory),
}

impl MemoryDirectory {
    /// An empty directory; `location` stands in messages.
    #[must_use]
    pub fn new(location: impl Into<String>) -> Self {
        Self { location: location.into(), nodes: BTreeMap::new() }
    }

    /// A directory of `files`, given by name and content.
    #[must_use]
    pub fn of<N: Into<String>, B: Into<Vec<u8>>>(
        location: impl Into<String>,
        files: impl IntoIterator<Item = (N, B)>,
    ) -> Self {
        let mut directory = Self::new(location);
        for (name, bytes) in files {
            directory.insert(name, bytes);
        }
        directory
    }

    /// A copy of `source` with all that is below it.
    ///
    /// # Errors
    /// What listing, opening and reading return.
    pub fn copy_of(source: &dyn Directory) -> Result<Self> {
        let mut copy = Self::new(source.location());
        for Entry { name, kind, modified_ms, .. } in source.list()? {
            let node = match kind {
                EntryKind::File => {
                    let bytes = read_whole(&*source.open(&name)?, u64::MAX)?.into();
                    Node::File { bytes, modified_ms }
                }
                EntryKind::Directory => {
                    Node::Directory(Self::copy_of(&*source.subdirectory(&name)?)?)
                }
                EntryKind::Other => continue,
            };
            copy.nodes.insert(name, node);
        }
        Ok(copy)
    }

    /// Adds or replaces the file `name`.
    pub fn insert(&mut self, name: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        let bytes = bytes.into().into();
        self.nodes.insert(name.into(), Node::File { bytes, modified_ms: None });
    }

    /// Adds or replaces the directory `name`; its location becomes a path below this one.
    pub fn insert_directory(&mut self, name: impl Into<String>, mut directory: Self) {
        let name = name.into();
        directory.location = join(&self.location, &name);
        self.nodes.insert(name, Node::Directory(directory));
    }

    /// Removes the file or directory `name`, if it is there.
    pub fn remove(&mut self, name: &str) {
        self.nodes.remove(name);
    }

    /// Sets when each file was last modified, in milliseconds since 1970.
    pub fn set_modified(&mut self, ms: i64) {
        for node in self.nodes.values_mut() {
            if let Node::File { modified_ms, .. } = node {
                *modified_ms = Some(ms);
            }
        }
    }

    fn node(&self, name: &str) -> Result<&Node> {
        check_name(&self.location, name)?;
        self.nodes.get(name).ok_or_else(|| Error::not_found(join(&self.location, name)))
    }
}

impl Node {
    fn entry(&self, name: &str) -> Entry {
        let (kind, len, modified_ms) = match self {
            Self::File { bytes, modified_ms } => {
                (EntryKind::File, bytes.len() as u64, *modified_ms)
            }
            Self::Directory(_) => (EntryKind::Directory, 0, None),
        };
        Entry { name: name.to_owned(), kind, len, modified_ms }
    }
}

impl Directory for MemoryDirectory {
    fn location(&self) -> &str {
        &self.location
    }

    fn list(&self) -> Result<Vec<Entry>> {
        Ok(self.nodes.iter().map(|(name, node)| node.entry(name)).collect())
    }

    fn open(&self, name: &str) -> Result<Arc<dyn ReadAt>> {
        let path = join(&self.location, name);
        match self.node(name)? {
            Node::File { bytes, .. } => {
                Ok(Arc::new(MemoryFile { name: path, bytes: Arc::clone(bytes) }))
            }
            Node::Directory(_) => Err(Error::invalid(path, "is not a regular file")),
        }
    }

    fn subdirectory(&self, name: &str) -> Result<Arc<dyn Directory>> {
        match self.node(name)? {
            Node::Directory(directory) => Ok(Arc::new(directory.clone())),
            Node::File { .. } => {
                Err(Error::invalid(join(&self.location, name), "is not a directory"))
            }
        }
    }
}

#[derive(Debug)]
struct MemoryFile {
    name: String,
    bytes: Arc<[u8]>,
}

impl ReadAt for MemoryFile {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(&self.name, self.len(), offset, buffer.len())?;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        // Nothing is copied for an empty buffer, which may lie anywhere.
        if let Some(bytes) = self.bytes.get(start..start.saturating_add(buffer.len())) {
            buffer.copy_from_slice(bytes);
        }
        Ok(())
    }

    fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, LocalDirectory};

    #[test]
    fn behaves_as_a_local_directory() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("sub")).unwrap();
        std::fs::write(temp.path().join("sub/f"), b"abc").unwrap();
        std::fs::write(temp.path().join("g"), b"").unwrap();
        let local = LocalDirectory::open(temp.path()).unwrap();
        let memory = MemoryDirectory::copy_of(&local).unwrap();
        let sizes = |directory: &dyn Directory| -> Vec<_> {
            directory.list().unwrap().into_iter().map(|e| (e.name, e.kind, e.len)).collect()
        };
        for directory in [&local as &dyn Directory, &memory] {
            assert_eq!(sizes(directory), sizes(&local));
            let sub = directory.subdirectory("sub").unwrap();
            let file = sub.open("f").unwrap();
            assert!(file.name().ends_with("/sub/f"), "{}", file.name());
            assert_eq!(read_whole(&*file, 3).unwrap(), b"abc");
            assert_eq!(file.read_at(2, &mut [0; 2]).unwrap_err().kind(), ErrorKind::Truncated);
            assert_eq!(file.read_at(u64::MAX, &mut [0]).unwrap_err().kind(), ErrorKind::Truncated);
            assert!(directory.open("g").unwrap().is_empty());
            assert_eq!(directory.open("sub").unwrap_err().kind(), ErrorKind::Invalid);
            assert_eq!(directory.subdirectory("g").unwrap_err().kind(), ErrorKind::Invalid);
            assert_eq!(directory.open("h").unwrap_err().kind(), ErrorKind::NotFound);
            assert_eq!(directory.open("../g").unwrap_err().kind(), ErrorKind::Invalid);
        }
    }

    #[test]
    fn files_come_and_go() {
        let mut directory = MemoryDirectory::of("/d/", [("a", "1"), ("b", "22")]);
        directory.remove("a");
        directory.insert_directory("c", MemoryDirectory::of("elsewhere", [("x", "")]));
        directory.set_modified(5);
        let names: Vec<_> =
            directory.list().unwrap().into_iter().map(|e| (e.name, e.modified_ms)).collect();
        assert_eq!(names, [("b".to_owned(), Some(5)), ("c".to_owned(), None)]);
        assert_eq!(directory.subdirectory("c").unwrap().location(), "/d/c");
        assert_eq!(directory.open("a").unwrap_err().to_string(), "/d/a: no such file or directory");
    }
}
