//! Statistics.db taken apart, changed, and put together again with right offsets and checksums.

use outpour_codec::{Crc32, Reader, crc32};

pub(crate) struct Parts {
    /// Type and bytes, in the order of the file
    pub(crate) parts: Vec<(u32, Vec<u8>)>,
}

impl Parts {
    pub(crate) fn parse(file: &[u8]) -> Self {
        let mut r = Reader::new(file);
        let count = r.u32().unwrap();
        r.u32().unwrap();
        let toc: Vec<_> =
            (0..count).map(|_| (r.u32().unwrap(), r.u32().unwrap() as usize)).collect();
        let ends = toc.iter().skip(1).map(|(_, start)| *start).chain([file.len()]);
        let bytes =
            |((part, start), end): (&(u32, usize), usize)| (*part, file[*start..end - 4].to_vec());
        Self { parts: toc.iter().zip(ends).map(bytes).collect() }
    }

    pub(crate) fn file(&self) -> Vec<u8> {
        let count = (self.parts.len() as u32).to_be_bytes();
        let mut running = Crc32::new();
        running.update(&count);
        let mut file = [count, running.clone().finalize().to_be_bytes()].concat();
        let mut start = file.len() + 8 * self.parts.len() + 4;
        for (part, bytes) in &self.parts {
            let entry = [part.to_be_bytes(), (start as u32).to_be_bytes()].concat();
            running.update(&entry);
            file.extend(entry);
            start += bytes.len() + 4;
        }
        file.extend(running.finalize().to_be_bytes());
        for (_, bytes) in &self.parts {
            file.extend(bytes);
            file.extend(crc32(bytes).to_be_bytes());
        }
        file
    }

    /// The same without checksums, as before `na`.
    pub(crate) fn plain_file(&self) -> Vec<u8> {
        let mut file = (self.parts.len() as u32).to_be_bytes().to_vec();
        let mut start = file.len() + 8 * self.parts.len();
        for (part, bytes) in &self.parts {
            file.extend(part.to_be_bytes());
            file.extend((start as u32).to_be_bytes());
            start += bytes.len();
        }
        file.extend(self.parts.iter().flat_map(|(_, bytes)| bytes));
        file
    }
}

#[test]
fn put_together_it_is_the_same() {
    use crate::copy::Copy;
    for table in crate::table::tables(&["statics_nb", "basic_da", "basic_oa"]) {
        let copy = Copy::of(&table.home);
        for name in copy.names("Statistics.db") {
            let file = copy.bytes(name);
            assert_eq!(Parts::parse(file).file(), file, "{} {name}", table.name);
        }
    }
}
