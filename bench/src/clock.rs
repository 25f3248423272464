use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::time::Duration;

/// The time that this thread has spent on a CPU: unlike wall time, other processes do not add to it.
pub(crate) fn cpu_time() -> Result<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let on_cpu = text.split_whitespace().next().and_then(|first| first.parse().ok());
    on_cpu.map(Duration::from_nanos).ok_or_else(|| Error::from(ErrorKind::InvalidData))
}
