//! Slices by reference.

pub(crate) mod array_windows;
pub(crate) mod chunk_by;
pub(crate) mod chunks;
pub(crate) mod shared;
pub(crate) mod split;

use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
};
use std::slice;

/// A parallel iterator over the elements of a slice.
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

impl<'data, T: Sync> IntoParallelIterator for &'data [T] {
    type Iter = Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Iter<'data, T> {
        Iter { slice: self }
    }
}

impl<'data, T: Sync> ParallelIterator for Iter<'data, T> {
    type Item = &'data T;

    drive_indexed!();
}

impl<'data, T: Sync> IndexedParallelIterator for Iter<'data, T> {
    type Producer<'p>
        = IterProducer<'data, T>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.slice.len()
    }

    fn producer(&mut self, _: Seal) -> IterProducer<'data, T> {
        IterProducer { slice: self.slice }
    }
}

/// What is left of an [`Iter`].
#[derive(Debug)]
pub struct IterProducer<'data, T> {
    slice: &'data [T],
}

impl<'data, T: Sync> Producer for IterProducer<'data, T> {
    type Item = &'data T;
    type State = ();
    type Iter = slice::Iter<'data, T>;

    fn len(&self) -> usize {
        self.slice.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.slice.split_at(at);
        (IterProducer { slice: left }, IterProducer { slice: right })
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Self::Iter {
        self.slice.iter()
    }
}

/// A parallel iterator over the elements of a slice, mutably.
#[derive(Debug)]
#[must_use = "iterators are lazy"]
pub struct IterMut<'data, T> {
    slice: &'data mut [T],
}

impl<'data, T: Send> IntoParallelIterator for &'data mut [T] {
    type Iter = IterMut<'data, T>;
    type Item = &'data mut T;

    fn into_par_iter(self) -> IterMut<'data, T> {
        IterMut { slice: self }
    }
}

impl<'data, T: Send> ParallelIterator for IterMut<'data, T> {
    type Item = &'data mut T;

    drive_indexed!();
}

impl<'data, T: Send> IndexedParallelIterator for IterMut<'data, T> {
    type Producer<'p>
        = IterMutProducer<'data, T>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.slice.len()
    }

    fn producer(&mut self, _: Seal) -> IterMutProducer<'data, T> {
        IterMutProducer {
            slice: std::mem::take(&mut self.slice),
        }
    }
}

/// What is left of an [`IterMut`].
#[derive(Debug)]
pub struct IterMutProducer<'data, T> {
    slice: &'data mut [T],
}

impl<'data, T: Send> Producer for IterMutProducer<'data, T> {
    type Item = &'data mut T;
    type State = ();
    type Iter = slice::IterMut<'data, T>;

    fn len(&self) -> usize {
        self.slice.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.slice.split_at_mut(at);
        (
            IterMutProducer { slice: left },
            IterMutProducer { slice: right },
        )
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Self::Iter {
        self.slice.iter_mut()
    }
}
