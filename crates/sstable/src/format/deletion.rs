//! Deletion times (`db/DeletionTime.java`).
//!
//! ```text
//!          live                              deleted
//! ..nb     7fffffff 8000000000000000         i32 local deletion time, i64 marked for delete at
//! oa, da   80                                i64 marked for delete at (top bit 0), u32 local d. t.
//! ```
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
        let rest = bytes.get(*at..).ok_or(BadDeletion::Truncated)?;
        let (deletion, len) = match (version.has_uint_deletion_time(), rest.first()) {
            (_, None) => return Err(BadDeletion::Truncated),
            (true, Some(0x80)) => (Self::LIVE, 1),
            (true, Some(flags @ 0x81..)) => return Err(BadDeletion::Flags(*flags)),
            (true, Some(_)) => (Self::from_unsigned(rest)?, 12),
            (false, Some(_)) => (Self::from_signed(rest)?, 12),
        };
        *at += len;
        Ok(deletion)
    }

    /// As [`DeletionTime::read`], for a decoder that can be called again with more bytes.
    pub(crate) fn decode(bytes: &[u8], at: &mut usize, version: Version) -> Result<Self, Stop> {
        let start = *at;
        Self::read(bytes, at, version).map_err(|bad| bad.at(start))
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
