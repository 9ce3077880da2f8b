//! `interleave` and `interleave_shortest`.

use super::take::Take;
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, drive_indexed},
    source::delegate::delegate,
};

/// See [`IndexedParallelIterator::interleave`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Interleave<A, B> {
    a: A,
    b: B,
    b_is_next: bool,
}

impl<A, B> Interleave<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        let b_is_next = false;
        Interleave { a, b, b_is_next }
    }
}

impl<A, B> ParallelIterator for Interleave<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    type Item = A::Item;

    drive_indexed!();
}

impl<A, B> IndexedParallelIterator for Interleave<A, B>
where
    A: IndexedParallelIterator,
    B: IndexedParallelIterator<Item = A::Item>,
{
    type Producer<'p>
        = Interleave<A::Producer<'p>, B::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        let len = self.a.len().checked_add(self.b.len());
        len.expect("no more items than usize can count")
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        Interleave::new(self.a.producer(seal), self.b.producer(seal))
    }
}

delegate! {
    /// See [`IndexedParallelIterator::interleave_shortest`].
    #[derive(Clone, Debug)]
    InterleaveShortest [A, B]
    [A: IndexedParallelIterator, B: IndexedParallelIterator<Item = A::Item>]
    => Interleave<Take<A>, Take<B>>, A::Item, indexed
}

impl<A: IndexedParallelIterator, B: IndexedParallelIterator> InterleaveShortest<A, B> {
    pub(crate) fn new(a: A, b: B) -> Self {
        let (n, m) = (a.len(), b.len());
        // Ends when the next one has no more items.
        let (n, m) = if n <= m { (n, n) } else { (m + 1, m) };
        InterleaveShortest {
            base: Interleave::new(a.take(n), b.take(m)),
        }
    }
}

/// Returns how many of the first `at` items come from each, if the first one has `n` and begins,
/// and the other has `m`.
fn shares(at: usize, n: usize, m: usize) -> (usize, usize) {
    let (first, second) = (at.div_ceil(2), at / 2);
    if first > n {
        (n, at - n)
    } else if second > m {
        (at - m, m)
    } else {
        (first, second)
    }
}

impl<A, B> Producer for Interleave<A, B>
where
    A: Producer<Iter: DoubleEndedIterator + ExactSizeIterator>,
    B: Producer<Item = A::Item, Iter: DoubleEndedIterator + ExactSizeIterator>,
{
    type Item = A::Item;
    type State = (A::State, B::State);
    type Iter = Interleaved<A::Iter, B::Iter>;

    fn len(&self) -> usize {
        self.a.len() + self.b.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let Interleave { a, b, b_is_next } = self;
        let (in_a, in_b) = if b_is_next {
            let (in_b, in_a) = shares(at, b.len(), a.len());
            (in_a, in_b)
        } else {
            shares(at, a.len(), b.len())
        };
        let (left_a, a) = a.split_at(in_a);
        let (left_b, b) = b.split_at(in_b);
        let interleave = |a, b, b_is_next| Interleave { a, b, b_is_next };
        (
            interleave(left_a, left_b, b_is_next),
            interleave(a, b, b_is_next ^ (at % 2 == 1)),
        )
    }

    fn state(&self) -> Self::State {
        (self.a.state(), self.b.state())
    }

    fn iter(self, (a, b): &Self::State) -> Self::Iter {
        Interleaved {
            a: self.a.iter(a),
            b: self.b.iter(b),
            b_is_next: self.b_is_next,
        }
    }
}

/// Alternates; when one has no more items, the other goes on.
#[derive(Debug)]
pub struct Interleaved<A, B> {
    a: A,
    b: B,
    b_is_next: bool,
}

impl<A, B> Iterator for Interleaved<A, B>
where
    A: ExactSizeIterator,
    B: ExactSizeIterator<Item = A::Item>,
{
    type Item = A::Item;

    #[inline]
    fn next(&mut self) -> Option<A::Item> {
        let b_is_next = self.b_is_next;
        self.b_is_next = !b_is_next;
        if b_is_next {
            self.b.next().or_else(|| self.a.next())
        } else {
            self.a.next().or_else(|| self.b.next())
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.a.len() + self.b.len();
        (len, Some(len))
    }
}

impl<A, B> DoubleEndedIterator for Interleaved<A, B>
where
    A: DoubleEndedIterator + ExactSizeIterator,
    B: DoubleEndedIterator<Item = A::Item> + ExactSizeIterator,
{
    fn next_back(&mut self) -> Option<A::Item> {
        let (n, m) = (self.a.len(), self.b.len());
        // If both are equally long, the second one ends.
        if n > m || (n == m && self.b_is_next) {
            self.a.next_back()
        } else {
            self.b.next_back()
        }
    }
}

impl<A, B> ExactSizeIterator for Interleaved<A, B>
where
    A: ExactSizeIterator,
    B: ExactSizeIterator<Item = A::Item>,
{
}
