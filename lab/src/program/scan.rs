//! An inclusive scan in place, which rayon does not have.

use sumac::prelude::*;

use super::random::{digest, numbers};
use super::work::Work;
use crate::contender::{Contender, Loops};
use crate::problem::Problem;

/// Numbers to be summed up.
pub(crate) struct Scan {
    work: Work<Vec<u64>>,
    expected: u64,
}

impl Scan {
    /// So many of them.
    pub(crate) fn new(size: usize) -> Scan {
        let mut values = numbers(size);
        values.iter_mut().for_each(|value| *value >>= 32);
        let sums = values.iter().scan(0, |sum, value| {
            *sum += value;
            Some(*sum)
        });
        Scan {
            expected: digest(sums),
            work: Work::new(values),
        }
    }
}

fn scan(values: &mut [u64]) {
    let mut sum = 0;
    for value in values {
        sum += *value;
        *value = sum;
    }
}

impl Problem for Scan {
    fn solve<C: Contender>(&self, _cx: &mut C::Cx<'_>) -> u64 {
        let values = &mut *self.work.lock();
        match C::LOOPS {
            Loops::Sumac => values.par_inclusive_scan(|a, b| a + b),
            Loops::Plain | Loops::Rayon => scan(values),
        }
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
