//! Calls of MPI that wait for other ranks and cannot be cancelled: initialising, finalising,
//! creating windows. Meanwhile a thread that does not call MPI watches the clock. On time-out it
//! prints an error and ends the process, and the launcher ends the others.

use std::{
    io::{self, Write},
    process,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// Calls `call`, which must return within `limit`, if there is one. Otherwise the message contains
/// `what` it waits for.
pub(crate) fn watched<R>(limit: Option<Duration>, what: &str, call: impl FnOnce() -> R) -> R {
    let Some(limit) = limit else {
        return call();
    };
    let message = format!("sumac-mpi: waited {limit:?} for {what}\n");
    let (back, waits) = channel::<()>();
    let watch = move || {
        if waits.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            drop(io::stderr().write_all(message.as_bytes()));
            process::abort();
        }
    };
    // If the system refuses a thread, there is no watch.
    drop(thread::Builder::new().name("watch".into()).spawn(watch));
    let result = call();
    drop(back);
    result
}
