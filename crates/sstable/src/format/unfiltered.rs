//! Rows and range tombstone markers in Data.db (`db/rows/UnfilteredSerializer.java`,
//! `db/rows/Cell.java`, `db/Columns.java`).
//!
//! ```text
//! row      u8 flags │ [u8 extended flags] │ clustering values, none in a static row
//!          vint size of all that follows it │ vint size of the previous unfiltered
//!          [vint timestamp]                          HAS_TIMESTAMP
//!          [vint TTL, vint local deletion time]      HAS_TTL
//!          [vint marked for delete at, vint local deletion time]   HAS_DELETION
//!          [the same of the shadowable deletion]     HAS_SCYLLA_SHADOWABLE_DELETION
//!          [columns subset]                          unless HAS_ALL_COLUMNS
//!          columns, in the header's order: simple ones first, then multi-cell ones, each by name
//! marker   02 │ bound │ vint size │ vint previous size │ deletion; of a boundary the closed one,
//!          then the opened one
//! simple column       cell
//! multi-cell column   [deletion, if the row HAS_COMPLEX_DELETION] │ vint count │ cells
//! cell     u8 flags │ [vint timestamp]               unless USE_ROW_TIMESTAMP
//!          [vint local deletion time]                IS_DELETED or IS_EXPIRING, unless USE_ROW_TTL
//!          [vint TTL]                                IS_EXPIRING, unless USE_ROW_TTL
//!          [vint length, path]                       in a multi-cell column
//!          [value]                                   unless HAS_EMPTY_VALUE
//! subset   fewer than 64 columns: vint bitmap of the missing ones; else vint count of the missing
//!          ones, then the indexes of the present ones if these are fewer than half, or of the
//!          missing ones
//! ```
//! Times are deltas to the minima of the serialization header; 32-bit ones wrap.

use std::cell::Cell;

use outpour_codec::vint;

use super::clustering::Width;
use super::deletion::{DeletionTime, RowDeletion};
use super::statistics::SerializationHeader;
use crate::read::{Span, Stop};

pub(crate) const END_OF_PARTITION: u8 = 0x01;
pub(crate) const IS_MARKER: u8 = 0x02;
const HAS_TIMESTAMP: u8 = 0x04;
const HAS_TTL: u8 = 0x08;
const HAS_DELETION: u8 = 0x10;
const HAS_ALL_COLUMNS: u8 = 0x20;
const HAS_COMPLEX_DELETION: u8 = 0x40;
pub(crate) const EXTENSION_FLAG: u8 = 0x80;

pub(crate) const IS_STATIC: u8 = 0x01;
/// Set with HAS_DELETION by materialized views (3.0.14+): a newer row liveness ends the deletion.
const HAS_SHADOWABLE_DELETION: u8 = 0x02;
/// Set by Scylla, which stores a view's shadowable deletion beside the regular one
/// (`sstables/mx/types.hh`).
const HAS_SCYLLA_SHADOWABLE_DELETION: u8 = 0x80;

const CELL_IS_DELETED: u8 = 0x01;
const CELL_IS_EXPIRING: u8 = 0x02;
const CELL_HAS_EMPTY_VALUE: u8 = 0x04;
const CELL_USE_ROW_TIMESTAMP: u8 = 0x08;
const CELL_USE_ROW_TTL: u8 = 0x10;
const CELL_FLAGS_UNKNOWN: u8 = 0xe0;

/// "Never" among local deletion times: the value lives without end.
pub(crate) const NEVER: i64 = i64::MAX;
/// "No timestamp": the row has no primary key liveness.
pub(crate) const NO_TIMESTAMP: i64 = i64::MIN;
/// The TTL of liveness that a view has ended (`LivenessInfo.EXPIRED_LIVENESS_TTL`).
pub(crate) const EXPIRED_LIVENESS_TTL: i32 = i32::MAX;

