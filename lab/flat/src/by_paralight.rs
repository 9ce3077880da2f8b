//! The loops by paralight, as far as it reaches: it knows no filters, no
//! collection in order, and no iterators.

use std::num::NonZero;

use paralight::prelude::*;

use crate::work::{light, work};

/// A pool of so many threads.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, String> {
    let threads = NonZero::new(threads).ok_or("no threads")?;
    Ok(ThreadPoolBuilder {
        num_threads: ThreadCount::Count(threads),
        range_strategy: RangeStrategy::WorkStealing,
        cpu_pinning: CpuPinningPolicy::No,
    }
    .build())
}

/// In place of a filter: what it leaves out adds nothing.
fn kept(x: u64) -> u64 {
    if x % 3 == 0 { 0 } else { x }
}

pub(crate) fn sum_light(pool: &mut ThreadPool, v: &[u64]) -> u64 {
    let all = v.par_iter().with_thread_pool(pool);
    all.map(|x| kept(light(*x))).sum()
}

pub(crate) fn sum(pool: &mut ThreadPool, v: &[u64]) -> u64 {
    let all = v.par_iter().with_thread_pool(pool);
    all.map(|x| kept(work(*x)) >> 24).sum()
}

pub(crate) fn min(pool: &mut ThreadPool, v: &[u64]) -> Option<u64> {
    let all = v.par_iter().with_thread_pool(pool);
    all.map(|x| work(*x)).min()
}

pub(crate) fn find_first(pool: &mut ThreadPool, v: &[u64], wanted: u64) -> Option<u64> {
    let all = v.par_iter().with_thread_pool(pool);
    all.map(|x| work(*x)).find_first(|x| *x == wanted)
}

pub(crate) fn find_any(pool: &mut ThreadPool, v: &[u64], wanted: u64) -> Option<u64> {
    let all = v.par_iter().with_thread_pool(pool);
    all.map(|x| work(*x)).find_any(|x| *x == wanted)
}
