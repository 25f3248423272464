use outpour_run::Budget;

use super::{Check, PartitionAt};
use crate::format::filter::Filter;
use crate::{Component, Result, SstableFiles};

/// Each partition key is in Filter.db.
pub(super) struct FilterCheck(Filter);

impl FilterCheck {
    pub(super) fn open(files: &SstableFiles, budget: &Budget) -> Result<Self> {
        let version = files.descriptor().version;
        let filter = Filter::open(files.open(&Component::Filter)?, version)?;
        Ok(Self(filter.in_memory(budget)?))
    }
}

impl Check for FilterCheck {
    fn partition(&mut self, partition: &PartitionAt<'_>) -> Result<()> {
        self.0.check(partition.key)
    }
}
