//! Deletion times (`db/DeletionTime.java`).
//!
//! ```text
//!          live                              deleted
//! ..nb     7fffffff 8000000000000000         i32 local deletion time, i64 marked for delete at
//! oa, da   80                                i64 marked for delete at (top bit 0), u32 local d. t.
//! ```
//! Scylla's `ms` and `mt` have the first form in Data.db and the second one in Rows.db.
//! Rows, ranges and collections inside Data.db use deltas to the header's minima instead.

use crate::Version;
use crate::read::Stop;

/// When something was deleted. Ordered as Cassandra decides which of two deletions supersedes the
/// other: by [`DeletionTime::marked_for_delete_at`], then by the server's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeletionTime {
    /// Data written at this time or before is deleted; microseconds by convention. `i64::MIN` if
    /// there is no deletion.
    pub marked_for_delete_at: i64,
    /// The server's clock at the deletion, in seconds since 1970
    pub local_deletion_time: i64,
}

/// A partition's deletion is cut off by the end of the bytes, or is none.
pub(crate) enum BadDeletion {
    Truncated,
    /// `oa`: a first byte with its top bit set that is not 0x80
    Flags(u8),
}

impl BadDeletion {
    /// The same for a deletion at `at`, of which more bytes may follow.
    pub(crate) fn at(self, at: usize) -> Stop {
        match self {
            Self::Truncated => Stop::Incomplete,
            Self::Flags(flags) => {
                Stop::corrupt(at, "deletion time", "80 or 00 to 7f", format!("{flags:02x}"))
            }
        }
    }
}

impl DeletionTime {
    /// No deletion
    pub const LIVE: Self = Self { marked_for_delete_at: i64::MIN, local_deletion_time: i64::MIN };

    /// Whether there is no deletion.
    #[must_use]
    pub fn is_live(self) -> bool {
        self.marked_for_delete_at == i64::MIN
    }

    /// Reads the deletion at `*at` of `bytes` and moves `*at` behind it.
    pub(crate) fn read(
        bytes: &[u8],
        at: &mut usize,
        version: Version,
    ) -> Result<Self, BadDeletion> {
        if version.has_uint_deletion_time() {
            return Self::read_unsigned(bytes, at);
        }
        let rest = bytes.get(*at..).ok_or(BadDeletion::Truncated)?;
        let deletion = Self::from_signed(rest)?;
        *at += 12;
        Ok(deletion)
    }

    fn read_unsigned(bytes: &[u8], at: &mut usize) -> Result<Self, BadDeletion> {
        let rest = bytes.get(*at..).ok_or(BadDeletion::Truncated)?;
        let (deletion, len) = match rest.first() {
            None => return Err(BadDeletion::Truncated),
            Some(0x80) => (Self::LIVE, 1),
            Some(flags @ 0x81..) => return Err(BadDeletion::Flags(*flags)),
            Some(_) => (Self::from_unsigned(rest)?, 12),
        };
        *at += len;
        Ok(deletion)
    }

    /// As [`DeletionTime::read`], for a decoder that can be called again with more bytes.
    pub(crate) fn decode(bytes: &[u8], at: &mut usize, version: Version) -> Result<Self, Stop> {
        let start = *at;
        Self::read(bytes, at, version).map_err(|bad| bad.at(start))
    }

    /// The same for a deletion in Rows.db.
    pub(crate) fn decode_in_rows(bytes: &[u8], at: &mut usize) -> Result<Self, Stop> {
        let start = *at;
        Self::read_unsigned(bytes, at).map_err(|bad| bad.at(start))
    }

    fn from_unsigned(rest: &[u8]) -> Result<Self, BadDeletion> {
        let (marked, rest) = rest.split_first_chunk::<8>().ok_or(BadDeletion::Truncated)?;
        let local = rest.first_chunk::<4>().ok_or(BadDeletion::Truncated)?;
        Ok(Self {
            marked_for_delete_at: i64::from_be_bytes(*marked),
            local_deletion_time: i64::from(u32::from_be_bytes(*local)),
        })
    }

