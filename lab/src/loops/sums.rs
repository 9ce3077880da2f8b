//! The sum of numbers and the dot product of vectors: loops that end at the memory's speed. The
//! numbers are whole and small, so that no order of additions makes a difference.

use super::share;
use crate::contender::Contender;
use crate::problem::Problem;
use crate::program::random::scatter;
use crate::program::{by_library, each_library};

/// Small whole numbers.
fn vector(size: usize, from: u64) -> Vec<f64> {
    (0..size as u64)
        .map(|n| (scatter(n + from) % 64) as f64)
        .collect()
}

/// A vector to be summed.
pub(crate) struct Sum {
    values: Vec<f64>,
    expected: u64,
}

impl Sum {
    /// Of this length.
    pub(crate) fn new(size: usize) -> Sum {
        let values = vector(size, 0);
        let expected = values.iter().map(|value| *value as u64).sum();
        Sum { values, expected }
    }
}

fn sum(values: &[f64]) -> f64 {
    values.iter().sum()
}

/// Two vectors to be multiplied.
pub(crate) struct Dot {
    a: Vec<f64>,
    b: Vec<f64>,
    expected: u64,
}

impl Dot {
    /// Of this length.
    pub(crate) fn new(size: usize) -> Dot {
        let (a, b) = (vector(size, 0), vector(size, 1 << 40));
        let expected = (0..size).map(|i| a[i] as u64 * b[i] as u64).sum();
        Dot { a, b, expected }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

each_library! {
    pub(super) fn sum(values: &[f64]) -> f64 {
        values.par_iter().sum()
    }

    pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.par_iter().zip(b).map(|(x, y)| x * y).sum()
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

impl Problem for Dot {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => dot(&self.a, &self.b)) as u64
    }

    fn part(&self, part: usize, parts: usize) -> u64 {
        let mine = share(self.a.len(), part, parts);
        dot(&self.a[mine.clone()], &self.b[mine]) as u64
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}