/// The minima that times are deltas to, and how local deletion times are read.
#[derive(Debug, Clone)]
pub(crate) struct Minima {
    timestamp: i64,
    local_deletion_time: u32,
    ttl: i32,
    unsigned: bool,
    met: Cell<TimeBounds>,
}

/// The bounds of the times that an SSTable holds, which Statistics.db tells too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeBounds {
    /// `i64::MAX` if there is none
    pub(crate) timestamp_min: i64,
    /// [`NO_TIMESTAMP`] if there is none
    pub(crate) timestamp_max: i64,
    /// Of what is deleted or expires; [`NEVER`] if nothing is or does
    pub(crate) local_deletion_time_min: i64,
    /// Seconds; 0 if nothing expires
    pub(crate) ttl_max: i32,
}

impl TimeBounds {
    /// Of nothing
    pub(crate) const NONE: Self = Self {
        timestamp_min: i64::MAX,
        timestamp_max: NO_TIMESTAMP,
        local_deletion_time_min: NEVER,
        ttl_max: 0,
    };

    /// Widens these bounds to those of another part.
    pub(crate) fn add(&mut self, other: &Self) {
        self.timestamp_min = self.timestamp_min.min(other.timestamp_min);
        self.timestamp_max = self.timestamp_max.max(other.timestamp_max);
        self.local_deletion_time_min =
            self.local_deletion_time_min.min(other.local_deletion_time_min);
        self.ttl_max = self.ttl_max.max(other.ttl_max);
    }

    /// Whether the writer kept times. Cassandra writes these timestamps of a file without any, Scylla of
    /// one with nothing but range tombstones too.
    pub(crate) fn are_told(&self) -> bool {
        (self.timestamp_min, self.timestamp_max) != (i64::MIN, i64::MAX)
    }
}

impl Minima {
    /// The minima of `header`; `unsigned` tells whether local deletion times go up to 2106.
    pub(crate) fn new(header: &SerializationHeader, unsigned: bool) -> Self {
        Self {
            timestamp: header.timestamp_min,
            local_deletion_time: header.local_deletion_time_min as u32,
            ttl: header.ttl_min,
            unsigned,
            met: Cell::new(TimeBounds::NONE),
        }
    }

    #[inline(always)]
    fn timestamp(&self, bytes: &[u8], at: &mut usize) -> Result<i64, Stop> {
        let timestamp = self.timestamp.wrapping_add(unsigned(bytes, at)? as i64);
        self.note_timestamp(timestamp);
        Ok(timestamp)
    }

    #[inline(always)]
    fn note_timestamp(&self, timestamp: i64) {
        let met = self.met.get();
        if timestamp > met.timestamp_max || timestamp < met.timestamp_min {
            let timestamp_min = met.timestamp_min.min(timestamp);
            let timestamp_max = met.timestamp_max.max(timestamp);
            self.met.set(TimeBounds { timestamp_min, timestamp_max, ..met });
        }
    }

    /// Notes a deletion that is stored whole.
    pub(crate) fn note_deletion(&self, deletion: &DeletionTime) {
        if !deletion.is_live() {
            self.note_timestamp(deletion.marked_for_delete_at);
            self.note_local_deletion_time(deletion.local_deletion_time);
        }
    }

    fn note_local_deletion_time(&self, time: i64) {
        let met = self.met.get();
        let local_deletion_time_min = met.local_deletion_time_min.min(time);
        self.met.set(TimeBounds { local_deletion_time_min, ..met });
    }

    /// The bounds of all times that were read.
    pub(crate) fn met(&self) -> TimeBounds {
        self.met.get()
    }

    fn ttl(&self, bytes: &[u8], at: &mut usize) -> Result<i32, Stop> {
        let ttl = self.ttl.wrapping_add(unsigned(bytes, at)? as i32);
        let met = self.met.get();
        self.met.set(TimeBounds { ttl_max: met.ttl_max.max(ttl), ..met });
        Ok(ttl)
    }

