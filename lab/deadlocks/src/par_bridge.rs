//! `par_bridge` lets threads take the next item of a sequential iterator in turns, under a mutex.
//! The iterator's `next` computes in parallel. A thread in `next` waits, and takes a share of a
//! second bridge, whose mutex another thread has; and that one, in `next` as well, does the same
//! the other way. (The report has one bridge and a longer circle. Two make it likelier.)
//!
//! <https://github.com/rayon-rs/rayon/issues/1142>

use rayon::prelude::*;

use crate::{Case, Owner};

pub(crate) const CASE: Case = Case {
    name: "par-bridge",
    source: "rayon-rs/rayon#1142",
    waits: "two threads in `next`: each the other's bridge",
    rounds: 300,
    round,
};

fn round() {
    rayon::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|_| {
                let items = (0..4).map(|_| count(16));
                let total: usize = items.par_bridge().map(|item| item + count(32)).sum();
                assert_eq!(total, 4 * (16 + 32));
            });
        }
    });
}

fn count(parts: usize) -> usize {
    let owner = Owner::here();
    (0..parts).into_par_iter().inspect(|_| owner.part()).count()
}
