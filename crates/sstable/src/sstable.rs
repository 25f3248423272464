use std::sync::Arc;

use outpour_cql::{CqlType, Partitioner, Table, marshal};
use outpour_run::{Budget, Cancel, Progress};
use outpour_storage::ReadAt;

use crate::check::{self, TokenRange};
use crate::format::checksums::{self, ChunkChecksums};
use crate::format::compression_info::CompressionInfo;
use crate::format::filter::Filter;
use crate::format::partitions::Partitions;
use crate::format::statistics::Statistics;
use crate::format::summary::Summary;
use crate::format::unfiltered::{NEVER, TimeBounds};
use crate::read::{ChunkReader, Cursor, Keys, Met, PartitionIndex, PartitionStarts, Plan, Totals};
use crate::{Component, Descriptor, Error, ErrorKind, Result, ScanOptions, SstableFiles};

/// Buckets of the histogram of partition sizes: 5.0 added five for larger partitions
/// (`MetadataCollector.defaultPartitionSizeHistogram`), in `nb` files too.
const SIZE_BUCKETS_OF_5: usize = 156;

/// One SSTable, opened: its metadata in memory, its data file held open.
#[derive(Debug, Clone)]
pub struct Sstable {
    name: String,
    files: SstableFiles,
    statistics: Statistics,
    statistics_name: String,
    data: Arc<dyn ReadAt>,
    framing: Framing,
}

/// How Data.db is protected and cut into chunks.
#[derive(Debug, Clone)]
enum Framing {
    Compressed {
        info: CompressionInfo,
        file: Arc<dyn ReadAt>,
    },
    Plain {
        checksums: ChunkChecksums,
        file: Arc<dyn ReadAt>,
    },
    /// By nothing but this digest
    Digested(u32),
}

impl Sstable {
    /// Opens the files and reads Statistics.db and the head of CompressionInfo.db or CRC.db.
    ///
    /// # Errors
    /// Corrupt for damaged metadata, Unsupported for a compressor or dictionary, Io.
    pub fn open(files: &SstableFiles) -> Result<Self> {
        let version = files.descriptor().version;
        let data = files.open(&Component::Data)?;
        let statistics_file = files.open(&Component::Statistics)?;
        let statistics = Statistics::read(&*statistics_file, version)?;
        let is_plain = statistics.stats.compression_ratio.is_none();
        let framing = if files.has(&Component::Crc) && !files.has(&Component::CompressionInfo) {
            let file = files.open(&Component::Crc)?;
            Framing::Plain { checksums: ChunkChecksums::read(&*file, data.len())?, file }
        } else if is_plain
            && files.has(&Component::Digest)
            && !files.has(&Component::CompressionInfo)
        {
            Framing::Digested(checksums::read_digest(&*files.open(&Component::Digest)?)?)
        } else {
            let file = files.open(&Component::CompressionInfo)?;
            Framing::Compressed { info: CompressionInfo::read(&*file, version)?, file }
        };
        Ok(Self {
            name: files.descriptor().to_string(),
            files: files.clone(),
            statistics,
            statistics_name: statistics_file.name().to_owned(),
            data,
            framing,
        })
    }

    /// Version, id and format, as its file names start with.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Version, id and format.
    #[must_use]
    pub fn descriptor(&self) -> &Descriptor {
        self.files.descriptor()
    }

    /// Its files.
    #[must_use]
    pub fn files(&self) -> &SstableFiles {
        &self.files
    }

    /// What Statistics.db tells.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// The path of Statistics.db.
    #[must_use]
    pub fn statistics_name(&self) -> &str {
        &self.statistics_name
    }

    /// The path of Data.db.
    #[must_use]
    pub fn data_name(&self) -> &str {
        self.data.name()
    }

    /// Stored bytes of Data.db.
    #[must_use]
    pub fn data_len(&self) -> u64 {
        self.data.len()
    }

    /// Bytes of Data.db before compression.
    #[must_use]
    pub fn uncompressed_len(&self) -> u64 {
        match &self.framing {
            Framing::Compressed { info, .. } => info.data_len,
            Framing::Plain { .. } | Framing::Digested(_) => self.data.len(),
        }
    }

    /// How Data.db is compressed; `None` if it is not.
    #[must_use]
    pub fn compression(&self) -> Option<&CompressionInfo> {
        match &self.framing {
            Framing::Compressed { info, .. } => Some(info),
            Framing::Plain { .. } | Framing::Digested(_) => None,
        }
    }

    /// Whether parts of it can be read alone. Data.db without checksums is read as a whole first,
    /// for its digest.
    #[must_use]
    pub fn can_be_split(&self) -> bool {
        !matches!(self.framing, Framing::Digested(_))
    }

