//! A driver must be locked for a call, and a call is a scope on the driver's own pool: as many
//! jobs as that has threads. Programs call it from loops on their pool. A thread that waits for
//! the other pool takes the next item of its own pool's loop, which calls the driver.
//!
//! <https://github.com/rayon-rs/rayon/issues/1174>

use std::sync::{LazyLock, Mutex};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::{Case, Owner};

pub(crate) const CASE: Case = Case {
    name: "driver",
    source: "rayon-rs/rayon#1174",
    waits: "call: mutex of the call below, which waits for another pool",
    rounds: 100,
    round,
};

const JOBS: usize = 2;

static POOL: LazyLock<ThreadPool> = LazyLock::new(|| {
    let builder = rayon::ThreadPoolBuilder::new();
    builder.num_threads(JOBS).build().expect("a pool")
});

fn round() {
    let device = Mutex::new(0);
    (0..16).into_par_iter().for_each(|_| call(&device));
    assert_eq!(device.into_inner().expect("no panics"), 16);
}

fn call(device: &Mutex<u32>) {
    let mut calls = device.lock().expect("no panics");
    let owner = Owner::here();
    POOL.scope(|scope| (0..JOBS).for_each(|_| scope.spawn(move |_| owner.part())));
    *calls += 1;
}
