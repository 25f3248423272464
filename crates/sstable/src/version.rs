use std::fmt;

use crate::{Error, Result};

/// The third part of an SSTable's file names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// `io/sstable/format/big/BigFormat.java`, and Scylla
    Big,
    /// `io/sstable/format/bti/BtiFormat.java`
    Bti,
}

impl Format {
    /// The format with this name, which is case-sensitive.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Big, Self::Bti].into_iter().find(|format| format.name() == name)
    }

    /// Its name in file names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Big => "big",
            Self::Bti => "bti",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The version of an SSTable, which only its file names tell. Later releases compare greater; the
/// two formats of one release differ in their index alone.
///
/// `BigFormat.BigVersion` and `BtiFormat.BtiVersion` of Cassandra 5.0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 3.0.0: rows instead of the cells of earlier releases
    Ma,
    /// 3.0.7 and 3.7: commit log lower bound
    Mb,
    /// 3.0.8 and 3.9: commit log intervals
    Mc,
    /// 3.0.18 and 3.11.4: as `mc`, with minimal and maximal clustering values that can be trusted
    Md,
    /// 3.0.25 and 3.11.11: originating host id
    Me,
    /// Scylla 2026.1: as `me`, indexed by tries
    Ms,
    /// Scylla 2026.2: as `ms`, with another order of the tries' partition keys
    Mt,
    /// 4.0-rc1: max compressed length, pending repair, transient, checksums in Statistics.db
    Na,
    /// 4.0: originating host id again
    Nb,
    /// 5.0: unsigned deletion times, covered clustering slice, key range, token space coverage
    Oa,
    /// 5.0: as `oa`, indexed by tries
    Da,
    /// 6.0: compression dictionary
    Pa,
    /// 6.0: as `pa`, indexed by tries
    Ea,
}

impl Version {
    /// All versions that can be read, oldest first.
    pub const ALL: [Self; 13] = [
        Self::Ma,
        Self::Mb,
        Self::Mc,
        Self::Md,
        Self::Me,
        Self::Ms,
        Self::Mt,
        Self::Na,
        Self::Nb,
        Self::Oa,
        Self::Da,
        Self::Pa,
        Self::Ea,
    ];

    /// The version with these letters in file names of `format`; `path` stands in the message.
    ///
    /// # Errors
    /// Unsupported for every other version; the message says who wrote it and what to do.
    pub fn parse(letters: &str, format: Format, path: &str) -> Result<Self> {
        let known = |version: &Self| version.letters() == letters && version.format() == format;
        match Self::ALL.into_iter().find(known) {
            Some(version) => Ok(version),
            None => Err(unsupported(letters, format, path)),
        }
    }

