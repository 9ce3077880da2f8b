//! Arrays and boxed slices, by value.

use super::vec;
use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator},
    shape::{Seal, drive_indexed},
};

/// A parallel iterator over the items of an array, by value.
///
/// ```
/// use sumac::prelude::*;
///
/// let words = [String::from("fork"), String::from("join")];
/// assert_eq!(words.into_par_iter().collect::<String>(), "forkjoin");
/// ```
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct IntoIter<T, const N: usize> {
    base: vec::IntoIter<T>,
}

impl<T: Send, const N: usize> ParallelIterator for IntoIter<T, N> {
    type Item = T;

    drive_indexed!();

    fn into_vec(self, seal: Seal) -> Vec<T> {
        self.base.into_vec(seal)
    }
}

impl<T: Send, const N: usize> IndexedParallelIterator for IntoIter<T, N> {
    type Producer<'p>
        = vec::DrainProducer<'p, T>
    where
        Self: 'p;

    fn len(&self) -> usize {
        N
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        self.base.producer(seal)
    }
}

impl<T: Send, const N: usize> IntoParallelIterator for [T; N] {
    type Iter = IntoIter<T, N>;
    type Item = T;

    fn into_par_iter(self) -> Self::Iter {
        IntoIter {
            base: Vec::from(self).into_par_iter(),
        }
    }
}

impl<T: Send> IntoParallelIterator for Box<[T]> {
    type Iter = vec::IntoIter<T>;
    type Item = T;

    fn into_par_iter(self) -> Self::Iter {
        self.into_vec().into_par_iter()
    }
}
