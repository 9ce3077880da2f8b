//! `deterministic`: results that depend on the items alone, neither on the number of threads nor on
//! the schedule.
//!
//! Addition of floats is not associative, so the last digits of a sum depend on where a loop is
//! split. Here items are combined in groups whose size depends on the number of items only, each
//! from left to right, and the groups in a balanced tree. There is no size to choose: groups are as
//! small as possible while the memory for their results stays small.

use super::{
    chunks::FoldChunks,
    group::{Group, Grouped},
};
use crate::{
    consume::{
        reduce::Reduce,
        sum::{Multiplying, Summing},
    },
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink},
};
use std::iter::{Product, Sum};
use sumac_core::join;

/// The number of groups from which on groups have more than one item.
const GROUPS: usize = 4096;
/// The greatest number of items in a group.
const MOST: usize = 1024;

/// A parallel iterator whose reductions do not depend on the schedule; see
/// [`IndexedParallelIterator::deterministic`].
///
/// ```
/// use sumac::prelude::*;
/// let sum = || (1..9999).into_par_iter().map(|n| 1.0 / f64::from(n)).deterministic().sum::<f64>();
/// assert_eq!(sum().to_bits(), sum().to_bits());
/// ```
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Deterministic<I> {
    pub(crate) base: I,
}

impl<I: IndexedParallelIterator> Deterministic<I> {
    /// Adds up the items.
    ///
    /// # Examples
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let harmonic = || (1..100_000).into_par_iter().map(|n| 1.0 / f64::from(n)).deterministic();
    /// assert_eq!(harmonic().sum::<f64>(), harmonic().sum::<f64>());
    /// ```
    pub fn sum<S>(self) -> S
    where
        S: Send + Sum<I::Item> + Sum<S>,
    {
        self.in_groups(&Summing::new())
    }

    /// Multiplies the items.
    ///
    /// # Examples
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let factorial: u64 =
    ///     (1..11_usize).into_par_iter().map(|n| n as u64).deterministic().product();
    /// assert_eq!(factorial, 3_628_800);
    /// ```
    pub fn product<P>(self) -> P
    where
        P: Send + Product<I::Item> + Product<P>,
    {
        self.in_groups(&Multiplying::new())
    }

    /// Combines the items with `op`. Returns the value of `identity` if there are none.
    ///
    /// # Examples
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let words = ["same ", "every ", "time"].par_iter().map(|s| s.to_string());
    /// assert_eq!(words.deterministic().reduce(String::new, |a, b| a + &b), "same every time");
    /// ```
    pub fn reduce<ID, F>(self, identity: ID, op: F) -> I::Item
    where
        ID: Fn() -> I::Item + Sync + Send,
        F: Fn(I::Item, I::Item) -> I::Item + Sync + Send,
    {
        self.reduce_with(op).unwrap_or_else(identity)
    }

    /// Combines the items with `op`. Returns `None` if there are none.
    ///
    /// # Examples
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let largest = [0.5, 2.5, 1.5].par_iter().copied().deterministic().reduce_with(f64::max);
    /// assert_eq!(largest, Some(2.5));
    /// ```
    pub fn reduce_with<F>(self, op: F) -> Option<I::Item>
    where
        F: Fn(I::Item, I::Item) -> I::Item + Sync + Send,
    {
        self.in_groups(&Reduce { op })
    }

    /// Folds each group into one item, beginning with the value of `identity`; reduce or sum up the
    /// results.
    ///
    /// # Examples
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let lengths =
    ///     ["a", "bc", "def"].par_iter().deterministic().fold(|| 0, |sum, s| sum + s.len());
    /// assert_eq!(lengths.sum::<usize>(), 6);
    /// ```
    pub fn fold<U, ID, F>(self, identity: ID, op: F) -> Deterministic<FoldChunks<I, ID, F>>
    where
        U: Send,
        ID: Fn() -> U + Sync + Send,
        F: Fn(U, I::Item) -> U + Sync + Send,
    {
        let size = self.group_size();
        self.base.fold_chunks(size, identity, op).deterministic()
    }

    fn group_size(&self) -> usize {
        (self.base.len() / GROUPS).clamp(1, MOST)
    }

    /// Runs each group into the sink, and merges the outputs.
    fn in_groups<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        let size = self.group_size();
        let groups = Grouped::new(self.base, size, Sunk(sink));
        let mut outputs = groups.collect::<Vec<_>>().into_par_iter();
        let all = tree(outputs.producer(Seal(())), sink);
        all.unwrap_or_else(|| sink.finish(sink.begin(0)))
    }
}

/// Merges all outputs, halves first.
fn tree<T, P, S>(outputs: P, sink: &S) -> Option<S::Output>
where
    P: Producer<Item = S::Output, State = ()>,
    S: Sink<T>,
{
    let len = outputs.len();
    if len < 2 {
        return outputs.iter(&()).next();
    }
    let (left, right) = outputs.split_at(len / 2);
    let (left, right) = join(|| tree(left, sink), || tree(right, sink));
    Some(sink.merge(left?, right?))
}

/// Each group is a run of a sink.
struct Sunk<'s, S>(&'s S);

impl<T, S: Sink<T>> Group<T> for Sunk<'_, S> {
    type Output = S::Output;
    type Shared = ();

    fn begin(&self) {}

    #[inline]
    fn of<J: Iterator<Item = T>>(&self, (): &(), mut items: J) -> Self::Output {
        let mut run = self.0.begin(0);
        self.0.push_all(&mut run, items.by_ref());
        // A sum of options and the like ends at the first that is nothing; the rest of the items
        // belong to this group all the same.
        items.for_each(drop);
        self.0.finish(run)
    }
}
