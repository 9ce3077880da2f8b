//! Calls of MPI that wait for other ranks and cannot be given up: beginning, ending, making
//! windows. A thread looks at the clock meanwhile; it does not call MPI. When the time is up it
//! says so and ends the process, and the launcher ends the others.

use std::{
    io::{self, Write},
    process,
    sync::mpsc::{RecvTimeoutError, channel},
    thread,
    time::Duration,
};

/// Does `call`, which has to come back within `limit`, if there is one. `what` it waits for is in
/// the message if it does not.
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
    // If there is no thread to be had, there is no watch.
    drop(thread::Builder::new().name("watch".into()).spawn(watch));
    let result = call();
    drop(back);
    result
}
