//! Leaves of some microseconds below joins, for the examples beside.

use std::{hint::black_box, time::Instant};

pub(crate) fn compute(steps: usize) {
    let mut x = 1_u64;
    for i in 0..steps as u64 {
        x = black_box(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i));
    }
}

/// How many steps take a microsecond here.
pub(crate) fn steps_per_microsecond() -> f64 {
    let time = |_| {
        let begin = Instant::now();
        compute(100_000);
        begin.elapsed()
    };
    let best = (0..50).map(time).min().unwrap_or_default();
    0.1 / best.as_secs_f64()
}

/// A binary tree of leaves, by a runtime's join.
macro_rules! tree {
    ($name:ident, $join:path) => {
        pub(crate) fn $name(leaves: std::ops::Range<usize>, steps: usize) {
            let middle = leaves.start + leaves.len() / 2;
            if leaves.len() == 1 {
                compute(steps);
            } else {
                let (left, right) = (leaves.start..middle, middle..leaves.end);
                $join(|| $name(left, steps), || $name(right, steps));
            }
        }
    };
}

fn one_by_one<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

tree!(on_sumac, sumac::join);
tree!(on_rayon, rayon::join);
tree!(on_caller, one_by_one);
