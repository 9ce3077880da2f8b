//! Mapped items into a vector. The vector is made and freed by every call, as in programs; it is
//! checked, and freed, when the clock has stopped.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::contender::Contender;
use crate::problem::Problem;
use crate::program::random::{digest, scatter};
use crate::program::{by_library, each_library};

/// How many items, and those of the last call.
pub(crate) struct Collect {
    size: usize,
    items: Mutex<Vec<u64>>,
    expected: u64,
}

impl Collect {
    /// So many.
    pub(crate) fn new(size: usize) -> Collect {
        Collect {
            size,
            items: Mutex::default(),
            expected: digest((0..size as u64).map(scatter)),
        }
    }

    fn items(&self) -> MutexGuard<'_, Vec<u64>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn collect(size: u64) -> Vec<u64> {
    (0..size).map(scatter).collect()
}

each_library! {
    pub(super) fn collect(size: u64) -> Vec<u64> {
        (0..size).into_par_iter().map(scatter).collect()
    }
}

impl Problem for Collect {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        *self.items() = by_library!(C => collect(self.size as u64));
        0
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn in_place(&self) -> bool {
        true
    }

    fn reset(&self) {
        *self.items() = Vec::new();
    }

    fn answer(&self, _returned: u64) -> u64 {
        digest(self.items().iter().copied())
    }
}
