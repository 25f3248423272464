use outpour_cql::Table;

use crate::format::deletion::DeletionTime;
use crate::format::partition_key;
use crate::format::unfiltered::NO_TIMESTAMP;
use crate::read::Span;
use crate::rows::Outputs;

/// The partition that a scan is in: its deletion, and the values that all its rows share.
#[derive(Debug)]
pub(super) struct Partition {
    pub(super) deletion: DeletionTime,
    /// Values of partition key and static columns
    pub(super) arena: Vec<u8>,
    /// Output columns and where in the arena their values lie
    pub(super) values: Vec<(u32, Span)>,
    /// Where in the block's own buffer the arena was copied to
    pub(super) copied_to: Option<usize>,
    pub(super) has_live_static: bool,
    pub(super) has_live_row: bool,
    /// When the last static cell was written that nothing deletes
    pub(super) static_newest: i64,
    key_columns: usize,
    components: Vec<Span>,
}

impl Partition {
    pub(super) fn new(table: &Table) -> Self {
        Self {
            deletion: DeletionTime::LIVE,
            arena: Vec::new(),
            values: Vec::new(),
            copied_to: None,
            has_live_static: false,
            has_live_row: false,
            static_newest: NO_TIMESTAMP,
            key_columns: table.partition_key.len(),
            components: Vec::new(),
        }
    }

    /// Starts the partition of `key`.
    ///
    /// # Errors
    /// What was expected, if the key does not have one component for each column.
    pub(super) fn begin(
        &mut self,
        key: &[u8],
        deletion: Option<DeletionTime>,
        outputs: &Outputs,
    ) -> Result<(), String> {
        self.deletion = deletion.unwrap_or(DeletionTime::LIVE);
        self.arena.clear();
        self.arena.extend_from_slice(key);
        self.copied_to = None;
        self.has_live_static = false;
        self.has_live_row = false;
        self.static_newest = NO_TIMESTAMP;
        partition_key::split(key, self.key_columns, &mut self.components)?;
        self.values.clear();
        for (component, output) in &outputs.partition_key {
            self.values.push((*output, self.components[*component]));
        }
        Ok(())
    }
}
