use std::collections::BTreeSet;

use outpour_storage::{ReadAt, read_whole};

use crate::{Component, Error, Result};

/// A few dozen names, also with many secondary indexes.
const LEN_MAX: u64 = 64 << 10;

/// Reads TOC.txt: the names of all components, one a line, in any order
/// (`io/sstable/format/TOCComponent.java`).
///
/// # Errors
/// Corrupt if it does not list Data.db, Limit, Io.
pub(crate) fn read(file: &dyn ReadAt) -> Result<BTreeSet<Component>> {
    let bytes = read_whole(file, LEN_MAX)?;
    let text = String::from_utf8_lossy(&bytes);
    let names = text.lines().map(str::trim).filter(|name| !name.is_empty());
    let components: BTreeSet<_> = names.map(Component::parse).collect();
    if components.contains(&Component::Data) {
        return Ok(components);
    }
    let got = format!("{} other names", components.len());
    Err(Error::corrupt(file.name(), None, "component names", "Data.db among them", got))
}

#[cfg(test)]
mod tests {
    use outpour_storage::{Directory, MemoryDirectory};

    use super::*;
    use crate::ErrorKind;

    fn toc(text: impl Into<Vec<u8>>) -> Result<BTreeSet<Component>> {
        let directory = MemoryDirectory::of("/d", [("nb-1-big-TOC.txt", text)]);
        read(&*directory.open("nb-1-big-TOC.txt").unwrap())
    }

    #[test]
    fn lines_in_any_order_and_of_any_system() {
        let plain = toc("Data.db\nIndex.db\nTOC.txt\nSAI+aa+Meta.db\n").unwrap();
        let custom = Component::Custom("SAI+aa+Meta.db".to_owned());
        let expected = [Component::Data, Component::Index, Component::Toc, custom];
        assert_eq!(plain, BTreeSet::from(expected));
        assert_eq!(toc("SAI+aa+Meta.db\r\n\r\nTOC.txt\r\nIndex.db\r\n Data.db").unwrap(), plain);
    }

    #[test]
    fn every_sstable_has_data() {
        for text in ["", "\n", "Index.db\n", "Data.dc\n", "data.db\n", "Data.dbIndex.db\n"] {
            let error = toc(text).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{text:?}");
            assert!(error.to_string().starts_with("/d/nb-1-big-TOC.txt: "), "{error}");
        }
        assert_eq!(toc(vec![b'\n'; 65 << 10]).unwrap_err().kind(), ErrorKind::Limit);
    }
}