    fn from_signed(rest: &[u8]) -> Result<Self, BadDeletion> {
        let (local, rest) = rest.split_first_chunk::<4>().ok_or(BadDeletion::Truncated)?;
        let marked = rest.first_chunk::<8>().ok_or(BadDeletion::Truncated)?;
        let marked_for_delete_at = i64::from_be_bytes(*marked);
        if marked_for_delete_at == i64::MIN {
            return Ok(Self::LIVE);
        }
        Ok(Self {
            marked_for_delete_at,
            local_deletion_time: i64::from(i32::from_be_bytes(*local)),
        })
    }
}

/// The deletions of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowDeletion {
    /// Ended by nothing
    pub(crate) regular: DeletionTime,
    /// Of a materialized view: ended by a newer liveness of the row
    pub(crate) shadowable: DeletionTime,
    /// Whether an older regular deletion holds when the shadowable one is ended: it does in Scylla,
    /// which stores both, while Cassandra forgets it (`db/rows/Row.java`, class Merger)
    pub(crate) keeps_regular: bool,
}

impl RowDeletion {
    /// No deletion
    pub(crate) const NONE: Self =
        Self { regular: DeletionTime::LIVE, shadowable: DeletionTime::LIVE, keeps_regular: false };

    /// Takes in the deletions of another version of the row.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.regular = self.regular.max(other.regular);
        if other.shadowable > self.shadowable {
            self.shadowable = other.shadowable;
            self.keeps_regular = other.keeps_regular;
        }
    }

    /// What is deleted of a row whose liveness was written at `timestamp`.
    #[inline]
    pub(crate) fn of_row_written_at(&self, timestamp: i64) -> DeletionTime {
        if self.shadowable <= self.regular {
            return self.regular;
        }
        match timestamp > self.shadowable.marked_for_delete_at {
            false => self.shadowable,
            true if self.keeps_regular => self.regular,
            true => DeletionTime::LIVE,
        }
    }

    /// Whether there is none.
    pub(crate) fn is_none(&self) -> bool {
        self.regular.is_live() && self.shadowable.is_live()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deletion(marked_for_delete_at: i64) -> DeletionTime {
        DeletionTime { marked_for_delete_at, local_deletion_time: 1 }
    }

    #[test]
    fn a_newer_liveness_ends_a_shadowable_deletion() {
        let row = |regular, shadowable, keeps_regular| RowDeletion {
            regular: deletion(regular),
            shadowable: deletion(shadowable),
            keeps_regular,
        };
        for (row, timestamp, expected) in [
            (RowDeletion::NONE, 0, DeletionTime::LIVE),
            (row(5, 3, false), 9, deletion(5)),
            (row(5, 5, false), 9, deletion(5)),
            (row(5, 7, false), 7, deletion(7)),
            (row(5, 7, false), 8, DeletionTime::LIVE),
            (row(5, 7, true), 8, deletion(5)),
        ] {
            assert_eq!(row.of_row_written_at(timestamp), expected, "{row:?} {timestamp}");
        }
        let mut merged = row(2, 7, true);
        merged.merge(&row(5, 6, false));
        assert_eq!(merged, row(5, 7, true));
    }

    #[test]
    fn both_forms() {
        let mut signed = vec![0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 5];
        let read = |bytes: &[u8], version| {
            let mut at = 0;
            DeletionTime::decode(bytes, &mut at, version).ok().map(|deletion| (deletion, at))
        };
        let expected = DeletionTime { marked_for_delete_at: 5, local_deletion_time: 9 };
        assert_eq!(read(&signed, Version::Me), Some((expected, 12)));
        assert_eq!(read(&signed, Version::Ms), Some((expected, 12)));
        signed.rotate_left(4);
        assert_eq!(read(&signed, Version::Oa), Some((expected, 12)));
        assert_eq!(read(&[0x80], Version::Oa), Some((DeletionTime::LIVE, 1)));
        assert!(read(&[0x81; 12], Version::Oa).is_none());
        assert!(read(&signed[..11], Version::Oa).is_none());
        assert!(read(&[0x80], Version::Me).is_none());
    }
}
