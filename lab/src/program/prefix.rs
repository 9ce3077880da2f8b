//! Prefix sums in place, as done without a parallel scan: the sums of blocks in parallel, a scan
//! over them, then every block's prefix sums in parallel. The numbers are read twice where the
//! plain loop reads them once. From domainslib's test programs.

use super::random::{digest, numbers};
use super::work::Work;
use super::{by_library, each_library};
use crate::contender::Contender;
use crate::problem::Problem;

/// Numbers in a block: it fits into a cache between its two visits, if they come soon.
const BLOCK: usize = 4096;

/// Numbers to be summed up.
pub(crate) struct Prefix {
    work: Work<Vec<u64>>,
    expected: u64,
}

impl Prefix {
    /// So many of them.
    pub(crate) fn new(size: usize) -> Prefix {
        let numbers = numbers(size);
        let sums = numbers.iter().scan(0u64, |sum, value| {
            *sum = sum.wrapping_add(*value);
            Some(*sum)
        });
        Prefix {
            expected: digest(sums),
            work: Work::new(numbers),
        }
    }
}

fn total(block: &[u64]) -> u64 {
    block.iter().fold(0, |sum, value| sum.wrapping_add(*value))
}

/// The block's prefix sums, all that comes before it included.
fn prefixes(block: &mut [u64], before: u64) {
    let mut sum = before;
    for value in block {
        sum = sum.wrapping_add(*value);
        *value = sum;
    }
}

fn sum_up(values: &mut [u64]) {
    prefixes(values, 0);
}

each_library! {
    pub(super) fn sum_up(values: &mut [u64]) {
        let mut before: Vec<u64> = values.par_chunks(BLOCK).map(total).collect();
        let mut sum = 0u64;
        for block in &mut before {
            let next = sum.wrapping_add(*block);
            *block = std::mem::replace(&mut sum, next);
        }
        values
            .par_chunks_mut(BLOCK)
            .zip(&before)
            .for_each(|(block, before)| prefixes(block, *before));
    }
}

impl Problem for Prefix {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        by_library!(C => sum_up(&mut self.work.lock()));
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
