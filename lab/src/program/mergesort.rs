//! Mergesort of random numbers: a join of the two halves, then a merge whose two parts are joined
//! again and again. From domainslib's test programs. The oracle is the standard library's sort.

use super::random::{digest, numbers};
use super::work::Work;
use crate::contender::Contender;
use crate::problem::Problem;

/// Shorter stretches are sorted, and merged, by the plain loop, as in any mergesort.
const SHORT: usize = 64;

/// Numbers to be sorted, and as much room.
pub(crate) struct Mergesort {
    work: Work<(Vec<u64>, Vec<u64>)>,
    expected: u64,
}

impl Mergesort {
    /// So many of them.
    pub(crate) fn new(size: usize) -> Mergesort {
        let values = numbers(size);
        let mut sorted = values.clone();
        sorted.sort_unstable();
        Mergesort {
            work: Work::new((values.clone(), values)),
            expected: digest(sorted),
        }
    }
}

/// Sorts `to`, which holds the same numbers as `from`, and leaves anything in `from`.
fn sort<C: Contender>(from: &mut [u64], to: &mut [u64], cx: &mut C::Cx<'_>) {
    if to.len() <= SHORT {
        return to.sort_unstable();
    }
    let middle = to.len() / 2;
    let (from_low, from_high) = from.split_at_mut(middle);
    let (to_low, to_high) = to.split_at_mut(middle);
    C::join(
        cx,
        |cx| sort::<C>(to_low, from_low, cx),
        |cx| sort::<C>(to_high, from_high, cx),
    );
    merge::<C>(from_low, from_high, to, cx);
}

/// Merges two sorted stretches.
fn merge<C: Contender>(a: &[u64], b: &[u64], to: &mut [u64], cx: &mut C::Cx<'_>) {
    if a.len() < b.len() {
        return merge::<C>(b, a, to, cx);
    }
    if to.len() <= SHORT {
        return merge_short(a, b, to);
    }
    let cut = a.len() / 2;
    let (a_low, a_high) = a.split_at(cut);
    let (b_low, b_high) = b.split_at(b.partition_point(|value| *value < a[cut]));
    let (to_low, to_high) = to.split_at_mut(a_low.len() + b_low.len());
    C::join(
        cx,
        |cx| merge::<C>(a_low, b_low, to_low, cx),
        |cx| merge::<C>(a_high, b_high, to_high, cx),
    );
}

fn merge_short<'a>(mut a: &'a [u64], mut b: &'a [u64], to: &mut [u64]) {
    for slot in to {
        let from_a = b.is_empty() || (!a.is_empty() && a[0] <= b[0]);
        let source = if from_a { &mut a } else { &mut b };
        *slot = source[0];
        *source = &source[1..];
    }
}

impl Problem for Mergesort {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        let (from, to) = &mut *self.work.lock();
        sort::<C>(from, to, cx);
        0
    }

    fn expected(&self) -> u64 {
        self.expected
    }

    fn reset(&self) -> bool {
        self.work.reset();
        true
    }

    fn answer(&self, _returned: u64) -> u64 {
        digest(self.work.lock().1.iter().copied())
    }
}