    /// Seconds since 1970, or [`NEVER`].
    fn local_deletion_time(&self, bytes: &[u8], at: &mut usize) -> Result<i64, Stop> {
        let time = self.local_deletion_time.wrapping_add(unsigned(bytes, at)? as u32);
        Ok(match self.unsigned {
            true if time == u32::MAX => NEVER,
            true => i64::from(time),
            false if time == i32::MAX as u32 => NEVER,
            false => i64::from(time as i32),
        })
    }

    /// A deletion; live ones are told by their timestamp alone, for their local deletion time
    /// differs between releases.
    fn deletion(&self, bytes: &[u8], at: &mut usize) -> Result<DeletionTime, Stop> {
        let marked_for_delete_at = self.timestamp.wrapping_add(unsigned(bytes, at)? as i64);
        let local_deletion_time = self.local_deletion_time(bytes, at)?;
        if marked_for_delete_at == i64::MIN {
            return Ok(DeletionTime::LIVE);
        }
        check_deletion_time(local_deletion_time, *at)?;
        let deletion = DeletionTime { marked_for_delete_at, local_deletion_time };
        self.note_deletion(&deletion);
        Ok(deletion)
    }
}

/// Releases before CASSANDRA-14227 let some overflow: Cassandra calls them invalid, and shows them or
/// not by its corrupted_tombstone_strategy.
fn check_deletion_time(seconds: i64, at: usize) -> Result<(), Stop> {
    match seconds {
        0.. => Ok(()),
        _ => Err(Stop::corrupt(
            at,
            "local deletion time",
            "0 or more seconds (where a TTL overflowed in 2038, CASSANDRA-14092, sstablescrub \
             --reinsert-overflowed-ttl mends it)",
            seconds,
        )),
    }
}

#[inline(always)]
fn unsigned(bytes: &[u8], at: &mut usize) -> Result<u64, Stop> {
    vint::read_unsigned(bytes, at).ok_or(Stop::Incomplete)
}

/// When a row's primary key, or a cell, was written and how long it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Liveness {
    /// Microseconds by convention; [`NO_TIMESTAMP`] if the row has none
    pub(crate) timestamp: i64,
    /// Seconds; 0: does not expire
    pub(crate) ttl: i32,
    /// Seconds since 1970 of the expiry or of the deletion; [`NEVER`]
    pub(crate) local_deletion_time: i64,
}

impl Liveness {
    pub(crate) const NONE: Self =
        Self { timestamp: NO_TIMESTAMP, ttl: 0, local_deletion_time: NEVER };

    /// Whether this row liveness makes its row visible at second `now`.
    #[inline]
    pub(crate) fn is_live_row(&self, now: i64) -> bool {
        self.timestamp != NO_TIMESTAMP
            && self.ttl != EXPIRED_LIVENESS_TTL
            && (self.ttl == 0 || now < self.local_deletion_time)
    }

    /// Whether a cell with these times is neither deleted nor expired at second `now`.
    #[inline(always)]
    pub(crate) fn is_live_cell(&self, now: i64) -> bool {
        self.local_deletion_time == NEVER || (self.ttl != 0 && now < self.local_deletion_time)
    }

    /// Whether a cell with these times is a tombstone, which an expired cell is not yet.
    pub(crate) fn is_tombstone(&self) -> bool {
        self.local_deletion_time != NEVER && self.ttl == 0
    }
}

/// A row up to its columns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowHead {
    pub(crate) liveness: Liveness,
    pub(crate) deletion: RowDeletion,
    pub(crate) has_complex_deletion: bool,
    /// Where the first column starts
    pub(crate) columns_at: usize,
    /// Where the row ends
    pub(crate) end: usize,
}

impl RowHead {
    /// Before the first row
    pub(crate) const EMPTY: Self = Self {
        liveness: Liveness::NONE,
        deletion: RowDeletion::NONE,
        has_complex_deletion: false,
        columns_at: 0,
        end: 0,
    };

