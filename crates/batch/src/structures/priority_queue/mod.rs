//! A priority queue whose batches push and pop in parallel: sorted runs of geometric sizes, and a
//! small heap for single elements.
//!
//! ```text
//!   runs    ▁▂▂▃▄▅▅▆▆▇▇█   ▂▃▃▅▆▇   ▁▄█      each ascends; popping takes from the ends
//!   young   a binary heap of less than 256 elements
//! ```
//!
//! Many elements that are pushed at once are sorted and become a run; so does the heap when it is
//! full. A new run is merged with those that are not much longer (runs.rs): so there are few runs,
//! an element takes part in O(log n) merges, and all of these are parallel sorts and merges of
//! slices. To pop many elements at once, a binary search finds how many each run has (select.rs),
//! and these are cut off and merged.
//!
//! A heap in one array, such as std's, has no parallelism: all of its pushes and pops contend for
//! the root.
//!
//! In a batch, peeks come first, then pushes, then pops, these in their order of arrival.
//!
//! The idea of runs of geometric sizes is that of J. L. Bentley and J. B. Saxe, "Decomposable
//! searching problems I", 1980.

mod by_ord;
mod op;
mod runs;
mod select;

#[cfg(test)]
mod tests;

pub use self::op::{Peek, Pop, PriorityQueueAnswer, PriorityQueueOp, Push};

use self::{by_ord::ByOrd, runs::Runs};
use crate::{BatchedStructure, Reads, Request};
use std::{collections::BinaryHeap, fmt, iter, mem};
use sumac_core::Scope;
use sumac_par::prelude::*;

/// The number of elements of the heap that become a run.
const YOUNG: usize = if cfg!(miri) { 8 } else { 256 };

/// The number of pops from which on they are made together: for fewer, searching the run of each is
/// cheaper than finding the cuts.
const TOGETHER: usize = if cfg!(miri) { 8 } else { 1024 };

/// A priority queue: [`Pop`] takes the greatest element, as with std's `BinaryHeap`. For the
/// smallest, push `Reverse`d elements. Elements are compared by [`Ord::cmp`] and by nothing else.
///
/// In a batch, [`Peek`] and [`Len`](crate::Len) see the queue before the batch; then all pushes are
/// made, then all pops in their order of arrival.
///
/// # Examples
///
/// ```
/// use sumac::batch::{PriorityQueue, PriorityQueueAnswer, PriorityQueueOp, run_alone};
///
/// let mut queue = PriorityQueue::from(vec![3, 1, 4]);
/// queue.push(1);
/// assert_eq!(queue.peek(), Some(&4));
/// assert_eq!(queue.pop(), Some(4));
///
/// let ops = vec![PriorityQueueOp::Pop, PriorityQueueOp::Push(5), PriorityQueueOp::Pop];
/// let answers = run_alone(&mut queue, ops);
/// assert_eq!(answers[0], PriorityQueueAnswer::Item(Some(5)));
/// assert_eq!(answers[2], PriorityQueueAnswer::Item(Some(3)));
/// assert_eq!(queue.into_sorted_vec(), [1, 1]);
/// ```
///
/// # Cost
/// A push or a pop takes O(log n) amortised. A batch of m operations takes O(m log n) amortised
/// work, in parallel but for 256 pushes and 1,024 pops at most; it may merge all elements, which is
/// O(n) work in parallel.
///
/// # Panics
/// If `Ord` panics (or `Clone` in a peek). Then elements may be lost, or come out of order.
#[derive(Clone)]
pub struct PriorityQueue<T> {
    young: BinaryHeap<ByOrd<T>>,
    runs: Runs<T>,
}

impl<T: Ord + Send> PriorityQueue<T> {
    /// Creates an empty queue.
    pub fn new() -> Self {
        PriorityQueue {
            young: BinaryHeap::new(),
            runs: Runs::new(),
        }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.young.len() + self.runs.len()
    }

    /// Returns whether the queue has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the greatest element.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut queue = sumac::batch::PriorityQueue::new();
    /// queue.push(1);
    /// queue.push(2);
    /// assert_eq!(queue.peek(), Some(&2));
    /// ```
    pub fn peek(&self) -> Option<&T> {
        let ends = self.youngest().into_iter().chain(self.runs.peek());
        ends.max_by(|a, b| a.cmp(b))
    }

    /// Adds an element.
    ///
    /// ```
    /// let mut queue = sumac::batch::PriorityQueue::new();
    /// queue.push(1);
    /// queue.push(3);
    /// assert_eq!((queue.len(), queue.peek()), (2, Some(&3)));
    /// ```
    #[inline]
    pub fn push(&mut self, item: T) {
        self.young.push(ByOrd(item));
        if self.young.len() >= YOUNG {
            self.age();
        }
    }

