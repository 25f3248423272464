use outpour_cql::{Comparator, Partitioner, Token};

use crate::read::Cursor;
use crate::{Result, Sstable};

/// Checks that partitions come in the order of their partitioner.
pub(super) struct KeyOrder {
    by: By,
    last: Option<(Option<Token>, Vec<u8>)>,
}

enum By {
    Token(Partitioner),
    /// The keys' own order, which the tables of secondary indexes have
    Key(Comparator),
}

impl KeyOrder {
    pub(super) fn new(sstable: &Sstable) -> Result<Self> {
        let by = match sstable.is_of_index() {
            false => By::Token(sstable.partitioner()?),
            true => By::Key(Comparator::new(&sstable.key_type()?, false)),
        };
        Ok(Self { by, last: None })
    }

    /// Takes the key of the partition that `cursor` stands on.
    ///
    /// # Errors
    /// Corrupt if it does not come behind the one before.
    pub(super) fn check(&mut self, key: &[u8], cursor: &Cursor) -> Result<()> {
        let token = match &self.by {
            By::Token(partitioner) => Some(partitioner.token(key)),
            By::Key(_) => None,
        };
        let is_behind = match (&self.last, &self.by) {
            (None, _) => true,
            (Some((last_token, last)), By::Token(_)) => {
                (last_token, last.as_slice()) < (&token, key)
            }
            (Some((_, last)), By::Key(order)) => order.compare(last, key).is_lt(),
        };
        if !is_behind {
            let place = cursor.partition().key;
            let expected = "a partition behind the one before".to_owned();
            return Err(cursor.value_error(place, "partition key", expected, format!("{key:02x?}")));
        }
        let (last_token, last) = self.last.get_or_insert_default();
        *last_token = token;
        last.clear();
        last.extend_from_slice(key);
        Ok(())
    }
}
