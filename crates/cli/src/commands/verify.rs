use outpour_engine::{self as engine, Error, VerifyOptions};
use outpour_run::{Cancel, Progress};

use super::Outcome;
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
    let mut checked = |name: &str, findings: &[engine::Finding]| {
        verdicts.push((name.to_owned(), findings.to_vec()));
    };
    let mut notice = verify.common.notice();
    let ended = engine::verify(&options, (cancel, &progress), &mut notice, &mut checked);
    drop(bar);
    let mut outcome = Outcome::Done;
    for (name, findings) in &verdicts {
        match findings.as_slice() {
            [] => println!("{name}: ok"),
            _ => outcome = Outcome::Found,
        }
        for finding in findings {
            println!("{name}: {}", finding.message);
        }
    }
    ended?;
    Ok(outcome)
}
