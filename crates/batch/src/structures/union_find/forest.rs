//! The trees of a union-find: parents in an array of atomics, linked by random priority, shortened
//! by path halving.
//!
//! S. V. Jayanti and R. E. Tarjan, "A randomized concurrent algorithm for disjoint set union", PODC
//! 2016: the elements have a random order; of two roots, the lower one becomes the child of the
//! higher one, by compare-and-swap. In expectation trees are then O(log n) high.
//!
//! # Invariants
//!
//! * **Up.** The priority of a parent is greater than that of its child. So there are no cycles,
//!   and paths end.
//! * **Once.** A root that has become a child is never a root again: only `unite` writes to roots,
//!   by a compare-and-swap from the root itself; `find` only writes the parent of a parent, which
//!   is neither the element itself (Up) nor written to a root.
//! * **Together.** A parent is in the same set, from the time it was written. So a parent that was
//!   read long ago is still correct for going up, and so is one that overwrites a newer one: it may
//!   only lengthen a path that another thread has shortened. That is why halving needs no
//!   compare-and-swap.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use sumac_par::prelude::*;

pub(super) struct Forest {
    parents: Vec<AtomicU32>,
}

impl Forest {
    /// All elements are roots.
    pub(super) fn new(n: usize) -> Self {
        let n = u32::try_from(n).expect("a union-find has at most u32::MAX elements");
        let parents = (0..n).into_par_iter().map(AtomicU32::new).collect();
        Forest { parents }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns the root of an element.
    #[inline]
    pub(super) fn find(&self, a: usize) -> usize {
        self.root(a as u32) as usize
    }

    /// Unites the sets of two elements. Returns whether this has made a link.
    #[inline]
    pub(super) fn unite(&self, a: usize, b: usize) -> bool {
        let (mut a, mut b) = (a as u32, b as u32);
        loop {
            (a, b) = (self.root(a), self.root(b));
            if a == b {
                return false;
            }
            if priority(a) > priority(b) {
                (a, b) = (b, a);
            }
            // `b` need not be a root any more: it suffices that it is above `a`.
            let parent = &self.parents[a as usize];
            if parent.compare_exchange(a, b, Relaxed, Relaxed).is_ok() {
                return true;
            }
        }
    }

    #[inline]
    fn parent(&self, a: u32) -> u32 {
        self.parents[a as usize].load(Relaxed)
    }

    #[inline]
    fn root(&self, mut a: u32) -> u32 {
        loop {
            let parent = self.parent(a);
            if parent == a {
                return a;
            }
            let above = self.parent(parent);
            if above == parent {
                return parent;
            }
            self.parents[a as usize].store(above, Relaxed);
            a = above;
        }
    }
}

impl Clone for Forest {
    fn clone(&self) -> Self {
        let parents = self.parents.par_iter().map(|parent| parent.load(Relaxed));
        Forest {
            parents: parents.map(AtomicU32::new).collect(),
        }
    }
}

/// Returns the place of an element in the random order: an injective hash, the final step of
/// MurmurHash3.
#[inline]
fn priority(mut a: u32) -> u32 {
    a = (a ^ a >> 16).wrapping_mul(0x85eb_ca6b);
    a = (a ^ a >> 13).wrapping_mul(0xc2b2_ae35);
    a ^ a >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use sumac_test_support::sized;

    impl Forest {
        /// Checks that priorities ascend along all paths, and says how long the longest is.
        pub(in super::super) fn check(&self) -> usize {
            let height = |mut a| {
                for height in 0.. {
                    let parent = self.parent(a);
                    if parent == a {
                        return height;
                    }
                    assert!(priority(parent) > priority(a), "{parent} above {a}");
                    a = parent;
                }
                0
            };
            (0..self.len() as u32).map(height).max().unwrap_or(0)
        }
    }

    #[test]
    fn chains_stay_low() {
        const N: usize = sized(1 << 14, 1 << 8);
        let forest = Forest::new(N);
        for a in 1..N {
            assert!(forest.unite(a - 1, a));
        }
        let height = forest.check();
        assert!(height < 50, "{height}");
    }

    #[test]
    fn finding_halves_paths() {
        const LOG: usize = sized(10, 6);
        let forest = Forest::new(1 << LOG);
        for width in (0..LOG).map(|log| 1 << log) {
            for a in (0..1 << LOG).step_by(2 * width) {
                assert!(forest.unite(a, a + width));
            }
        }
        for _ in 0..10 {
            for a in 0..1 << LOG {
                assert_eq!(forest.find(a), forest.find(0));
            }
        }
        assert_eq!(forest.check(), 1);
    }
}
