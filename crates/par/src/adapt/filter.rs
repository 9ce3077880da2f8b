//! `filter`, `filter_map`, `positions`, `flat_map_iter` and `flatten_iter`.

use super::{
    enumerate::Enumerate,
    transform::{Transform, Transformed},
};

/// See [`ParallelIterator::filter`](crate::iter::ParallelIterator::filter).
pub type Filter<I, P> = Transformed<I, Filtering<P>>;

crate::debug::debug! { Filter [I, P] [I] base = base }

/// Keeps the items for which a predicate holds.
#[derive(Clone, Debug)]
pub struct Filtering<P>(pub(crate) P);

impl<T: Send, P: Fn(&T) -> bool + Sync + Send> Transform<T> for Filtering<P> {
    type Output = T;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        items.filter(&self.0)
    }
}

/// See [`ParallelIterator::filter_map`](crate::iter::ParallelIterator::filter_map).
pub type FilterMap<I, F> = Transformed<I, FilterMapping<F>>;

crate::debug::debug! { FilterMap [I, F] [I] base = base }

/// Calls a function with the items, and keeps the values that it returns.
#[derive(Clone, Debug)]
pub struct FilterMapping<F>(pub(crate) F);

impl<T, R: Send, F: Fn(T) -> Option<R> + Sync + Send> Transform<T> for FilterMapping<F> {
    type Output = R;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = R> {
        items.filter_map(&self.0)
    }
}

/// See [`positions`](crate::iter::IndexedParallelIterator::positions).
pub type Positions<I, P> = Transformed<Enumerate<I>, Locating<P>>;

crate::debug::debug! { Positions [I, P] [I] base = base.base }

/// Keeps the positions of the items for which a predicate holds.
#[derive(Clone, Debug)]
pub struct Locating<P>(pub(crate) P);

impl<T, P: Fn(T) -> bool + Sync + Send> Transform<(usize, T)> for Locating<P> {
    type Output = usize;

    #[inline]
    fn through<J: Iterator<Item = (usize, T)>>(&self, items: J) -> impl Iterator<Item = usize> {
        items.filter_map(|(position, item)| (self.0)(item).then_some(position))
    }
}

/// See [`ParallelIterator::flat_map_iter`](crate::iter::ParallelIterator::flat_map_iter).
pub type FlatMapIter<I, F> = Transformed<I, FlatMapping<F>>;

crate::debug::debug! { FlatMapIter [I, F] [I] base = base }

/// Calls a function with the items, and keeps the items of the iterators that it returns.
#[derive(Clone, Debug)]
pub struct FlatMapping<F>(pub(crate) F);

impl<T, R, F> Transform<T> for FlatMapping<F>
where
    R: IntoIterator<Item: Send>,
    F: Fn(T) -> R + Sync + Send,
{
    type Output = R::Item;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = R::Item> {
        items.flat_map(&self.0)
    }
}

/// See [`ParallelIterator::flatten_iter`](crate::iter::ParallelIterator::flatten_iter).
pub type FlattenIter<I> = Transformed<I, Flattening>;

crate::debug::debug! { FlattenIter [I] [I] base = base }

/// Keeps the items of items that are iterators.
#[derive(Clone, Debug)]
pub struct Flattening;

impl<T: IntoIterator<Item: Send>> Transform<T> for Flattening {
    type Output = T::Item;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T::Item> {
        items.flatten()
    }
}
