//! The bar on the terminal. It is drawn between visits only, never by a thread of its own, so that
//! it takes no time from a sample; and it is not drawn at all where stderr is not a terminal: what
//! takes long says a line there now and then.

use std::cell::Cell;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::interrupt;

/// How finely a step is shown.
const GRAIN: u64 = 1000;
/// How often there is a line where there is no terminal.
const NOW_AND_THEN: Duration = Duration::from_secs(30);

/// How far a command has come, in steps.
pub(crate) struct Progress {
    bar: ProgressBar,
    steps: usize,
    step: Cell<usize>,
    /// When there was a line, where there are lines.
    told: Cell<Option<Instant>>,
}

impl Progress {
    /// A bar for so many steps.
    pub(crate) fn new(steps: usize) -> Progress {
        let bar = ProgressBar::new(steps as u64 * GRAIN);
        let style =
            ProgressStyle::with_template("{bar:30.cyan/blue} {elapsed:>4}, {eta} left, {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let handle = bar.clone();
        interrupt::set_eraser(move || {
            handle.finish_and_clear();
            handle.set_draw_target(ProgressDrawTarget::hidden());
        });
        Progress {
            bar,
            steps,
            step: Cell::new(0),
            told: Cell::new(None),
        }
    }

    /// With a line now and then where there is no terminal.
    pub(crate) fn told_now_and_then(self) -> Progress {
        self.told.set(Some(Instant::now()));
        self
    }

    /// None.
    #[cfg(test)]
    pub(crate) fn hidden() -> Progress {
        let progress = Progress::new(1);
        progress.bar.set_draw_target(ProgressDrawTarget::hidden());
        progress
    }

    /// The next step begins.
    pub(crate) fn begin(&self, what: &str) {
        let number = self.step.get() + 1;
        let message = format!("{number}/{} {what}", self.steps);
        let is_due = |told: Instant| told.elapsed() >= NOW_AND_THEN;
        if self.bar.is_hidden() && self.told.get().is_some_and(is_due) {
            self.told.set(Some(Instant::now()));
            eprintln!("lab: {message}");
        }
        self.bar.set_message(message);
        self.reached(0.0);
    }

    /// This much of the step is done.
    pub(crate) fn reached(&self, fraction: f64) {
        let within = (fraction.min(1.0) * GRAIN as f64) as u64;
        self.bar
            .set_position(self.step.get() as u64 * GRAIN + within);
    }

    /// Calls `f`, which writes to the terminal, with no bar there.
    pub(crate) fn beside<R>(&self, f: impl FnOnce() -> R) -> R {
        self.bar.suspend(f)
    }

    /// The step is done.
    pub(crate) fn end(&self) {
        self.step.set(self.step.get() + 1);
        self.reached(0.0);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
