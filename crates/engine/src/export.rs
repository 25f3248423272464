use std::io::Write;
use std::panic::resume_unwind;
use std::path::Path;

use crossbeam_channel::{Receiver, Sender, bounded};
use outpour_cql::Table;
use outpour_run::{Budget, Cancel, Progress, Reservation};
use outpour_sink::{Format, Sink, Values, sink};
use outpour_sstable::{Projection, Scan, ScanOptions, ScannedBatch, Sstable};
use outpour_storage::Output;

use crate::schema::SchemaOptions;
use crate::source::{SourceOptions, TableSource};
use crate::{Error, ErrorKind, Result};

/// What to do about a damaged SSTable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnCorrupt {
    /// End the run with an error
    #[default]
    Fail,
    /// Leave out what cannot be read, and report it
    Skip,
}

/// What to pour out, and how.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The table's files
    pub source: SourceOptions,
    /// Where the table's schema comes from
    pub schema: SchemaOptions,
    /// The columns to show, in this order; `None`: those of `SELECT *`
    pub columns: Option<Vec<String>>,
    /// The most rows to show
    pub limit: Option<u64>,
    /// Seconds since 1970 at which TTLs are judged
    pub now: i64,
    /// Adds the write time of each static and regular column
    pub write_times: bool,
    /// Adds the remaining TTL of each static and regular column
    pub ttls: bool,
    /// Text format
    pub format: Format,
    /// Values as text, or their bytes
    pub values: Values,
    /// Bytes that the run may hold
    pub memory: u64,
    /// Threads that the run may use
    pub threads: usize,
    /// What to do about damage
    pub on_corrupt: OnCorrupt,
}

/// What a run has done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Rows written
    pub rows: u64,
    /// Bytes written
    pub bytes: u64,
    /// What had to be left out, a line each
    pub losses: Vec<String>,
}

/// Batches in a queue between two threads.
const QUEUE_LEN: usize = 2;

/// Pours the rows of a table to `output`. `notice` is told what the user should know.
///
/// # Errors
/// Whatever keeps a row from being right: see [`ErrorKind`]. Rows may have been written by then.
pub fn export(
    options: &ExportOptions,
    output: &mut dyn Write,
    (cancel, progress): (&Cancel, &Progress),
    notice: &mut dyn FnMut(&str),
) -> Result<Summary> {
    let budget = Budget::new(options.memory);
    let source = options.source.table()?;
    let (sstables, losses) = options.open(&source)?;
    let table = options.schema.table(&source, &sstables, &budget, notice)?;
    let projection = options.projection(&table)?;
    let scan_options = ScanOptions {
        now: options.now,
        budget,
        cancel: cancel.clone(),
        progress: progress.clone(),
        skip_corrupt: options.on_corrupt == OnCorrupt::Skip,
        parallel: 1,
    };
    let mut rows = Rows::open(&table, &sstables, &projection, &scan_options)?;
    rows.limit = options.limit.unwrap_or(u64::MAX);
    let encoder = Encoder {
        sink: sink(options.format, options.values, projection.columns()),
        budget: scan_options.budget.clone(),
    };
    let mut summary = pour(rows, encoder, options.threads, output)?;
    summary.losses.splice(0..0, losses);
    output.flush().map_err(|e| Error::output(&e))?;
    Ok(summary)
}

/// Runs `pour` on a new file at `path`, which is complete when this returns, or not there.
///
/// # Errors
/// Those of `pour`, and Io.
pub fn write_file<T>(path: &Path, pour: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let mut output = Output::create(path)?;
    let poured = pour(&mut output)?;
    output.commit()?;
    Ok(poured)
}

impl ExportOptions {
    /// Opens all SSTables of the table, and tells which of them cannot be opened for damage, if such
    /// are to be skipped.
    fn open(&self, source: &TableSource) -> Result<(Vec<Sstable>, Vec<String>)> {
        let (sstables, losses) = match self.on_corrupt {
            OnCorrupt::Fail => (source.open()?, Vec::new()),
            OnCorrupt::Skip => source.open_sound()?,
        };
        match (sstables.is_empty(), losses.first()) {
            (false, _) => Ok((sstables, losses)),
            (true, Some(loss)) => Err(Error::new(ErrorKind::Corrupt, loss)),
            (true, None) => {
                Err(Error::not_found(format!("no SSTables of {} are there", source.label())))
            }
        }
    }

    fn projection(&self, table: &Table) -> Result<Projection> {
        let mut projection = match &self.columns {
            Some(names) => Projection::of(table, names)?,
            None => Projection::all(table),
        };
        if self.write_times {
            projection = projection.with_write_times(table);
        }
        if self.ttls {
            projection = projection.with_ttls(table);
        }
        Ok(if self.values == Values::Raw { projection.raw() } else { projection })
    }
}

/// A scan with a limit.
struct Rows {
    scan: Scan,
    limit: u64,
}

impl Rows {
    fn open(
        table: &Table,
        sstables: &[Sstable],
        projection: &Projection,
        options: &ScanOptions,
    ) -> Result<Self> {
        Ok(Self { scan: Scan::new(table, sstables, projection, options)?, limit: u64::MAX })
    }

