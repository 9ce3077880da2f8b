//! Joins that nest, steal and panic.

use super::super::search::{Tally, caught, explore, panics, random, throw};
use crate::{ThreadPool, ThreadPoolBuilder, fault::Fault, join};

fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().expect("a pool")
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

fn trees() {
    let pool = pool(3);
    let tally = Tally::new(12);
    assert_eq!(pool.install(|| sum(&tally, 0, 12)), 66);
    tally.all();
    pool.wait_until_stopped();
}

#[test]
fn joins_nest() {
    explore(trees);
}
