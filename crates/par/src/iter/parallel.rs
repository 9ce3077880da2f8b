//! `ParallelIterator`.

use super::{Filter, FromParallelIterator, Map};
use crate::{
    consume,
    shape::{Seal, Sink},
};
use std::iter::Sum;

/// An iterator whose items may be worked on in parallel.
pub trait ParallelIterator: Sized + Send {
    /// What it yields.
    type Item: Send;

    /// Pushes all items into a sink: what everything else is made of (see [`shape`](crate::shape)).
    fn drive<S: Sink<Self::Item>>(self, sink: &S) -> S::Output;

    /// The number of items, if positions are exact.
    #[doc(hidden)]
    fn exact_len(&self, _: Seal) -> Option<usize> {
        None
    }

    /// All items, in order.
    #[doc(hidden)]
    fn into_vec(self, _: Seal) -> Vec<Self::Item> {
        consume::collect::into_vec(self)
    }

    // Adaptors.

    /// What `f` makes of each item.
    fn map<F, R>(self, f: F) -> Map<Self, F>
    where
        F: Fn(Self::Item) -> R + Sync + Send,
        R: Send,
    {
        Map { base: self, f }
    }

    /// The items for which `predicate` holds.
    fn filter<P: Fn(&Self::Item) -> bool + Sync + Send>(self, predicate: P) -> Filter<Self, P> {
        Filter {
            base: self,
            predicate,
        }
    }

    // Consumers.

    /// Calls `f` with each item.
    fn for_each<F: Fn(Self::Item) + Sync + Send>(self, f: F) {
        self.drive(&consume::for_each::ForEach { f });
    }

    /// The sum of the items.
    fn sum<T>(self) -> T
    where
        T: Send + Sum<Self::Item> + Sum<T>,
    {
        self.drive(&consume::sum::Summing::new())
    }

    /// All items, collected.
    fn collect<C: FromParallelIterator<Self::Item>>(self) -> C {
        C::from_par_iter(self)
    }
}
