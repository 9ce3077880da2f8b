//! A loop so short that a thread does it before another is awake: what does it cost to ask?

use super::random::numbers;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// A few numbers.
pub(crate) struct Small {
    values: Vec<u64>,
    expected: u64,
}

impl Small {
    /// So many.
    pub(crate) fn new(size: usize) -> Small {
        let values = numbers(size);
        let expected = values.iter().map(cheap).sum();
        Small { values, expected }
    }
}

fn cheap(value: &u64) -> u64 {
    (value ^ (value >> 7)) & 0xffff
}

fn sum(values: &[u64]) -> u64 {
    values.iter().map(cheap).sum()
}

each_library! {
    pub(super) fn sum(values: &[u64]) -> u64 {
        values.par_iter().map(cheap).sum()
    }
}

impl Problem for Small {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => sum(&self.values))
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}
