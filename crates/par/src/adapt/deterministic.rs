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
use crate::iter::{IndexedParallelIterator, ParallelIterator};
use std::{
    iter::{self, Product, Sum},
    marker::PhantomData,
};
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
        let add = |left, right| [left, right].into_iter().sum();
        let sum = self.in_groups(Summed(PhantomData), &add);
        sum.unwrap_or_else(|| iter::empty::<S>().sum())
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
        let multiply = |left, right| [left, right].into_iter().product();
        let product = self.in_groups(Multiplied(PhantomData), &multiply);
        product.unwrap_or_else(|| iter::empty::<P>().product())
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
        self.in_groups(Reduced(&op), &op)
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

    fn in_groups<G, T, F>(self, group: G, op: &F) -> Option<T>
    where
        G: Group<I::Item, Output = Option<T>>,
        T: Send,
        F: Fn(T, T) -> T + Sync,
    {
        let size = self.group_size();
        let groups = Grouped::new(self.base, size, group);
        tree(&mut groups.collect::<Vec<_>>(), op)
    }
}

/// Combines all parts, halves first.
fn tree<T: Send, F: Fn(T, T) -> T + Sync>(parts: &mut [Option<T>], op: &F) -> Option<T> {
    match parts {
        [] => None,
        [one] => one.take(),
        _ => {
            let (left, right) = parts.split_at_mut(parts.len() / 2);
            let (left, right) = join(|| tree(left, op), || tree(right, op));
            Some(op(left?, right?))
        }
    }
}

macro_rules! total {
    ($Total:ident, $Trait:ident, $method:ident) => {
        struct $Total<S>(PhantomData<fn() -> S>);

        impl<T, S: $Trait<T>> Group<T> for $Total<S> {
            type Output = Option<S>;
            type Shared = ();

            fn begin(&self) {}

            #[inline]
            fn of<J: Iterator<Item = T>>(&self, (): &(), mut items: J) -> Option<S> {
                let total = items.by_ref().$method();
                // That of options and the like ends at the first that is nothing; the rest of the
                // items belong to this group all the same.
                items.for_each(drop);
                Some(total)
            }
        }
    };
}

total!(Summed, Sum, sum);
total!(Multiplied, Product, product);

struct Reduced<'f, F>(&'f F);

impl<T, F: Fn(T, T) -> T + Sync> Group<T> for Reduced<'_, F> {
    type Output = Option<T>;
    type Shared = ();

    fn begin(&self) {}

    #[inline]
    fn of<J: Iterator<Item = T>>(&self, (): &(), items: J) -> Option<T> {
        items.reduce(self.0)
    }
}
