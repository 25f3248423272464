use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use outpour_storage::{Directory, Entry, ReadAt};

use crate::transaction::{self, LeftOut};
use crate::{Component, Descriptor, Error, Result, SstableId, toc};

/// A live node changes a directory a few times a second at most; listing it takes milliseconds.
const LISTINGS_MAX: usize = 5;

/// The files of one SSTable.
#[derive(Debug, Clone)]
pub struct SstableFiles {
    descriptor: Descriptor,
    directory: Arc<dyn Directory>,
    components: BTreeMap<Component, Entry>,
}

/// Finds the SSTables of a table: those that the server would load from `directories`, sorted by
/// id. Several data directories of a node must be listed together, because a transaction may
/// be recorded as committed in one of them only.
///
/// Temporary files and files of other kinds are passed over. So are SSTables that a transaction left behind,
/// and those that Scylla did not finish; `notice` is told how many.
///
/// Whether all that is needed is there, [`SstableFiles::check`] tells.
///
/// # Errors
/// Corrupt if files of two SSTables are mixed or a transaction log does not fit them, Unsupported for
/// a version that cannot be read, NotFound if a file vanishes meanwhile (list again), Io.
pub fn list_sstables(
    directories: &[Arc<dyn Directory>],
    notice: &mut dyn FnMut(String),
) -> Result<Vec<SstableFiles>> {
    let (sstables, mut refused) = list_readable(directories, notice)?;
    match refused.is_empty() {
        true => Ok(sstables),
        false => Err(refused.swap_remove(0)),
    }
}

/// As [`list_sstables`], but what is wrong with one SSTable's names does not hide the others: it is told
/// beside them, once an SSTable.
///
/// # Errors
/// Corrupt if a transaction log does not fit the files, NotFound if files come and go meanwhile, Io.
pub fn list_readable(
    directories: &[Arc<dyn Directory>],
    notice: &mut dyn FnMut(String),
) -> Result<(Vec<SstableFiles>, Vec<Error>)> {
    let (listings, mut left_out) = settled_listings(directories, notice)?;
    let (mut sstables, mut refused) = (Vec::new(), Vec::new());
    for (listing, left_out) in listings.iter().zip(&mut left_out) {
        listing.leave_unfinished_out(left_out, notice);
        sstables.extend(listing.sstables(left_out, &mut refused));
    }
    sstables.sort_by_key(|sstable| sstable.descriptor.id);
    Ok((sstables, refused))
}

/// What directories hold, at a moment when nothing was added or removed, and what transactions
/// leave out of it.
fn settled_listings(
    directories: &[Arc<dyn Directory>],
    notice: &mut dyn FnMut(String),
) -> Result<(Vec<Listing>, Vec<LeftOut>)> {
    let mut listings = list_all(directories)?;
    for _ in 0..LISTINGS_MAX {
        let mut notices = Vec::new();
        let left_out = transaction::left_out(&listings, &mut |text| notices.push(text));
        let again = list_all(directories)?;
        let names = |listing: &Listing| -> Vec<_> {
            listing.entries.iter().map(|entry| entry.name.clone()).collect()
        };
        if listings.iter().map(names).eq(again.iter().map(names)) {
            notices.into_iter().for_each(notice);
            return Ok((listings, left_out?));
        }
        listings = again;
    }
    let location = directories.first().map_or("", |directory| directory.location());
    Err(Error::not_found(
        location,
        "files come and go while it is listed",
        "export a snapshot of the table instead (nodetool snapshot)",
    ))
}

fn list_all(directories: &[Arc<dyn Directory>]) -> Result<Vec<Listing>> {
    directories.iter().map(Listing::read).collect()
}

/// A directory and the files that it holds.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) directory: Arc<dyn Directory>,
    /// Sorted by name
    pub(crate) entries: Vec<Entry>,
}

impl Listing {
    pub(crate) fn read(directory: &Arc<dyn Directory>) -> Result<Self> {
        let mut entries = directory.list()?;
        // What is neither file nor directory stays: opening it says what it is.
        entries.retain(|entry| !entry.is_directory());
        Ok(Self { directory: Arc::clone(directory), entries })
    }

