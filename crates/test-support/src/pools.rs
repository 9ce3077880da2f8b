//! Pools, and what goes on in them.

use crate::{LONG, sized, time::without_backtraces, wait_until};
use std::{
    fs,
    ops::Deref,
    path::PathBuf,
    sync::{Arc, LazyLock, Mutex, mpsc},
    thread,
    time::Instant,
};
use sumac_core::{Callers, Promise, ThreadPool, ThreadPoolBuilder};

/// A pool of so many threads.
pub fn pool(threads: usize) -> ThreadPool {
    without_backtraces();
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("a pool of ordinary size")
}

/// A builder of pools whose callers wait.
pub fn waited_builder(threads: usize) -> ThreadPoolBuilder {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.callers(Callers::Wait)
}

/// Such a pool.
pub fn waited(threads: usize) -> ThreadPool {
    waited_builder(threads)
        .build()
        .expect("a pool whose callers wait")
}

/// Pools of 1, 2 and 5 threads.
pub static POOLS: LazyLock<[ThreadPool; 3]> = LazyLock::new(|| [1, 2, 5].map(pool));

/// New pools of one to three threads; under Miri one pool of two.
pub fn pools() -> impl Iterator<Item = ThreadPool> {
    (sized(1, 2)..=sized(3, 2)).map(pool)
}

/// Runs `f` on each of [`POOLS`].
pub fn on_pools(f: impl Fn() + Sync) {
    for pool in &*POOLS {
        pool.install(&f);
    }
}

/// Runs `f` on a pool of 5 threads of its own again and again until something was stolen.
pub fn with_steals(f: impl Fn() + Sync) {
    on_five(|pool| pool.stats().steals > 0, f);
}

/// Runs `f` on a pool of 5 threads of its own again and again until `done`.
pub fn on_five(done: impl Fn(&ThreadPool) -> bool, f: impl Fn() + Sync) {
    let pool = pool(5);
    let deadline = Instant::now() + LONG / 2;
    loop {
        for _ in 0..5 {
            pool.install(&f);
        }
        if done(&pool) {
            return;
        }
        assert!(Instant::now() < deadline, "no other thread has ever helped");
    }
}

/// A pool that waits for its threads when it is dropped: Miri wants them to have ended with the
/// program.
#[derive(Debug)]
pub struct Stopped(Option<ThreadPool>);

impl From<ThreadPool> for Stopped {
    fn from(pool: ThreadPool) -> Self {
        Stopped(Some(pool))
    }
}

impl Deref for Stopped {
    type Target = ThreadPool;

    fn deref(&self) -> &ThreadPool {
        self.0.as_ref().expect("it is taken by the drop only")
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        if let Some(pool) = self.0.take() {
            pool.wait_until_stopped();
        }
    }
}

/// Such a pool.
pub fn stopped(threads: usize) -> Stopped {
    Stopped::from(pool(threads))
}

/// A task that says when it has begun and ends when it is told to.
pub fn held(pool: &ThreadPool) -> (Promise<u32>, mpsc::Sender<()>) {
    let (begun, has_begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let promise = pool.spawn(move || {
        begun.send(()).expect("the test waits");
        let _ = ended.recv();
        5
    });
    has_begun
        .recv_timeout(LONG)
        .expect("a worker begins the task");
    (promise, end)
}

/// A pool, and its workers as the system knows them.
pub fn watched_pool(threads: usize) -> (ThreadPool, Vec<PathBuf>) {
    let workers = Arc::new(Mutex::new(Vec::new()));
    let started = Arc::clone(&workers);
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .spawn_handler(move |worker| {
            let started = Arc::clone(&started);
            thread::spawn(move || {
                let me = fs::read_link("/proc/thread-self").expect("the name of this thread");
                let me = PathBuf::from("/proc").join(me);
                started.lock().expect("no poison").push(me);
                worker.run();
            });
            Ok(())
        })
        .build()
        .expect("a pool");
    let count = || workers.lock().expect("no poison").len();
    assert!(
        wait_until(LONG / 2, || count() == threads - 1),
        "{} of {} workers",
        count(),
        threads - 1
    );
    let workers = workers.lock().expect("no poison").clone();
    (pool, workers)
}
