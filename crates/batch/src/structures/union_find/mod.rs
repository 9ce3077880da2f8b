//! Disjoint sets: union-find, whose batches unite in parallel.
//!
//! Each element points to its *parent*; an element that points to itself is a *root* and represents
//! its set. The links of a batch are made with atomics, by many threads at once (forest.rs). A
//! batch first carries out its reads, on the sets before the batch, then its unions:
//!
//! * Reads change no sets, though they shorten paths. So their answers do not depend on each other.
//! * A union is answered with true if it made a link, that is, turned a root into a child. So there
//!   are as many such unions as roots, and so sets, disappeared. Take the unions answered with true
//!   as edges between the sets before the batch. They connect the same sets as all unions of the
//!   batch: each link was made between elements that earlier links connected to those of its union.
//!   And there are as many of them as sets disappeared, so they form no cycle. Hence each of them
//!   unites two sets *in any order* of them; the others come last, when their elements are united.
//!   That is one order for all answers.
//!
//! No answer depends on the time of another, so all accesses are relaxed.
//!
//! Elements that do not exist concern only the caller that named them: the answer says so, and the
//! typed operations panic with it in the caller's thread. The structure is not affected.

mod forest;
mod op;

#[cfg(test)]
mod tests;

pub use self::op::{Find, Same, Sets, Union, UnionFindAnswer, UnionFindOp};

use self::forest::Forest;
use crate::{BatchedStructure, Reads, Request};
use std::fmt;
use sumac_core::Scope;
use sumac_par::prelude::*;

/// Disjoint sets of the elements `0..n`, which can be united.
///
/// In a batch, [`Same`], [`Find`] and [`Sets`] see the sets before the batch; unions come after.
/// Each union that is answered with true makes the sets one fewer.
///
/// # Examples
///
/// ```
/// use sumac::batch::{UnionFind, UnionFindAnswer, UnionFindOp, run_alone};
///
/// let mut sets = UnionFind::new(4);
/// assert!(sets.union(0, 1));
/// assert!(!sets.union(1, 0));
/// assert!(sets.same(0, 1));
///
/// let ops = vec![UnionFindOp::Union(2, 3), UnionFindOp::Union(1, 3), UnionFindOp::Sets];
/// let answers = run_alone(&mut sets, ops);
/// assert_eq!(answers[0], UnionFindAnswer::Yes(true));
/// assert_eq!(answers[1], UnionFindAnswer::Yes(true));
/// assert_eq!(answers[2], UnionFindAnswer::Number(3));
/// assert_eq!(sets.sets(), 1);
/// ```
///
/// # Cost
/// Four bytes per element. An operation takes O(log n) amortised steps for any elements, usually
/// one or two. A batch of m operations takes the work of its operations, O(log m) span plus that of
/// the longest operation, two passes over the requests (one if there are no unions), and no
/// allocation.
pub struct UnionFind {
    forest: Forest,
    sets: usize,
}

impl UnionFind {
    /// Creates `n` elements, `0..n`, each in a set of its own.
    ///
    /// ```
    /// let sets = sumac::batch::UnionFind::new(3);
    /// assert_eq!((sets.len(), sets.sets(), sets.same(0, 1)), (3, 3, false));
    /// ```
    ///
    /// # Panics
    /// If `n` is greater than `u32::MAX`.
    pub fn new(n: usize) -> Self {
        UnionFind {
            forest: Forest::new(n),
            sets: n,
        }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.forest.len()
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of sets.
    pub fn sets(&self) -> usize {
        self.sets
    }

    /// Returns the element that represents the set of `a`. It is the same for all elements of the
    /// set, until the set is united with another.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut sets = sumac::batch::UnionFind::new(3);
    /// sets.union(0, 1);
    /// assert_eq!(sets.find(0), sets.find(1));
    /// ```
    ///
    /// # Panics
    /// If `a` is not an element.
    pub fn find(&self, a: usize) -> usize {
        UnionFindOp::Find(a).check(self.len());
        self.forest.find(a)
    }

    /// Returns whether `a` and `b` are in the same set.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut sets = sumac::batch::UnionFind::new(3);
    /// sets.union(0, 1);
    /// assert!(sets.same(0, 1) && !sets.same(1, 2));
    /// ```
    ///
    /// # Panics
    /// If one of them is not an element.
    pub fn same(&self, a: usize, b: usize) -> bool {
        UnionFindOp::Same(a, b).check(self.len());
        self.forest.find(a) == self.forest.find(b)
    }

    /// Unites the sets of `a` and `b`. Returns whether they were two sets.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut sets = sumac::batch::UnionFind::new(3);
    /// assert!(sets.union(0, 1));
    /// assert!(!sets.union(1, 0));
    /// assert_eq!(sets.sets(), 2);
    /// ```
    ///
    /// # Panics
    /// If one of them is not an element.
    pub fn union(&mut self, a: usize, b: usize) -> bool {
        UnionFindOp::Union(a, b).check(self.len());
        let united = self.forest.unite(a, b);
        self.sets -= usize::from(united);
        united
    }

    /// Returns the answer to all operations but unions of existing elements.
    #[inline]
    fn look(&self, op: UnionFindOp) -> Option<UnionFindAnswer> {
        let len = self.len();
        if let Some(element) = op.outside(len) {
            return Some(UnionFindAnswer::NoElement { element, len });
        }
        let find = |a| self.forest.find(a);
        Some(match op {
            UnionFindOp::Union(..) => return None,
            UnionFindOp::Same(a, b) => UnionFindAnswer::Yes(find(a) == find(b)),
            UnionFindOp::Find(a) => UnionFindAnswer::Number(find(a)),
            UnionFindOp::Sets => UnionFindAnswer::Number(self.sets),
        })
    }
}

impl BatchedStructure for UnionFind {
    type Op = UnionFindOp;
    type Answer = UnionFindAnswer;

    const READS: Option<Reads<Self>> = Some(Reads::new(
        |op| !matches!(op, UnionFindOp::Union(..)),
        |this, op| this.look(op).expect("it only looks"),
    ));

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<UnionFindOp, UnionFindAnswer>]) {
        let this = &*self;
        let look =
            |request: &mut Request<UnionFindOp, UnionFindAnswer>| match this.look(*request.op()) {
                Some(answer) => {
                    request.answer(answer);
                    0
                }
                None => 1,
            };
        let unions: usize = batch.par_iter_mut().map(look).sum();
        if unions == 0 {
            return;
        }
        let unite = |request: &mut Request<UnionFindOp, UnionFindAnswer>| {
            if request.is_answered() {
                return 0;
            }
            let UnionFindOp::Union(a, b) = request.take_op() else {
                unreachable!("what looks is answered");
            };
            let united = this.forest.unite(a, b);
            request.answer(UnionFindAnswer::Yes(united));
            usize::from(united)
        };
        let united: usize = batch.par_iter_mut().map(unite).sum();
        self.sets -= united;
    }

    #[inline]
    fn run_one(&mut self, op: UnionFindOp) -> Result<UnionFindAnswer, UnionFindOp> {
        Ok(match (self.look(op), op) {
            (None, UnionFindOp::Union(a, b)) => UnionFindAnswer::Yes(self.union(a, b)),
            (answer, _) => answer.ok_or(op)?,
        })
    }
}

impl Clone for UnionFind {
    fn clone(&self) -> Self {
        UnionFind {
            forest: self.forest.clone(),
            sets: self.sets,
        }
    }
}

impl fmt::Debug for UnionFind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnionFind")
            .field("len", &self.len())
            .field("sets", &self.sets)
            .finish()
    }
}
