use std::io::{self, Write};

use outpour_engine::{self as engine, Error, ErrorKind, Verdict, VerifyOptions};
use outpour_run::{Cancel, Progress};

use super::{Outcome, output_error};
use crate::arguments::Verify;
use crate::progress::Bar;
use crate::terminal;

pub(super) fn run(verify: &Verify, cancel: &Cancel) -> Result<Outcome, Error> {
    let progress = Progress::default();
    let bar = Bar::start(&verify.common, false, &progress);
    let options = VerifyOptions {
        source: verify.source.options(),
        schema: verify.schema.options(),
        tokens: verify.token_range.clone(),
        memory: verify.common.memory(),
        threads: verify.common.threads(),
    };
    let mut is_ok = true;
    let mut checked = |verdict: &Verdict| {
        is_ok &= verdict.ok;
        let text = match verify.json {
            true => format!("{}\n", serde_json::json!(verdict)),
            false => text(verdict, verify.common.quiet),
        };
        // Each as it comes, above the bar.
        let write = || {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes()).and_then(|()| out.flush())
        };
        bar.above(write).map_err(|e| output_error(&e))
    };
    let mut notice = verify.common.notice();
    let ended = engine::verify(&options, (cancel, &progress), &mut notice, &mut checked);
    drop(bar);
    match ended {
        // Who stopped reading does not know how the rest would have ended.
        Err(e) if e.kind() == ErrorKind::ClosedOutput => Ok(Outcome::Found),
        Err(e) => Err(e),
        Ok(()) => Ok(if is_ok { Outcome::Done } else { Outcome::Found }),
    }
}

fn text(verdict: &Verdict, is_quiet: bool) -> String {
    let name = &verdict.name;
    match (verdict.ok, is_quiet) {
        (true, true) => String::new(),
        (true, false) => {
            let files: Vec<_> = verdict.components.iter().map(|file| file.name.as_str()).collect();
            let line = format!(
                "{name}: ok: {} in {}: {}",
                terminal::count(verdict.rows.unwrap_or(0), "row"),
                terminal::count(verdict.partitions.unwrap_or(0), "partition"),
                files.join(", ")
            );
            terminal::line(&line)
        }
        (false, _) => {
            let line = |finding: &engine::Finding| format!("{name}: {}", finding.message);
            verdict.findings.iter().map(|finding| terminal::line(&line(finding))).collect()
        }
    }
}
