//! Rayon, and sumac with what rayon has not.

use crate::{
    program::{Kind, Plan},
    run::{Callers, Run, Runtime},
    sumac_only::{More, operation},
};
use std::sync::Arc;
use sumac::{ThreadPool, ThreadPoolBuilder};

/// Drops a promise, if it is one.
fn forget<T>(_: T) {}

/// Operations under the same names.
macro_rules! same {
    ($library:ident) => {
        type Pool = $library::ThreadPool;

        fn join(a: impl FnOnce() -> u64 + Send, b: impl FnOnce() -> u64 + Send) -> (u64, u64) {
            $library::join(a, b)
        }

        fn install(pool: &Self::Pool, f: impl FnOnce() -> u64 + Send) -> u64 {
            pool.install(f)
        }

        fn scope(kind: Kind, pool: &Self::Pool, count: usize, each: impl Fn(usize) + Sync) {
            let each = &each;
            match kind {
                Kind::ScopeFifo => $library::scope_fifo(|s| {
                    (0..count).for_each(|i| s.spawn_fifo(move |_| each(i)));
                }),
                Kind::InPlace => pool.in_place_scope(|s| {
                    (0..count).for_each(|i| s.spawn(move |_| each(i)));
                }),
                // Half of the tasks from the others.
                _ => $library::scope(|s| {
                    (0..count).step_by(2).for_each(|i| {
                        s.spawn(move |s| {
                            (i + 1..count.min(i + 2)).for_each(|i| s.spawn(move |_| each(i)));
                            each(i);
                        });
                    });
                }),
            }
        }

        fn scope_broadcast(count: usize, each: impl Fn(usize, usize) + Sync) {
            let each = &each;
            $library::scope(|s| {
                for i in 0..count {
                    s.spawn_broadcast(move |_, thread| each(i, thread.index()));
                }
            });
        }

        fn broadcast(pool: Option<&Self::Pool>, f: impl Fn(usize) + Sync) -> Vec<()> {
            match pool {
                Some(pool) => pool.broadcast(|thread| f(thread.index())),
                None => $library::broadcast(|thread| f(thread.index())),
            }
        }

        fn threads(pool: Option<&Self::Pool>) -> usize {
            match pool {
                Some(pool) => pool.current_num_threads(),
                None => $library::current_num_threads(),
            }
        }

        fn spawn(f: impl FnOnce() + Send + 'static) {
            forget($library::spawn(f));
        }

        fn sum(dice: u64, count: usize, f: impl Fn(usize) -> u64 + Sync + Send) -> u64 {
            use $library::prelude::*;
            let all = || (0..count).into_par_iter().map(&f);
            match dice % 4 {
                0 => all().sum(),
                1 => all().rev().reduce(|| 0, |a, b| a + b),
                2 => all().collect::<Vec<_>>().into_iter().sum(),
                _ => {
                    let pairs = all().enumerate().flat_map_iter(|(i, x)| [x, i as u64]);
                    let pairs: Vec<_> = pairs.collect();
                    let indices = pairs.iter().skip(1).step_by(2).copied();
                    assert!(indices.eq(0..count as u64), "the order of a loop");
                    pairs.into_iter().step_by(2).sum()
                }
            }
        }

        fn yield_now() {
            if $library::yield_now() != Some($library::Yield::Executed) {
                std::thread::yield_now();
            }
        }
    };
}

/// Rayon on its scheduler, or on what takes its place.
pub(crate) struct Rayon;

impl Runtime for Rayon {
    same!(rayon);
    type More = ();

    fn pool(plan: &Plan, _: Callers) -> rayon::ThreadPool {
        let builder = rayon::ThreadPoolBuilder::new().num_threads(plan.threads);
        builder.build().expect("a pool of rayon's")
    }

    fn end(_: Vec<rayon::ThreadPool>) {}

    fn more(_: &[rayon::ThreadPool]) {}

    fn other(run: &Arc<Run<Self>>, id: usize) -> u64 {
        unreachable!("rayon has no {:?}", run.program.nodes[id].kind)
    }
}

/// This project's.
pub(crate) struct Sumac;

impl Runtime for Sumac {
    same!(sumac);
    type More = More;

    fn pool(plan: &Plan, callers: Callers) -> ThreadPool {
        let waits = callers == Callers::Wait || callers == Callers::Mixed && plan.waits;
        let builder = ThreadPoolBuilder::new().num_threads(plan.threads);
        let builder = builder
            .newest_first(plan.newest_first)
            .callers(match waits {
                true => sumac::Callers::Wait,
                false => sumac::Callers::TakePart,
            });
        let builder = match plan.when_needed {
            true => builder.start_when_needed(),
            false => builder,
        };
        builder.build().expect("a pool")
    }

    fn end(pools: Vec<ThreadPool>) {
        pools.into_iter().for_each(ThreadPool::wait_until_stopped);
    }

    fn more(pools: &[ThreadPool]) -> More {
        More::new(&pools[0])
    }

    fn other(run: &Arc<Run<Self>>, id: usize) -> u64 {
        operation(run, id)
    }
}
