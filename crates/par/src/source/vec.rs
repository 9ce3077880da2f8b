//! Vectors: by reference, and by value.

use crate::{iter::IntoParallelIterator, source::slice};

impl<'data, T: Sync> IntoParallelIterator for &'data Vec<T> {
    type Iter = slice::Iter<'data, T>;
    type Item = &'data T;

    fn into_par_iter(self) -> Self::Iter {
        self.as_slice().into_par_iter()
    }
}

impl<'data, T: Send> IntoParallelIterator for &'data mut Vec<T> {
    type Iter = slice::IterMut<'data, T>;
    type Item = &'data mut T;

    fn into_par_iter(self) -> Self::Iter {
        self.as_mut_slice().into_par_iter()
    }
}
