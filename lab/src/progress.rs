//! What is being done, on standard error: a line for each step on a terminal, elsewhere a line now
//! and then.

use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often there is a line where there is no terminal.
const NOW_AND_THEN: Duration = Duration::from_secs(30);

/// Says that this begins.
pub(crate) fn tell(what: &str) {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let is_due = last.get_or_insert_with(Instant::now).elapsed() >= NOW_AND_THEN;
    if is_due || io::stderr().is_terminal() {
        *last = Some(Instant::now());
        eprintln!("lab: {what}");
    }
}
