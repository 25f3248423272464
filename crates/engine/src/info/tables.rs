use std::collections::BTreeMap;

use super::{InfoError, InfoOptions, Opened};
use crate::source::{TableName, TableSource};

/// Opens the SSTables of each source, and gives those whose directories tell no table the name that their
/// schema declares. Sources that turn out to be one table become one.
pub(super) fn named(
    sources: Vec<TableSource>,
    options: &InfoOptions,
    notice: &mut dyn FnMut(&str),
) -> Vec<Opened> {
    let mut named = BTreeMap::<(TableName, String), Opened>::new();
    for source in sources {
        let mut opened = Opened::open(source, notice);
        opened.find_schema(options, notice);
        // Directories that no name joins are told of apart, and so are creations of one table.
        let apart = match (&opened.source.name.name, opened.source.directories.first()) {
            (Some(_), Some(directory)) => directory.id.clone().unwrap_or_default(),
            (_, directory) => directory.map(|d| d.path.display().to_string()).unwrap_or_default(),
        };
        let key = (opened.source.name.clone(), apart);
        match named.get_mut(&key) {
            None => drop(named.insert(key, opened)),
            Some(known) => known.join(opened),
        }
    }
    named.into_values().collect()
}

impl Opened {
    fn find_schema(&mut self, options: &InfoOptions, notice: &mut dyn FnMut(&str)) {
        let Self { source, sstables, .. } = &*self;
        let declared = options.schema_options().declared(source, sstables, notice);
        let fits = |table: &outpour_cql::Table| {
            sstables.iter().try_for_each(|sstable| sstable.check_schema(table))
        };
        // Files of another table do not get this one's name.
        let declared = declared.and_then(|found| {
            found.iter().try_for_each(fits)?;
            Ok(found)
        });
        match declared {
            Ok(None) => {}
            Ok(Some(table)) => {
                let name = &mut self.source.name;
                if name.name.is_none() {
                    name.name = Some(table.name.clone());
                }
                if name.keyspace.is_none() && !table.keyspace.is_empty() {
                    name.keyspace = Some(table.keyspace.clone());
                }
                self.schema = Some(table);
            }
            // No one has asked for this one.
            Err(e) if options.schema.is_none() => notice(&e.to_string()),
            Err(e) => self.errors.push(InfoError { name: None, message: e.to_string() }),
        }
    }

    fn join(&mut self, other: Self) {
        self.source.directories.extend(other.source.directories);
        self.sstables.extend(other.sstables);
        self.sstables.sort_by_key(|sstable| sstable.descriptor().id);
        self.errors.extend(other.errors);
    }
}
