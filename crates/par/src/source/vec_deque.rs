//! `VecDeque`.

use crate::{
    iter::{IntoParallelIterator, ParallelDrainRange},
    shape::{Producer, indexed_source},
    source::{
        bounds,
        delegate::{Lent, delegate, into},
        slice, vec,
    },
};
use std::{
    collections::{VecDeque, vec_deque},
    ops::{Range, RangeBounds},
};

/// A parallel iterator over the items of a deque.
///
/// ```
/// use std::collections::VecDeque;
/// use sumac::prelude::*;
///
/// let deque = VecDeque::from([3, 1, 4]);
/// assert_eq!(deque.par_iter().rev().position_first(|&x| x == 1), Some(1));
/// ```
#[derive(Debug)]
#[must_use = "iterators are lazy"]
pub struct Iter<'a, T> {
    deque: &'a VecDeque<T>,
    range: Range<usize>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter {
            deque: self.deque,
            range: self.range.clone(),
        }
    }
}

impl<'a, T: Sync> IntoParallelIterator for &'a VecDeque<T> {
    type Iter = Iter<'a, T>;
    type Item = &'a T;

    fn into_par_iter(self) -> Iter<'a, T> {
        Iter {
            deque: self,
            range: 0..self.len(),
        }
    }
}

indexed_source! { ['a, T: Sync] Iter<'a, T> => &'a T, |iter| iter.clone() }

impl<'a, T: Sync> Producer for Iter<'a, T> {
    type Item = &'a T;
    type State = ();
    type Iter = vec_deque::Iter<'a, T>;

    fn len(&self) -> usize {
        self.range.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let Range { start, end } = self.range;
        let part = |range| Iter {
            deque: self.deque,
            range,
        };
        (part(start..start + at), part(start + at..end))
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Self::Iter {
        self.deque.range(self.range)
    }
}

delegate! {
    /// A parallel iterator over the items of a deque, mutably.
    #[derive(Debug)]
    IterMut ['a, T] ['a, T: Send] => slice::IterMut<'a, T>, &'a mut T, indexed
}

into! { ['a, T: Send] &'a mut VecDeque<T> => IterMut['a, T], &'a mut T, |deque| {
    deque.make_contiguous().into_par_iter()
} }

delegate! {
    /// A parallel iterator over the items of a deque, by value.
    #[derive(Clone, Debug)]
    IntoIter [T] [T: Send] => vec::IntoIter<T>, T, indexed
}

into! { [T: Send] VecDeque<T> => IntoIter[T], T, |deque| {
    Vec::from(deque).into_par_iter()
} }

delegate! {
    /// A parallel iterator that moves a range of items out of a deque.
    #[derive(Debug)]
    Drain ['a, T] ['a, T: Send] => Lent<'a, vec::IntoIter<T>>, T, indexed
}

impl<'a, T: Send> ParallelDrainRange<usize> for &'a mut VecDeque<T> {
    type Iter = Drain<'a, T>;
    type Item = T;

    fn par_drain<R: RangeBounds<usize>>(self, range: R) -> Drain<'a, T> {
        let range = bounds::within(&range, self.len());
        let items: Vec<T> = self.drain(range).collect();
        Drain {
            base: Lent::new(items.into_par_iter()),
        }
    }
}
