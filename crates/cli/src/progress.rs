use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use outpour_run::Progress;

use crate::arguments::{Common, When};

const INTERVAL: Duration = Duration::from_millis(100);
const TEMPLATE: &str =
    "{bar:30} {bytes} of {total_bytes}  {binary_bytes_per_sec}  {msg} rows  {eta} left";

/// A progress bar on standard error, redrawn by a thread of its own until it is dropped.
pub(crate) struct Bar {
    done: Arc<AtomicBool>,
    bar: Option<ProgressBar>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Starts the bar, if it is wanted.
    pub(crate) fn start(common: &Common, output_is_terminal: bool, progress: &Progress) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let wanted = match common.progress {
            When::Always => true,
            When::Never => false,
            // Rows on the same terminal would be mixed up with the bar.
            When::Auto => std::io::stderr().is_terminal() && !output_is_terminal && !common.quiet,
        };
        let bar = wanted.then(|| ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()));
        let thread = bar.clone().map(|bar| {
            let (done, progress) = (Arc::clone(&done), progress.clone());
            thread::spawn(move || draw(&bar, &done, &progress))
        });
        Self { done, bar, thread }
    }

    /// Runs `write`, which writes lines to the terminal, with the bar out of the way.
    pub(crate) fn above<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A bar that failed to draw is no reason to fail.
            let _ = thread.join();
        }
    }
}

fn draw(bar: &ProgressBar, done: &AtomicBool, progress: &Progress) {
    if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
        bar.set_style(style);
    }
    while !done.load(Ordering::Relaxed) {
        bar.set_length(progress.bytes_total());
        bar.set_position(progress.bytes_read());
        bar.set_message(progress.rows().to_string());
        thread::sleep(INTERVAL);
    }
    bar.finish_and_clear();
}
