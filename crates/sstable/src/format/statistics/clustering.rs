/// What all rows and range tombstones of an SSTable lie between. Without values it is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusteringBounds {
    /// In front of all of them
    pub start: ClusteringBound,
    /// Behind all of them
    pub end: ClusteringBound,
}

/// One side of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusteringBound {
    /// Whether rows that have exactly these values lie inside
    pub inclusive: bool,
    /// Of the first clustering columns; `None` is null
    pub values: Vec<Option<Vec<u8>>>,
}

impl ClusteringBound {
    /// Without values
    pub(crate) fn open() -> Self {
        Self { inclusive: false, values: Vec::new() }
    }
}
