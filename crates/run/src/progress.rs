use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far a run has come. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    shared: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    bytes_total: AtomicU64,
    bytes_read: AtomicU64,
    rows: AtomicU64,
}

impl Progress {
    /// Adds to the stored bytes that the run will read.
    pub fn expect_bytes(&self, bytes: u64) {
        self.shared.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds to the stored bytes that were read.
    pub fn add_bytes(&self, bytes: u64) {
        self.shared.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Adds to the rows that were poured out.
    pub fn add_rows(&self, rows: u64) {
        self.shared.rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Stored bytes that the run will read.
    #[must_use]
    pub fn bytes_total(&self) -> u64 {
        self.shared.bytes_total.load(Ordering::Relaxed)
    }

    /// Stored bytes read so far.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.shared.bytes_read.load(Ordering::Relaxed)
    }

    /// Rows poured out so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.shared.rows.load(Ordering::Relaxed)
    }
}
