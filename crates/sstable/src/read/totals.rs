use std::fmt;

use crate::Version;
use crate::format::unfiltered::{NEVER, NO_TIMESTAMP, TimeBounds};

/// What an SSTable holds by its Statistics.db.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Static ones included
    pub(crate) rows: u64,
    pub(crate) partitions: u64,
    pub(crate) times: TimeBounds,
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, partitions, times } = self;
        write!(f, "{rows} rows in {partitions} partitions")?;
        if times.timestamp_max != NO_TIMESTAMP {
            write!(f, ", written from {} to {}", times.timestamp_min, times.timestamp_max)?;
        }
        if times.local_deletion_time_min != NEVER {
            write!(f, ", first deleted or expiring at {}", times.local_deletion_time_min)?;
        }
        if times.ttl_max != 0 {
            write!(f, ", of a TTL up to {}", times.ttl_max)?;
        }
        Ok(())
    }
}

/// What was met while an SSTable, or a part of it, was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Met {
    /// Static ones included, if they hold anything
    pub(crate) rows: u64,
    pub(crate) empty_static_rows: u64,
    pub(crate) markers: u64,
    pub(crate) partitions: u64,
    pub(crate) times: TimeBounds,
}

impl Met {
    pub(crate) const NOTHING: Self =
        Self { rows: 0, empty_static_rows: 0, markers: 0, partitions: 0, times: TimeBounds::NONE };

    /// Adds what another part holds.
    pub(crate) fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.empty_static_rows += other.empty_static_rows;
        self.markers += other.markers;
        self.partitions += other.partitions;
        self.times.add(&other.times);
    }

    /// It in the terms of Statistics.db.
    pub(crate) fn totals(&self) -> Totals {
        Totals { rows: self.rows, partitions: self.partitions, times: self.times }
    }

    /// Whether this is what Statistics.db of `version` tells.
    pub(crate) fn is(&self, told: &Totals, version: Version) -> bool {
        let mut met = self.totals();
        if !told.times.are_told() {
            met.times = told.times;
        }
        if version.may_be_of_scylla() && self.rows_of_scylla().contains(&told.rows) {
            met.rows = told.rows;
        }
        met == *told
    }

    /// Scylla counts static rows that are empty, and since 6.0 markers too (`sstables/mx/writer.cc`).
    fn rows_of_scylla(&self) -> [u64; 3] {
        let with_static = self.rows + self.empty_static_rows;
        [with_static, with_static + self.markers, self.rows + self.markers]
    }
}
