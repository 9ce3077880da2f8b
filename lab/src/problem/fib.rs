//! Fibonacci numbers by the naive recursion with a join at every call: nothing but forks.

use super::Problem;
use crate::contender::{Baseline, Contender};

/// The number to compute.
pub(crate) struct Fib(pub(crate) u32);

/// The problem's text; out of line for the same reason as the sum of a tree.
#[inline(never)]
fn fib<C: Contender>(n: u32, cx: &mut C::Cx<'_>) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = C::join(cx, |cx| fib::<C>(n - 1, cx), |cx| fib::<C>(n - 2, cx));
    a + b
}

/// The same number by a loop.
fn fast(n: u32) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

impl Problem for Fib {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        fib::<C>(self.0, cx)
    }

    /// The top of the recursion is expanded into some pieces a thread, and each piece, largest
    /// first, goes to the thread that has the least so far.
    fn part(&self, part: usize, parts: usize) -> u64 {
        let depth = parts.ilog2() + 4;
        let mut pieces = Vec::new();
        expand(self.0, depth, &mut pieces);
        pieces.sort_unstable_by(|a, b| b.cmp(a));
        let mut loads = vec![0; parts];
        let mut total = 0;
        for n in pieces {
            let least = (0..parts).min_by_key(|&p| loads[p]).unwrap_or(0);
            loads[least] += fast(n + 1);
            if least == part {
                total += fib::<Baseline>(n, &mut ());
            }
        }
        total
    }

    /// The joins that the recursion makes.
    fn pieces(&self) -> u64 {
        fast(self.0 + 1) - 1
    }

    fn expected(&self) -> u64 {
        fast(self.0)
    }
}

fn expand(n: u32, depth: u32, pieces: &mut Vec<u32>) {
    if n < 2 || depth == 0 {
        pieces.push(n);
    } else {
        expand(n - 1, depth - 1, pieces);
        expand(n - 2, depth - 1, pieces);
    }
}
