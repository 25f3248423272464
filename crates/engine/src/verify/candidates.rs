use outpour_sstable::{Error, ErrorKind, Sstable, SstableFiles};

use crate::Result;
use crate::source::{Notice, TableSource};

/// An SSTable to be checked.
pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) directory: String,
    /// Unless its files' names already are wrong
    pub(super) files: Option<SstableFiles>,
    /// If it can be opened
    pub(super) sstable: Option<Sstable>,
    /// What is already known to be wrong
    pub(super) found: Vec<Error>,
}

/// Opens all SSTables of the table.
///
/// # Errors
/// Those of listing its directories.
pub(super) fn open(source: &TableSource, notice: Notice<'_>) -> Result<Vec<Candidate>> {
    let has_vanished = |e: &Error| e.kind() == ErrorKind::NotFound;
    let mut told = Vec::new();
    let settled = match try_open(source, &mut |text| told.push(text.to_owned())) {
        Err(e) if has_vanished(&e) => None,
        Ok(found) if found.iter().flat_map(|candidate| &candidate.found).any(has_vanished) => None,
        opened => Some(opened?),
    };
    let candidates = match settled {
        Some(candidates) => candidates,
        // A live node may have compacted a file away since the directory was listed.
        None => {
            told.clear();
            try_open(source, &mut |text| told.push(text.to_owned()))?
        }
    };
    told.iter().for_each(|text| notice(text));
    Ok(candidates)
}

fn try_open(source: &TableSource, notice: Notice<'_>) -> outpour_sstable::Result<Vec<Candidate>> {
    let (files, refused) = source.readable_files(notice)?;
    let sound = files.into_iter().map(Candidate::open);
    Ok(sound.chain(refused.into_iter().map(Candidate::refused)).collect())
}

impl Candidate {
    fn open(files: SstableFiles) -> Self {
        let mut found = Vec::new();
        let opened = files.check().and_then(|()| {
            found.extend(files.missing_rebuildable()?);
            Sstable::open(&files)
        });
        let sstable = opened.map_err(|e| found.push(e)).ok();
        Self {
            name: files.descriptor().to_string(),
            directory: files.location().to_owned(),
            files: Some(files),
            sstable,
            found,
        }
    }

    /// An SSTable whose file's name cannot be.
    fn refused(error: Error) -> Self {
        let (directory, file) = error.path().rsplit_once('/').unwrap_or(("", error.path()));
        Self {
            name: file.rsplit_once('-').map_or(file, |(stem, _)| stem).to_owned(),
            directory: directory.to_owned(),
            files: None,
            sstable: None,
            found: vec![error],
        }
    }
}
