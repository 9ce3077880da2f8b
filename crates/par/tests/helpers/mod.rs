//! Pools, costly items, and counted drops.
#![allow(dead_code, reason = "each test program uses some")]

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use sumac_core::{ThreadPool, ThreadPoolBuilder};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

static POOLS: LazyLock<[ThreadPool; 3]> = LazyLock::new(|| [pool(1), pool(2), pool(5)]);

/// Runs `f` on pools of 1, 2 and 5 threads.
pub(crate) fn on_pools(f: impl Fn() + Sync) {
    for pool in &*POOLS {
        pool.install(&f);
    }
}

/// Runs `f` on a pool of 5 threads of its own again and again until something was stolen.
pub(crate) fn with_steals(f: impl Fn() + Sync) {
    on_five(|pool| pool.stats().steals > 0, f);
}

/// Runs `f` on a pool of 5 threads of its own again and again until `done`.
pub(crate) fn on_five(done: impl Fn(&ThreadPool) -> bool, f: impl Fn() + Sync) {
    let pool = pool(5);
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        for _ in 0..5 {
            pool.install(&f);
        }
        if done(&pool) {
            return;
        }
        assert!(Instant::now() < deadline, "nobody has ever helped");
    }
}

/// Costs some microseconds, so that somebody asks for work meanwhile.
pub(crate) fn work() {
    let until = Instant::now() + Duration::from_micros(8);
    while Instant::now() < until {
        std::hint::spin_loop();
    }
}

/// Counts its drops.
#[derive(Debug)]
pub(crate) struct Counted<'c>(pub(crate) usize, pub(crate) &'c AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.1.fetch_add(1, Relaxed);
    }
}

/// Lengths worth a test.
pub(crate) const LENS: [usize; 7] = [0, 1, 2, 3, 17, 300, 20_000];
