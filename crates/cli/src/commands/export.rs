use std::io::{self, IsTerminal, Write};
use std::path::Path;

use outpour_engine::{self as engine, Error, ExportOptions, Summary};
use outpour_run::{Cancel, Progress};

use super::{Outcome, tell};
use crate::arguments::{Export, Format, OnCorrupt, Values};
use crate::progress::Bar;
use crate::time;

pub(super) fn run(export: Export, cancel: &Cancel) -> Result<Outcome, Error> {
    let progress = Progress::default();
    let to_stdout = export.output == Path::new("-");
    let output_is_terminal = to_stdout && io::stdout().is_terminal();
    let bar = Bar::start(&export.common, output_is_terminal, &progress);
    let options = options(&export);
    let mut notice = export.common.notice();
    let mut pour =
        |output: &mut dyn Write| engine::export(&options, output, (cancel, &progress), &mut notice);
    let summary = match to_stdout {
        true => pour(&mut io::stdout().lock()),
        false => engine::write_file(&export.output, pour),
    };
    drop(bar);
    Ok(report(&summary?))
}

fn options(export: &Export) -> ExportOptions {
    ExportOptions {
        source: export.source.options(),
        schema: export.schema.options(),
        columns: export.columns.clone(),
        limit: export.limit,
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
        on_corrupt: match export.on_corrupt {
            OnCorrupt::Fail => engine::OnCorrupt::Fail,
            OnCorrupt::Skip => engine::OnCorrupt::Skip,
        },
    }
}

fn report(summary: &Summary) -> Outcome {
    if summary.losses.is_empty() {
        return Outcome::Done;
    }
    for loss in &summary.losses {
        tell(&format!("left out: {loss}"));
    }
    Outcome::Losses
}
