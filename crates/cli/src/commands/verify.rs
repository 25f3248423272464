use std::io::{self, Write};

use outpour_engine::{self as engine, Error, Finding, VerifyOptions};
use outpour_run::{Cancel, Progress};

use super::{Outcome, output_error};
use crate::arguments::Verify;
use crate::progress::Bar;

pub(super) fn run(verify: &Verify, cancel: &Cancel) -> Result<Outcome, Error> {
    let progress = Progress::default();
    let bar = Bar::start(&verify.common, false, &progress);
    let options = VerifyOptions {
        source: verify.source.options(),
        schema: verify.schema.options(),
        memory: verify.common.memory(),
    };
    let mut verdicts = Vec::new();
    let mut checked = |name: &str, findings: &[Finding]| {
        verdicts.push((name.to_owned(), findings.to_vec()));
    };
    let mut notice = verify.common.notice();
    let ended = engine::verify(&options, (cancel, &progress), &mut notice, &mut checked);
    drop(bar);
    let text: String = verdicts.iter().map(|(name, findings)| verdict(name, findings)).collect();
    io::stdout().write_all(text.as_bytes()).map_err(|e| output_error(&e))?;
    ended?;
    let is_ok = verdicts.iter().all(|(_, findings)| findings.is_empty());
    Ok(if is_ok { Outcome::Done } else { Outcome::Found })
}

fn verdict(name: &str, findings: &[Finding]) -> String {
    match findings {
        [] => format!("{name}: ok\n"),
        _ => findings.iter().map(|finding| format!("{name}: {}\n", finding.message)).collect(),
    }
}
