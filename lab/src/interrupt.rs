//! Ctrl-C: the bar goes, the process of a visit ends, nothing half written stays, the exit code is 130.
//! The handler runs on a thread of its own and ends the process at once, whatever is being measured.

use std::io;
use std::process::{self, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

type Act = Box<dyn Fn() + Send>;

static ERASER: Mutex<Option<Act>> = Mutex::new(None);
static VICTIM: Mutex<Option<Act>> = Mutex::new(None);
static WRITING: Mutex<()> = Mutex::new(());

/// What a shell reports for a program that ended by SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Makes Ctrl-C end the program cleanly.
pub(crate) fn install() {
    // Without a handler Ctrl-C still ends the program, only less neatly.
    ctrlc::set_handler(|| {
        // Whoever is writing a result may finish: it is one write, under one of these locks.
        let _stdout = io::stdout().lock();
        let _file = lock(&WRITING);
        for act in [&VICTIM, &ERASER] {
            if let Some(act) = &*lock(act) {
                act();
            }
        }
        process::exit(INTERRUPTED.into());
    })
    .ok();
}

/// What makes the bar go.
pub(crate) fn set_eraser(erase: impl Fn() + Send + 'static) {
    *lock(&ERASER) = Some(Box::new(erase));
}

/// What ends the process of a visit.
pub(crate) fn set_victim(kill: impl Fn() + Send + 'static) {
    *lock(&VICTIM) = Some(Box::new(kill));
}

/// Writes without being interrupted.
pub(crate) fn undisturbed<R>(write: impl FnOnce() -> R) -> R {
    let _file = lock(&WRITING);
    write()
}

/// Whether another process of this program was interrupted, as the terminal does with all at once.
pub(crate) fn ended_by_one(status: ExitStatus) -> bool {
    status.code() == Some(INTERRUPTED.into())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
