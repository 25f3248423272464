use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use outpour_cql::Table;
use outpour_filter::ClusteringRange;
use outpour_run::{Budget, Cancel, Progress};
use outpour_sink::{Format, Values, sink};
use outpour_sstable::{Projection, Scan, ScanOptions, Sstable};

use crate::clock::cpu_time;

/// Bytes that a run may hold.
const MEMORY: u64 = 256 << 20;

/// What is measured: each stage includes those before it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stage {
    /// Rows in Arrow columns
    Scan,
    /// And their text
    Text(Format),
}

/// What one run of a stage took and made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    pub(crate) cpu: Duration,
    pub(crate) rows: u64,
    /// Of text
    pub(crate) bytes: u64,
}

impl Stage {
    pub(crate) const ALL: [Self; 3] =
        [Self::Scan, Self::Text(Format::JsonLines), Self::Text(Format::Csv)];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Text(Format::JsonLines) => "jsonl",
            Self::Text(Format::Json) => "json",
            Self::Text(Format::Csv) => "csv",
        }
    }

    /// Runs over all of `sstables` on this thread.
    pub(crate) fn run(self, table: &Table, sstables: &[Sstable]) -> Result<Run, Box<dyn Error>> {
        let start = cpu_time()?;
        let projection = Projection::all(table);
        let mut scan = Scan::new(table, sstables, &projection, &options())?;
        let mut sink = match self {
            Self::Scan => None,
            Self::Text(format) => Some(sink(format, Values::Text, projection.columns())),
        };
        let (mut rows, mut bytes) = (0, 0);
        let mut text = Vec::new();
        while let Some(scanned) = scan.next_batch()? {
            rows += scanned.batch.record.num_rows() as u64;
            text.clear();
            if let Some(sink) = &mut sink {
                sink.write(&scanned.batch, &mut text)?;
            }
            bytes += black_box(&text).len() as u64;
        }
        Ok(Run { cpu: cpu_time()? - start, rows, bytes })
    }
}

fn options() -> ScanOptions {
    ScanOptions {
        now: 0,
        budget: Budget::new(MEMORY),
        cancel: Cancel::default(),
        progress: Progress::default(),
        skip_corrupt: false,
        parallel: 1,
        rows: ClusteringRange::default(),
        since: None,
    }
}
