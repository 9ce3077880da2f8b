//! Slices by reference, and what they may be borrowed from.

pub(crate) mod array_windows;
pub(crate) mod chunk_by;
pub(crate) mod chunks;
mod pieces;
pub(crate) mod shared;
pub(crate) mod split;

use crate::{
    iter::IntoParallelIterator,
    shape::{Producer, indexed_source},
};
use std::{mem, slice};

/// A parallel iterator over the elements of a slice.
///
/// ```
/// use sumac::{prelude::*, slice};
///
/// let elements: slice::Iter<'_, u32> = [3, 1, 4].par_iter();
/// assert_eq!(elements.max(), Some(&4));
/// ```
#[derive(Debug)]
#[must_use = "iterators are lazy"]
pub struct Iter<'data, T> {
    slice: &'data [T],
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { slice: self.slice }
    }
}

indexed_source! { ['data, T: Sync] Iter<'data, T> => &'data T, |iter| iter.clone() }

impl<'data, T: Sync> Producer for Iter<'data, T> {
    type Item = &'data T;
    type State = ();
    type Iter = slice::Iter<'data, T>;

    fn len(&self) -> usize {
        self.slice.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.slice.split_at(at);
        (Iter { slice: left }, Iter { slice: right })
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Self::Iter {
        self.slice.iter()
    }
}

/// A parallel iterator over the elements of a slice, mutably.
///
/// ```
/// use sumac::prelude::*;
///
/// let mut v = [3, 1, 4];
/// v.par_iter_mut().enumerate().for_each(|(i, x)| *x += i);
/// assert_eq!(v, [3, 2, 6]);
/// ```
#[derive(Debug)]
#[must_use = "iterators are lazy"]
pub struct IterMut<'data, T> {
    slice: &'data mut [T],
}

indexed_source! { ['data, T: Send] IterMut<'data, T> => &'data mut T, |iter| IterMut { slice: mem::take(&mut iter.slice) } }

impl<'data, T: Send> Producer for IterMut<'data, T> {
    type Item = &'data mut T;
    type State = ();
    type Iter = slice::IterMut<'data, T>;

    fn len(&self) -> usize {
        self.slice.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.slice.split_at_mut(at);
        (IterMut { slice: left }, IterMut { slice: right })
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Self::Iter {
        self.slice.iter_mut()
    }
}

/// Slices, and collections that deref to one.
macro_rules! borrowed {
    ($([$($generics:tt)*] $Collection:ty;)*) => {$(
        impl<'data, T: Sync, $($generics)*> IntoParallelIterator for &'data $Collection {
            type Iter = Iter<'data, T>;
            type Item = &'data T;

            fn into_par_iter(self) -> Iter<'data, T> {
                Iter { slice: self }
            }
        }

        impl<'data, T: Send, $($generics)*> IntoParallelIterator for &'data mut $Collection {
            type Iter = IterMut<'data, T>;
            type Item = &'data mut T;

            fn into_par_iter(self) -> IterMut<'data, T> {
                IterMut { slice: self }
            }
        }
    )*};
}

borrowed! {
    [] [T];
    [] Vec<T>;
    [] Box<[T]>;
    [const N: usize] [T; N];
}
