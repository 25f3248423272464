use std::fmt;

use crate::version::before_3_0;
use crate::{Error, Format, Result, Version};

/// What the name of an SSTable's file tells (`io/sstable/Descriptor.java`).
///
/// ```text
/// nb-12-big-Data.db     version - id - format - component
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Descriptor {
    /// Version of its bytes
    pub version: Version,
    /// Its number or time among the SSTables of a table
    pub id: SstableId,
    /// How it is indexed
    pub format: Format,
}

impl Descriptor {
    /// Takes the name of a file apart; `None` if it is not of an SSTable or is unfinished.
    /// `location` is its directory, for messages.
    ///
    /// # Errors
    /// Unsupported for a version that cannot be read, or a name that only an older Cassandra gave;
    /// Invalid for an id that is none.
    pub fn parse(location: &str, name: &str) -> Result<Option<(Self, Component)>> {
        let tokens: Vec<&str> = name.split('-').collect();
        if is_temporary(name, &tokens) {
            return Ok(None);
        }
        let path = || format!("{}/{name}", location.trim_end_matches('/'));
        if let [version, id, format, component] = tokens[..]
            && let Some(format) = Format::parse(format)
        {
            let version = Version::parse(version, format, &path())?;
            let id = SstableId::parse(id).ok_or_else(|| bad_id(path(), id))?;
            return Ok(Some((Self { version, id, format }, Component::parse(component))));
        }
        match old_version(&tokens) {
            Some(version) => Err(before_3_0(version, &path())),
            None => Ok(None),
        }
    }

    /// The name of its file for `component`.
    #[must_use]
    pub fn file_name(&self, component: &Component) -> String {
        format!("{self}-{component}")
    }
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}", self.version, self.id, self.format)
    }
}

/// Files that are still being written: `….tmp`, and before 3.0 `tmp-…`, `tmplink-…` and
/// `<keyspace>-<table>-tmp-…`.
fn is_temporary(name: &str, tokens: &[&str]) -> bool {
    let is_marker = |token: &&str| matches!(*token, "tmp" | "tmplink");
    let marked = tokens.len() > 3 && tokens.iter().take(3).any(is_marker);
    marked || name.ends_with(".tmp")
}

/// The version in a name that Cassandra 2.1 or an older one gave:
/// `[<keyspace>-]<table>-<version>-<generation>-<component>`.
fn old_version<'a>(tokens: &[&'a str]) -> Option<&'a str> {
    let [_, .., version, generation, component] = *tokens else { return None };
    let is_version = (1..=2).contains(&version.len())
        && version.bytes().all(|byte| byte.is_ascii_lowercase())
        && version < "ma";
    let is_generation = !generation.is_empty() && generation.bytes().all(|b| b.is_ascii_digit());
    (is_version && is_generation && component.ends_with(".db")).then_some(version)
}

#[cold]
fn bad_id(path: String, id: &str) -> Error {
    let problem = format!(
        "{id:?} is no SSTable id: expected a number of at most 10 digits or a \
         time UUID of 28 characters"
    );
    Error::invalid(path, problem, "check the name of the file")
}

/// The id of an SSTable, unique among those of a table on one node. Sequence ids come before UUID
/// ids; later ones compare greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SstableId {
    /// `io/sstable/SequenceBasedSSTableId.java`
    Sequence(u64),
    /// `io/sstable/UUIDBasedSSTableId.java`, since 4.1
    Uuid {
        /// 100 ns units since 1582-10-15
        timestamp: u64,
        /// The low half of the time UUID, which compares as a signed number
        low_bits: i64,
    },
}

const SEQUENCE_DIGITS_MAX: usize = 10;
const UNITS_PER_SECOND: u64 = 10_000_000;
const SECONDS_PER_DAY: u64 = 86_400;

