//! A node advances to the next block: it locks its state for writing and computes in parallel.
//! Tasks that check transactions need the state for reading. The thread that advances waits for a
//! part, and meanwhile takes such a task. So the reporter reads the stacks of a node that stood
//! still.
//!
//! <https://github.com/ProvableHQ/snarkOS/issues/3063>

use std::sync::RwLock;

use rayon::prelude::*;

use crate::{Case, Owner, work};

pub(crate) const CASE: Case = Case {
    name: "write-lock",
    source: "ProvableHQ/snarkOS#3063",
    waits: "reader: the writer below",
    rounds: 100,
    round,
};

fn round() {
    let height = RwLock::new(0);
    rayon::scope(|scope| {
        for task in 0..32 {
            let height = &height;
            scope.spawn(move |_| match task % 4 {
                0 => advance(height),
                _ => assert!(check(height) <= 8),
            });
        }
    });
    assert_eq!(height.into_inner().expect("no panics"), 8);
}

fn advance(height: &RwLock<u32>) {
    let mut height = height.write().expect("no panics");
    let owner = Owner::here();
    (0..16).into_par_iter().for_each(|_| owner.part());
    *height += 1;
}

fn check(height: &RwLock<u32>) -> u32 {
    work();
    *height.read().expect("no panics")
}
