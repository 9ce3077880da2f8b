//! Ctrl-C: the bar goes, nothing half written stays, the exit code is 130.
//! The handler runs on a thread of its own and ends the process at once, whatever is being measured.

use std::io;
use std::process;
use std::sync::{Mutex, PoisonError};

type Eraser = Box<dyn Fn() + Send>;

static ERASER: Mutex<Option<Eraser>> = Mutex::new(None);

/// What a shell reports for a program that ended by SIGINT.
const INTERRUPTED: i32 = 130;

/// Makes Ctrl-C end the program cleanly.
pub(crate) fn install() {
    // Without a handler Ctrl-C still ends the program, only less neatly.
    ctrlc::set_handler(|| {
        // Whoever is writing the result may finish: it is one write, under this lock.
        let _stdout = io::stdout().lock();
        if let Some(erase) = &*ERASER.lock().unwrap_or_else(PoisonError::into_inner) {
            erase();
        }
        process::exit(INTERRUPTED);
    })
    .ok();
}

/// What is to be done before the end.
pub(crate) fn set_eraser(erase: impl Fn() + Send + 'static) {
    *ERASER.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(erase));
}