    fn next(&mut self) -> Result<Option<ScannedBatch>> {
        if self.limit == 0 {
            return Ok(None);
        }
        let Some(mut scanned) = self.scan.next_batch()? else { return Ok(None) };
        scanned.batch.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        self.limit -= scanned.batch.record.num_rows() as u64;
        Ok(Some(scanned))
    }
}

/// Rows to text.
struct Encoder {
    sink: Box<dyn Sink>,
    budget: Budget,
}

/// Text of some rows, and its share of the budget.
struct Text {
    bytes: Vec<u8>,
    rows: u64,
    _reservation: Reservation,
}

impl Encoder {
    fn text(&self, bytes: Vec<u8>, rows: u64) -> Result<Text> {
        let reservation = self.budget.reserve(bytes.len() as u64, "text of rows")?;
        Ok(Text { bytes, rows, _reservation: reservation })
    }

    fn begin(&mut self) -> Result<Text> {
        let mut bytes = Vec::new();
        self.sink.begin(&mut bytes);
        self.text(bytes, 0)
    }

    fn encode(&mut self, scanned: &ScannedBatch, mut bytes: Vec<u8>) -> Result<Text> {
        bytes.clear();
        let written = self.sink.write(&scanned.batch, &mut bytes);
        written.map_err(|e| Error::new(ErrorKind::Invalid, e.to_string()))?;
        self.text(bytes, scanned.batch.record.num_rows() as u64)
    }

    fn finish(&mut self) -> Result<Text> {
        let mut bytes = Vec::new();
        self.sink.finish(&mut bytes);
        self.text(bytes, 0)
    }
}

fn pour(rows: Rows, encoder: Encoder, threads: usize, output: &mut dyn Write) -> Result<Summary> {
    let mut writer = Writer { output, summary: Summary::default() };
    match threads {
        0 | 1 => pour_alone(rows, encoder, &mut writer)?,
        _ => pour_threaded(rows, encoder, &mut writer)?,
    }
    Ok(writer.summary)
}

struct Writer<'a> {
    output: &'a mut dyn Write,
    summary: Summary,
}

impl Writer<'_> {
    /// Writes the text and gives its buffer back.
    fn write(&mut self, text: Text) -> Result<Vec<u8>> {
        self.output.write_all(&text.bytes).map_err(|e| Error::output(&e))?;
        self.summary.bytes += text.bytes.len() as u64;
        self.summary.rows += text.rows;
        Ok(text.bytes)
    }
}

fn pour_alone(mut rows: Rows, mut encoder: Encoder, writer: &mut Writer<'_>) -> Result<()> {
    let mut buffer = writer.write(encoder.begin()?)?;
    while let Some(scanned) = rows.next()? {
        buffer = writer.write(encoder.encode(&scanned, buffer)?)?;
    }
    writer.write(encoder.finish()?)?;
    writer.summary.losses = rows.scan.take_losses();
    Ok(())
}

/// One thread scans, another makes text, this one writes.
fn pour_threaded(rows: Rows, encoder: Encoder, writer: &mut Writer<'_>) -> Result<()> {
    let (batches, scanned) = bounded(QUEUE_LEN);
    let (texts, encoded) = bounded(QUEUE_LEN);
    let (buffers, returned) = bounded(2 * QUEUE_LEN + 2);
    // The closure owns the queues' ends: if writing fails they close, and the threads stop.
    std::thread::scope(move |scope| {
        let scan = scope.spawn(move || scan_all(rows, &batches));
        scope.spawn(move || encode_all(encoder, &scanned, &texts, &returned));
        for text in &encoded {
            // A full queue of spare buffers needs no more.
            let _ = buffers.try_send(writer.write(text?)?);
        }
        writer.summary.losses = scan.join().unwrap_or_else(|panic| resume_unwind(panic));
        Ok(())
    })
}

/// Ends early when no one takes the batches any more. Returns what had to be left out.
fn scan_all(mut rows: Rows, batches: &Sender<Result<ScannedBatch>>) -> Vec<String> {
    while let Some(scanned) = rows.next().transpose() {
        let failed = scanned.is_err();
        if batches.send(scanned).is_err() || failed {
            break;
        }
    }
    rows.scan.take_losses()
}

fn encode_all(
    mut encoder: Encoder,
    scanned: &Receiver<Result<ScannedBatch>>,
    texts: &Sender<Result<Text>>,
    spare: &Receiver<Vec<u8>>,
) {
    let mut encode = || {
        if texts.send(encoder.begin()).is_err() {
            return Ok(());
        }
        for batch in scanned {
            let buffer = spare.try_recv().unwrap_or_default();
            if texts.send(Ok(encoder.encode(&batch?, buffer)?)).is_err() {
                return Ok(());
            }
        }
        let _ = texts.send(Ok(encoder.finish()?));
        Ok(())
    };
    if let Err(e) = encode() {
        let _ = texts.send(Err(e));
    }
}