    /// The partitioner that its keys are ordered by.
    ///
    /// # Errors
    /// Unsupported for one whose order is not known.
    pub fn partitioner(&self) -> Result<Partitioner> {
        Partitioner::parse(&self.statistics.partitioner)
            .map_err(|e| Error::unsupported(&self.statistics_name, e.to_string(), ""))
    }

    /// The first and the last partition key, by Statistics.db, or else by the ends of the summary or of
    /// the trie; none if there is no summary. Whether they are right, a full check tells.
    ///
    /// # Errors
    /// Corrupt for a damaged summary or trie, NotFound, Io.
    pub fn key_range(&self) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        if let Some(keys) = &self.statistics.stats.key_range {
            return Ok(Some(keys.clone()));
        }
        if self.files.has(&Component::Partitions) {
            let footer = Partitions::open(self.files.open(&Component::Partitions)?)?.into_footer();
            return Ok(Some((footer.first_key, footer.last_key)));
        }
        if !self.files.has(&Component::Summary) {
            return Ok(None);
        }
        let summary = Summary::open(self.files.open(&Component::Summary)?)?;
        Ok(Some((summary.first_key, summary.last_key)))
    }

    /// Whether Cassandra 5.0 or later wrote it; or another server, or an older Cassandra.
    #[must_use]
    pub fn is_of_cassandra_5(&self) -> bool {
        let buckets = self.statistics.stats.partition_sizes.counts.len();
        self.descriptor().version.has_uint_deletion_time() || buckets >= SIZE_BUCKETS_OF_5
    }

    /// The type of the whole partition key.
    ///
    /// # Errors
    /// Unsupported for one that is not known.
    pub fn key_type(&self) -> Result<CqlType> {
        let java_type = &self.statistics.header.partition_key_type;
        let parsed = marshal::parse(java_type).map_err(|e| {
            Error::unsupported(&self.statistics_name, format!("type {java_type}"), e.to_string())
        })?;
        Ok(parsed.cql_type)
    }

    /// Whether `table` is the table that it belongs to, as far as the header tells.
    ///
    /// # Errors
    /// Invalid, with what does not fit.
    pub fn check_schema(&self, table: &Table) -> Result<()> {
        let version = self.descriptor().version;
        Plan::new(&self.statistics.header, table, version, &self.statistics_name).map(drop)
    }

    /// What it should hold by Statistics.db.
    pub(crate) fn totals(&self) -> Totals {
        let stats = &self.statistics.stats;
        Totals {
            rows: u64::try_from(stats.rows).unwrap_or(0),
            partitions: stats.partitions(),
            times: TimeBounds {
                timestamp_min: stats.timestamp_min,
                timestamp_max: stats.timestamp_max,
                local_deletion_time_min: stats.local_deletion_time_min.unwrap_or(NEVER),
                ttl_max: stats.ttl_max,
            },
        }
    }

    /// When it was last written to by Statistics.db, in microseconds; `i64::MAX` if a checksum does not
    /// say that this is true.
    pub(crate) fn newest(&self) -> i64 {
        let is_told = self.totals().times.are_told();
        match self.descriptor().version.has_statistics_checksums() && is_told {
            true => self.statistics.stats.timestamp_max,
            false => i64::MAX,
        }
    }

    /// Compares what was met in all of it with Statistics.db: a file that ends early, and one that
    /// belongs to other statistics, are noticed here.
    pub(crate) fn check_totals(&self, met: &Met) -> Result<()> {
        let told = self.totals();
        if met.is(&told, self.descriptor().version) {
            return Ok(());
        }
        let what = "content, by the totals of Statistics.db";
        Err(Error::corrupt(self.data_name(), None, what, told, met.totals()))
    }

    pub(crate) fn cursor(
        &self,
        table: &Table,
        read_len: usize,
        budget: &Budget,
        progress: &Progress,
    ) -> Result<Cursor> {
        let version = self.descriptor().version;
        let plan = Plan::new(&self.statistics.header, table, version, &self.statistics_name)?;
        self.cursor_by(plan, read_len, budget, progress)
    }

    /// A cursor that reads as `plan` says.
    pub(crate) fn cursor_by(
        &self,
        plan: Plan,
        read_len: usize,
        budget: &Budget,
        progress: &Progress,
    ) -> Result<Cursor> {
        Cursor::new(plan, self.chunks(progress)?.with_read_len(read_len), budget)
    }

    /// Where its partitions start, by its index, whose files are opened now.
    ///
    /// # Errors
    /// Corrupt for a damaged index, NotFound, Io.
    pub(crate) fn partition_starts(&self) -> Result<PartitionStarts> {
        let (files, data_len) = (&self.files, self.uncompressed_len());
        let version = self.descriptor().version;
        match version.has_tries() {
            false => Ok(PartitionStarts::big(files.open(&Component::Index)?, version, data_len)),
            true => {
                let partitions = files.open(&Component::Partitions)?;
                let rows = files.open(&Component::Rows)?;
                PartitionStarts::tries(partitions, rows, data_len)
            }
        }
    }

    /// Finds partitions by its index, whose files are opened now.
    ///
    /// # Errors
    /// Corrupt for a damaged index, Unsupported, NotFound, Io.
    pub(crate) fn partition_index(&self) -> Result<PartitionIndex> {
        let (files, data_len) = (&self.files, self.uncompressed_len());
        let (version, partitioner) = (self.descriptor().version, self.partitioner()?);
        let (first, second) = match version.has_tries() {
            false => (Component::Summary, Component::Index),
            true => (Component::Partitions, Component::Rows),
        };
        let index = (files.open(&first)?, files.open(&second)?);
        match version.has_tries() {
            false => PartitionIndex::big(index, version, partitioner, data_len),
            true => PartitionIndex::tries(index, partitioner, data_len),
        }
    }

    /// Partition keys at places that its index tells.
    ///
    /// # Errors
    /// Corrupt, Io, and Limit if the budget has no room for them.
    pub(crate) fn keys(&self, budget: &Budget) -> Result<Keys> {
        Keys::new(self.chunks(&Progress::default())?.with_read_len(0), budget)
    }

    /// Its Bloom filter, if there is one that can be read.
    pub(crate) fn filter(&self) -> Option<Filter> {
        let file =
            self.files.has(&Component::Filter).then(|| self.files.open(&Component::Filter))?;
        Filter::open(file.ok()?, self.descriptor().version).ok()
    }

    fn chunks(&self, progress: &Progress) -> Result<ChunkReader> {
        let (data, progress) = (Arc::clone(&self.data), progress.clone());
        Ok(match &self.framing {
            Framing::Compressed { info, file } => {
                ChunkReader::compressed(data, info.clone(), Arc::clone(file), progress)
            }
            Framing::Plain { checksums, file } => {
                ChunkReader::plain(data, *checksums, Arc::clone(file), progress)
            }
            Framing::Digested(digest) => {
                let file = checksums::checksums_by_digest(&*data, *digest)?;
                let checksums = ChunkChecksums::read(&*file, data.len())?;
                ChunkReader::plain(data, checksums, file, progress)
            }
        })
    }

    /// Compares the components that tell of rows, the indexes, the Bloom filter and Statistics.db, with
    /// Data.db, and with each other, and checks the order of rows and range tombstones. If there are
    /// `ranges`, each partition must lie in one of them. Returns what is wrong, with the error that
    /// ended it among them.
    #[must_use]
    pub fn check_content(
        &self,
        table: &Table,
        ranges: &[TokenRange],
        options: &ScanOptions,
    ) -> Vec<Error> {
        check::check_content(self, &self.files, table, ranges, options)
    }

    /// Checks the stored bytes of Data.db, chunk by chunk: the checksum of each, and that it holds as much
    /// as it should. Damage is told to `damaged`, and reading goes on behind it.
    ///
    /// # Errors
    /// Io, Limit, Cancelled; Corrupt if no chunk can be found.
    pub fn check_chunks(
        &self,
        (budget, cancel, progress): (&Budget, &Cancel, &Progress),
        damaged: &mut dyn FnMut(Error),
    ) -> Result<()> {
        progress.expect_bytes(self.data_len());
        let mut reader = self.chunks(progress)?;
        let chunk_len = reader.chunk_len();
        let needed = reader.stored_len() + chunk_len as u64;
        let _reservation = budget.reserve(needed, "stored bytes of an SSTable")?;
        let mut chunk = vec![0; chunk_len];
        loop {
            cancel.check()?;
            match reader.read_next(&mut chunk) {
                Ok(Some(_)) => {}
                Ok(None) => return Ok(()),
                Err(e) if e.kind() == ErrorKind::Corrupt => damaged(e),
                Err(e) => return Err(e),
            }
        }
    }

    /// Checks Data.db against Digest.crc32, if there is one.
    ///
    /// # Errors
    /// Corrupt if they differ, Io, Cancelled.
    pub fn check_digest(&self, cancel: &Cancel) -> Result<()> {
        if !self.files.has(&Component::Digest) {
            return Ok(());
        }
        let digest = checksums::read_digest(&*self.files.open(&Component::Digest)?)?;
        checksums::check_digest(&*self.data, digest, cancel)
    }
}