impl SstableId {
    /// The id with this text. A UUID is read in either case, and a number with zeros before it.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if !text.is_ascii() {
            return None;
        }
        if (1..=SEQUENCE_DIGITS_MAX).contains(&text.len()) {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            return digits.then(|| text.parse().ok()).flatten().map(Self::Sequence);
        }
        Self::parse_uuid(text)
    }

    /// ```text
    /// 3h5y_1tjp_298ds2j5mjckdy2f3e     base 36: day _ second of the day _ 100 ns units, low bits
    /// 0    5    10   15
    /// ```
    fn parse_uuid(text: &str) -> Option<Self> {
        let valid = text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 9 => byte == b'_',
            _ => byte.is_ascii_alphanumeric(),
        });
        if text.len() != 28 || !valid {
            return None;
        }
        let number = |range| u64::from_str_radix(text.get(range)?, 36).ok();
        let seconds = number(0..4)? * SECONDS_PER_DAY + number(5..9)?;
        let timestamp = seconds * UNITS_PER_SECOND + number(10..15)?;
        Some(Self::Uuid { timestamp, low_bits: number(15..28)? as i64 })
    }
}

impl fmt::Display for SstableId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Sequence(number) => write!(f, "{number}"),
            Self::Uuid { timestamp, low_bits } => {
                let seconds = timestamp / UNITS_PER_SECOND;
                write_base_36(f, seconds / SECONDS_PER_DAY, 4)?;
                f.write_str("_")?;
                write_base_36(f, seconds % SECONDS_PER_DAY, 4)?;
                f.write_str("_")?;
                write_base_36(f, timestamp % UNITS_PER_SECOND, 5)?;
                write_base_36(f, low_bits as u64, 13)
            }
        }
    }
}

fn write_base_36(f: &mut fmt::Formatter<'_>, value: u64, width: u32) -> fmt::Result {
    for place in (0..width).rev() {
        let digit = value / 36_u64.pow(place) % 36;
        write!(f, "{}", char::from_digit(digit as u32, 36).unwrap_or('0'))?;
    }
    Ok(())
}

/// One file of an SSTable (`io/sstable/format/SSTableFormat.java`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// The rows
    Data,
    /// Partition keys and their places (big)
    Index,
    /// Every 128th entry of the index (big)
    Summary,
    /// Trie of the partition keys (bti)
    Partitions,
    /// Tries of the rows of long partitions (bti)
    Rows,
    /// Totals, bounds, types
    Statistics,
    /// Bloom filter of the partition keys
    Filter,
    /// Chunks of a compressed Data.db
    CompressionInfo,
    /// Checksums of an uncompressed Data.db
    Crc,
    /// Checksum of the whole Data.db
    Digest,
    /// Names of the components
    Toc,
    /// Any other: secondary indexes, what forks and plug-ins add
    Custom(String),
}

