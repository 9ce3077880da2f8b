//! `par_array_windows`: windows of a length that is known when compiling.

use super::chunks::{Windows, WindowsProducer};
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
};
use std::{iter, slice};

/// See [`par_array_windows`](crate::slice::ParallelSlice::par_array_windows).
#[derive(Debug)]
#[must_use = "iterators are lazy"]
pub struct ArrayWindows<'data, T, const N: usize> {
    pub(crate) windows: Windows<'data, T>,
}

impl<T, const N: usize> Clone for ArrayWindows<'_, T, N> {
    fn clone(&self) -> Self {
        ArrayWindows {
            windows: self.windows.clone(),
        }
    }
}

impl<'data, T: Sync, const N: usize> ParallelIterator for ArrayWindows<'data, T, N> {
    type Item = &'data [T; N];

    drive_indexed!();
}

impl<'data, T: Sync, const N: usize> IndexedParallelIterator for ArrayWindows<'data, T, N> {
    type Producer<'p>
        = ArrayWindowsProducer<'data, T, N>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.windows.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        ArrayWindowsProducer {
            windows: self.windows.producer(seal),
        }
    }
}

/// What is left.
#[derive(Debug)]
pub struct ArrayWindowsProducer<'data, T, const N: usize> {
    windows: WindowsProducer<'data, T>,
}

impl<'data, T: Sync, const N: usize> Producer for ArrayWindowsProducer<'data, T, N> {
    type Item = &'data [T; N];
    type State = ();
    type Iter = iter::Map<slice::Windows<'data, T>, fn(&'data [T]) -> &'data [T; N]>;

    fn len(&self) -> usize {
        self.windows.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.windows.split_at(at);
        let part = |windows| ArrayWindowsProducer { windows };
        (part(left), part(right))
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Self::Iter {
        let array = |window: &'data [T]| window.try_into().expect("windows of N elements");
        self.windows.iter(&()).map(array)
    }
}
