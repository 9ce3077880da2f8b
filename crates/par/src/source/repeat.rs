//! `repeat` and `repeat_n`.

use crate::{
    iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator, Zip},
    shape::{Producer, Sink, indexed_source},
};

/// Returns a parallel iterator over endlessly many clones of `element`, for [`zip`](Repeat::zip),
/// [`take`](Repeat::take), or consumers that stop early.
///
/// ```
/// use sumac::{iter::repeat, prelude::*};
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
    /// Limits it to `n` clones.
    ///
    /// ```
    /// use sumac::{iter::repeat, prelude::*};
    /// assert_eq!(repeat(7).take(3).collect::<Vec<_>>(), [7, 7, 7]);
    /// ```
    pub fn take(self, n: usize) -> RepeatN<T> {
        repeat_n(self.element, n)
    }

    /// Pairs clones with the items of `other`.
    ///
    /// ```
    /// use sumac::{iter::repeat, prelude::*};
    /// let pairs: Vec<_> = repeat('x').zip(0..2).collect();
    /// assert_eq!(pairs, [('x', 0), ('x', 1)]);
    /// ```
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
        repeat_n(self.element, usize::MAX).drive(sink)
    }
}

/// Returns a parallel iterator over `n` times `element`: `n - 1` clones, and `element` itself as
/// the last.
///
/// ```
/// use sumac::{iter::repeat_n, prelude::*};
/// assert_eq!(repeat_n("ha", 3).collect::<String>(), "hahaha");
/// ```
pub fn repeat_n<T: Clone + Send>(element: T, n: usize) -> RepeatN<T> {
    RepeatN {
        element: (n > 0).then_some(element),
        n,
    }
}

/// See [`repeat_n`].
///
/// The element is there as long as items are left, and is itself the last item: *n* items take *n -
/// 1* clones, however they are divided.
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct RepeatN<T> {
    element: Option<T>,
    n: usize,
}

indexed_source! {
    [T: Clone + Send] RepeatN<T> => T,
    |repeat| RepeatN { element: repeat.element.take(), n: repeat.n }
}

impl<T: Clone + Send> Producer for RepeatN<T> {
    type Item = T;
    type State = ();
    type Iter = Clones<T>;

    fn len(&self) -> usize {
        self.n
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let RepeatN { element, n } = self;
        let part = |element, n| RepeatN { element, n };
        if at == 0 {
            return (part(None, 0), part(element, n));
        }
        let other = if at < n { element.clone() } else { None };
        (part(element, at), part(other, n - at))
    }

    fn state(&self) {}

    fn iter(self, (): &()) -> Clones<T> {
        Clones(self)
    }
}

/// Clones, and the element itself as the last.
#[derive(Debug)]
pub struct Clones<T>(RepeatN<T>);

impl<T: Clone> Iterator for Clones<T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let RepeatN { element, n } = &mut self.0;
        *n = n.saturating_sub(1);
        if *n == 0 {
            element.take()
        } else {
            element.clone()
        }
    }

    /// Skipped clones are not made.
    #[inline]
    fn nth(&mut self, n: usize) -> Option<T> {
        let out = n.min(self.0.n);
        self.0.n -= out;
        if self.0.n == 0 {
            self.0.element = None;
        }
        self.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.n, Some(self.0.n))
    }

    #[inline]
    fn fold<B, F: FnMut(B, T) -> B>(self, init: B, mut f: F) -> B {
        let RepeatN { element, n } = self.0;
        let Some(element) = element else { return init };
        let clones = (1..n).fold(init, |all, _| f(all, element.clone()));
        f(clones, element)
    }
}

impl<T: Clone> DoubleEndedIterator for Clones<T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        self.next()
    }
}

impl<T: Clone> ExactSizeIterator for Clones<T> {}
