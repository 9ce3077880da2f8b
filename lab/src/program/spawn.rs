//! A task that does nothing: what do starting it and waiting for it cost? A task of sumac's has a
//! promise, one of rayon's a scope; the baseline calls.

use std::hint::black_box;

use crate::contender::{Contender, Loops};
use crate::problem::Problem;

/// So many tasks, one after the other.
pub(crate) struct Spawn(pub(crate) usize);

fn with_rayon() {
    rayon::scope(|s| s.spawn(|_| ()));
}

fn with_sumac() {
    sumac::spawn(|| ()).join();
}

impl Problem for Spawn {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        let task = match C::LOOPS {
            Loops::Plain => || (),
            Loops::Rayon => with_rayon,
            Loops::Sumac => with_sumac,
        };
        for _ in 0..self.0 {
            black_box(task)();
        }
        self.0 as u64
    }

    fn expected(&self) -> u64 {
        self.0 as u64
    }
}
