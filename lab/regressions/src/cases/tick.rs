//! A service's control loop: in each tick a dozen bursts of a few dozen small jobs, with some work
//! between them that is not parallel, then a pause. What counts is what the pool uses meanwhile.
//!
//! <https://github.com/rayon-rs/rayon/pull/1318>

use std::thread;
use std::time::Duration;

use super::library::{ThreadPool, ThreadPoolBuilder, prelude::*};
use crate::{Call, Case, Form, compute, wrapping};

pub(super) const CASE: Case = Case {
    name: "tick",
    source: "rayon-rs/rayon#1318",
    threads: None,
    is_about_cpu: true,
    prepare,
};

const BURSTS: u64 = 12;
const JOBS: u64 = 36;
/// Some microseconds, and some two hundred.
const JOB: u32 = 1000;
const STRETCH: u32 = 80_000;
const PAUSE: Duration = Duration::from_millis(3);

fn prepare(form: Form) -> Call {
    let pool = ThreadPoolBuilder::new().build().expect("a pool");
    form.call(
        pool,
        |_| tick(|burst| wrapping(jobs(burst).map(job))),
        |pool| in_pool(pool),
    )
}

fn in_pool(pool: &ThreadPool) -> u64 {
    pool.install(|| {
        tick(|burst| {
            let jobs = jobs(burst).into_par_iter().map(job);
            jobs.reduce(|| 0, u64::wrapping_add)
        })
    })
}

fn jobs(burst: u64) -> std::ops::Range<u64> {
    burst * JOBS..(burst + 1) * JOBS
}

fn job(number: u64) -> u64 {
    compute(number, JOB)
}

fn tick(burst: impl Fn(u64) -> u64) -> u64 {
    let bursts = (0..BURSTS).map(|number| compute(burst(number), STRETCH));
    let answer = wrapping(bursts);
    thread::sleep(PAUSE);
    answer
}
