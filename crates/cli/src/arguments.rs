use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use outpour_engine::TokenRange;

use crate::{size, time};

/// Pours the rows of Apache Cassandra tables out of their files: no JVM, no cluster.
#[derive(Debug, Parser)]
#[command(name = "outpour", version, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Count(Count),
    Export(Export),
    Dump(Dump),
    Info(Info),
    Schema(Schema),
    Verify(Verify),
}

#[derive(Debug, Args)]
pub(crate) struct Source {
    /// Table directory, snapshot, keyspace or data directory, or *-Data.db file; several are merged
    /// as one table
    #[arg(required = true, value_name = "SOURCE")]
    pub(crate) sources: Vec<PathBuf>,

    /// The table, where the sources or the schema hold several
    #[arg(long, value_name = "KEYSPACE.TABLE")]
    pub(crate) table: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaSource {
    /// CQL file with the table's CREATE TABLE, and CREATE TYPE where it uses any
    ///
    /// Without it the schema is taken from schema.cql beside the files (snapshots have one), else
    /// from the system_schema tables of the same data directory.
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// If no schema is found, derive one from the headers of the files: keys are then called key and
    /// column1, column2, …, and dropped columns come back
    #[arg(long)]
    pub(crate) infer_schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Memory that the run may hold, as 256MiB or 2GiB [default: a quarter of the machine's, at
    /// most 2GiB]
    #[arg(long, value_name = "BYTES", value_parser = size::parse)]
    pub(crate) memory: Option<u64>,

    /// Threads [default: as many as the machine has cores]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,

    /// Show a progress bar on standard error
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) progress: When,

    /// Say nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn threads(text: &str) -> Result<usize, String> {
    let count = text.parse::<usize>().ok().filter(|count| *count > 0);
    count.ok_or_else(|| "expected 1 or more".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// If standard error is a terminal
    Auto,
    Always,
    Never,
}

/// Pour every row out, as SELECT JSON * would show it
///
/// Rows are merged over all SSTables exactly as the database merges them, and come in token order.
#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) source: Source,

    #[command(flatten)]
    pub(crate) schema: SchemaSource,

    /// Only these columns, in this order
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub(crate) columns: Option<Vec<String>>,

    /// Only rows that this is true of: CQL's WHERE with any column, AND, OR, NOT, IN, IS NULL,
    /// BETWEEN, LIKE, CONTAINS, elements m['k'], fields u.f, (a, b) > (1, 2) and token(key)
    #[arg(long = "where", value_name = "EXPR")]
    pub(crate) condition: Option<String>,

    /// Only rows with anything written after this time, as writetime() tells it: microseconds since
    /// 1970, or ISO 8601. Deletions of cells count; rows that were deleted are gone
    #[arg(long, value_name = "TIME", value_parser = time::parse_micros, allow_negative_numbers = true)]
    pub(crate) since: Option<i64>,

    /// Stop after so many rows
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) limit: Option<u64>,

    /// When TTLs are judged: seconds since 1970 or ISO 8601 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time::parse, allow_negative_numbers = true)]
    pub(crate) now: Option<i64>,

    /// Text format
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    pub(crate) format: Format,

    /// Values as text, or their bytes in hex
    #[arg(long, value_name = "KIND", default_value = "text")]
    pub(crate) values: Values,

    /// File to write, complete or not at all; - is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,

    /// Add writetime(c) for each column c outside the primary key, in microseconds
    #[arg(long)]
    pub(crate) writetime: bool,

    /// Add ttl(c) for each column c outside the primary key, in seconds left
    #[arg(long)]
    pub(crate) ttl: bool,