    /// Whether the row holds nothing at all, as a static row that a partition does not have.
    pub(crate) fn is_empty(&self, present: &Presence) -> bool {
        self.liveness.timestamp == NO_TIMESTAMP && self.deletion.is_none() && present.is_none()
    }
}

/// Reads what follows the clustering values; `flags` are the row's two flag bytes.
pub(crate) fn read_row_head(
    bytes: &[u8],
    mut at: usize,
    (flags, extended): (u8, u8),
    minima: &Minima,
    present: &mut Presence,
) -> Result<RowHead, Stop> {
    let end = read_end(bytes, &mut at)?;
    // All of the row is here: a value that goes on behind its end is damaged.
    let body = &bytes[..end];
    read_row_times(body, at, (flags, extended), minima, present)
        .map_err(|stop| stop.inside(at, "row", end - at))
}

fn read_row_times(
    body: &[u8],
    mut at: usize,
    (flags, extended): (u8, u8),
    minima: &Minima,
    present: &mut Presence,
) -> Result<RowHead, Stop> {
    let at = &mut at;
    let _previous_size = unsigned(body, at)?;
    let mut liveness = Liveness::NONE;
    if flags & HAS_TIMESTAMP != 0 {
        liveness.timestamp = minima.timestamp(body, at)?;
    }
    if flags & HAS_TTL != 0 {
        liveness.ttl = minima.ttl(body, at)?;
        liveness.local_deletion_time = minima.local_deletion_time(body, at)?;
        check_deletion_time(liveness.local_deletion_time, *at)?;
        minima.note_local_deletion_time(liveness.local_deletion_time);
    }
    let deletion = match (flags & HAS_DELETION, extended) {
        (0, 0 | IS_STATIC) => RowDeletion::NONE,
        _ => read_row_deletion(body, at, (flags, extended), minima)?,
    };
    match flags & HAS_ALL_COLUMNS != 0 {
        true => present.set_all(),
        false => present.read(body, at)?,
    }
    Ok(RowHead {
        liveness,
        deletion,
        has_complex_deletion: flags & HAS_COMPLEX_DELETION != 0,
        columns_at: *at,
        end: body.len(),
    })
}

fn read_row_deletion(
    body: &[u8],
    at: &mut usize,
    (flags, extended): (u8, u8),
    minima: &Minima,
) -> Result<RowDeletion, Stop> {
    let mut deletion = RowDeletion::NONE;
    if flags & HAS_DELETION != 0 {
        deletion.regular = minima.deletion(body, at)?;
    }
    if extended & HAS_SHADOWABLE_DELETION != 0 {
        std::mem::swap(&mut deletion.regular, &mut deletion.shadowable);
    } else if extended & HAS_SCYLLA_SHADOWABLE_DELETION != 0 {
        deletion.shadowable = minima.deletion(body, at)?;
        deletion.keeps_regular = true;
    }
    Ok(deletion)
}

/// The flags of a row: those that no Cassandra and no Scylla writes are an error.
pub(crate) fn check_flags(
    at: usize,
    (flags, extended): (u8, u8),
    is_static: bool,
    may_be_of_scylla: bool,
) -> Result<(), Stop> {
    if flags & (END_OF_PARTITION | IS_MARKER) != 0
        || (flags & HAS_TTL != 0 && flags & HAS_TIMESTAMP == 0)
    {
        return Err(Stop::corrupt(at, "flags", "those of a row", format!("{flags:02x}")));
    }
    let fits = match extended {
        IS_STATIC => is_static,
        0 | HAS_SHADOWABLE_DELETION => !is_static,
        HAS_SCYLLA_SHADOWABLE_DELETION => !is_static && may_be_of_scylla,
        _ => false,
    };
    if !fits {
        let expected = match (is_static, may_be_of_scylla) {
            (true, _) => "01, a static row",
            (false, false) => "00 or 02",
            (false, true) => "00, 02 or 80",
        };
        return Err(Stop::corrupt(at, "extended flags", expected, format!("{extended:02x}")));
    }
    Ok(())
}

