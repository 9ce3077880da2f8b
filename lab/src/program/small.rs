//! A loop so short that a thread does it before another is awake: what does it cost to ask?

use super::library::{Loop, each_library, texts};
use super::random::numbers;

/// So many numbers.
pub(super) fn small(size: usize) -> Loop<[u64]> {
    let values = numbers(size);
    let expected = values.iter().map(cheap).sum();
    Loop::new(values, texts!(sum), expected)
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