    /// The files whose names start with `prefix`.
    pub(crate) fn files_with(&self, prefix: &str) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.name.as_str() < prefix);
        let from = self.entries.get(start..).unwrap_or_default();
        let len = from.partition_point(|entry| entry.name.starts_with(prefix));
        from.get(..len).unwrap_or_default()
    }

    /// Scylla writes the names of components to TOC.txt.tmp first, and renames that when all of them are
    /// whole; before it deletes an SSTable, it renames it back. It deletes what has only that when it starts
    /// (`sstables/sstable_directory.cc`).
    fn leave_unfinished_out(&self, left_out: &mut LeftOut, notice: &mut dyn FnMut(String)) {
        let names = self.entries.iter().map(|entry| entry.name.as_str());
        let unfinished: Vec<&str> = names
            .filter_map(|name| name.strip_suffix("TOC.txt.tmp"))
            .filter(|prefix| is_of_scylla(prefix) && !self.has(&format!("{prefix}TOC.txt")))
            .collect();
        if let Some(first) = unfinished.first() {
            let (count, location) = (unfinished.len(), self.directory.location());
            notice(format!(
                "SSTables left out: {count}; Scylla did not finish to write or to delete them: {location}/{first}TOC.txt.tmp"
            ));
        }
        unfinished.into_iter().for_each(|prefix| left_out.add(prefix.to_owned()));
    }

    fn has(&self, name: &str) -> bool {
        self.entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).is_ok()
    }

    /// Groups the files by SSTable. Of each SSTable that has files of names that cannot be, the first
    /// goes to `refused`.
    fn sstables(&self, left_out: &LeftOut, refused: &mut Vec<Error>) -> Vec<SstableFiles> {
        let mut sstables: BTreeMap<SstableId, SstableFiles> = BTreeMap::new();
        let mut refused_stems = BTreeSet::new();
        let mut refuse = |name: &str, error| {
            // All but the component: no file of an SSTable is told twice.
            if refused_stems.insert(name.rsplit_once('-').map_or(name, |(stem, _)| stem).to_owned())
            {
                refused.push(error);
            }
        };
        for entry in self.entries.iter().filter(|entry| !left_out.contains(&entry.name)) {
            let location = self.directory.location();
            let (descriptor, component) = match Descriptor::parse(location, &entry.name) {
                Ok(Some(named)) => named,
                Ok(None) => continue,
                Err(e) => {
                    refuse(&entry.name, e);
                    continue;
                }
            };
            let sstable = sstables.entry(descriptor.id).or_insert_with(|| SstableFiles {
                descriptor,
                directory: Arc::clone(&self.directory),
                components: BTreeMap::new(),
            });
            if let Err(e) = sstable.add(descriptor, component, entry) {
                refuse(&entry.name, e);
            }
        }
        sstables.into_values().collect()
    }
}

/// Whether files of this prefix may be Scylla's.
fn is_of_scylla(prefix: &str) -> bool {
    let data = Descriptor::parse("", &format!("{prefix}Data.db"));
    data.is_ok_and(|named| named.is_some_and(|(named, _)| named.version.may_be_of_scylla()))
}

impl SstableFiles {
    /// Finds the one SSTable `descriptor` in `directory`, whatever state others and transactions are
    /// in.
    ///
    /// # Errors
    /// Corrupt if files of two SSTables are mixed, Io.
    pub fn find(directory: &Arc<dyn Directory>, descriptor: Descriptor) -> Result<Self> {
        let listing = Listing::read(directory)?;
        let mut found =
            Self { descriptor, directory: Arc::clone(directory), components: BTreeMap::new() };
        for entry in &listing.entries {
            // What the names of others say does not matter here.
            if let Ok(Some((named, component))) = Descriptor::parse(found.location(), &entry.name)
                && named == descriptor
            {
                found.add(descriptor, component, entry)?;
            }
        }
        Ok(found)
    }

    /// Version, id and format, which all its files' names start with.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    /// The directory that it lies in.
    #[must_use]
    pub fn location(&self) -> &str {
        self.directory.location()
    }

    /// Whether it has `component`.
    #[must_use]
    pub fn has(&self, component: &Component) -> bool {
        self.components.contains_key(component)
    }

