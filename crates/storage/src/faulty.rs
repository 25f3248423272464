use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::directory::join;
use crate::read_at::check_range;
use crate::{Directory, Entry, Error, ReadAt, Result};

/// One thing that a [`FaultyDirectory`] does wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A read fails with an I/O error; reads of all files are counted together, from 0
    ReadFails {
        /// Which read
        nth: u64,
    },
    /// A read finds the end of the file half way
    ReadIsShort {
        /// Which read
        nth: u64,
    },
    /// One bit of a file differs
    FlippedBit {
        /// The file's name
        file: String,
        /// The byte
        offset: u64,
        /// The bit, 0 to 7
        bit: u8,
    },
    /// A file has lost its end
    TruncatedFile {
        /// The file's name
        file: String,
        /// Bytes that are left
        len: u64,
    },
    /// A file is listed and gone when it is opened
    VanishesOnOpen {
        /// The file's name
        file: String,
    },
}

/// A directory that fails on purpose, for tests. Its subdirectories have the same faults.
#[derive(Debug, Clone)]
pub struct FaultyDirectory {
    inner: Arc<dyn Directory>,
    faults: Arc<[Fault]>,
    reads: Arc<AtomicU64>,
}

impl FaultyDirectory {
    /// `inner` with `faults`.
    #[must_use]
    pub fn new(inner: Arc<dyn Directory>, faults: impl Into<Arc<[Fault]>>) -> Self {
        Self { inner, faults: faults.into(), reads: Arc::default() }
    }

    /// How many reads were asked for so far.
    #[must_use]
    pub fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }

    fn len_of(&self, name: &str, len: u64) -> u64 {
        let left = |fault: &Fault| match fault {
            Fault::TruncatedFile { file, len } if file == name => Some(*len),
            _ => None,
        };
        self.faults.iter().filter_map(left).fold(len, u64::min)
    }
}

impl Directory for FaultyDirectory {
    fn location(&self) -> &str {
        self.inner.location()
    }

    fn list(&self) -> Result<Vec<Entry>> {
        let mut entries = self.inner.list()?;
        for entry in &mut entries {
            entry.len = self.len_of(&entry.name, entry.len);
        }
        Ok(entries)
    }

    fn open(&self, name: &str) -> Result<Arc<dyn ReadAt>> {
        if self.faults.contains(&Fault::VanishesOnOpen { file: name.to_owned() }) {
            return Err(Error::not_found(join(self.location(), name)));
        }
        let inner = self.inner.open(name)?;
        let len = self.len_of(name, inner.len());
        let directory = self.clone();
        Ok(Arc::new(FaultyFile { inner, directory, file: name.to_owned(), len }))
    }

    fn subdirectory(&self, name: &str) -> Result<Arc<dyn Directory>> {
        Ok(Arc::new(Self { inner: self.inner.subdirectory(name)?, ..self.clone() }))
    }
}

#[derive(Debug)]
struct FaultyFile {
    inner: Arc<dyn ReadAt>,
    directory: FaultyDirectory,
    file: String,
    len: u64,
}

impl FaultyFile {
    /// The error of the `read`-th read, if it has one.
    fn failure(&self, read: u64, offset: u64, len: usize) -> Option<Error> {
        self.directory.faults.iter().find_map(|fault| match fault {
            Fault::ReadFails { nth } if *nth == read => {
                Some(Error::io(self.name(), &io::Error::other("read failed on purpose")))
            }
            Fault::ReadIsShort { nth } if *nth == read => {
                Some(Error::truncated(self.name(), offset, len, len / 2))
            }
            _ => None,
        })
    }

    fn flip_bits(&self, start: u64, buffer: &mut [u8]) {
        for fault in self.directory.faults.iter() {
            let Fault::FlippedBit { file, offset, bit } = fault else { continue };
            let index = offset.checked_sub(start).and_then(|index| usize::try_from(index).ok());
            if let Some(byte) = index.and_then(|index| buffer.get_mut(index))
                && *file == self.file
            {
                *byte ^= 1 << (bit % 8);
            }
        }
    }
}

impl ReadAt for FaultyFile {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let read = self.directory.reads.fetch_add(1, Ordering::Relaxed);
        if let Some(error) = self.failure(read, offset, buffer.len()) {
            return Err(error);
        }
        check_range(self.name(), self.len, offset, buffer.len())?;
        self.inner.read_at(offset, buffer)?;
        self.flip_bits(offset, buffer);
        Ok(())
    }

    fn name(&self) -> &str {
        self.inner.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorKind, MemoryDirectory, read_whole};

    fn faulty(faults: Vec<Fault>) -> FaultyDirectory {
        let mut memory = MemoryDirectory::of("/d", [("a", "0123"), ("b", "0123")]);
        memory.insert_directory("s", MemoryDirectory::of("", [("a", "0123")]));
        FaultyDirectory::new(Arc::new(memory), faults)
    }

    fn read(directory: &dyn Directory, name: &str) -> Result<Vec<u8>> {
        read_whole(&*directory.open(name)?, 100)
    }

    #[test]
    fn only_the_nth_read_fails() {
        let directory = faulty(vec![Fault::ReadFails { nth: 1 }, Fault::ReadIsShort { nth: 2 }]);
        let kinds: Vec<_> = ["a", "b", "a", "b"]
            .iter()
            .map(|name| read(&directory, name).map_err(|e| e.kind()).err())
            .collect();
        assert_eq!(kinds, [None, Some(ErrorKind::Io), Some(ErrorKind::Truncated), None]);
        assert_eq!(directory.reads(), 4);
    }

    #[test]
    fn a_bit_flips_in_its_file_only() {
        let directory = faulty(vec![Fault::FlippedBit { file: "a".into(), offset: 2, bit: 0 }]);
        assert_eq!(read(&directory, "a").unwrap(), b"0133");
        assert_eq!(read(&directory, "b").unwrap(), b"0123");
        let mut byte = [0];
        directory.open("a").unwrap().read_at(3, &mut byte).unwrap();
        assert_eq!(&byte, b"3");
        assert_eq!(read(&*directory.subdirectory("s").unwrap(), "a").unwrap(), b"0133");
    }

    #[test]
    fn files_lose_their_end_or_vanish() {
        let directory = faulty(vec![
            Fault::TruncatedFile { file: "a".into(), len: 1 },
            Fault::VanishesOnOpen { file: "b".into() },
        ]);
        let sizes: Vec<_> = directory.list().unwrap().iter().map(|entry| entry.len).collect();
        assert_eq!(sizes, [1, 4, 0]);
        assert_eq!(read(&directory, "a").unwrap(), b"0");
        let past_end = directory.open("a").unwrap().read_at(0, &mut [0; 2]).unwrap_err();
        assert_eq!(past_end.kind(), ErrorKind::Truncated);
        assert_eq!(read(&directory, "b").unwrap_err().kind(), ErrorKind::NotFound);
    }
}
