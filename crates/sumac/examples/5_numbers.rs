//! Numeric code: prefix sums, sums that do not depend on the schedule, and a state per thread.
//!
//!     cargo run --release -p sumac --example 5_numbers

use sumac::{WorkerLocal, prelude::*};

fn main() {
    // Where each row of a ragged matrix begins: an exclusive scan of the rows' lengths.
    let mut starts: Vec<usize> = (0..1_000).map(|row| row % 7).collect();
    let total = starts.par_exclusive_scan(0, |a, b| a + b);
    assert_eq!((starts[0], starts[7], total), (0, 21, 2_997));

    // Floats added in a fixed order: the same bits on every machine and at every run.
    let terms = || {
        (1..1_000_000_u32)
            .into_par_iter()
            .map(|k| 1.0 / (f64::from(k) * f64::from(k)))
    };
    let sum: f64 = terms().deterministic().sum();
    let pool = sumac::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .expect("three threads");
    let again: f64 = pool.install(|| terms().deterministic().sum());
    assert_eq!(sum.to_bits(), again.to_bits());

    // Scratch space per thread, not per item.
    let scratch = WorkerLocal::new(|| Vec::with_capacity(64));
    let digits: usize = (0..100_000_u32)
        .into_par_iter()
        .map(|n| {
            scratch.with(|buffer: &mut Vec<u32>| {
                buffer.clear();
                buffer.extend(std::iter::successors(Some(n), |n| {
                    (*n >= 10).then_some(n / 10)
                }));
                buffer.len()
            })
        })
        .sum();
    assert_eq!(digits, 488_890);
    println!("pi is about {}", (6.0 * sum).sqrt());
}
