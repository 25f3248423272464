use std::io::{self, IsTerminal, Write};

use outpour_engine::{
    self as engine, DumpContent, DumpForm, DumpOptions, Error, SchemaOptions, SourceOptions,
};
use outpour_run::{Cancel, Progress};

use super::{Outcome, is_stdout, pour_to};
use crate::arguments::Dump;
use crate::progress::Bar;
use crate::time;

pub(super) fn run(dump: &Dump, cancel: &Cancel) -> Result<Outcome, Error> {
    let progress = Progress::default();
    let output_is_terminal = is_stdout(&dump.output) && io::stdout().is_terminal();
    let bar = Bar::start(&dump.common, output_is_terminal, &progress);
    let options = options(dump);
    let mut notice = dump.common.notice();
    let pour =
        |output: &mut dyn Write| engine::dump(&options, output, (cancel, &progress), &mut notice);
    let dumped = pour_to(&dump.output, pour);
    drop(bar);
    dumped.map(|()| Outcome::Done)
}

fn options(dump: &Dump) -> DumpOptions {
    DumpOptions {
        source: SourceOptions { paths: dump.sstables.clone(), table: dump.table.clone() },
        schema: SchemaOptions { file: dump.schema.clone(), infer: false },
        keys: dump.key.clone(),
        excluded: dump.exclude_key.clone(),
        content: content(dump),
        raw_times: dump.raw_times,
        now: dump.now.unwrap_or_else(time::now),
        memory: dump.common.memory(),
        threads: dump.common.threads(),
    }
}

fn content(dump: &Dump) -> DumpContent {
    if dump.keys_only {
        return DumpContent::Keys;
    }
    DumpContent::All(match (dump.lossless, dump.debug, dump.lines) {
        (true, ..) => DumpForm::Lossless,
        (_, true, _) => DumpForm::Debug,
        (_, _, true) => DumpForm::JsonLines,
        _ => DumpForm::Json,
    })
}
