mod count;
mod dump;
mod export;
mod info;
mod schema;
mod verify;

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::{self, ExitCode};
use std::thread;
use std::time::Duration;

use outpour_engine::{self as engine, Error, ErrorKind, SchemaOptions, SourceOptions};
use outpour_run::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::arguments::{Arguments, Command, Common, OnCorrupt, SchemaSource, Source};
use crate::size;

/// What a command ends with.
pub(crate) enum Outcome {
    Done,
    /// Something is wrong with the files, and was said
    Found,
    /// Done, but what was damaged was left out
    Losses,
}

/// Runs the command and says how it ended.
pub(crate) fn run(arguments: Arguments) -> ExitCode {
    let cancel = cancel_on_signal();
    let outcome = match arguments.command {
        Command::Count(count) => count::run(count, &cancel),
        Command::Dump(dump) => dump::run(&dump, &cancel),
        Command::Export(export) => export::run(export, &cancel),
        Command::Info(info) => info::run(&info),
        Command::Schema(schema) => schema::run(&schema),
        Command::Verify(verify) => verify::run(&verify, &cancel),
    };
    match outcome {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::FAILURE,
        Ok(Outcome::Losses) => ExitCode::from(3),
        // Who read the rows has seen enough, as head does.
        Err(e) if e.kind() == ErrorKind::ClosedOutput => ExitCode::SUCCESS,
        Err(e) => {
            tell(&e);
            ExitCode::FAILURE
        }
    }
}

/// Ctrl-C, SIGTERM and SIGHUP end the run; a second one ends it at once.
fn cancel_on_signal() -> Cancel {
    let cancel = Cancel::default();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        let flag = cancel.flag();
        let at_once = signal_hook::flag::register_conditional_shutdown(signal, 1, flag);
        let registered = at_once.and_then(|_| signal_hook::flag::register(signal, cancel.flag()));
        if let Err(e) = registered {
            tell(&format!("signals cannot be handled: {e}"));
        }
    }
    cancel
}

/// Ends the run some time after a signal, if it has not ended: one that writes to a pipe that no one
/// reads never comes to see that it should.
fn exit_when_stuck() {
    const GRACE: Duration = Duration::from_secs(2);
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    thread::spawn(move || {
        if signals.forever().next().is_some() {
            thread::sleep(GRACE);
            process::exit(1);
        }
    });
}

/// Pours to the file at `path`, or to standard output if it is `-`.
fn pour_to<T>(
    path: &Path,
    pour: impl FnOnce(&mut dyn Write) -> Result<T, Error>,
) -> Result<T, Error> {
    if !is_stdout(path) {
        return engine::write_file(path, pour);
    }
    exit_when_stuck();
    pour(&mut io::stdout().lock())
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

impl Source {
    fn options(&self) -> SourceOptions {
        SourceOptions { paths: self.sources.clone(), table: self.table.clone() }
    }
}

impl SchemaSource {
    fn options(&self) -> SchemaOptions {
        SchemaOptions { file: self.schema.clone(), infer: self.infer_schema }
    }
}

impl Common {
    fn memory(&self) -> u64 {
        self.memory.unwrap_or_else(size::default_memory)
    }

    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
    }

    /// Tells the user what they should know.
    fn notice(&self) -> impl FnMut(&str) + use<> {
        let quiet = self.quiet;
        move |text| {
            if !quiet {
                tell(&text);
            }
        }
    }
}

/// A line on standard error. A run does not fail because no one can be told of it.
fn tell(text: &impl Display) {
    let _ = writeln!(io::stderr(), "outpour: {text}");
}

impl From<OnCorrupt> for engine::OnCorrupt {
    fn from(on_corrupt: OnCorrupt) -> Self {
        match on_corrupt {
            OnCorrupt::Fail => Self::Fail,
            OnCorrupt::Skip => Self::Skip,
        }
    }
}

/// Says what was left out.
fn report_losses(losses: &[String]) -> Outcome {
    for loss in losses {
        tell(&format!("left out: {loss}"));
    }
    if losses.is_empty() { Outcome::Done } else { Outcome::Losses }
}

/// Standard output that could not be written.
fn output_error(error: &std::io::Error) -> Error {
    Error::output(error)
}
