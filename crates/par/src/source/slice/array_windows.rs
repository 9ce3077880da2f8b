//! `par_array_windows`: windows whose length is known at compile time.

use super::chunks::Windows;
use crate::shape::{Producer, indexed_source};
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

indexed_source! {
    ['data, T: Sync, const N: usize] ArrayWindows<'data, T, N> => &'data [T; N],
    |windows| windows.clone()
}

impl<'data, T: Sync, const N: usize> Producer for ArrayWindows<'data, T, N> {
    type Item = &'data [T; N];
    type State = ();
    type Iter = iter::Map<slice::Windows<'data, T>, fn(&'data [T]) -> &'data [T; N]>;

    fn len(&self) -> usize {
        self.windows.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let (left, right) = self.windows.split_at(at);
        let part = |windows| ArrayWindows { windows };
        (part(left), part(right))
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Self::Iter {
        let array = |window: &'data [T]| window.try_into().expect("windows of N elements");
        self.windows.iter(&()).map(array)
    }
}
