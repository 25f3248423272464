//! What a run may take.

use std::sync::Once;
use std::time::Duration;

use rlimit::Resource;

/// Bytes that each run is given.
pub(crate) const BUDGET: u64 = 16 << 20;
/// Seconds that no run of so small a table takes, whatever the machine does besides.
pub(crate) const LONGEST: Duration = Duration::from_secs(5);
/// Bytes that the whole process may ask for: some runs at a time, what the tests hold, and slack. An
/// allocation of a length that a file names ends here.
const PROCESS: u64 = 256 << 20;

/// Makes the system refuse memory beyond what all runs together need; the process ends then.
pub(crate) fn hold() {
    static HELD: Once = Once::new();
    HELD.call_once(|| Resource::DATA.set(PROCESS, PROCESS).unwrap());
}

/// Whether all that can be tried is wanted, and not a part of it.
pub(crate) fn is_exhaustive() -> bool {
    std::env::var("OUTPOUR_DAMAGE").is_ok_and(|value| value == "all")
}
