/// What a format has around the rows, whatever these hold; by default nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Framing {
    pub(crate) opening: Vec<u8>,
    pub(crate) between: &'static [u8],
    pub(crate) closing: &'static [u8],
    pub(crate) closing_empty: &'static [u8],
}

impl Framing {
    /// What stands before the rows.
    #[must_use]
    pub fn opening(&self) -> &[u8] {
        &self.opening
    }

    /// What stands between two rows.
    #[must_use]
    pub fn between(&self) -> &[u8] {
        self.between
    }

    /// What stands after the rows, if there are any, or after none.
    #[must_use]
    pub fn closing(&self, has_rows: bool) -> &[u8] {
        if has_rows { self.closing } else { self.closing_empty }
    }
}