    /// Its components and the bytes that each had when the directory was listed.
    pub fn components(&self) -> impl Iterator<Item = (&Component, u64)> {
        self.components.iter().map(|(component, entry)| (component, entry.len))
    }

    /// Opens the file of `component`.
    ///
    /// # Errors
    /// Corrupt if it has no such component, NotFound if it vanished since it was listed, Io.
    pub fn open(&self, component: &Component) -> Result<Arc<dyn ReadAt>> {
        match self.components.get(component) {
            Some(entry) => Ok(self.directory.open(&entry.name)?),
            None => Err(self.missing(component, "it is needed")),
        }
    }

    fn add(&mut self, descriptor: Descriptor, component: Component, entry: &Entry) -> Result<()> {
        if descriptor != self.descriptor {
            let problem = format!("there are also files {}-…", self.descriptor);
            return Err(self.mixed(&entry.name, problem));
        }
        match self.components.insert(component, entry.clone()) {
            None => Ok(()),
            Some(other) => Err(self.mixed(&entry.name, format!("there is also {}", other.name))),
        }
    }

    /// Two SSTables with one id.
    #[cold]
    fn mixed(&self, name: &str, problem: String) -> Error {
        let advice = "no two SSTables of a table have one id: move those of another table or node \
             to a directory of their own";
        Error::inconsistent(self.path(name), problem, advice)
    }

    /// Checks that the files which hold rows, or prove them, are all there.
    ///
    /// # Errors
    /// Corrupt if one is not, or is not what TOC.txt lists; Io.
    pub fn check(&self) -> Result<()> {
        let version = self.descriptor.version;
        let index: &[Component] = match version.has_tries() {
            false => &[Component::Index],
            true => &[Component::Partitions, Component::Rows],
        };
        for component in [Component::Data, Component::Statistics].iter().chain(index) {
            if !self.has(component) {
                let why = format!("every SSTable of version {version} has one");
                return Err(self.missing(component, &why));
            }
        }
        let proofs = [Component::CompressionInfo, Component::Crc, Component::Digest];
        if !proofs.iter().any(|component| self.has(component)) {
            let why = "there is no CRC.db and no Digest.crc32 either, so that damage could not be noticed";
            return Err(self.missing(&Component::CompressionInfo, why));
        }
        if self.has(&Component::Toc) { self.check_toc() } else { Ok(()) }
    }

    /// What a server makes again if it is gone, and TOC.txt lists: no rows are missing with it, but it is
    /// not as it was written.
    ///
    /// # Errors
    /// Those of reading TOC.txt.
    pub fn missing_rebuildable(&self) -> Result<Vec<Error>> {
        if !self.has(&Component::Toc) {
            return Ok(Vec::new());
        }
        let listed = toc::read(&*self.open(&Component::Toc)?)?;
        let rebuilt = [Component::Filter, Component::Summary].into_iter();
        let missing =
            rebuilt.filter(|component| listed.contains(component) && !self.has(component));
        Ok(missing
            .map(|component| {
                let problem = "is missing; TOC.txt lists it";
                Error::inconsistent(self.path_of(&component), problem, REBUILD)
            })
            .collect())
    }

    fn check_toc(&self) -> Result<()> {
        let listed = toc::read(&*self.open(&Component::Toc)?)?;
        if let Some(component) = listed.iter().find(|c| !self.has(c) && !may_be_missing(c)) {
            return Err(self.missing(component, "TOC.txt lists it"));
        }
        let compressed = Component::CompressionInfo;
        if self.has(&compressed) && !listed.contains(&compressed) {
            let problem = "is there and TOC.txt does not list it";
            return Err(Error::inconsistent(self.path_of(&compressed), problem, WHOLE));
        }
        Ok(())
    }

    #[cold]
    fn missing(&self, component: &Component, why: &str) -> Error {
        Error::inconsistent(self.path_of(component), format!("is missing; {why}"), WHOLE)
    }

    fn path_of(&self, component: &Component) -> String {
        self.path(&self.descriptor.file_name(component))
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.location().trim_end_matches('/'))
    }
}

const WHOLE: &str = "copy all files of the SSTable again, or restore it from a snapshot, a backup \
     or another replica";

