//! A triangular loop: row i costs i. To divide the rows evenly gives the second thread three
//! quarters of the work.

use super::random::scatter;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// A triangle.
pub(crate) struct Triangular {
    size: usize,
    expected: u64,
}

impl Triangular {
    /// Of so many rows.
    pub(crate) fn new(size: usize) -> Triangular {
        // Each number is in all rows but the first ones.
        let column = |j: u64| weight(j).wrapping_mul(size as u64 - j);
        Triangular {
            size,
            expected: (0..size as u64).fold(0, |sum, j| sum.wrapping_add(column(j))),
        }
    }
}

fn weight(j: u64) -> u64 {
    scatter(j) >> 40
}

/// Row i has i + 1 entries.
fn row(i: usize) -> u64 {
    (0..=i as u64).map(weight).sum()
}

fn total(size: usize) -> u64 {
    (0..size).map(row).sum()
}

each_library! {
    pub(super) fn total(size: usize) -> u64 {
        (0..size).into_par_iter().map(row).sum()
    }
}

impl Problem for Triangular {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => total(self.size))
    }

    fn expected(&self) -> u64 {
        self.expected
    }
}
