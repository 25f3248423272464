use std::io::{self, IsTerminal, Write};

use outpour_engine::{self as engine, Error, ExportOptions};
use outpour_run::{Cancel, Progress};

use super::{Outcome, is_stdout, pour_to, report_losses};
use crate::arguments::{Export, Format, Values};
use crate::progress::Bar;
use crate::time;

pub(super) fn run(export: Export, cancel: &Cancel) -> Result<Outcome, Error> {
    let progress = Progress::default();
    let output_is_terminal = is_stdout(&export.output) && io::stdout().is_terminal();
    let bar = Bar::start(&export.common, output_is_terminal, &progress);
    let options = options(&export);
    let mut notice = export.common.notice();
    let pour =
        |output: &mut dyn Write| engine::export(&options, output, (cancel, &progress), &mut notice);
    let summary = pour_to(&export.output, pour);
    drop(bar);
    Ok(report_losses(&summary?.losses))
}

fn options(export: &Export) -> ExportOptions {
    ExportOptions {
        source: export.source.options(),
        schema: export.schema.options(),
        columns: export.columns.clone(),
        condition: export.condition.clone(),
        limit: export.limit,
        since: export.since,
        now: export.now.unwrap_or_else(time::now),
        write_times: export.writetime,
        ttls: export.ttl,
        format: match export.format {
            Format::Jsonl => engine::Format::JsonLines,
            Format::Json => engine::Format::Json,
            Format::Csv => engine::Format::Csv,
        },
        values: match export.values {
            Values::Text => engine::Values::Text,
            Values::Raw => engine::Values::Raw,
        },
        memory: export.common.memory(),
        threads: export.common.threads(),
        on_corrupt: export.on_corrupt.into(),
    }
}
