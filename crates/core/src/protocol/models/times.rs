//! Times: a reader counts each time span once, or sees that times are changing.

use super::{Fault, caught, explore_all, left_out, relaxed, spawn};
use crate::protocol::times::{Phase, Times};
use std::sync::Arc;

const BEGIN: u64 = 1;
const END: u64 = 100;

#[test]
fn each_moment_counts_once() {
    explore_all(|| {
        let times = Arc::new(Times::default());
        times.enter(Phase::Working, BEGIN);
        // The reader is the younger thread: loom tries its loads before stores that it has seen,
        // not the other way round.
        let reader = spawn(&times, |times| {
            if let Ok(spent) = times.look(END) {
                assert_eq!(spent.iter().sum::<u64>(), END, "{spent:?}");
            }
        });
        times.enter(Phase::Searching, 10);
        times.enter(Phase::Working, 30);
        reader.join().unwrap();
    });
}

fn miscounts(fault: Fault) {
    caught(fault, "times::each_moment_counts_once", "left == right");
}

#[test]
fn a_sum_that_changes_unannounced_is_caught() {
    miscounts(left_out(
        "protocol/times.rs",
        "enter",
        "self.phase.store(CHANGING",
    ));
}

#[test]
fn a_sum_that_releases_nothing_is_caught() {
    miscounts(relaxed("protocol/times.rs", "enter", "sum.store("));
}

#[test]
fn a_sum_that_is_read_without_acquire_is_caught() {
    miscounts(relaxed("protocol/times.rs", "look", "shared.load("));
}
