//! The sum of numbers: a loop that ends at the memory's speed. The numbers are whole and small, so
//! that no order of additions makes a difference.

use super::random::scatter;
use super::share;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// A vector to be summed.
pub(crate) struct Sum {
    values: Vec<f64>,
    expected: u64,
}

impl Sum {
    /// Of this length.
    pub(crate) fn new(size: usize) -> Sum {
        let numbers = (0..size as u64).map(|n| (scatter(n) % 64) as f64);
        let values: Vec<f64> = numbers.collect();
        let expected = values.iter().map(|value| *value as u64).sum();
        Sum { values, expected }
    }
}

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

each_library! {
    pub(super) fn sum(values: &[f64]) -> f64 {
        values.par_iter().sum()
    }
}

impl Problem for Sum {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => sum(&self.values)) as u64
    }

    fn part(&self, part: usize, parts: usize) -> u64 {
        sum(&self.values[share(self.values.len(), part, parts)]) as u64
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}
