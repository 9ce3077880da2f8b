//! A problem: an input, one text that solves it on any contender, and the answer it must give.
//! All answers are sums modulo 2^64, so that a problem divided by hand is the sum of its parts.

pub(crate) mod catalogue;
pub(crate) mod fib;
pub(crate) mod leaves;
#[cfg(feature = "full")]
pub(crate) mod sha1_tree;
pub(crate) mod spin;
pub(crate) mod tree;

#[cfg(all(test, feature = "full"))]
mod tests;

use crate::contender::{Baseline, Contender};

/// An input with what is to be done with it.
pub(crate) trait Problem: Sync {
    /// The text that every contender runs: it joins wherever two things may run in parallel.
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64;

    /// The share of thread `part` when a person divides the problem over `parts` threads in
    /// advance, each part being the baseline's plain program. Where there is none: all for thread
    /// 0.
    fn part(&self, part: usize, _parts: usize) -> u64 {
        if part == 0 {
            self.solve::<Baseline>(&mut ())
        } else {
            0
        }
    }

    /// How many pieces a call has, such as nodes.
    fn pieces(&self) -> u64 {
        1
    }

    /// What `answer` must make of what `solve` returns.
    fn expected(&self) -> u64;

    /// Makes the input new before every call that is timed alone; not timed. Answers whether calls
    /// change it: such calls are timed one by one.
    fn reset(&self) -> bool {
        false
    }

    /// The answer, given what `solve` returned; not timed where calls are timed alone. Problems
    /// that change their input read it off what became of that.
    fn answer(&self, returned: u64) -> u64 {
        returned
    }
}

/// A number that depends on this one and looks random: splitmix64, of which any place can be had at
/// once, unlike of a crate's generators.
pub(crate) fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
