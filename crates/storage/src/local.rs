use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::directory::{check_name, join};
use crate::read_at::check_range;
use crate::{Directory, Entry, EntryKind, Error, ReadAt, Result};

/// A directory of the local file system.
#[derive(Debug)]
pub struct LocalDirectory {
    path: PathBuf,
    location: String,
}

impl LocalDirectory {
    /// Opens the directory at `path`, following symbolic links.
    ///
    /// # Errors
    /// NotFound, Invalid if it is not a directory, Io.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let location = path.display().to_string();
        let metadata = fs::metadata(&path).map_err(|e| Error::io(&location, &e))?;
        match metadata.is_dir() {
            true => Ok(Self { path, location }),
            false => Err(Error::invalid(location, "is not a directory")),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn entry(&self, listed: io::Result<fs::DirEntry>) -> Result<Option<Entry>> {
        let listed = listed.map_err(|e| Error::io(&self.location, &e))?;
        // No database gives such a name.
        let Ok(name) = listed.file_name().into_string() else { return Ok(None) };
        match fs::metadata(listed.path()) {
            Ok(metadata) => Ok(Some(described(name, &metadata))),
            // A file that is gone since it was listed is no entry; a link that leads nowhere must not
            // look like that, or its rows would be missed in silence.
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(dangling(name, &listed)),
            Err(e) => Err(Error::io(join(&self.location, &name), &e)),
        }
    }
}

impl Directory for LocalDirectory {
    fn location(&self) -> &str {
        &self.location
    }

