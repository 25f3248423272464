use std::io::Write;
use std::ops::ControlFlow;

use crossbeam_channel::{Receiver, Sender, bounded};
use outpour_cql::Table;
use outpour_run::{Budget, Cancel, Progress, Reservation};
use outpour_sink::{self as sink, Dump, DumpForm, DumpRelease, KeyList, KeyText};
use outpour_sstable::{Choice, FragmentOptions, Fragments, ScannedFragments, Sstable};

use crate::dump_head::head;
use crate::schema::SchemaOptions;
use crate::source::{SourceOptions, TableSource};
use crate::{Error, ErrorKind, Result};

/// What to dump, and how.
#[derive(Debug, Clone)]
pub struct DumpOptions {
    /// The SSTables, each of which is dumped on its own
    pub source: SourceOptions,
    /// A schema that the files are to fit. None is needed: only a lossless dump tells the names of
    /// key columns.
    pub schema: SchemaOptions,
    /// Only the partitions with these keys, as text; all if there are none
    pub keys: Vec<String>,
    /// Not the partitions with these keys
    pub excluded: Vec<String>,
    /// What is written of them
    pub content: DumpContent,
    /// Times as numbers
    pub raw_times: bool,
    /// Seconds since 1970 at which expiry is judged
    pub now: i64,
    /// Bytes that the run may hold
    pub memory: u64,
    /// Threads that the run may use
    pub threads: usize,
}

/// What a dump has of each partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DumpContent {
    /// Everything, in this form
    All(DumpForm),
    /// Its key, whichever keys are asked for
    Keys,
}

/// Batches in a queue between two threads.
const QUEUE_LEN: usize = 2;
/// Text of keys that is written at once.
const KEYS_LEN: usize = 64 << 10;

/// Writes what the SSTables hold to `output`, one after the other. `notice` is told what the user
/// should know.
///
/// # Errors
/// Whatever keeps a value from being right: see [`ErrorKind`]. Text may have been written by then.
pub fn dump(
    options: &DumpOptions,
    output: &mut dyn Write,
    (cancel, progress): (&Cancel, &Progress),
    notice: &mut dyn FnMut(&str),
) -> Result<()> {
    let budget = Budget::new(options.memory);
    let source = options.source.table(notice)?;
    let sstables = source.open(notice)?;
    let table = options.find_table(&source, &sstables, &budget, notice)?;
    let run = Run { options, table, budget, cancel, progress };
    for sstable in &sstables {
        match options.content {
            DumpContent::All(form) => run.all(sstable, form, output)?,
            DumpContent::Keys => run.keys(sstable, output)?,
        }
    }
    output.flush().map_err(|e| Error::output(&e))
}

impl DumpOptions {
    /// The schema, if one was given or a lossless dump finds one.
    fn find_table(
        &self,
        source: &TableSource,
        sstables: &[Sstable],
        budget: &Budget,
        notice: &mut dyn FnMut(&str),
    ) -> Result<Option<Table>> {
        let is_lossless = self.content == DumpContent::All(DumpForm::Lossless);
        if self.schema.file.is_none() && !is_lossless {
            return Ok(None);
        }
        match self.schema.table(source, sstables, budget, notice) {
            Ok(table) => {
                sstables.iter().try_for_each(|sstable| sstable.check_schema(&table))?;
                Ok(Some(table))
            }
            Err(e) if e.kind() == ErrorKind::NotFound && self.schema.file.is_none() => {
                notice("no schema was found: the names of key columns are not told");
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }
}

/// What all SSTables share.
struct Run<'a> {
    options: &'a DumpOptions,
    table: Option<Table>,
    budget: Budget,
    cancel: &'a Cancel,
    progress: &'a Progress,
}

impl Run<'_> {
    fn fragments(&self, sstable: &Sstable, form: DumpForm) -> Result<Fragments> {
        let options = FragmentOptions {
            values: form.values(),
            budget: self.budget.clone(),
            cancel: self.cancel.clone(),
            progress: self.progress.clone(),
        };
        Ok(Fragments::open(sstable, &options)?)
    }

