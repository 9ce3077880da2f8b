//! A sparse matrix is factorised: a task for each front, on a work space that its thread keeps,
//! found by the thread's number. The mutex around it is there for the compiler. A large front is
//! worked on in parallel; the thread that waits takes another front, and that wants the same work
//! space.
//!
//! <https://github.com/jkitchin/feral/pull/104>

use std::sync::Mutex;

use rayon::prelude::*;

use crate::{Case, Owner, THREADS};

pub(crate) const CASE: Case = Case {
    name: "workspace",
    source: "jkitchin/feral#104",
    waits: "task: work space of its thread, in use by the task below",
    rounds: 100,
    round,
};

fn round() {
    let spaces = [const { Mutex::new([0; 64]) }; THREADS];
    rayon::scope(|scope| (0..16).for_each(|_| scope.spawn(|_| front(&spaces))));
}

fn front(spaces: &[Mutex<[u32; 64]>]) {
    let thread = rayon::current_thread_index().expect("a task runs in a pool");
    let mut space = spaces[thread].lock().expect("no panics");
    let owner = Owner::here();
    space.par_chunks_mut(4).for_each(|columns| {
        owner.part();
        columns.fill(1);
    });
    assert_eq!(space.iter().sum::<u32>(), 64);
    space.fill(0);
}