    /// Its letters in file names.
    #[must_use]
    pub fn letters(self) -> &'static str {
        match self {
            Self::Ma => "ma",
            Self::Mb => "mb",
            Self::Mc => "mc",
            Self::Md => "md",
            Self::Me => "me",
            Self::Ms => "ms",
            Self::Mt => "mt",
            Self::Na => "na",
            Self::Nb => "nb",
            Self::Oa => "oa",
            Self::Da => "da",
            Self::Pa => "pa",
            Self::Ea => "ea",
        }
    }

    /// The third part of its file names.
    #[must_use]
    pub fn format(self) -> Format {
        if matches!(self, Self::Da | Self::Ea) { Format::Bti } else { Format::Big }
    }

    /// Whether it is indexed by the tries Partitions.db and Rows.db, else by Index.db and Summary.db.
    #[must_use]
    pub fn has_tries(self) -> bool {
        matches!(self, Self::Ms | Self::Mt | Self::Da | Self::Ea)
    }

    /// Whether Scylla writes it, alone or as Cassandra does.
    #[must_use]
    pub fn may_be_of_scylla(self) -> bool {
        (Self::Mc..=Self::Mt).contains(&self)
    }

    /// Whether CompressionInfo.db says from which length on a chunk is stored raw.
    #[must_use]
    pub fn has_max_compressed_length(self) -> bool {
        self >= Self::Na
    }

    /// Whether Statistics.db has checksums.
    #[must_use]
    pub fn has_statistics_checksums(self) -> bool {
        self >= Self::Na
    }

    /// Whether Statistics.db has the id of the node that wrote it.
    #[must_use]
    pub fn has_host_id(self) -> bool {
        (Self::Me..=Self::Mt).contains(&self) || self >= Self::Nb
    }

    /// Whether Statistics.db has the position in the commit log from which on it holds data.
    #[must_use]
    pub fn has_commit_log_lower_bound(self) -> bool {
        self >= Self::Mb
    }

    /// Whether Statistics.db has the intervals of the commit log that it holds.
    #[must_use]
    pub fn has_commit_log_intervals(self) -> bool {
        self >= Self::Mc
    }

    /// Whether Statistics.db has the pending repair and tells transient replicas.
    #[must_use]
    pub fn has_pending_repair(self) -> bool {
        self >= Self::Na
    }

    /// Whether the words of Filter.db are big-endian, so that each eight bytes are reversed.
    #[must_use]
    pub fn has_big_endian_filter(self) -> bool {
        self < Self::Na
    }

    /// Whether the clustering bounds of Statistics.db can be trusted.
    #[must_use]
    pub fn has_accurate_clustering_bounds(self) -> bool {
        self >= Self::Md
    }

    /// Whether Statistics.db has lists of minimal and maximal clustering values, and not the
    /// covered slice.
    #[must_use]
    pub fn has_legacy_clustering_bounds(self) -> bool {
        self < Self::Oa
    }

    /// Whether local deletion times are unsigned, and deletion times outside rows are stored the
    /// short way.
    #[must_use]
    pub fn has_uint_deletion_time(self) -> bool {
        self >= Self::Oa
    }

    /// Whether Statistics.db knows if partition deletions occur, and the first and last key.
    #[must_use]
    pub fn has_key_range(self) -> bool {
        self >= Self::Oa
    }

    /// Whether Statistics.db has the share of the token space that is covered.
    #[must_use]
    pub fn has_token_space_coverage(self) -> bool {
        self >= Self::Oa
    }

    /// Whether a compression dictionary may follow in CompressionInfo.db.
    #[must_use]
    pub fn may_have_dictionary(self) -> bool {
        self >= Self::Pa
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.letters())
    }
}

/// Who writes a version that cannot be read, and what its owner can do.
#[cold]
fn unsupported(letters: &str, format: Format, path: &str) -> Error {
    let (what, advice) = match (format, letters) {
        _ if Version::ALL.iter().any(|version| version.letters() == letters) => UNKNOWN,
        (Format::Big, "nc") => (
            "by a development version of Cassandra 4.0 that was never released",
            "rewrite it with sstableupgrade of Cassandra 5.0",
        ),
        (Format::Big, _) if is_before("ma", letters) => {
            return before_3_0(letters, path);
        }
        (Format::Bti, _) if is_before("dd", letters) => (
            "by DataStax Enterprise or Hyper-Converged Database, whose versions cannot be read",
            "export the table there, or copy it to an Apache Cassandra cluster",
        ),
        (Format::Big, _) if is_after("pa", letters) => NEWER,
        (Format::Bti, _) if is_after("ea", letters) => NEWER,
        _ => UNKNOWN,
    };
    let problem = format!("SSTable version {letters:?} of format {format} was written {what}");
    Error::unsupported(path, problem, advice)
}

const UNKNOWN: (&str, &str) = ("by an unknown program", "check the name of the file");
const NEWER: (&str, &str) =
    ("by a newer Cassandra than this release knows", "use a newer release of outpour");

/// The error for an SSTable of a version before `ma`.
#[cold]
pub(crate) fn before_3_0(letters: &str, path: &str) -> Error {
    let problem = format!("SSTable version {letters:?} was written by Cassandra before 3.0");
    let advice =
        "upgrade it with sstableupgrade of Cassandra 3.11 and then with that of 4.0 or later";
    Error::unsupported(path, problem, advice)
}

fn is_before(bound: &str, letters: &str) -> bool {
    is_version(letters) && letters < bound
}

fn is_after(bound: &str, letters: &str) -> bool {
    is_version(letters) && letters > bound
}