    fn all(&self, sstable: &Sstable, form: DumpForm, output: &mut dyn Write) -> Result<()> {
        let fragments = self.fragments(sstable, form)?;
        let options = sink::DumpOptions {
            form,
            raw_times: self.options.raw_times,
            release: match sstable.is_of_cassandra_5() {
                true => DumpRelease::Since5,
                false => DumpRelease::Before5,
            },
            now: self.options.now,
            head: match form {
                DumpForm::Lossless => head(sstable, self.table.as_ref())?,
                _ => String::new(),
            },
        };
        let encoder =
            Encoder { dump: sink::dump(&options, fragments.layout()), budget: self.budget.clone() };
        let selection = Selection::new(sstable, &self.options.keys, &self.options.excluded)?;
        match self.options.threads {
            0 | 1 => pour_alone(fragments, selection, encoder, output),
            _ => pour_threaded(fragments, selection, encoder, output),
        }
    }

    /// The keys come from the data too, whose checksums are checked, and not from the index.
    fn keys(&self, sstable: &Sstable, output: &mut dyn Write) -> Result<()> {
        let mut list = KeyList::new(&sstable.key_type()?);
        let mut text = Vec::new();
        let mut failed = None;
        list.begin(&mut text);
        let mut choose = |key: &[u8]| match push_key(&mut list, key, &mut text, output) {
            Ok(()) => Choice::Skip,
            Err(e) => {
                failed = Some(e);
                Choice::Stop
            }
        };
        let fragments = self.fragments(sstable, DumpForm::JsonLines)?;
        fragments.pour(&mut choose, &mut |_| ControlFlow::Continue(()))?;
        if let Some(error) = failed {
            return Err(error);
        }
        list.finish(&mut text);
        output.write_all(&text).map_err(|e| Error::output(&e))
    }
}

fn push_key(
    list: &mut KeyList,
    key: &[u8],
    text: &mut Vec<u8>,
    output: &mut dyn Write,
) -> Result<()> {
    list.push(key, text).map_err(|e| Error::new(ErrorKind::Corrupt, e.to_string()))?;
    if text.len() >= KEYS_LEN {
        output.write_all(text).map_err(|e| Error::output(&e))?;
        text.clear();
    }
    Ok(())
}

/// Which partitions are asked for.
struct Selection {
    text: KeyText,
    /// Those that have not been met, if only some are asked for
    wanted: Option<Vec<String>>,
    excluded: Vec<String>,
    failed: Option<Error>,
}

impl Selection {
    fn new(sstable: &Sstable, keys: &[String], excluded: &[String]) -> Result<Self> {
        let mut wanted = keys.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        wanted.retain(|key| !excluded.contains(key));
        Ok(Self {
            text: KeyText::new(&sstable.key_type()?),
            wanted: (!keys.is_empty()).then_some(wanted),
            excluded: excluded.to_vec(),
            failed: None,
        })
    }

    fn choose(&mut self, key: &[u8]) -> Choice {
        if self.wanted.is_none() && self.excluded.is_empty() {
            return Choice::Take;
        }
        let text = match self.text.text(key) {
            Ok(text) => text,
            Err(e) => {
                self.failed = Some(Error::new(ErrorKind::Corrupt, e.to_string()));
                return Choice::Stop;
            }
        };
        let is = |asked: &String| asked.as_bytes() == text;
        match &mut self.wanted {
            None if self.excluded.iter().any(is) => Choice::Skip,
            None => Choice::Take,
            Some(wanted) if wanted.is_empty() => Choice::Stop,
            Some(wanted) => match wanted.iter().position(is) {
                Some(found) => {
                    wanted.remove(found);
                    Choice::Take
                }
                None => Choice::Skip,
            },
        }
    }
}

/// Hands the batches of the partitions that are asked for to `consumer`.
fn scan(
    fragments: Fragments,
    mut selection: Selection,
    consumer: &mut dyn FnMut(ScannedFragments) -> ControlFlow<()>,
) -> Result<()> {
    fragments.pour(&mut |key| selection.choose(key), consumer)?;
    selection.failed.map_or(Ok(()), Err)
}

