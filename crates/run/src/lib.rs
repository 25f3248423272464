//! What one run carries through all layers: a byte [`Budget`], a [`Cancel`] token and [`Progress`]
//! counters.

mod budget;
mod cancel;
mod progress;

pub use budget::{Budget, Exceeded, Reservation};
pub use cancel::{Cancel, Cancelled};
pub use progress::Progress;
