//! `repeat` and `repeat_n`.

use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator, Zip},
    kernel,
    shape::{Producer, Seal, Sink, drive_indexed},
};
use std::iter;

/// A parallel iterator over endlessly many clones of `element`: for [`zip`](Repeat::zip), [`take`](Repeat::take), or what stops early.
///
/// ```
/// use sumac_par::{iter::repeat, prelude::*};
/// assert_eq!(repeat(7).take(2).collect::<Vec<_>>(), [7, 7]);
/// assert_eq!(repeat(7).find_any(|&x| x == 7), Some(7));
/// ```
pub fn repeat<T: Clone + Send>(element: T) -> Repeat<T> {
    Repeat { element }
}

/// See [`repeat`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct Repeat<T> {
    element: T,
}

impl<T: Clone + Send> Repeat<T> {
    /// `n` clones.
    pub fn take(self, n: usize) -> RepeatN<T> {
        repeat_n(self.element, n)
    }

    /// Pairs of clones and the items of `other`.
    pub fn zip<Z>(self, other: Z) -> Zip<RepeatN<T>, Z::Iter>
    where
        Z: IntoParallelIterator<Iter: IndexedParallelIterator>,
    {
        let other = other.into_par_iter();
        self.take(other.len()).zip(other)
    }
}

impl<T: Clone + Send> ParallelIterator for Repeat<T> {
    type Item = T;

    fn drive<S: Sink<T>>(self, sink: &S) -> S::Output {
        let endless = RepeatProducer {
            element: self.element,
            left: usize::MAX,
        };
        kernel::drive(endless, sink)
    }
}

/// A parallel iterator over `n` clones of `element`.
///
/// ```
/// use sumac_par::{iter::repeat_n, prelude::*};
/// assert_eq!(repeat_n("ha", 3).collect::<String>(), "hahaha");
/// ```
pub fn repeat_n<T: Clone + Send>(element: T, n: usize) -> RepeatN<T> {
    RepeatN { element, n }
}

/// See [`repeat_n`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct RepeatN<T> {
    element: T,
    n: usize,
}

impl<T: Clone + Send> ParallelIterator for RepeatN<T> {
    type Item = T;

    drive_indexed!();
}

impl<T: Clone + Send> IndexedParallelIterator for RepeatN<T> {
    type Producer<'p>
        = RepeatProducer<T>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.n
    }

    fn producer(&mut self, _: Seal) -> RepeatProducer<T> {
        RepeatProducer {
            element: self.element.clone(),
            left: self.n,
        }
    }
}

/// What is left of a [`RepeatN`] or a [`Repeat`].
#[derive(Debug)]
pub struct RepeatProducer<T> {
    element: T,
    left: usize,
}

impl<T: Clone + Send> Producer for RepeatProducer<T> {
    type Item = T;
    type State = ();
    type Iter = iter::RepeatN<T>;

    fn len(&self) -> usize {
        self.left
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let left = RepeatProducer {
            element: self.element.clone(),
            left: at,
        };
        let right = RepeatProducer {
            element: self.element,
            left: self.left - at,
        };
        (left, right)
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> iter::RepeatN<T> {
        iter::repeat_n(self.element, self.left)
    }
}
