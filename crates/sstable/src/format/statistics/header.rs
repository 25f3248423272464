use outpour_codec::{Error, Reader, Result};

/// Cassandra counts minima from here, so that they are small numbers: 2015-09-22 00:00:00 UTC.
const TIMESTAMP_EPOCH_US: i64 = 1_442_880_000_000_000;
const DELETION_TIME_EPOCH_S: i64 = 1_442_880_000;

/// The HEADER part (`db/SerializationHeader.java`, class Component): what Data.db is decoded with.
///
/// ```text
/// vint min timestamp - epoch │ vint min local deletion time - epoch │ vint min TTL
/// vint-bytes partition key type │ vint n, n × vint-bytes clustering type
/// vint n, n × (vint-bytes name, vint-bytes type) static columns │ the same for regular ones
/// ```
/// The names of key columns are not stored. The columns are those present in this SSTable only.
#[derive(Debug, Clone)]
pub struct SerializationHeader {
    /// Base of all timestamp deltas
    pub timestamp_min: i64,
    /// Base of all local deletion time deltas, in seconds
    pub local_deletion_time_min: i64,
    /// Base of all TTL deltas, in seconds
    pub ttl_min: i32,
    /// Java type of the whole partition key
    pub partition_key_type: String,
    /// Java types of the clustering columns
    pub clustering_types: Vec<String>,
    /// In the order of the columns' cells
    pub statics: Vec<HeaderColumn>,
    /// In the order of the columns' cells
    pub regulars: Vec<HeaderColumn>,
}

/// A column of an SSTable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderColumn {
    /// As created, case kept
    pub name: String,
    /// Java type
    pub java_type: String,
}

impl SerializationHeader {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let header = Self {
            timestamp_min: (r.unsigned_vint()? as i64).wrapping_add(TIMESTAMP_EPOCH_US),
            local_deletion_time_min: i64::from(r.unsigned_vint()? as i32) + DELETION_TIME_EPOCH_S,
            ttl_min: r.unsigned_vint()? as i32,
            partition_key_type: text(&mut r, "partition key type")?,
            clustering_types: (0..r.vint_count("clustering types", 1)?)
                .map(|_| text(&mut r, "clustering type"))
                .collect::<Result<_>>()?,
            statics: columns(&mut r)?,
            regulars: columns(&mut r)?,
        };
        if r.remaining() > 0 {
            return Err(Error::Invalid {
                what: "length",
                offset: r.offset(),
                expected: "the end".to_owned(),
                got: format!("{} more bytes", r.remaining()),
            });
        }
        Ok(header)
    }
}

fn columns(r: &mut Reader<'_>) -> Result<Vec<HeaderColumn>> {
    let count = r.vint_count("columns", 2)?;
    (0..count)
        .map(|_| Ok(HeaderColumn { name: text(r, "column name")?, java_type: text(r, "type")? }))
        .collect()
}

fn text(r: &mut Reader<'_>, what: &'static str) -> Result<String> {
    let offset = r.offset();
    let bytes = r.vint_bytes()?;
    String::from_utf8(bytes.to_vec()).map_err(|e| Error::Invalid {
        what,
        offset,
        expected: "UTF-8".to_owned(),
        got: String::from_utf8_lossy(e.as_bytes()).into_owned(),
    })
}