impl Component {
    const NAMED: [(Self, &'static str); 11] = [
        (Self::Data, "Data.db"),
        (Self::Index, "Index.db"),
        (Self::Summary, "Summary.db"),
        (Self::Partitions, "Partitions.db"),
        (Self::Rows, "Rows.db"),
        (Self::Statistics, "Statistics.db"),
        (Self::Filter, "Filter.db"),
        (Self::CompressionInfo, "CompressionInfo.db"),
        (Self::Crc, "CRC.db"),
        (Self::Digest, "Digest.crc32"),
        (Self::Toc, "TOC.txt"),
    ];

    /// The component with this name.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        match Self::NAMED.into_iter().find(|(_, named)| *named == name) {
            Some((component, _)) => component,
            None => Self::Custom(name.to_owned()),
        }
    }

    /// Its name: the last part of the file's name, and its line in TOC.txt.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Custom(name) => name,
            named => Self::NAMED.iter().find(|(other, _)| other == named).map_or("", |(_, n)| n),
        }
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn parsed(name: &str) -> (Descriptor, Component) {
        Descriptor::parse("/d", name).unwrap().unwrap()
    }

    #[test]
    fn names_of_every_component_round_trip() {
        let descriptor =
            Descriptor { version: Version::Nb, id: SstableId::Sequence(12), format: Format::Big };
        let custom = ["SI_idx.db", "SAI+ca+idx+Meta.db", "Scylla.db", "Digest.adler32"];
        let named = Component::NAMED.into_iter().map(|(component, _)| component);
        for component in named.chain(custom.map(|name| Component::Custom(name.to_owned()))) {
            let name = descriptor.file_name(&component);
            assert!(name.starts_with("nb-12-big-"), "{name}");
            assert_eq!(parsed(&name), (descriptor, component));
        }
        assert_eq!(parsed("nb-12-big-Data.db").1, Component::Data);
    }

    #[test]
    fn uuid_ids_of_cassandra_5_0() {
        let name = "oa-3h5y_1tjp_298ds2j5mjckdy2f3e-big-Data.db";
        let (descriptor, _) = parsed(name);
        assert_eq!(descriptor.file_name(&Component::Data), name);
        let (upper, _) = parsed("oa-3H5Y_1TJP_298DS2J5MJCKDY2F3E-big-Data.db");
        assert_eq!(upper, descriptor);
        let SstableId::Uuid { timestamp, low_bits } = descriptor.id else { panic!("a UUID") };
        // Day 162,214 from 1582-10-15 is 2026-11-30; the low half has the variant of RFC 4122.
        assert_eq!(timestamp / UNITS_PER_SECOND / SECONDS_PER_DAY, 162_214);
        assert_eq!(low_bits as u64 >> 62, 0b10);
    }

    #[test]
    fn ids_sort_as_cassandra_sorts_them() {
        let sorted = [
            "0",
            "9",
            "10",
            "9999999999",
            "0000_0000_000000000000000000",
            "3h5y_1tjp_298ds2j5mjckdy2f3e",
            "3h5y_1tjp_3syka2j5mjckdy2f3e",
            "zzzz_0000_000000000000000000",
        ]
        .map(|text| SstableId::parse(text).unwrap());
        assert!(sorted.is_sorted_by(|a, b| a < b));
        let (negative, positive) = ("0000_0000_000003w5e11264sgsf", "0000_0000_000000000000000001");
        assert!(SstableId::parse(negative).unwrap() < SstableId::parse(positive).unwrap());
    }

    #[test]
    fn ids_that_are_none() {
        for id in [
            "",
            "-1",
            "+1",
            "1a",
            "12345678901",
            "3h5y_1tjp_298ds2j5mjckdy2f3",
            "3h5y-1tjp-298ds2j5mjckdy2f3e",
            "3h5y_1tjp_298ds2j5mjckdy2f3é",
            "3h5y_1tjp_298dszzzzzzzzzzzzz",
            "+h5y_1tjp_298ds2j5mjckdy2f3e",
        ] {
            assert_eq!(SstableId::parse(id), None, "{id}");
        }
        let error = Descriptor::parse("/d", "nb-x-big-Data.db").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid);
        assert!(error.to_string().starts_with("/d/nb-x-big-Data.db: \"x\" is no SSTable id"));
    }

    #[test]
    fn foreign_and_unfinished_files_are_none() {
        for name in [
            "manifest.json",
            "schema.cql",
            "nb_txn_compaction_8c2a2a10-0000-11ee-8000-000000000000.log",
            "nb-1-big-Statistics.db.tmp",
            "nb-1-big-Data.db.8c2a2a10-0000-11ee-8000-000000000000.tmp",
            "tmp-la-1-big-Data.db",
            "tmplink-la-1-big-Data.db",
            "ks-t-tmp-ka-1-Data.db",
            "ks-t-tmplink-ka-1-Data.db",
            "a-b-c-d",
            "notes-on-x-1-Data.txt",
            "nb-1-BIG-Data.db",
            "nb-1-big",
            "",
        ] {
            assert!(Descriptor::parse("/d", name).unwrap().is_none(), "{name}");
        }
    }

    #[test]
    fn names_of_older_releases_are_known() {
        for (name, version) in [
            ("ks-t-ka-1-Data.db", "\"ka\""),
            ("ks-t-jb-12-Index.db", "\"jb\""),
            ("t-f-3-Data.db", "\"f\""),
            ("la-1-big-Data.db", "\"la\""),
        ] {
            let error = Descriptor::parse("/d/", name).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{name}");
            let message = error.to_string();
            assert!(message.starts_with(&format!("/d/{name}: ")), "{message}");
            assert!(message.contains(version) && message.contains("before 3.0"), "{message}");
        }
    }
}
