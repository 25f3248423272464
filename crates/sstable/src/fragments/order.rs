use outpour_cql::{Partitioner, Token};

use crate::read::Cursor;
use crate::{Result, Sstable};

/// Checks that partitions come in the order of their tokens.
pub(super) struct KeyOrder {
    partitioner: Partitioner,
    last: Option<(Token, Vec<u8>)>,
}

impl KeyOrder {
    pub(super) fn new(sstable: &Sstable) -> Result<Self> {
        Ok(Self { partitioner: sstable.partitioner()?, last: None })
    }

    /// Takes the key of the partition that `cursor` stands on.
    ///
    /// # Errors
    /// Corrupt if it does not come behind the one before.
    pub(super) fn check(&mut self, key: &[u8], cursor: &Cursor) -> Result<()> {
        let token = self.partitioner.token(key);
        let Some((last_token, last)) = &mut self.last else {
            self.last = Some((token, key.to_vec()));
            return Ok(());
        };
        if (*last_token, last.as_slice()) >= (token, key) {
            let place = cursor.partition().key;
            let expected = "a partition behind the one before".to_owned();
            return Err(cursor.value_error(
                place,
                "partition key",
                expected,
                format!("{key:02x?}"),
            ));
        }
        *last_token = token;
        last.clear();
        last.extend_from_slice(key);
        Ok(())
    }
}