/// Fragments to text.
struct Encoder {
    dump: Box<dyn Dump>,
    budget: Budget,
}

/// Text, and its share of the budget.
struct Text {
    bytes: Vec<u8>,
    _reservation: Reservation,
}

impl Encoder {
    fn text(&self, bytes: Vec<u8>) -> Result<Text> {
        let reservation = self.budget.reserve(bytes.len() as u64, "text of fragments")?;
        Ok(Text { bytes, _reservation: reservation })
    }

    fn begin(&mut self, mut bytes: Vec<u8>) -> Result<Text> {
        self.dump.begin(&mut bytes);
        self.text(bytes)
    }

    fn encode(&mut self, scanned: &ScannedFragments, mut bytes: Vec<u8>) -> Result<Text> {
        bytes.clear();
        let written = self.dump.write(&scanned.batch, &mut bytes);
        written.map_err(|e| Error::new(ErrorKind::Invalid, e.to_string()))?;
        self.text(bytes)
    }

    fn finish(&mut self, mut bytes: Vec<u8>) -> Result<Text> {
        bytes.clear();
        self.dump.finish(&mut bytes);
        self.text(bytes)
    }
}

/// Writes the text and gives its buffer back.
fn write(text: Text, output: &mut dyn Write) -> Result<Vec<u8>> {
    output.write_all(&text.bytes).map_err(|e| Error::output(&e))?;
    Ok(text.bytes)
}

fn pour_alone(
    fragments: Fragments,
    selection: Selection,
    mut encoder: Encoder,
    output: &mut dyn Write,
) -> Result<()> {
    let mut buffer = write(encoder.begin(Vec::new())?, output)?;
    let mut failed = None;
    scan(fragments, selection, &mut |scanned| {
        let text = encoder.encode(&scanned, std::mem::take(&mut buffer));
        match text.and_then(|text| write(text, output)) {
            Ok(spare) => {
                buffer = spare;
                ControlFlow::Continue(())
            }
            Err(e) => {
                failed = Some(e);
                ControlFlow::Break(())
            }
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    write(encoder.finish(buffer)?, output).map(drop)
}

/// One thread reads, another makes text, this one writes.
fn pour_threaded(
    fragments: Fragments,
    selection: Selection,
    encoder: Encoder,
    output: &mut dyn Write,
) -> Result<()> {
    let (batches, scanned) = bounded(QUEUE_LEN);
    let (texts, encoded) = bounded(QUEUE_LEN);
    let (buffers, returned) = bounded(2 * QUEUE_LEN + 2);
    // The closure owns the queues' ends: if writing fails they close, and the threads stop.
    std::thread::scope(move |scope| {
        scope.spawn(move || scan_all(fragments, selection, &batches));
        scope.spawn(move || encode_all(encoder, &scanned, &texts, &returned));
        for text in &encoded {
            // A full queue of spare buffers needs no more.
            let _ = buffers.try_send(write(text?, output)?);
        }
        Ok(())
    })
}

/// Ends early when no one takes the batches any more.
fn scan_all(
    fragments: Fragments,
    selection: Selection,
    batches: &Sender<Result<ScannedFragments>>,
) {
    let scanned = scan(fragments, selection, &mut |scanned| match batches.send(Ok(scanned)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
    if let Err(e) = scanned {
        let _ = batches.send(Err(e));
    }
}

fn encode_all(
    mut encoder: Encoder,
    scanned: &Receiver<Result<ScannedFragments>>,
    texts: &Sender<Result<Text>>,
    spare: &Receiver<Vec<u8>>,
) {
    let mut encode = || {
        let buffer = || spare.try_recv().unwrap_or_default();
        if texts.send(encoder.begin(Vec::new())).is_err() {
            return Ok(());
        }
        for batch in scanned {
            if texts.send(Ok(encoder.encode(&batch?, buffer())?)).is_err() {
                return Ok(());
            }
        }
        let _ = texts.send(Ok(encoder.finish(buffer())?));
        Ok(())
    };
    if let Err(e) = encode() {
        let _ = texts.send(Err(e));
    }
}
