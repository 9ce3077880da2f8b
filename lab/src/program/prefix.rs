//! Prefix sums in place, as done without a parallel scan: the sums of blocks in parallel, a scan
//! over them, then every block's prefix sums in parallel. The numbers are read twice where the
//! plain loop reads them once. From domainslib's test programs. And sumac's inclusive scan, which
//! rayon does not have.

use super::library::{InPlace, each_library, texts};
use super::random::{digest, numbers};

/// Numbers in a block: it fits into a cache between its two visits, if they come soon.
const BLOCK: usize = 4096;

/// So many numbers, to be summed up.
pub(super) fn prefix(size: usize) -> InPlace<[u64]> {
    sums_of(numbers(size), texts!(sum_up))
}

/// So many numbers, to be scanned.
pub(super) fn scan(size: usize) -> InPlace<[u64]> {
    use sumac::prelude::*;
    let scan = |values: &mut [u64]| values.par_inclusive_scan(|a, b| a.wrapping_add(*b));
    sums_of(numbers(size), [sum_up, sum_up, scan])
}

fn sums_of(numbers: Vec<u64>, texts: [fn(&mut [u64]); 3]) -> InPlace<[u64]> {
    let sums = numbers.iter().scan(0u64, |sum, value| {
        *sum = sum.wrapping_add(*value);
        Some(*sum)
    });
    let expected = digest(sums);
    InPlace::new(
        numbers,
        texts,
        |values| digest(values.iter().copied()),
        expected,
    )
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
