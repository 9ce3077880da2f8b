//! `IntSet`: an ordered set of integers, a trie of digits of six bits.
//!
//! # What it is
//!
//! Numbers are digits of base 64. What occurs of a digit is in one machine word, a bit for each of
//! its 64 values: the next one, and the one before, are an instruction away (`trailing_zeros`,
//! `leading_zeros`). That is a van Emde Boas tree as machines would have it: the summary of 64
//! parts is a word.
//!
//! ```text
//!   row, second digit     digits {0, 3, 63}              a node for each bit that is set
//!                      ┌──────┘  │  └───────┐
//!                  word 0…63     │     list [4035, 4090]
//!              bits {1, 2, 60}   └─ word 192…255  bits {0, 1, 2, …}
//! ```
//!
//! A node is one of three (node.rs). A *word* is 64 neighbours. A *row* is of numbers that have the
//! same digits above a level, and has a node for each digit of the level that occurs; levels in
//! which all numbers have the same digit have no row. So a row has at least two nodes, and a path
//! has at most eleven, but mostly as many as there are digits in the number of numbers. A *list* is
//! few numbers, sorted, wherever they lie: without lists, numbers that are far apart would take a
//! path each.
//!
//! # A batch
//!
//! What looks comes first, in parallel, and sees the set as it was. Then the changes are sorted by
//! number and by arrival, and shared out among the nodes of a row: halves of both, forking, down to
//! a node each (settle.rs). Where a digit comes that is not there yet its node is made before;
//! nodes that are empty afterwards are dropped.
//!
//! Nothing here calls code of the user. So there are no panics to think of.
//!
//! # Sources
//!
//! Van Emde Boas, "Preserving order in a forest in less than logarithmic time", FOCS 1975, has the
//! summaries; Morrison, "PATRICIA", J. ACM 1968, leaves levels without a choice out; Bagwell,
//! "Ideal hash trees", 2001, has a word that says which children there are, and no place for
//! others; Heinz, Zobel, Williams, "Burst tries", 2002, has lists that become nodes when they are
//! full.

mod iter;
mod node;
mod op;
mod settle;

#[cfg(test)]
#[path = "../../../tests/oracle/int_set.rs"]
mod oracle;
#[cfg(test)]
mod tests;

pub use self::{
    iter::Iter,
    op::{InsertKey, IntSetAnswer, IntSetOp},
};

use self::{node::Node, settle::SetRequest};
use crate::{BatchedStructure, Reads, structures::map::sort};
use std::{
    fmt,
    ops::{Bound, RangeBounds},
};
use sumac_core::Scope;
use sumac_par::prelude::*;

/// An ordered set of integers: a trie that takes six bits at each step.
///
/// Shared by many tasks as `Batched<IntSet>`; alone, it is used like
/// [`BTreeSet`](std::collections::BTreeSet). Keys of other types are converted: `u32` with
/// `u64::from`, signed ones by flipping the highest bit.
///
/// In a batch, operations that only look see the set as it was before it; then numbers are put in
/// and taken out, those of the same number in their order of arrival.
///
/// # Examples
///
/// ```
/// use sumac::batch::{Batched, InsertKey, IntSet, Predecessor, Range, Remove, Successor};
///
/// let free = Batched::new(IntSet::from_iter(0..1_000));
/// assert!(free.apply(Remove(7)) && free.apply(Remove(8)));
/// assert_eq!(free.apply(Successor(6)), Some(9));
/// assert_eq!(free.apply(Predecessor(9)), Some(6));
/// assert_eq!(free.apply(Range::new(5..12).take(3)), [5, 6, 9]);
/// assert_eq!(free.apply_all(vec![InsertKey(7), InsertKey(7)]), [true, false]);
/// ```
///
/// # Cost
/// An operation takes at most eleven steps, and mostly as many as the number of numbers has digits
/// of base 64, besides the search in a list of at most 64. A batch of m changes: that much work for
/// each and O(m log m) for sorting; its span is that of sorting and of the changes to one word or
/// list.
#[derive(Clone, Default)]
pub struct IntSet {
    root: Node,
    len: usize,
}

impl IntSet {
    /// Creates an empty set. It allocates nothing.
    pub fn new() -> Self {
        IntSet::default()
    }

    /// Creates a set of these numbers, which must ascend.
    ///
    /// # Examples
    ///
    /// ```
    /// let even = sumac::batch::IntSet::from_sorted(&[0, 2, 4, 6]);
    /// assert!(even.contains(4) && !even.contains(5));
    /// ```
    ///
    /// # Cost
    /// Linear, in parallel.
    ///
    /// # Panics
    /// If a number is not greater than the one before it.
    #[track_caller]
    pub fn from_sorted(keys: &[u64]) -> Self {
        let ascend = keys.par_windows(2).all(|pair| pair[0] < pair[1]);
        assert!(ascend, "the numbers of a bulk load must ascend");
        IntSet {
            root: Node::of(keys),
            len: keys.len(),
        }
    }