    /// What to do about a damaged SSTable
    #[arg(long, value_name = "ACTION", default_value = "fail")]
    pub(crate) on_corrupt: OnCorrupt,

    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object a line
    Jsonl,
    /// One JSON array
    Json,
    /// As cqlsh's COPY TO, with a header line
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Values {
    Text,
    Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnCorrupt {
    /// End with an error
    Fail,
    /// Leave out what cannot be read, report it, and end with status 3
    Skip,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  outpour export /var/lib/cassandra/data/shop/orders-5a1c395bc20b11efa0d9175d3ba17b02
  outpour export /var/lib/cassandra/data --table shop.orders --format csv --output orders.csv
  outpour export backup/orders --schema schema.cql --columns id,total --limit 10
  outpour export backup/orders --where \"total > 99.5 AND placed >= '2026-01-01' AND tags CONTAINS 'a'\"
  outpour export backup/orders --where 'token(id) > 0 AND NOT (shop IN (1, 2) OR note IS NULL)'
  outpour export backup/orders --since 2026-01-31T00:00:00Z
  outpour export /data1 /data2 --table shop.orders --writetime --now 2026-01-31T12:00:00Z

Exit status: 0 done, 1 failed, 2 wrong usage, 3 done, but what was damaged was left out.";

/// Count the rows, merged as SELECT COUNT(*) would count them
///
/// Prints the number; where the sources hold several tables, a line with number and name for each.
#[derive(Debug, Args)]
#[command(after_help = COUNT_EXAMPLES)]
pub(crate) struct Count {
    #[command(flatten)]
    pub(crate) source: Source,

    #[command(flatten)]
    pub(crate) schema: SchemaSource,

    /// Only rows that this is true of, as for export
    #[arg(long = "where", value_name = "EXPR")]
    pub(crate) condition: Option<String>,

    /// Only rows with anything written after this time, as for export
    #[arg(long, value_name = "TIME", value_parser = time::parse_micros, allow_negative_numbers = true)]
    pub(crate) since: Option<i64>,

    /// When TTLs are judged: seconds since 1970 or ISO 8601 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time::parse, allow_negative_numbers = true)]
    pub(crate) now: Option<i64>,

    /// What to do about a damaged SSTable
    #[arg(long, value_name = "ACTION", default_value = "fail")]
    pub(crate) on_corrupt: OnCorrupt,

    #[command(flatten)]
    pub(crate) common: Common,
}

const COUNT_EXAMPLES: &str = "\
Examples:
  outpour count /var/lib/cassandra/data/shop/orders-5a1c395bc20b11efa0d9175d3ba17b02
  outpour count backup/orders --where \"status = 'open' AND placed < '2026-01-01'\"
  outpour count /var/lib/cassandra/data

Exit status: 0 done, 1 failed, 2 wrong usage, 3 done, but what was damaged was not counted.";

/// Write what each SSTable holds, as sstabledump does: every cell, time and deletion, nothing merged
#[derive(Debug, Args)]
#[command(after_help = DUMP_EXAMPLES)]
pub(crate) struct Dump {
    /// *-Data.db file, or table directory; each SSTable is dumped on its own, one after the other
    #[arg(required = true, value_name = "SSTABLE")]
    pub(crate) sstables: Vec<PathBuf>,

    /// The table, where the directories or the schema hold several
    #[arg(long, value_name = "KEYSPACE.TABLE")]
    pub(crate) table: Option<String>,

    /// CQL file with the table's schema, which the files then have to fit; a dump needs none
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// One partition a line, as sstabledump -l
    #[arg(short = 'l', long = "lines")]
    pub(crate) lines: bool,

    /// Times as numbers: microseconds of writes, seconds of expiry and deletion
    #[arg(short = 't', long)]
    pub(crate) raw_times: bool,

    /// Only the partition with this key, as the dump prints it, columns joined by :; may be repeated
    #[arg(short = 'k', long, value_name = "KEY", allow_hyphen_values = true)]
    pub(crate) key: Vec<String>,

    /// Not the partition with this key; may be repeated
    #[arg(short = 'x', long, value_name = "KEY", allow_hyphen_values = true)]
    pub(crate) exclude_key: Vec<String>,

    /// Only the partition keys
    #[arg(short = 'e', long)]
    pub(crate) keys_only: bool,

    /// One row or marker a line, as Cassandra's own log shows them
    #[arg(short = 'd', long)]
    pub(crate) debug: bool,

    /// JSON lines with every byte, time, flag and deletion, to be loaded again
    #[arg(long, conflicts_with_all = ["lines", "raw_times", "keys_only", "debug", "now"])]
    pub(crate) lossless: bool,

    /// When expiry is judged: seconds since 1970 or ISO 8601 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time::parse, allow_negative_numbers = true)]
    pub(crate) now: Option<i64>,

    /// File to write, complete or not at all; - is standard output
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) common: Common,
}

const DUMP_EXAMPLES: &str = "\
Examples:
  outpour dump data/shop/orders-5a1c395bc20b11efa0d9175d3ba17b02/nb-7-big-Data.db
  outpour dump nb-7-big-Data.db -l -t | jq .partition.key
  outpour dump nb-7-big-Data.db -k 4711 -k 4712
  outpour dump orders-5a1c395bc20b11efa0d9175d3ba17b02 --lossless --output orders.dump";

/// Show what the files' metadata tells: sizes, counts, times, tombstones, partitions by size; no rows are
/// read
#[derive(Debug, Args)]
#[command(after_help = INFO_EXAMPLES)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) source: Source,

    /// CQL file with the tables' CREATE TABLE, which gives files their table's name [default:
    /// schema.cql beside the files]
    #[arg(long, value_name = "FILE")]
    pub(crate) schema: Option<PathBuf>,

    /// When it is judged what can be dropped: seconds since 1970 or ISO 8601 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    pub(crate) now: Option<i64>,

    /// Seconds that tombstones are kept, the table's gc_grace_seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 864_000, value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) gc_grace: i64,

    /// As JSON: docs/info.md says what each field means
    #[arg(long)]
    pub(crate) json: bool,
}

const INFO_EXAMPLES: &str = "\
Examples:
  outpour info /var/lib/cassandra/data/shop/orders-5a1c395bc20b11efa0d9175d3ba17b02
  outpour info nb-7-big-Data.db --gc-grace 0
  outpour info /var/lib/cassandra/data --json | jq '.tables[] | [.keyspace, .table, .totals.rows]'

Exit status: 0 done, 1 failed, or something could not be read, which was said, 2 wrong usage.";

/// Print the table's schema as CQL
#[derive(Debug, Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub(crate) struct Schema {
    #[command(flatten)]
    pub(crate) source: Source,

