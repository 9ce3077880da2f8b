//! Items are collected in a buffer for each thread. When it is full, it is sorted, in parallel, and
//! written. While the sort waits, its thread takes the next item, which goes to the same buffer.
//!
//! <https://github.com/rayon-rs/rayon/issues/1083>

use std::sync::Mutex;

use rayon::prelude::*;

use crate::{Case, Owner, work};

pub(crate) const CASE: Case = Case {
    name: "thread-buffer",
    source: "rayon-rs/rayon#1083",
    waits: "item: buffer of its thread, which the item below sorts",
    rounds: 150,
    round,
};

const FULL: usize = 6_000;

thread_local! {
    static BUFFER: Mutex<Vec<u32>> = const { Mutex::new(Vec::new()) };
}

fn round() {
    (0..32u32).into_par_iter().for_each(|item| {
        work();
        BUFFER.with(|buffer| {
            let mut buffer = buffer.lock().expect("no panics");
            buffer.extend((0..FULL as u32).map(|n| (n ^ item).wrapping_mul(0x9E37_79B9)));
            let owner = Owner::here();
            buffer.par_sort_unstable_by_key(|&number| {
                owner.note();
                number
            });
            assert!(buffer.is_sorted());
            buffer.clear();
        });
    });
}