    fn list(&self) -> Result<Vec<Entry>> {
        let listing = fs::read_dir(&self.path).map_err(|e| Error::io(&self.location, &e))?;
        let mut entries = Vec::new();
        for listed in listing {
            entries.extend(self.entry(listed)?);
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn open(&self, name: &str) -> Result<Arc<dyn ReadAt>> {
        check_name(&self.location, name)?;
        Ok(Arc::new(LocalFile::open(&self.path.join(name))?))
    }

    fn subdirectory(&self, name: &str) -> Result<Arc<dyn Directory>> {
        check_name(&self.location, name)?;
        Ok(Arc::new(Self::open(self.path.join(name))?))
    }
}

fn dangling(name: String, listed: &fs::DirEntry) -> Option<Entry> {
    fs::symlink_metadata(listed.path()).ok()?;
    Some(Entry { name, kind: EntryKind::Other, len: 0, modified_ms: None })
}

fn described(name: String, metadata: &Metadata) -> Entry {
    let kind = match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => EntryKind::File,
        (_, true) => EntryKind::Directory,
        _ => EntryKind::Other,
    };
    let len = if kind == EntryKind::File { metadata.len() } else { 0 };
    Entry { name, kind, len, modified_ms: modified_ms(metadata) }
}

fn modified_ms(metadata: &Metadata) -> Option<i64> {
    let since_epoch = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since_epoch.as_millis()).ok()
}

#[derive(Debug)]
struct LocalFile {
    file: File,
    /// As it was when the file was opened: data files are written once
    len: u64,
    name: String,
}

impl LocalFile {
    fn open(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let io_error = |e| Error::io(&name, &e);
        // Asked before it is opened: opening a pipe would wait for its writer.
        if !fs::metadata(path).map_err(io_error)?.is_file() {
            return Err(Error::invalid(name, "is not a regular file"));
        }
        let file = File::open(path).map_err(io_error)?;
        let len = file.metadata().map_err(io_error)?.len();
        Ok(Self { file, len, name })
    }
}

impl ReadAt for LocalFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        check_range(&self.name, self.len, offset, buffer.len())?;
        fill(&self.name, offset, buffer, |rest, at| self.file.read_at(rest, at))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// Calls `read` until `buffer` is full. A signal may interrupt it, and it may return fewer bytes
/// than it was asked for; only none at all is the end of a file.
fn fill(
    name: &str,
    offset: u64,
    buffer: &mut [u8],
    mut read: impl FnMut(&mut [u8], u64) -> io::Result<usize>,
) -> Result<()> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read(&mut buffer[filled..], offset + filled as u64) {
            Ok(0) => return Err(Error::truncated(name, offset, buffer.len(), filled)),
            Ok(count) => filled += count,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(Error::io(name, &e)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::{ErrorKind, read_whole};

    fn directory() -> (tempfile::TempDir, LocalDirectory) {
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("b"), b"0123456789").unwrap();
        fs::create_dir(temp.path().join("a")).unwrap();
        fs::write(temp.path().join("a/inner"), b"x").unwrap();
        symlink("b", temp.path().join("c")).unwrap();
        let opened = LocalDirectory::open(temp.path()).unwrap();
        (temp, opened)
    }

    #[test]
    fn lists_by_name_and_follows_links() {
        let (_temp, directory) = directory();
        let entries = directory.list().unwrap();
        let seen: Vec<_> = entries.iter().map(|e| (e.name.as_str(), e.kind, e.len)).collect();
        let file = EntryKind::File;
        assert_eq!(seen, [("a", EntryKind::Directory, 0), ("b", file, 10), ("c", file, 10)]);
        assert!(entries.iter().all(|e| e.modified_ms.is_some_and(|ms| ms > 1_500_000_000_000)));
    }

    #[test]
    fn reads_at_any_offset_and_never_short() {
        let (_temp, directory) = directory();
        let file = directory.open("c").unwrap();
        let mut three = [0; 3];
        file.read_at(7, &mut three).unwrap();
        assert_eq!(&three, b"789");
        let error = file.read_at(8, &mut three).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
        assert!(error.to_string().ends_with("expected 3 bytes at offset 8, got 2"), "{error}");
        assert_eq!(file.read_at(u64::MAX, &mut three).unwrap_err().kind(), ErrorKind::Truncated);
        file.read_at(10, &mut []).unwrap();
    }

    #[test]
    fn a_file_that_shrank_is_truncated() {
        let (temp, directory) = directory();
        let file = directory.open("b").unwrap();
        fs::write(temp.path().join("b"), b"0123").unwrap();
        let error = file.read_at(2, &mut [0; 6]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
        assert!(error.to_string().ends_with("expected 6 bytes at offset 2, got 2"), "{error}");
    }

    #[test]
    fn interrupted_and_partial_reads_go_on() {
        let mut answers =
            [Err(io::ErrorKind::Interrupted.into()), Ok(1), Err(io::ErrorKind::Interrupted.into())]
                .into_iter();
        let mut buffer = [0; 4];
        fill("f", 100, &mut buffer, |rest, at| {
            let count: io::Result<usize> = answers.next().unwrap_or(Ok(rest.len()));
            rest[..*count.as_ref().unwrap_or(&0)].fill(at as u8);
            count
        })
        .unwrap();
        assert_eq!(buffer, [100, 101, 101, 101]);
        let failed = fill("f", 0, &mut buffer, |_, _| Err(io::Error::other("bad sector")));
        assert_eq!(failed.unwrap_err().to_string(), "f: bad sector");
    }

    #[test]
    fn whole_files_have_a_limit() {
        let (_temp, directory) = directory();
        let file = directory.open("b").unwrap();
        assert_eq!(read_whole(&*file, 10).unwrap(), b"0123456789");
        assert_eq!(read_whole(&*file, 9).unwrap_err().kind(), ErrorKind::Limit);
    }

    #[test]
    fn names_cannot_leave_the_directory() {
        let (_temp, directory) = directory();
        let sub = directory.subdirectory("a").unwrap();
        assert_eq!(sub.open("inner").unwrap().len(), 1);
        for name in ["../b", "..", ".", "", "a/inner", "/etc/passwd", "b\0"] {
            assert_eq!(sub.open(name).unwrap_err().kind(), ErrorKind::Invalid, "{name:?}");
            assert_eq!(sub.subdirectory(name).unwrap_err().kind(), ErrorKind::Invalid, "{name:?}");
        }
    }

    #[test]
    fn what_is_no_file_or_no_directory_says_so() {
        let (temp, directory) = directory();
        assert_eq!(directory.open("a").unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(directory.subdirectory("b").unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(directory.open("none").unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(directory.subdirectory("none").unwrap_err().kind(), ErrorKind::NotFound);
        symlink("nowhere", temp.path().join("d")).unwrap();
        let dangling = directory.list().unwrap().into_iter().find(|entry| entry.name == "d");
        assert_eq!(dangling.map(|entry| entry.kind), Some(EntryKind::Other));
        assert_eq!(directory.open("d").unwrap_err().kind(), ErrorKind::NotFound);
    }
}