    #[command(flatten)]
    pub(crate) schema: SchemaSource,
}

const SCHEMA_EXAMPLES: &str = "\
Examples:
  outpour schema /var/lib/cassandra/data --table shop.orders
  outpour schema backup/orders --infer-schema

Exit status: 0 done, 1 failed, 2 wrong usage.";

/// Check every byte of the files: checksums and digests; all rows, values and deletions, their order and
/// counts; and beside the data its index, summary, Bloom filter and statistics
///
/// A line for each SSTable that is sound, or for each thing that is wrong with it. A schema is used if one
/// is found, and the files' headers else.
#[derive(Debug, Args)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct Verify {
    #[command(flatten)]
    pub(crate) source: Source,

    #[command(flatten)]
    pub(crate) schema: SchemaSource,

    /// Tokens that partitions may have, behind LEFT up to RIGHT, as those that a node owns; may be
    /// repeated
    #[arg(long, value_name = "LEFT,RIGHT", allow_hyphen_values = true, value_parser = token_range)]
    pub(crate) token_range: Vec<TokenRange>,

    /// A JSON object a line for each SSTable, with a verdict for each of its files
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) common: Common,
}

fn token_range(text: &str) -> Result<TokenRange, String> {
    let range = || {
        let (left, right) = text.split_once(',')?;
        Some(TokenRange { left: left.trim().parse().ok()?, right: right.trim().parse().ok()? })
    };
    range().ok_or_else(|| format!("{text:?} is no range: two tokens, as -9223372036854775808,0"))
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  outpour verify /var/lib/cassandra/data/shop/orders-5a1c395bc20b11efa0d9175d3ba17b02
  outpour verify backup/orders --quiet || echo damaged
  outpour verify backup/orders --json | jq -r 'select(.ok | not) | .findings[].message'
  outpour verify data/shop/orders-5a1c395bc20b11efa0d9175d3ba17b02 --token-range -9223372036854775808,0

Exit status: 0 all is well, 1 anything was found, could not be checked or was not there, 2 wrong usage.";