    /// Removes and returns the greatest element.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut queue = sumac::batch::PriorityQueue::new();
    /// queue.push(1);
    /// queue.push(2);
    /// assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(2), Some(1), None));
    /// ```
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        match self.runs.best() {
            Some((run, item)) if self.youngest().cmp(&Some(item)).is_lt() => self.runs.pop(run),
            _ => self.young.pop().map(|item| item.0),
        }
    }

    /// Returns the elements in ascending order.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut queue = sumac::batch::PriorityQueue::new();
    /// for item in [2, 3, 1] {
    ///     queue.push(item);
    /// }
    /// assert_eq!(queue.into_sorted_vec(), [1, 2, 3]);
    /// ```
    pub fn into_sorted_vec(mut self) -> Vec<T> {
        self.age();
        self.runs.into_sorted()
    }

    /// Returns the greatest element of the heap.
    #[inline]
    fn youngest(&self) -> Option<&T> {
        self.young.peek().map(|item| &item.0)
    }

    /// Turns the heap into a run.
    #[cold]
    fn age(&mut self) {
        let items = mem::take(&mut self.young).into_sorted_vec().into_iter();
        self.runs.add(items.map(|item| item.0).collect());
    }

    /// Adds many elements.
    fn push_all(&mut self, mut items: Vec<T>) {
        if items.len() < YOUNG {
            items.into_iter().for_each(|item| self.push(item));
        } else {
            items.par_sort_unstable();
            self.runs.add(items);
        }
    }

    /// Removes and returns the `count` greatest elements, or all, in ascending order.
    fn pop_many(&mut self, count: usize) -> Vec<T> {
        if count < TOGETHER {
            let mut items: Vec<T> = iter::from_fn(|| self.pop()).take(count).collect();
            items.reverse();
            return items;
        }
        self.age();
        self.runs.pop_many(count)
    }
}

type PriorityQueueRequest<T> = Request<PriorityQueueOp<T>, PriorityQueueAnswer<T>>;

impl<T: Ord + Send + Sync> PriorityQueue<T> {
    /// Returns the answer to an operation that only reads.
    #[inline]
    fn look(&self, op: &PriorityQueueOp<T>) -> Option<PriorityQueueAnswer<T>> {
        match op {
            PriorityQueueOp::Peek(clone) => Some(PriorityQueueAnswer::Item(self.peek().map(clone))),
            PriorityQueueOp::Len => Some(PriorityQueueAnswer::Len(self.len())),
            PriorityQueueOp::Push(_) | PriorityQueueOp::Pop => None,
        }
    }

    /// Starts a request: answers reads and pushes, and returns the element to push.
    #[inline]
    fn begin(&self, request: &mut PriorityQueueRequest<T>) -> Option<T> {
        if let Some(answer) = self.look(request.op()) {
            request.answer(answer);
        } else if let PriorityQueueOp::Push(_) = request.op() {
            let PriorityQueueOp::Push(item) = request.take_op() else {
                unreachable!("it is a push")
            };
            request.answer(PriorityQueueAnswer::Pushed);
            return Some(item);
        }
        None
    }
}

impl<T: Ord + Send + Sync> BatchedStructure for PriorityQueue<T> {
    type Op = PriorityQueueOp<T>;
    type Answer = PriorityQueueAnswer<T>;

    const READS: Option<Reads<Self>> = Some(Reads::new(
        |op| matches!(op, PriorityQueueOp::Peek(_) | PriorityQueueOp::Len),
        |queue, op| queue.look(&op).expect("it only looks"),
    ));

    /// An operation that would merge runs, which forks, is left to `run`.
    #[inline]
    fn run_one(&mut self, op: PriorityQueueOp<T>) -> Result<PriorityQueueAnswer<T>, Self::Op> {
        match op {
            PriorityQueueOp::Push(_) if self.young.len() + 1 >= YOUNG => Err(op),
            PriorityQueueOp::Push(item) => {
                self.young.push(ByOrd(item));
                Ok(PriorityQueueAnswer::Pushed)
            }
            PriorityQueueOp::Pop if self.runs.may_merge() => Err(op),
            PriorityQueueOp::Pop => Ok(PriorityQueueAnswer::Item(self.pop())),
            _ => self.look(&op).ok_or(op),
        }
    }

    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [PriorityQueueRequest<T>]) {
        if let [request] = batch {
            match self.begin(request) {
                Some(item) => self.push(item),
                None if request.is_answered() => {}
                None => request.answer(PriorityQueueAnswer::Item(self.pop())),
            }
            return;
        }
        let this = &*self;
        let pushed = batch
            .par_iter_mut()
            .filter_map(|request| this.begin(request));
        let pushed: Vec<T> = pushed.collect();
        self.push_all(pushed);
        let pops = batch
            .par_iter_mut()
            .filter(|request| !request.is_answered());
        let mut pops: Vec<_> = pops.collect();
        let items = self.pop_many(pops.len());
        let (some, none) = pops.split_at_mut(items.len());
        let some = some.par_iter_mut().zip(items.into_par_iter().rev());
        some.for_each(|(pop, item)| pop.answer(PriorityQueueAnswer::Item(Some(item))));
        let none = none.par_iter_mut();
        none.for_each(|pop| pop.answer(PriorityQueueAnswer::Item(None)));
    }
}

impl<T: Ord + Send> Default for PriorityQueue<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Sorts them in parallel.
impl<T: Ord + Send> From<Vec<T>> for PriorityQueue<T> {
    fn from(items: Vec<T>) -> Self {
        let mut queue = Self::new();
        queue.push_all(items);
        queue
    }
}

impl<T: Ord + Send> FromIterator<T> for PriorityQueue<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::from(Vec::from_iter(items))
    }
}

impl<T: Ord + Send> Extend<T> for PriorityQueue<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.push_all(Vec::from_iter(items));
    }
}

impl<T> fmt::Debug for PriorityQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PriorityQueue")
            .field("young", &self.young.len())
            .field("runs", &self.runs)
            .finish()
    }
}
