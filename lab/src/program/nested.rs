//! A loop of loops with a tiny body, as in a program that is parallel everywhere: n × n.

use super::random::numbers;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// Rows of numbers.
pub(crate) struct Nested {
    rows: Vec<Vec<u64>>,
    expected: u64,
}

impl Nested {
    /// So many rows of so many.
    pub(crate) fn new(size: usize) -> Nested {
        let numbers = numbers(size * size);
        let rows: Vec<Vec<u64>> = numbers.chunks_exact(size).map(<[u64]>::to_vec).collect();
        let expected = numbers.iter().map(tiny).sum();
        Nested { rows, expected }
    }
}

fn tiny(value: &u64) -> u64 {
    value >> 32
}

fn sum(rows: &[Vec<u64>]) -> u64 {
    let row = |row: &Vec<u64>| row.iter().map(tiny).sum::<u64>();
    rows.iter().map(row).sum()
}

each_library! {
    pub(super) fn sum(rows: &[Vec<u64>]) -> u64 {
        let row = |row: &Vec<u64>| row.par_iter().map(tiny).sum::<u64>();
        rows.par_iter().map(row).sum()
    }
}

impl Problem for Nested {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => sum(&self.rows))
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}
