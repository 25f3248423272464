use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};

use outpour_engine::{self as engine, CountOptions, Error};
use outpour_run::{Cancel, Progress};

use super::{Outcome, output_error, report_losses};
use crate::arguments::Count;
use crate::progress::Bar;
use crate::time;

pub(super) fn run(count: Count, cancel: &Cancel) -> Result<Outcome, Error> {
    let progress = Progress::default();
    let bar = Bar::start(&count.common, io::stdout().is_terminal(), &progress);
    let mut notice = count.common.notice();
    let counted = engine::count(&options(&count), (cancel, &progress), &mut notice);
    drop(bar);
    let counted = counted?;
    io::stdout().write_all(text(&counted).as_bytes()).map_err(|e| output_error(&e))?;
    let losses: Vec<_> = counted.into_iter().flat_map(|table| table.losses).collect();
    Ok(report_losses(&losses))
}

fn options(count: &Count) -> CountOptions {
    CountOptions {
        source: count.source.options(),
        schema: count.schema.options(),
        condition: count.condition.clone(),
        since: count.since,
        now: count.now.unwrap_or_else(time::now),
        memory: count.common.memory(),
        threads: count.common.threads(),
        on_corrupt: count.on_corrupt.into(),
    }
}

/// The number alone of one table; of several, a line with number and name each.
fn text(counted: &[engine::Count]) -> String {
    let mut text = String::new();
    for table in counted {
        // Writing to a string cannot fail.
        let _ = match counted.len() {
            1 => writeln!(text, "{}", table.rows),
            _ => writeln!(text, "{} {}", table.rows, table.table),
        };
    }
    text
}
