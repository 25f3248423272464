use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells every stage of a run to stop. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    set: Arc<AtomicBool>,
}

/// The run was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cancelled")]
pub struct Cancelled;

impl Cancel {
    /// Cancels the run.
    pub fn cancel(&self) {
        self.set.store(true, Ordering::Relaxed);
    }

    /// Whether the run was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.set.load(Ordering::Relaxed)
    }

    /// Stops a stage between two batches.
    ///
    /// # Errors
    /// [`Cancelled`] once the run was cancelled.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// The flag itself, for signal handlers.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.set)
    }
}
