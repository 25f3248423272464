/// The result of a decoder.
pub type Result<T> = std::result::Result<T, Error>;

/// Why bytes could not be decoded. Offsets count from the start of the decoded slice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes end before the value does.
    #[error("needs {needed} bytes at offset {offset}, {available} are left")]
    Truncated {
        /// Where the value starts.
        offset: usize,
        /// Bytes that the value needs.
        needed: usize,
        /// Bytes that are there.
        available: usize,
    },
    /// The bytes contradict the format.
    #[error("{what} at offset {offset}: expected {expected}, got {got}")]
    Invalid {
        /// The field.
        what: &'static str,
        /// Where the field starts.
        offset: usize,
        /// What the format allows.
        expected: String,
        /// What stands there.
        got: String,
    },
    /// A compressor that this build does not know.
    #[error("compressor {0} is not supported")]
    UnknownCompressor(String),
    /// A chunk that its compressor refuses.
    #[error("{compressor} chunk: {reason}")]
    Chunk {
        /// The compressor's class name.
        compressor: &'static str,
        /// What it said.
        reason: String,
    },
}
