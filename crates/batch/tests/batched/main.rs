//! `Batched` itself, with a structure that can do everything a structure can do wrong.

#![forbid(unsafe_code)]

mod attacks;
mod basics;
mod cost;
mod futures;
mod hostile;
mod panics;
mod probe;
mod storm;
mod waiting;

use std::{
    panic,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};
use sumac_core::{ThreadPool, ThreadPoolBuilder};

pub(crate) fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().expect("a pool of ordinary size")
}

/// Runs `body` on a thread of its own; fails if that takes three minutes, which on any machine is a hang.
pub(crate) fn in_time(what: &str, body: impl FnOnce() + Send + 'static) {
    let (send, receive) = mpsc::channel();
    let handle = thread::Builder::new()
        .name(what.to_string())
        .spawn(move || {
            body();
            let _ = send.send(());
        })
        .expect("a thread");
    match receive.recv_timeout(Duration::from_secs(180)) {
        Err(RecvTimeoutError::Timeout) => panic!("{what} hangs"),
        _ => {
            if let Err(payload) = handle.join() {
                panic::resume_unwind(payload);
            }
        }
    }
}

pub(crate) fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Waits until `done`, giving way.
pub(crate) fn until(mut done: impl FnMut() -> bool) {
    while !done() {
        thread::sleep(Duration::from_micros(50));
    }
}
