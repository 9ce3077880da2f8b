//! A problem: an input, one text that solves it on any contender, and the answer it must give.
//! All answers are sums modulo 2^64, so that a problem divided by hand is the sum of its parts.

pub(crate) mod catalogue;
pub(crate) mod fib;
pub(crate) mod leaves;
pub(crate) mod spin;
pub(crate) mod tree;

#[cfg(test)]
mod tests;

use crate::contender::Contender;

/// An input with what is to be done with it.
pub(crate) trait Problem: Sync {
    /// The text that every contender runs: it joins wherever two things may run in parallel.
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64;

    /// The share of thread `part` when a person divides the problem over `parts` threads in
    /// advance, each part being the baseline's plain recursion.
    fn part(&self, part: usize, parts: usize) -> u64;

    /// What `solve` must return.
    fn expected(&self) -> u64;
}
