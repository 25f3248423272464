use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes that one run may hold. Clones share it.
#[derive(Debug, Clone)]
pub struct Budget {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    limit: u64,
    used: AtomicU64,
}

/// A reservation that does not fit the budget.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{purpose} needs {} more, {} of the memory budget of {} are free: raise --memory",
    shown(*.needed), shown(*.free), shown(*.limit)
)]
pub struct Exceeded {
    /// What the bytes are for
    pub purpose: &'static str,
    /// Bytes asked for
    pub needed: u64,
    /// Bytes that were free
    pub free: u64,
    /// The whole budget
    pub limit: u64,
}

fn shown(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}

impl Budget {
    /// A budget of `limit` bytes.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { shared: Arc::new(Shared { limit, used: AtomicU64::new(0) }) }
    }

    /// The whole budget, in bytes.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.shared.limit
    }

    /// Bytes now reserved.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.shared.used.load(Ordering::Relaxed)
    }

    /// Reserves `bytes` until the reservation is dropped.
    ///
    /// # Errors
    /// [`Exceeded`] if fewer are free.
    pub fn reserve(&self, bytes: u64, purpose: &'static str) -> Result<Reservation, Exceeded> {
        let mut reservation = Reservation { budget: self.clone(), bytes: 0, purpose };
        reservation.resize(bytes)?;
        Ok(reservation)
    }

    fn take(&self, bytes: u64, purpose: &'static str) -> Result<(), Exceeded> {
        let Shared { limit, used } = &*self.shared;
        let fits = |now: u64| now.checked_add(bytes).filter(|sum| sum <= limit);
        match used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => Ok(()),
            Err(now) => Err(Exceeded { purpose, needed: bytes, free: limit - now, limit: *limit }),
        }
    }
}

/// Bytes taken from a [`Budget`]; dropping gives them back.
#[derive(Debug)]
pub struct Reservation {
    budget: Budget,
    bytes: u64,
    purpose: &'static str,
}

impl Reservation {
    /// Bytes that it holds.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Grows or shrinks to `bytes`.
    ///
    /// # Errors
    /// [`Exceeded`] if the budget has not so many; the reservation then keeps what it had.
    pub fn resize(&mut self, bytes: u64) -> Result<(), Exceeded> {
        if let Some(more) = bytes.checked_sub(self.bytes) {
            self.budget.take(more, self.purpose)?;
        } else {
            self.budget.shared.used.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.shared.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_come_back() {
        let budget = Budget::new(100);
        let mut first = budget.reserve(60, "first").unwrap();
        let refused = budget.reserve(41, "second").unwrap_err();
        assert_eq!((refused.needed, refused.free, refused.limit), (41, 40, 100));
        assert!(first.resize(101).is_err());
        assert_eq!(budget.used(), 60);
        first.resize(10).unwrap();
        drop(budget.reserve(90, "second").unwrap());
        drop(first);
        assert_eq!(budget.used(), 0);
    }
}
