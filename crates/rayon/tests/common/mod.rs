//! What the test programs share: a watchdog, child processes, a gauge of what runs at once.
#![allow(dead_code)]

use std::{
    any::Any,
    collections::HashSet,
    env,
    panic::{self, AssertUnwindSafe},
    process::{Command, Output},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};
use sumac_rayon::{ThreadPool, ThreadPoolBuilder};

/// What takes longer hangs, however busy the machine is.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool")
}

/// Runs `f` on a thread of its own; a hang is a failure.
pub(crate) fn within<R: Send + 'static>(f: impl FnOnce() -> R + Send + 'static) -> R {
    let (send, receive) = mpsc::channel();
    let runner = thread::spawn(move || send.send(f()).expect("the test waits"));
    match receive.recv_timeout(LONG) {
        Ok(result) => result,
        Err(RecvTimeoutError::Timeout) => panic!("hangs"),
        Err(RecvTimeoutError::Disconnected) => {
            panic::resume_unwind(runner.join().expect_err("it did not send"))
        }
    }
}

/// Waits until `done`.
#[track_caller]
pub(crate) fn wait_until(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < LONG, "waits for ever: {what}");
        thread::sleep(Duration::from_micros(50));
    }
}

/// The text of the panic of `f`.
#[track_caller]
pub(crate) fn panic_of<R>(f: impl FnOnce() -> R) -> String {
    match panic::catch_unwind(AssertUnwindSafe(f)) {
        Ok(_) => panic!("it does not panic"),
        Err(payload) => text(&*payload),
    }
}

pub(crate) fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.unwrap_or("not a text").to_owned()
}

const CHILD: &str = "UNDER_RAYON_CHILD";

/// Whether this process is the child of `test`.
pub(crate) fn is_child(test: &str) -> bool {
    env::var(CHILD).is_ok_and(|name| name == test)
}

/// This program again, running `test` alone, with these variables and no others that we know.
pub(crate) fn child(test: &str, variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env::current_exe().expect("this program"));
    for variable in ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS", "SUMAC_ANNOUNCE"] {
        command.env_remove(variable);
    }
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .envs(variables.iter().copied())
        .env(CHILD, test)
        .env("RUST_BACKTRACE", "0");
    within(move || command.output().expect("a child process"))
}

/// As [`child`], which must succeed. Its standard error.
#[track_caller]
pub(crate) fn child_that_succeeds(test: &str, variables: &[(&str, &str)]) -> String {
    let output = child(test, variables);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{}\n{}{said}",
        output.status,
        String::from_utf8_lossy(&output.stdout)
    );
    said
}

/// Which calls run at once, and with which indices.
#[derive(Debug, Default)]
pub(crate) struct Gauge {
    running: AtomicUsize,
    most: AtomicUsize,
    indices: Mutex<HashSet<usize>>,
}

impl Gauge {
    /// Runs `f` as a call that is to run in a pool of `threads`.
    #[track_caller]
    pub(crate) fn call<R>(&self, threads: usize, f: impl FnOnce() -> R) -> R {
        let index = sumac_rayon::current_thread_index().expect("it runs in a pool");
        assert!(index < threads, "index {index} of {threads}");
        assert_eq!(sumac_rayon::current_num_threads(), threads);
        let is_new = self.indices.lock().expect("no panic").insert(index);
        let running = self.running.fetch_add(1, SeqCst) + 1;
        self.most.fetch_max(running, SeqCst);
        let result = f();
        self.running.fetch_sub(1, SeqCst);
        assert!(is_new, "two calls at once have the index {index}");
        self.indices.lock().expect("no panic").remove(&index);
        assert_eq!(sumac_rayon::current_thread_index(), Some(index));
        result
    }

    /// The most that have run at once.
    pub(crate) fn most(&self) -> usize {
        self.most.load(SeqCst)
    }
}
