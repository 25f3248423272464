use outpour_cql::Table;

use crate::format::deletion::DeletionTime;
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
    pub(super) has_shown_row: bool,
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
            has_shown_row: false,
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
        self.has_shown_row = false;
        self.split_key(key)?;
        self.values.clear();
        for (component, output) in &outputs.partition_key {
            self.values.push((*output, self.components[*component]));
        }
        Ok(())
    }

    /// A key of one column is the value itself; of several, for each: u16 length, value, `00`
    /// (`db/marshal/CompositeType.java`).
    fn split_key(&mut self, key: &[u8]) -> Result<(), String> {
        self.components.clear();
        if self.key_columns == 1 {
            self.components.push(Span::new(0, key.len()));
            return Ok(());
        }
        let mut at = 0;
        while at < key.len() {
            let len = key.get(at..at + 2).and_then(<[u8]>::first_chunk).copied();
            let len = usize::from(u16::from_be_bytes(len.unwrap_or([0xff; 2])));
            let end = at + 2 + len;
            if key.get(end) != Some(&0) {
                return Err(format!("{} components that fill the key", self.key_columns));
            }
            self.components.push(Span::new(at + 2, len));
            at = end + 1;
        }
        match self.components.len() == self.key_columns {
            true => Ok(()),
            false => Err(format!("{} components", self.key_columns)),
        }
    }
}
