//! The sum of numbers: a loop that ends at the memory's speed. The numbers are whole and small, so
//! that no order of additions makes a difference.

use super::library::{Loop, each_library, texts};
use super::random::scatter;
use super::share;

/// So many numbers.
pub(super) fn vector(size: usize) -> Loop<[f64]> {
    let numbers = (0..size as u64).map(|n| (scatter(n) % 64) as f64);
    let values: Vec<f64> = numbers.collect();
    let expected = values.iter().map(|value| *value as u64).sum();
    let by_hand = |values: &[f64], part, parts| sum(&values[share(values.len(), part, parts)]);
    Loop::new(values, texts!(sum), expected).divided(by_hand)
}

fn sum(values: &[f64]) -> u64 {
    values.iter().sum::<f64>() as u64
}

each_library! {
    pub(super) fn sum(values: &[f64]) -> u64 {
        values.par_iter().sum::<f64>() as u64
    }
}
