//! Ctrl-C: the process of a visit ends, nothing half written stays, the exit code is
//! 130.
//!
//! The handler runs on a thread of its own and ends the process at once, whatever is being
//! measured. It takes every lock of this file and keeps them until the end: what needs one after
//! that, such as the next visit, does not begin. So none of them may be held while waiting for
//! another process.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};

static TEMPORARY: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static WRITING: Mutex<()> = Mutex::new(());

/// What a shell reports for a program that ended by SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Makes Ctrl-C end the program cleanly.
pub(crate) fn install() {
    // Without a handler Ctrl-C still ends the program, only less neatly.
    ctrlc::set_handler(|| {
        // A result that is being written may be finished: it is one write, under one of these
        // locks.
        let _stdout = io::stdout().lock();
        let _file = lock(&WRITING);
        let temporary = lock(&TEMPORARY);
        for path in temporary.iter() {
            fs::remove_file(path).ok();
        }
        process::exit(INTERRUPTED.into());
    })
    .ok();
}

/// Writes without being interrupted.
pub(crate) fn undisturbed<R>(write: impl FnOnce() -> R) -> R {
    let _file = lock(&WRITING);
    write()
}

/// A file that goes when this is dropped, and when the program is interrupted.
#[derive(Debug)]
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    /// Makes an empty one.
    pub(crate) fn create(path: PathBuf) -> io::Result<(Temporary, File)> {
        // One step, so that no file is made behind the handler's back.
        let mut paths = lock(&TEMPORARY);
        let file = File::create(&path)?;
        paths.push(path.clone());
        Ok((Temporary(path), file))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut paths = lock(&TEMPORARY);
        fs::remove_file(&self.0).ok();
        paths.retain(|path| *path != self.0);
    }
}

/// Whether another process of this program was interrupted, as the terminal does with all at once.
pub(crate) fn ended_by_one(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        // It came before the handler was installed: SIGINT or SIGTERM.
        use std::os::unix::process::ExitStatusExt;
        if matches!(status.signal(), Some(2 | 15)) {
            return true;
        }
    }
    status.code() == Some(INTERRUPTED.into())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
