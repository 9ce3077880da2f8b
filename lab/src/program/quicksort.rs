//! Quicksort of random numbers, in place: a sequential partition, then a join of the two sides.
//! From domainslib's test programs. The oracle is the standard library's sort.

use super::random::{digest, numbers};
use super::work::Work;
use crate::contender::Contender;
use crate::problem::Problem;

/// Shorter stretches are sorted by insertion, as in any quicksort.
const SHORT: usize = 20;

/// Numbers to be sorted.
pub(crate) struct Quicksort {
    work: Work<Vec<u64>>,
    expected: u64,
}

impl Quicksort {
    /// So many of them.
    pub(crate) fn new(size: usize) -> Quicksort {
        let work = Work::new(numbers(size));
        let mut sorted = work.initial().clone();
        sorted.sort_unstable();
        Quicksort {
            work,
            expected: digest(sorted),
        }
    }
}

fn sort<C: Contender>(values: &mut [u64], cx: &mut C::Cx<'_>) {
    if values.len() <= SHORT {
        return insertion(values);
    }
    let border = partition(values);
    let (low, high) = values.split_at_mut(border);
    let high = &mut high[1..];
    C::join(cx, |cx| sort::<C>(low, cx), |cx| sort::<C>(high, cx));
}

fn insertion(values: &mut [u64]) {
    for end in 1..values.len() {
        let mut place = end;
        while place > 0 && values[place - 1] > values[place] {
            values.swap(place - 1, place);
            place -= 1;
        }
    }
}

/// Puts the median of three where it belongs, smaller numbers before it, and says where that is.
fn partition(values: &mut [u64]) -> usize {
    let last = values.len() - 1;
    let middle = last / 2;
    for (a, b) in [(0, middle), (middle, last), (0, middle)] {
        if values[a] > values[b] {
            values.swap(a, b);
        }
    }
    values.swap(middle, last);
    let pivot = values[last];
    let mut border = 0;
    for place in 0..last {
        let smaller = values[place] < pivot;
        values.swap(place, border);
        border += usize::from(smaller);
    }
    values.swap(border, last);
    border
}

impl Problem for Quicksort {
    fn solve<C: Contender>(&self, cx: &mut C::Cx<'_>) -> u64 {
        sort::<C>(&mut self.work.lock(), cx);
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