const REBUILD: &str = "Cassandra makes it again when it loads the SSTable; no rows are lost";

/// What Cassandra rebuilds when it is absent, and secondary indexes, which hold no rows.
fn may_be_missing(component: &Component) -> bool {
    match component {
        Component::Summary | Component::Filter => true,
        Component::Custom(name) => name.starts_with("SI_") || name.starts_with("SAI"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use outpour_storage::{Fault, FaultyDirectory, MemoryDirectory};

    use super::*;
    use crate::ErrorKind;

    const BIG: &str = "Data.db Index.db Summary.db Statistics.db Filter.db CompressionInfo.db \
         Digest.crc32 TOC.txt";
    const PLAIN: &str =
        "Data.db Index.db Summary.db Statistics.db Filter.db CRC.db Digest.crc32 TOC.txt";
    const BTI: &str = "Data.db Partitions.db Rows.db Statistics.db Filter.db CompressionInfo.db \
         Digest.crc32 TOC.txt";

    fn insert(directory: &mut MemoryDirectory, prefix: &str, components: &str) {
        let toc = components.split_whitespace().collect::<Vec<_>>().join("\n");
        for component in components.split_whitespace() {
            let bytes = if component == "TOC.txt" { &*toc } else { "bytes" };
            directory.insert(format!("{prefix}-{component}"), bytes);
        }
    }

    fn of(sstables: &[(&str, &str)]) -> MemoryDirectory {
        let mut directory = MemoryDirectory::new("/d");
        for (prefix, components) in sstables {
            insert(&mut directory, prefix, components);
        }
        directory
    }

    fn list(directory: &MemoryDirectory) -> Result<Vec<SstableFiles>> {
        checked(&[Arc::new(directory.clone())])
    }

    fn checked(directories: &[Arc<dyn Directory>]) -> Result<Vec<SstableFiles>> {
        let sstables = list_sstables(directories, &mut |_| {})?;
        sstables.iter().try_for_each(SstableFiles::check)?;
        Ok(sstables)
    }

    fn names(directory: &MemoryDirectory) -> Vec<String> {
        list(directory).unwrap().iter().map(|sstable| sstable.descriptor.to_string()).collect()
    }

    #[track_caller]
    fn assert_corrupt(directory: &MemoryDirectory, file: &str, problem: &str) {
        let error = list(directory).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        let message = error.to_string();
        assert!(message.starts_with(&format!("/d/{file}: ")), "{message}");
        assert!(message.contains(problem), "{message}");
    }

    #[test]
    fn groups_by_descriptor_and_sorts_by_id() {
        let uuid = "da-3h5y_1tjp_298ds2j5mjckdy2f3e-bti";
        let directory =
            of(&[(uuid, BTI), ("nb-10-big", BIG), ("oa-9-big", PLAIN), ("na-1-big", BIG)]);
        assert_eq!(names(&directory), ["na-1-big", "oa-9-big", "nb-10-big", uuid]);
        let sstables = list(&directory).unwrap();
        let components: BTreeSet<_> = sstables[1].components().map(|(c, _)| c.name()).collect();
        assert_eq!(components, PLAIN.split_whitespace().collect());
        assert!(sstables[1].has(&Component::Crc) && !sstables[1].has(&Component::CompressionInfo));
        let data = sstables[1].open(&Component::Data).unwrap();
        assert_eq!((data.name(), data.len()), ("/d/oa-9-big-Data.db", 5));
        let absent = sstables[1].open(&Component::CompressionInfo).unwrap_err();
        assert!(absent.to_string().starts_with("/d/oa-9-big-CompressionInfo.db: is missing"));
    }

    #[test]
    fn files_of_other_kinds_are_passed_over() {
        let mut directory = of(&[("nb-1-big", BIG)]);
        for name in [
            "manifest.json",
            "schema.cql",
            "nb-2-big-Statistics.db.tmp",
            "nb-1-big-SI_idx.db",
            "nb-1-big-SAI+ca+idx+Meta.db",
            "notes.txt",
        ] {
            directory.insert(name, "");
        }
        for name in ["snapshots", "backups", ".idx", "nb-3-big-Data.db"] {
            directory.insert_directory(name, of(&[("nb-7-big", "Data.db")]));
        }
        assert_eq!(names(&directory), ["nb-1-big"]);
        assert!(names(&MemoryDirectory::new("/d")).is_empty());
    }

    #[test]
    fn a_missing_component_is_named() {
        for (prefix, components) in [("nb-1-big", BIG), ("oa-1-big", PLAIN), ("da-1-bti", BTI)] {
            for component in components.split_whitespace() {
                let mut directory = of(&[(prefix, components)]);
                directory.remove(&format!("{prefix}-{component}"));
                match component {
                    "Summary.db" | "Filter.db" | "TOC.txt" => {
                        assert_eq!(names(&directory), [prefix]);
                    }
                    _ => {
                        let file = format!("{prefix}-{component}");
                        assert_corrupt(&directory, &file, "is missing");
                    }
                }
            }
        }
    }

    #[test]
    fn without_a_toc_the_needed_files_must_be_there() {
        let mut directory = of(&[("nb-1-big", "Data.db Index.db Statistics.db CRC.db")]);
        assert_eq!(names(&directory), ["nb-1-big"]);
        directory.remove("nb-1-big-Statistics.db");
        assert_corrupt(&directory, "nb-1-big-Statistics.db", "is missing");
        let rest_of_one = of(&[("nb-1-big", "Filter.db")]);
        assert_corrupt(&rest_of_one, "nb-1-big-Data.db", "every SSTable of version nb has one");
    }

    #[test]
    fn something_must_prove_the_data() {
        let without = "Data.db Index.db Statistics.db TOC.txt";
        for proof in ["CompressionInfo.db", "CRC.db", "Digest.crc32"] {
            assert_eq!(names(&of(&[("mc-1-big", &format!("{without} {proof}"))])), ["mc-1-big"]);
        }
        let directory = of(&[("mc-1-big", without)]);
        let file = "mc-1-big-CompressionInfo.db";
        assert_corrupt(&directory, file, "damage could not be noticed");
    }

    #[test]
    fn the_toc_must_agree_with_the_files() {
        let mut directory = of(&[("nb-1-big", PLAIN)]);
        directory.insert("nb-1-big-CompressionInfo.db", "");
        let file = "nb-1-big-CompressionInfo.db";
        assert_corrupt(&directory, file, "TOC.txt does not list it");
        let mut directory = of(&[("nb-1-big", BIG)]);
        directory.insert("nb-1-big-TOC.txt", BIG.replace(' ', "\n") + "\nSI_i.db\nSAI+ca+Meta.db");
        assert_eq!(names(&directory), ["nb-1-big"]);
        directory.insert("nb-1-big-TOC.txt", BIG.replace(' ', "\n") + "\nScylla.db");
        assert_corrupt(&directory, "nb-1-big-Scylla.db", "TOC.txt lists it");
        directory.insert("nb-1-big-TOC.txt", "Index.db");
        assert_corrupt(&directory, "nb-1-big-TOC.txt", "expected Data.db among them");
    }

    #[test]
    fn one_id_is_one_sstable() {
        let directory = of(&[("nb-1-big", BIG), ("da-1-bti", BTI)]);
        assert_corrupt(&directory, "nb-1-big-CompressionInfo.db", "there are also files da-1-bti-");
        let directory = of(&[("nb-1-big", BIG), ("oa-1-big", BIG)]);
        assert_corrupt(&directory, "oa-1-big-CompressionInfo.db", "there are also files nb-1-big-");
        let directory = of(&[("nb-1-big", BIG), ("nb-01-big", BIG)]);
        assert_corrupt(&directory, "nb-1-big-CompressionInfo.db", "there is also nb-01-big-");
    }

    #[test]
    fn a_version_that_cannot_be_read_is_not_passed_over() {
        for name in ["lb-2-big-Data.db", "nc-2-big-Data.db", "ks-t-ka-2-Data.db"] {
            let mut directory = of(&[("nb-1-big", BIG)]);
            directory.insert(name, "");
            assert_eq!(list(&directory).unwrap_err().kind(), ErrorKind::Unsupported, "{name}");
        }
    }

    #[test]
    fn what_is_wrong_with_one_hides_no_other() {
        let mut directory = of(&[("nb-1-big", BIG), ("nb-2-big", BIG), ("lb-3-big", BIG)]);
        insert(&mut directory, "oa-2-big", "Data.db Index.db");
        let directories: [Arc<dyn Directory>; 1] = [Arc::new(directory)];
        let (sstables, refused) = list_readable(&directories, &mut |_| {}).unwrap();
        let names: Vec<_> = sstables.iter().map(|files| files.descriptor.to_string()).collect();
        assert_eq!(names, ["nb-1-big", "nb-2-big"]);
        let kinds: Vec<_> = refused.iter().map(Error::kind).collect();
        assert_eq!(kinds, [ErrorKind::Unsupported, ErrorKind::Corrupt], "{refused:?}");
        assert!(list_sstables(&directories, &mut |_| {}).is_err());
    }

    #[test]
    fn components_that_are_rebuilt_are_told() {
        let mut directory = of(&[("nb-1-big", BIG)]);
        let missing = |directory: &MemoryDirectory| {
            let found = list(directory).unwrap()[0].missing_rebuildable().unwrap();
            found.iter().map(|e| e.path().to_owned()).collect::<Vec<_>>()
        };
        assert!(missing(&directory).is_empty());
        for component in ["Filter.db", "Summary.db"] {
            directory.remove(&format!("nb-1-big-{component}"));
        }
        assert_eq!(missing(&directory), ["/d/nb-1-big-Filter.db", "/d/nb-1-big-Summary.db"]);
        directory.remove("nb-1-big-TOC.txt");
        assert!(missing(&directory).is_empty());
    }

    #[test]
    fn unfinished_sstables_are_no_part_of_the_table() {
        let mut directory = of(&[("nb-1-big", BIG), ("nb-2-big", "Data.db")]);
        assert_corrupt(&directory, "nb-2-big-Statistics.db", "is missing");
        // The checksum was computed with Python's zlib.crc32.
        let log = "ADD:[/var/lib/cassandra/data/ks/t-0123456789abcdef0123456789abcdef/nb-2-big,0,8]\
             [1468952840]\n";
        directory.insert("nb_txn_flush_8c2a2a10-d8f0-11f0-8000-000000000000.log", log);
        assert_eq!(names(&directory), ["nb-1-big"]);
        let (notices, _) = told(&directory);
        assert!(notices.len() == 1 && notices[0].contains("nb_txn_flush_"), "{notices:?}");
        // Nothing to tell where nothing is left out.
        directory.remove("nb-2-big-Data.db");
        assert_eq!(told(&directory), (Vec::new(), vec!["nb-1-big".to_owned()]));
    }

    /// What is told of `directory`, and the SSTables that stay.
    fn told(directory: &MemoryDirectory) -> (Vec<String>, Vec<String>) {
        let directories: [Arc<dyn Directory>; 1] = [Arc::new(directory.clone())];
        let mut notices = Vec::new();
        let sstables = list_sstables(&directories, &mut |text| notices.push(text)).unwrap();
        (notices, sstables.iter().map(|sstable| sstable.descriptor.to_string()).collect())
    }

    #[test]
    fn sstables_that_scylla_did_not_finish_are_left_out() {
        const PARTS: &str = "Data.db Index.db Scylla.db";
        for version in ["mc", "md", "me", "ms", "mt"] {
            let (whole, half) = (format!("{version}-1-big"), format!("{version}-2-big"));
            let mut directory = of(&[(&whole, BIG), (&half, PARTS)]);
            directory.insert(format!("{half}-TOC.txt.tmp"), "Data.db\n");
            let (notices, names) = told(&directory);
            assert_eq!(names, [whole]);
            let [notice] = &notices[..] else { panic!("{notices:?}") };
            let start = "SSTables left out: 1; ";
            assert!(notice.starts_with(start) && notice.contains(&half), "{notice}");
            // Both: Cassandra 5.0 was about to add an index to the list.
            directory.insert(format!("{half}-TOC.txt"), PARTS.replace(' ', "\n"));
            assert_eq!(told(&directory).1.len(), 2);
        }
        // Cassandra reads what has no TOC.txt.
        let mut directory = of(&[("nb-1-big", BIG), ("ma-2-big", BIG)]);
        for prefix in ["nb-1-big", "ma-2-big"] {
            directory.remove(&format!("{prefix}-TOC.txt"));
            directory.insert(format!("{prefix}-TOC.txt.tmp"), "Data.db\n");
        }
        let (notices, names) = told(&directory);
        assert_eq!((notices.len(), names.len()), (0, 2), "{notices:?}");
    }

    #[test]
    fn one_sstable_is_found_beside_damaged_ones() {
        let mut directory = of(&[("nb-1-big", BIG), ("nb-2-big", "Data.db"), ("nb-11-big", BIG)]);
        directory.insert("ma-3-big-Data.db", "");
        let (descriptor, _) = Descriptor::parse("", "nb-1-big-Data.db").unwrap().unwrap();
        let directory: Arc<dyn Directory> = Arc::new(directory);
        let found = SstableFiles::find(&directory, descriptor).unwrap();
        assert_eq!(found.components().count(), 8);
        let (damaged, _) = Descriptor::parse("", "nb-2-big-Data.db").unwrap().unwrap();
        let damaged = SstableFiles::find(&directory, damaged).unwrap();
        let error = damaged.check().unwrap_err();
        assert!(error.to_string().starts_with("/d/nb-2-big-Statistics.db: is missing"), "{error}");
    }

    #[test]
    fn failing_reads_and_vanished_files_are_errors() {
        let inner: Arc<dyn Directory> = Arc::new(of(&[("nb-1-big", BIG)]));
        let toc = "nb-1-big-TOC.txt".to_owned();
        for (fault, kind) in [
            (Fault::ReadFails { nth: 0 }, ErrorKind::Io),
            (Fault::VanishesOnOpen { file: toc.clone() }, ErrorKind::NotFound),
            (Fault::TruncatedFile { file: toc, len: 0 }, ErrorKind::Corrupt),
        ] {
            let faulty = FaultyDirectory::new(Arc::clone(&inner), vec![fault]);
            assert_eq!(checked(&[Arc::new(faulty)]).unwrap_err().kind(), kind);
        }
    }

    /// A directory of a live node: the next state at each listing, the last one for good.
    #[derive(Debug)]
    struct Live {
        states: Vec<MemoryDirectory>,
        listings: AtomicUsize,
    }

    impl Live {
        fn new(states: Vec<MemoryDirectory>) -> Arc<Self> {
            Arc::new(Self { states, listings: AtomicUsize::new(0) })
        }

        fn state(&self) -> &MemoryDirectory {
            let index = self.listings.load(Ordering::Relaxed).saturating_sub(1);
            &self.states[index.min(self.states.len() - 1)]
        }
    }

    impl Directory for Live {
        fn location(&self) -> &str {
            "/d"
        }

        fn list(&self) -> outpour_storage::Result<Vec<Entry>> {
            self.listings.fetch_add(1, Ordering::Relaxed);
            self.state().list()
        }

        fn open(&self, name: &str) -> outpour_storage::Result<Arc<dyn ReadAt>> {
            self.state().open(name)
        }

        fn subdirectory(&self, name: &str) -> outpour_storage::Result<Arc<dyn Directory>> {
            self.state().subdirectory(name)
        }
    }

    #[test]
    fn a_compaction_meanwhile_is_seen_before_or_after() {
        let (before, after) = (of(&[("nb-1-big", BIG)]), of(&[("nb-2-big", BIG)]));
        let half = of(&[("nb-1-big", "Index.db"), ("nb-2-big", BIG)]);
        let live = Live::new(vec![before, half, after]);
        let sstables = list_sstables(&[live], &mut |_| {}).unwrap();
        assert_eq!(sstables.len(), 1);
        assert_eq!(sstables[0].descriptor.to_string(), "nb-2-big");
    }

    #[test]
    fn a_directory_that_never_settles_is_an_error() {
        let states = (0..20).map(|id| of(&[(&*format!("nb-{id}-big"), BIG)])).collect();
        let error = list_sstables(&[Live::new(states)], &mut |_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().contains("nodetool snapshot"), "{error}");
    }
}