/// Two lower-case letters, as every version since 1.0 has.
fn is_version(letters: &str) -> bool {
    letters.len() == 2 && letters.bytes().all(|byte| byte.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn every_version_parses_to_itself() {
        for version in Version::ALL {
            let parsed = Version::parse(version.letters(), version.format(), "f").unwrap();
            assert_eq!(parsed, version);
            assert_eq!(version.to_string(), version.letters());
        }
        assert!(Version::ALL.is_sorted());
    }

    #[test]
    fn predicates_follow_the_releases() {
        let with = |has: fn(Version) -> bool| -> Vec<_> {
            Version::ALL.into_iter().filter(|v| has(*v)).map(Version::letters).collect()
        };
        let since_5 = ["oa", "da", "pa", "ea"];
        let since_4 = ["na", "nb", "oa", "da", "pa", "ea"];
        let of_3 = ["ma", "mb", "mc", "md", "me", "ms", "mt"];
        assert_eq!(with(Version::has_statistics_checksums), since_4);
        assert_eq!(with(Version::has_max_compressed_length), since_4);
        assert_eq!(with(Version::has_pending_repair), since_4);
        assert_eq!(with(Version::has_big_endian_filter), of_3);
        assert_eq!(with(|version| !version.has_commit_log_lower_bound()), ["ma"]);
        assert_eq!(with(|version| !version.has_commit_log_intervals()), ["ma", "mb"]);
        assert_eq!(with(Version::has_host_id), ["me", "ms", "mt", "nb", "oa", "da", "pa", "ea"]);
        assert_eq!(
            with(Version::has_legacy_clustering_bounds),
            [&of_3[..], &["na", "nb"]].concat()
        );
        assert_eq!(with(|version| !version.has_accurate_clustering_bounds()), ["ma", "mb", "mc"]);
        assert_eq!(with(Version::has_uint_deletion_time), since_5);
        assert_eq!(with(Version::has_key_range), since_5);
        assert_eq!(with(Version::has_token_space_coverage), since_5);
        assert_eq!(with(Version::may_have_dictionary), ["pa", "ea"]);
        assert_eq!(with(Version::has_tries), ["ms", "mt", "da", "ea"]);
        assert_eq!(with(|version| version.format() == Format::Bti), ["da", "ea"]);
        assert_eq!(with(Version::may_be_of_scylla), ["mc", "md", "me", "ms", "mt"]);
    }

    #[test]
    fn other_versions_say_who_wrote_them_and_what_to_do() {
        for (letters, format, who, advice) in [
            ("jb", Format::Big, "before 3.0", "sstableupgrade of Cassandra 3.11"),
            ("la", Format::Big, "before 3.0", "sstableupgrade of Cassandra 3.11"),
            ("lb", Format::Big, "before 3.0", "sstableupgrade of Cassandra 3.11"),
            ("mu", Format::Big, "unknown program", "name of the file"),
            ("ms", Format::Bti, "unknown program", "name of the file"),
            ("nc", Format::Big, "never released", "sstableupgrade of Cassandra 5.0"),
            ("aa", Format::Bti, "DataStax", "export the table there"),
            ("dc", Format::Bti, "DataStax", "export the table there"),
            ("pb", Format::Big, "newer Cassandra", "newer release"),
            ("qa", Format::Big, "newer Cassandra", "newer release"),
            ("eb", Format::Bti, "newer Cassandra", "newer release"),
            ("mf", Format::Big, "unknown program", "name of the file"),
            ("nd", Format::Big, "unknown program", "name of the file"),
            ("oa", Format::Bti, "unknown program", "name of the file"),
            ("da", Format::Big, "unknown program", "name of the file"),
            ("dd", Format::Bti, "unknown program", "name of the file"),
            ("NB", Format::Big, "unknown program", "name of the file"),
            ("zzz", Format::Big, "unknown program", "name of the file"),
            ("", Format::Big, "unknown program", "name of the file"),
        ] {
            let error = Version::parse(letters, format, "/d/f").unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{letters}");
            let message = error.to_string();
            assert!(
                message.starts_with(&format!("/d/f: SSTable version {letters:?}")),
                "{message}"
            );
            assert!(message.contains(who) && message.contains(advice), "{message}");
        }
    }
}
