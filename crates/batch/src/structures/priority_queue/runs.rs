//! Sorted runs of geometric sizes.
//!
//! A run has a *level*: the logarithm of its length when it was created. Popping makes it shorter,
//! but does not lower its level.
//!
//! # Invariants
//!
//! * **Ascending**: a run's elements ascend. Elements are sorted before they become a run, so a
//!   panic in the sort does not affect runs.
//! * **Levels descend** from run to run. A new run takes in, before it is put at the end, those
//!   that are not above it.
//! * **Few**: there are at most log₂ n + 1 runs, and none is empty. When pops leave more, all are
//!   merged: k runs of different levels had 2^k - 1 elements when they were created, and have less
//!   than 2^(k-1) now. So there were more pops since then than elements to merge: the merge is
//!   amortised.
//!
//! Merging always merges the two shortest runs until one is left (as Huffman's algorithm does):
//! O(n) for geometric sizes, never more than O(n log k).

use super::select;
use std::fmt;
use sumac_par::prelude::*;

#[derive(Clone)]
pub(super) struct Runs<T> {
    runs: Vec<Run<T>>,
}

#[derive(Clone)]
struct Run<T> {
    items: Vec<T>,
    level: u32,
}

/// The invariant Few.
const NONE_EMPTY: &str = "no run is empty";

impl<T> Runs<T> {
    pub(super) const fn new() -> Self {
        Runs { runs: Vec::new() }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.runs.iter().map(|run| run.items.len()).sum()
    }
}

impl<T: Ord + Send> Runs<T> {
    /// Returns the greatest element, and the index of its run.
    #[inline]
    pub(super) fn best(&self) -> Option<(usize, &T)> {
        let ends = self
            .runs
            .iter()
            .map(|run| run.items.last().expect(NONE_EMPTY));
        ends.enumerate().max_by(|(_, a), (_, b)| a.cmp(b))
    }

    pub(super) fn peek(&self) -> Option<&T> {
        self.best().map(|(_, item)| item)
    }

    /// Takes the greatest element of a run.
    #[inline]
    pub(super) fn pop(&mut self, run: usize) -> Option<T> {
        let items = &mut self.runs[run].items;
        let item = items.pop();
        if items.is_empty() {
            self.runs.remove(run);
        }
        self.keep_few();
        item
    }

    /// Adds a run: its elements ascend.
    pub(super) fn add(&mut self, items: Vec<T>) {
        if items.is_empty() {
            return;
        }
        let mut len = items.len();
        let mut first = self.runs.len();
        while let Some(run) = first.checked_sub(1).map(|last| &self.runs[last]) {
            if run.level > len.ilog2() {
                break;
            }
            len += run.items.len();
            first -= 1;
        }
        let lower = self.runs.drain(first..).map(|run| run.items);
        let items = merge_all(lower.chain([items]).collect());
        let level = len.ilog2();
        self.runs.push(Run { items, level });
    }

    /// Removes and returns the `count` greatest elements, or all, in ascending order.
    pub(super) fn pop_many(&mut self, count: usize) -> Vec<T> {
        let slices: Vec<&[T]> = self.runs.iter().map(|run| &*run.items).collect();
        let counts = select::greatest(&slices, count.min(self.len()));
        let cut = self.runs.par_iter_mut().zip(counts).map(|(run, count)| {
            let from = run.items.len() - count;
            run.items.par_drain(from..).collect()
        });
        let cut = cut.collect();
        self.runs.retain(|run| !run.items.is_empty());
        self.keep_few();
        merge_all(cut)
    }

    /// Returns all elements in ascending order.
    pub(super) fn into_sorted(self) -> Vec<T> {
        merge_all(self.runs.into_iter().map(|run| run.items).collect())
    }

    /// Returns the greatest number of runs for `len` elements.
    #[inline]
    fn most(len: usize) -> usize {
        len.checked_ilog2().map_or(0, |log| log as usize + 1)
    }

    #[inline]
    fn keep_few(&mut self) {
        if self.runs.len() > Self::most(self.len()) {
            self.merge();
        }
    }

    /// Returns whether a pop may merge runs.
    #[inline]
    pub(super) fn may_merge(&self) -> bool {
        self.runs.len() > Self::most(self.len().saturating_sub(1))
    }

    #[cold]
    fn merge(&mut self) {
        let all = std::mem::replace(self, Runs::new());
        self.add(all.into_sorted());
    }
}

/// Merges vectors that ascend.
fn merge_all<T: Ord + Send>(mut parts: Vec<Vec<T>>) -> Vec<T> {
    parts.sort_unstable_by_key(|part| std::cmp::Reverse(part.len()));
    loop {
        let Some(shortest) = parts.pop() else {
            return Vec::new();
        };
        let Some(next) = parts.pop() else {
            return shortest;
        };
        let merged = merge(next, shortest);
        let place = parts.partition_point(|part| part.len() > merged.len());
        parts.insert(place, merged);
    }
}

/// Merges two vectors that ascend. The sort detects two runs, and merges them in parallel.
fn merge<T: Ord + Send>(mut longer: Vec<T>, shorter: Vec<T>) -> Vec<T> {
    longer.par_extend(shorter);
    longer.par_sort();
    longer
}

impl<T> fmt::Debug for Runs<T> {
    /// Their lengths.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lengths = self.runs.iter().map(|run| run.items.len());
        f.debug_list().entries(lengths).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl<T: Ord + Send> Runs<T> {
        /// Checks the invariants.
        pub(in super::super) fn check(&self) {
            for run in &self.runs {
                assert!(run.items.is_sorted_by(|a, b| a.cmp(b).is_le()));
                assert!(!run.items.is_empty());
                assert!(run.items.len().ilog2() <= run.level);
            }
            assert!(self.runs.windows(2).all(|two| two[0].level > two[1].level));
            let most = self.len().checked_ilog2().map_or(0, |log| log + 1);
            assert!(self.runs.len() <= most as usize);
        }
    }

    fn lengths<T>(runs: &Runs<T>) -> Vec<usize> {
        runs.runs.iter().map(|run| run.items.len()).collect()
    }

    #[test]
    fn a_run_takes_in_those_that_are_not_longer() {
        let mut runs = Runs::new();
        for (len, expected) in [
            (9, &[9][..]),
            (4, &[9, 4]),
            (1, &[9, 4, 1]),
            (1, &[9, 4, 2]),
            (2, &[17]),
            (0, &[17]),
            (15, &[17, 15]),
        ] {
            runs.add((0..len).collect());
            runs.check();
            assert_eq!(lengths(&runs), expected);
        }
    }

    #[test]
    fn runs_that_have_become_too_many_are_merged() {
        let mut runs = Runs::new();
        for len in [16, 8, 4, 2, 1] {
            runs.add((0..len).collect());
        }
        assert_eq!(lengths(&runs), [16, 8, 4, 2, 1]);
        // One of each is left, of which three runs are the most there can be.
        let popped = runs.pop_many(26);
        assert!(popped.is_sorted() && popped[0] == 1 && popped.len() == 26);
        runs.check();
        assert_eq!(lengths(&runs), [5]);
        assert_eq!(runs.into_sorted(), [0; 5]);
    }
}