/// Reads a body size and returns where the body ends.
fn read_end(bytes: &[u8], at: &mut usize) -> Result<usize, Stop> {
    let len = unsigned(bytes, at)?;
    match len <= (bytes.len() - *at) as u64 {
        true => Ok(*at + len as usize),
        false => Err(Stop::Incomplete),
    }
}

/// The deletions of a marker; one that it does not close or open is live.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MarkerDeletions {
    pub(crate) closed: DeletionTime,
    pub(crate) opened: DeletionTime,
}

/// Reads what follows a marker's bound: its deletions, and where it ends.
pub(crate) fn read_marker(
    bytes: &[u8],
    mut at: usize,
    (is_boundary, opens): (bool, bool),
    minima: &Minima,
) -> Result<(MarkerDeletions, usize), Stop> {
    let end = read_end(bytes, &mut at)?;
    let start = at;
    let body = &bytes[..end];
    let mut read = || -> Result<MarkerDeletions, Stop> {
        let _previous_size = unsigned(body, &mut at)?;
        let first = minima.deletion(body, &mut at)?;
        let (closed, opened) = match (is_boundary, opens) {
            (true, _) => (first, minima.deletion(body, &mut at)?),
            (false, true) => (DeletionTime::LIVE, first),
            (false, false) => (first, DeletionTime::LIVE),
        };
        Ok(MarkerDeletions { closed, opened })
    };
    let deletions = read().map_err(|stop| stop.inside(start, "marker", end - start))?;
    if at != end {
        return Err(Stop::corrupt(start, "marker size", at - start, end - start));
    }
    Ok((deletions, end))
}

/// Which columns of the header a row has.
#[derive(Debug, Clone)]
pub(crate) struct Presence {
    columns: usize,
    all: bool,
    words: Vec<u64>,
}

impl Presence {
    /// For rows of `columns` columns.
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns, all: true, words: vec![0; columns.div_ceil(64)] }
    }

    pub(crate) fn is_all(&self) -> bool {
        self.all
    }

    /// Whether the row has no column.
    pub(crate) fn is_none(&self) -> bool {
        if self.all { self.columns == 0 } else { self.words.iter().all(|word| *word == 0) }
    }

    /// The indexes of the present columns, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(i, word)| SetBits(*word).map(move |b| 64 * i + b))
    }

    fn set_all(&mut self) {
        self.all = true;
    }

    fn fill(&mut self) {
        for (i, word) in self.words.iter_mut().enumerate() {
            let left = self.columns - 64 * i;
            *word = if left >= 64 { u64::MAX } else { (1 << left) - 1 };
        }
    }

    fn read(&mut self, bytes: &[u8], at: &mut usize) -> Result<(), Stop> {
        let start = *at;
        let encoded = unsigned(bytes, at)?;
        self.all = encoded == 0;
        if self.columns >= 64 {
            return self.read_indexes(bytes, at, encoded);
        }
        if encoded >> self.columns != 0 {
            let expected = format!("a bitmap of {} columns", self.columns);
            return Err(Stop::corrupt(start, "columns subset", expected, format!("{encoded:x}")));
        }
        self.fill();
        if let Some(word) = self.words.first_mut() {
            *word &= !encoded;
        }
        Ok(())
    }

    fn read_indexes(&mut self, bytes: &[u8], at: &mut usize, missing: u64) -> Result<(), Stop> {
        let present = (self.columns as u64).checked_sub(missing).ok_or_else(|| {
            Stop::corrupt(*at, "missing columns", format!("0 to {}", self.columns), missing)
        })?;
        let lists_present = present < self.columns as u64 / 2;
        match lists_present {
            true => self.words.fill(0),
            false => self.fill(),
        }
        for _ in 0..if lists_present { present } else { missing } {
            let start = *at;
            let index = unsigned(bytes, at)?;
            if index >= self.columns as u64 {
                let expected = format!("0 to {}", self.columns - 1);
                return Err(Stop::corrupt(start, "column index", expected, index));
            }
            let (word, bit) = (index as usize / 64, 1 << (index % 64));
            match lists_present {
                true => self.words[word] |= bit,
                false => self.words[word] &= !bit,
            }
        }
        Ok(())
    }
}