    /// Returns how many numbers there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no number.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether a number is there.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = sumac::batch::IntSet::from_iter([3, 5]);
    /// assert!(set.contains(3) && !set.contains(4));
    /// ```
    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        self.root.contains(key)
    }

    /// Puts a number in. Returns whether it was not there.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = sumac::batch::IntSet::new();
    /// assert!(set.insert(3));
    /// assert!(!set.insert(3));
    /// ```
    #[inline]
    pub fn insert(&mut self, key: u64) -> bool {
        let new = self.root.insert(key);
        self.len += usize::from(new);
        new
    }

    /// Takes a number out. Returns whether it was there.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = sumac::batch::IntSet::from_iter([3, 5]);
    /// assert!(set.remove(3));
    /// assert!(!set.remove(3));
    /// ```
    #[inline]
    pub fn remove(&mut self, key: u64) -> bool {
        let removed = self.root.remove(key);
        self.len -= usize::from(removed);
        removed
    }

    /// Returns the smallest number.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(sumac::batch::IntSet::from_iter([5, 3]).first(), Some(3));
    /// ```
    pub fn first(&self) -> Option<u64> {
        self.root.at_least(0)
    }

    /// Returns the greatest number.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(sumac::batch::IntSet::from_iter([5, 3]).last(), Some(5));
    /// ```
    pub fn last(&self) -> Option<u64> {
        self.root.at_most(u64::MAX)
    }

    /// Returns the smallest number that is greater than `key`.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = sumac::batch::IntSet::from_iter([3, 5]);
    /// assert_eq!([2, 3, 5].map(|key| set.successor(key)), [Some(3), Some(5), None]);
    /// ```
    pub fn successor(&self, key: u64) -> Option<u64> {
        self.root.at_least(key.checked_add(1)?)
    }

    /// Returns the greatest number that is smaller than `key`.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = sumac::batch::IntSet::from_iter([3, 5]);
    /// assert_eq!([3, 5, 9].map(|key| set.predecessor(key)), [None, Some(3), Some(5)]);
    /// ```
    pub fn predecessor(&self, key: u64) -> Option<u64> {
        self.root.at_most(key.checked_sub(1)?)
    }

    /// Returns all numbers, in order.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(sumac::batch::IntSet::from_iter([5, 3, 5]).iter().eq([3, 5]));
    /// ```
    pub fn iter(&self) -> Iter<'_> {
        self.range(..)
    }

    /// Returns the numbers in a range, in order. An empty range has none, also where it begins
    /// after its end.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = sumac::batch::IntSet::from_iter([3, 5, 9]);
    /// assert!(set.range(4..10).eq([5, 9]));
    /// assert_eq!(set.range(10..).next(), None);
    /// ```
    ///
    /// # Cost
    /// As a search, then constant for each number.
    pub fn range(&self, range: impl RangeBounds<u64>) -> Iter<'_> {
        let from = match range.start_bound() {
            Bound::Included(from) => Some(*from),
            Bound::Excluded(from) => from.checked_add(1),
            Bound::Unbounded => Some(0),
        };
        let to = match range.end_bound() {
            Bound::Included(to) => Some(*to),
            Bound::Excluded(to) => to.checked_sub(1),
            Bound::Unbounded => Some(u64::MAX),
        };
        match (from, to) {
            (Some(from), Some(to)) => Iter::new(&self.root, from, to),
            _ => Iter::new(&Node::EMPTY, 0, 0),
        }
    }

    /// Answers an operation that only looks.
    fn look(&self, op: &IntSetOp) -> IntSetAnswer {
        match op {
            IntSetOp::Contains(key) => IntSetAnswer::Yes(self.contains(*key)),
            IntSetOp::Successor(key) => IntSetAnswer::Key(self.successor(*key)),
            IntSetOp::Predecessor(key) => IntSetAnswer::Key(self.predecessor(*key)),
            IntSetOp::First => IntSetAnswer::Key(self.first()),
            IntSetOp::Last => IntSetAnswer::Key(self.last()),
            IntSetOp::Len => IntSetAnswer::Len(self.len),
            IntSetOp::Range(range) => IntSetAnswer::Keys(self.range(**range).collect()),
            IntSetOp::TakeRange(n, range) => {
                IntSetAnswer::Keys(self.range(**range).take(*n).collect())
            }
            IntSetOp::Insert(_) | IntSetOp::Remove(_) => unreachable!("it only looks"),
        }
    }
}

impl BatchedStructure for IntSet {
    type Op = IntSetOp;
    type Answer = IntSetAnswer;

    const READS: Option<Reads<Self>> = Some(Reads::new(
        |op: &IntSetOp| op.changed().is_none(),
        |set, op| set.look(&op),
    ));

    fn run(&mut self, scope: &mut Scope<'_>, batch: &mut [SetRequest]) {
        sort::sort(batch, IntSetOp::changed);
        let looks = batch.partition_point(|request| request.op().changed().is_none());
        let (looks, changes) = batch.split_at_mut(looks);
        let this = &*self;
        looks.par_iter_mut().for_each(|request| {
            let answer = this.look(request.op());
            request.answer(answer);
        });
        let more = self.root.settle(scope, changes);
        self.len = self.len.saturating_add_signed(more);
    }

    #[inline]
    fn run_one(&mut self, op: IntSetOp) -> Result<IntSetAnswer, IntSetOp> {
        Ok(match op {
            IntSetOp::Insert(key) => IntSetAnswer::Yes(self.insert(key)),
            IntSetOp::Remove(key) => IntSetAnswer::Yes(self.remove(key)),
            op => self.look(&op),
        })
    }
}

impl FromIterator<u64> for IntSet {
    fn from_iter<I: IntoIterator<Item = u64>>(keys: I) -> Self {
        let mut keys: Vec<u64> = keys.into_iter().collect();
        keys.par_sort_unstable();
        keys.dedup();
        IntSet {
            root: Node::of(&keys),
            len: keys.len(),
        }
    }
}

impl Extend<u64> for IntSet {
    fn extend<I: IntoIterator<Item = u64>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

impl fmt::Debug for IntSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self).finish()
    }
}

impl PartialEq for IntSet {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl Eq for IntSet {}
