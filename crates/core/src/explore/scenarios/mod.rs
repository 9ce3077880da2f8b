//! Programs for the explorer: small, but each with all parts of its subject. Each asserts its
//! results, that every closure ran exactly once, and that all threads end. Twins, at the end
//! of some files, plant a fault that a program must find.

mod blocking;
mod calls;
mod joins;
mod liveness;
mod refusals;
mod resizing;
mod tasks;

use super::search::{
    Tally, apart, caught, explore, left_out, loiter, panics, pass, random, refuse_threads, spawn,
    throw,
};
use crate::{Callers, ThreadPool, ThreadPoolBuilder, join};

/// The explorer's message for threads that sleep for ever.
const ASLEEP: &str = "all threads sleep";
/// The scenarios' message for a second run.
const TWICE: &str = "ran twice";

fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().expect("a pool")
}

/// A pool to which callers hand their work over.
fn waited(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let builder = builder.callers(Callers::Wait);
    builder.build().expect("a pool")
}

/// One of both kinds, whose threads take their oldest tasks first, or their newest, and start at
/// once, or when they are needed.
fn any_pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let builder = builder.newest_first(random(2) == 0);
    let builder = match random(2) {
        0 => builder,
        _ => builder.start_when_needed(),
    };
    let callers = [Callers::TakePart, Callers::Wait][random(2) as usize];
    builder.callers(callers).build().expect("a pool")
}

/// Drops the pool, and waits for its threads or not.
fn end(pool: ThreadPool) {
    loiter();
    if random(2) == 0 {
        pool.wait_until_stopped();
    }
}

/// The sum of the numbers in a range, each given by a closure of its own.
fn sum(tally: &Tally, from: usize, to: usize) -> usize {
    if to - from == 1 {
        return tally.run(from);
    }
    let middle = from + (to - from) / 2;
    let (a, b) = join(|| sum(tally, from, middle), || sum(tally, middle, to));
    a + b
}
