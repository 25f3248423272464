/// Why a decoder stopped before the end of a value.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The bytes at hand end first. More may follow in the file.
    Incomplete,
    /// The bytes contradict the format.
    Corrupt(Box<Corrupt>),
}

/// What is wrong, and where in the buffer.
#[derive(Debug)]
pub(crate) struct Corrupt {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
    pub(crate) expected: String,
    pub(crate) got: String,
}

impl Stop {
    #[cold]
    pub(crate) fn corrupt(
        at: usize,
        what: &'static str,
        expected: impl ToString,
        got: impl ToString,
    ) -> Self {
        let (expected, got) = (expected.to_string(), got.to_string());
        Self::Corrupt(Box::new(Corrupt { at, what, expected, got }))
    }

    /// Inside something whose size is known to be there, running out of bytes is damage.
    #[cold]
    pub(crate) fn inside(self, at: usize, what: &'static str, size: usize) -> Self {
        match self {
            Self::Incomplete => {
                Self::corrupt(at, what, "content that fits its size", format!("size {size}"))
            }
            corrupt @ Self::Corrupt(_) => corrupt,
        }
    }
}
