//! The components of an SSTable, each in a file of its own: layout, decoder, limits.

pub(crate) mod checksums;
pub(crate) mod clustering;
pub(crate) mod compression_info;
pub(crate) mod deletion;
pub(crate) mod filter;
pub(crate) mod index;
pub(crate) mod partition_key;
pub(crate) mod partitions;
pub(crate) mod row_index;
pub(crate) mod statistics;
pub(crate) mod summary;
pub(crate) mod trie;
pub(crate) mod unfiltered;
