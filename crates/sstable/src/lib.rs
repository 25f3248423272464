//! sstable
