//! What is done with an item, and the answers.

use std::collections::HashMap;

/// A few instructions.
#[inline(always)]
pub(crate) fn light(x: u64) -> u64 {
    x.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24
}

/// Some ten nanoseconds.
#[inline(never)]
pub(crate) fn work(x: u64) -> u64 {
    let (mut a, mut b) = (x, 1_u64);
    for i in 0..20 {
        (a, b) = (b, a.wrapping_add(b).rotate_left(3) ^ i);
    }
    b
}

/// Some hundred nanoseconds, for what a sequential iterator yields.
pub(crate) fn heavy(x: u64) -> u64 {
    (0..20).fold(x, |x, _| work(x))
}

/// Numbers that are in no order.
pub(crate) fn numbers(items: usize) -> Vec<u64> {
    let next = |x: &u64| {
        let x = x ^ (x << 13);
        let x = x ^ (x >> 7);
        Some(x ^ (x << 17))
    };
    let all = std::iter::successors(Some(88_172_645_463_325_252), next);
    all.take(items).map(|x| x >> 20).collect()
}

/// A sequential iterator of an unknown number of items.
pub(crate) fn even(v: &[u64]) -> impl Iterator<Item = u64> + Send {
    v.iter().copied().filter(|x| x % 2 == 0)
}

/// The numbers, each with its index, in a map.
pub(crate) fn map(v: &[u64]) -> HashMap<u64, u64> {
    v.iter().copied().zip(0..).collect()
}

/// What comes out of a loop, to be compared, and dropped while the clock runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Number(u64),
    Maybe(Option<u64>),
    Numbers(Vec<u64>),
    /// In any order, until they are sorted to be compared.
    Unordered(Vec<u64>),
    Strings(Vec<String>),
}

impl Answer {
    /// Itself, the same for all libraries.
    pub(crate) fn in_order(mut self) -> Self {
        if let Answer::Unordered(numbers) = &mut self {
            numbers.sort_unstable();
        }
        self
    }
}

impl From<u64> for Answer {
    fn from(number: u64) -> Self {
        Answer::Number(number)
    }
}

impl From<Option<u64>> for Answer {
    fn from(number: Option<u64>) -> Self {
        Answer::Maybe(number)
    }
}

impl From<Vec<u64>> for Answer {
    fn from(numbers: Vec<u64>) -> Self {
        Answer::Numbers(numbers)
    }
}

impl From<Vec<String>> for Answer {
    fn from(strings: Vec<String>) -> Self {
        Answer::Strings(strings)
    }
}