struct SetBits(u64);

impl Iterator for SetBits {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        (self.0 != 0).then(|| {
            self.0 &= self.0 - 1;
            bit
        })
    }
}

/// A cell: its times and where its path and value lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawCell {
    pub(crate) times: Liveness,
    /// Null in a simple column
    pub(crate) path: Span,
    pub(crate) value: Span,
}

/// Reads a cell of a row with the given liveness; `path` tells whether it has one.
#[inline(always)]
pub(crate) fn read_cell(
    body: &[u8],
    at: &mut usize,
    has_path: bool,
    width: Width,
    row: &Liveness,
    minima: &Minima,
) -> Result<RawCell, Stop> {
    let start = *at;
    let flags = *body.get(start).ok_or(Stop::Incomplete)?;
    *at += 1;
    let times = match flags & !CELL_HAS_EMPTY_VALUE {
        CELL_USE_ROW_TIMESTAMP if row.timestamp != NO_TIMESTAMP => {
            Liveness { timestamp: row.timestamp, ttl: 0, local_deletion_time: NEVER }
        }
        _ => read_cell_times(body, at, flags, row, minima)?,
    };
    let path = if has_path { Width::Prefixed.read(body, at)? } else { Span::NULL };
    let value = match flags & CELL_HAS_EMPTY_VALUE {
        0 => width.read(body, at)?,
        _ => Span::new(*at, 0),
    };
    Ok(RawCell { times, path, value })
}

#[inline(never)]
fn read_cell_times(
    body: &[u8],
    at: &mut usize,
    flags: u8,
    row: &Liveness,
    minima: &Minima,
) -> Result<Liveness, Stop> {
    let (is_deleted, is_expiring) = (flags & CELL_IS_DELETED != 0, flags & CELL_IS_EXPIRING != 0);
    let (row_timestamp, row_ttl) =
        (flags & CELL_USE_ROW_TIMESTAMP != 0, flags & CELL_USE_ROW_TTL != 0);
    if flags & CELL_FLAGS_UNKNOWN != 0
        || (is_deleted && is_expiring)
        || (row_timestamp && row.timestamp == NO_TIMESTAMP)
        || (row_ttl && (!is_expiring || row.ttl == 0))
    {
        let expected = "flags that fit each other and the row";
        return Err(Stop::corrupt(*at - 1, "cell flags", expected, format!("{flags:02x}")));
    }
    let timestamp = match row_timestamp {
        true => row.timestamp,
        false => minima.timestamp(body, at)?,
    };
    if row_ttl {
        return Ok(Liveness { timestamp, ..*row });
    }
    let local_deletion_time = match is_deleted || is_expiring {
        true => minima.local_deletion_time(body, at)?,
        false => NEVER,
    };
    check_deletion_time(local_deletion_time, *at)?;
    minima.note_local_deletion_time(local_deletion_time);
    let ttl = if is_expiring { minima.ttl(body, at)? } else { 0 };
    Ok(Liveness { timestamp, ttl, local_deletion_time })
}

/// Reads a multi-cell column's deletion and cell count.
pub(crate) fn read_complex_head(
    body: &[u8],
    at: &mut usize,
    head: &RowHead,
    minima: &Minima,
) -> Result<(DeletionTime, u64), Stop> {
    let deletion = match head.has_complex_deletion {
        true => minima.deletion(body, at)?,
        false => DeletionTime::LIVE,
    };
    let start = *at;
    let count = unsigned(body, at)?;
    // A cell has a flag byte and a path length at least.
    if count > (body.len() - *at) as u64 / 2 {
        let expected = format!("at most {} in this row", (body.len() - *at) / 2);
        return Err(Stop::corrupt(start, "cell count", expected, count));
    }
    Ok((deletion, count))
}
