//! Many tasks read an index, in parallel inside, and now and then one writes it. Readers do not
//! exclude each other, but a reader that comes when a writer waits is put behind it. A reader
//! waits for a part that another thread runs, takes a second reading task, and that waits for the
//! writer, who waits for the first.
//!
//! <https://github.com/rayon-rs/rayon/issues/1205>,
//! <https://github.com/cyberlife-coder/VelesDB/issues/2333>

use std::sync::RwLock;

use rayon::prelude::*;

use crate::{Case, Owner};

pub(crate) const CASE: Case = Case {
    name: "read-lock",
    source: "rayon-rs/rayon#1205",
    waits: "reader: a writer, who waits for the reader below",
    rounds: 100,
    round,
};

fn round() {
    let index = RwLock::new(vec![1; 16]);
    rayon::scope(|scope| {
        for task in 0..32 {
            scope.spawn({
                let index = &index;
                move |_| match task % 4 {
                    3 => index.write().expect("no panics").fill(1),
                    _ => assert_eq!(sum_of(&index.read().expect("no panics")), 16),
                }
            });
        }
    });
}

fn sum_of(list: &[i32]) -> i32 {
    let owner = Owner::here();
    list.par_iter().inspect(|_| owner.part()).sum()
}
