//! The libraries' own sorts: of numbers at random, sorted already, of few different ones; unstable.

use super::random::{digest, numbers};
use super::work::Work;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// Numbers to be sorted.
pub(crate) struct Sort {
    work: Work<Vec<u64>>,
    expected: u64,
}

impl Sort {
    /// So many at random.
    pub(crate) fn random(size: usize) -> Sort {
        Sort::new(numbers(size))
    }

    /// So many in order.
    pub(crate) fn sorted(size: usize) -> Sort {
        Sort::new((0..size as u64).collect())
    }

    /// So many, of sixteen values.
    pub(crate) fn few(size: usize) -> Sort {
        Sort::new(numbers(size).into_iter().map(|n| n % 16).collect())
    }

    fn new(values: Vec<u64>) -> Sort {
        let mut sorted = values.clone();
        sorted.sort();
        Sort {
            work: Work::new(values),
            expected: digest(sorted),
        }
    }
}

fn sort(values: &mut [u64]) {
    values.sort_unstable();
}

each_library! {
    pub(super) fn sort(values: &mut [u64]) {
        values.par_sort_unstable();
    }
}

impl Problem for Sort {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => sort(&mut self.work.lock()));
        0
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn in_place(&self) -> bool {
        true
    }

    fn reset(&self) {
        self.work.reset();
    }

    fn answer(&self, _returned: u64) -> u64 {
        digest(self.work.lock().iter().copied())
    }
}
