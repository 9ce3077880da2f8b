//! `intersperse`.
//!
//! As a sink it puts the separator between the items of a run, and, as a run of its own, between
//! two runs that both have items. If the base has exact positions, so has this: a run that starts
//! at `p` starts at `2p` here, and a run that ends before `q` has the positions up to `2q - 2`. The
//! next one, `2q - 1`, is that of the separator between this run and the next.

use super::original::Original;
use crate::{
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink},
};
use std::{iter, rc::Rc};

/// See [`ParallelIterator::intersperse`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct Intersperse<I: ParallelIterator> {
    base: I,
    separator: Original<I::Item>,
}

impl<I: ParallelIterator> Intersperse<I> {
    pub(crate) fn new(base: I, separator: I::Item) -> Self {
        let separator = Original::new(separator);
        Intersperse { base, separator }
    }
}

impl<I: ParallelIterator<Item: Clone>> ParallelIterator for Intersperse<I> {
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        let output = self.base.drive(&IntersperseSink {
            base: sink,
            separator: &self.separator,
        });
        output.base
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        let len = self.base.exact_len(seal)?;
        len.checked_add(len.saturating_sub(1))
    }
}

struct IntersperseSink<'a, S, T> {
    base: &'a S,
    separator: &'a Original<T>,
}

struct Run<B, T> {
    base: B,
    /// Where it starts.
    start: usize,
    /// Whether there are items.
    any: bool,
    /// Whether it has been allotted positions.
    allotted: bool,
    separator: T,
}

struct Runs<B> {
    base: B,
    any: bool,
    /// The starts of the first run, and of the last run that has items.
    first: usize,
    last: usize,
}

impl<T: Clone + Send, S: Sink<T>> Sink<T> for IntersperseSink<'_, S, T> {
    type Acc = Run<S::Acc, T>;
    type Output = Runs<S::Output>;

    fn begin(&self, position: usize) -> Self::Acc {
        let start = position.saturating_mul(2);
        Run {
            base: self.base.begin(start),
            start,
            any: false,
            allotted: false,
            separator: self.separator.copy(),
        }
    }

    #[inline]
    fn allot(&self, run: &mut Self::Acc, positions: usize) {
        // The first item of a run has no separator before it.
        let without = usize::from(!run.allotted);
        run.allotted |= positions > 0;
        let positions = positions.saturating_mul(2).saturating_sub(without);
        self.base.allot(&mut run.base, positions);
    }

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, run: &mut Self::Acc, items: J) {
        let items = Separated {
            items,
            separator: &run.separator,
            any: &mut run.any,
            held: None,
        };
        self.base.push_all(&mut run.base, items);
    }

    fn finish(&self, run: Self::Acc) -> Self::Output {
        Runs {
            base: self.base.finish(run.base),
            any: run.any,
            first: run.start,
            last: run.start,
        }
    }

    fn merge(&self, left: Self::Output, right: Self::Output) -> Self::Output {
        let mut base = right.base;
        if left.any && right.any {
            // Directly before the next run; with exact positions that is behind `last`, which has
            // been allotted positions. (A run without items may start where the next one does.)
            let position = right.first.saturating_sub(1).max(left.last);
            let mut acc = self.base.begin(position);
            self.base.allot(&mut acc, 1);
            self.base
                .push_all(&mut acc, iter::once(self.separator.copy()));
            base = self.base.merge(self.base.finish(acc), base);
        }
        Runs {
            base: self.base.merge(left.base, base),
            any: left.any || right.any,
            first: left.first,
            last: if right.any { right.last } else { left.last },
        }
    }

    #[inline]
    fn is_full(&self, run: &Self::Acc) -> bool {
        self.base.is_full(&run.base)
    }
}

/// Items with separators before all but the first of the run.
struct Separated<'r, J: Iterator> {
    items: J,
    separator: &'r J::Item,
    any: &'r mut bool,
    held: Option<J::Item>,
}

impl<J: Iterator<Item: Clone>> Iterator for Separated<'_, J> {
    type Item = J::Item;

    #[inline]
    fn next(&mut self) -> Option<J::Item> {
        if let Some(item) = self.held.take() {
            return Some(item);
        }
        let item = self.items.next()?;
        if *self.any {
            self.held = Some(item);
            Some(self.separator.clone())
        } else {
            *self.any = true;
            Some(item)
        }
    }
}

impl<I: IndexedParallelIterator<Item: Clone>> IndexedParallelIterator for Intersperse<I> {
    type Producer<'p>
        = IntersperseProducer<'p, I::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        let len = self.base.len();
        let len = len.checked_add(len.saturating_sub(1));
        len.expect("no more items than usize can count")
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        let len = self.len();
        IntersperseProducer {
            base: self.base.producer(seal),
            separator: &self.separator,
            len,
            separator_is_next: false,
        }
    }
}

/// The remaining items of an [`Intersperse`].
#[derive(Debug)]
pub struct IntersperseProducer<'p, P: Producer> {
    base: P,
    separator: &'p Original<P::Item>,
    len: usize,
    separator_is_next: bool,
}

impl<P> Producer for IntersperseProducer<'_, P>
where
    P: Producer<Item: Clone + Send, Iter: DoubleEndedIterator + ExactSizeIterator>,
{
    type Item = P::Item;
    type State = (P::State, Rc<P::Item>);
    type Iter = Interspersed<P::Iter>;

    fn len(&self) -> usize {
        self.len
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let IntersperseProducer {
            base,
            separator,
            len,
            separator_is_next,
        } = self;
        let items = if separator_is_next {
            at / 2
        } else {
            at.div_ceil(2)
        };
        let (left, right) = base.split_at(items);
        let intersperse = |base, len, separator_is_next| IntersperseProducer {
            base,
            separator,
            len,
            separator_is_next,
        };
        (
            intersperse(left, at, separator_is_next),
            intersperse(right, len - at, separator_is_next ^ (at % 2 == 1)),
        )
    }

    fn state(&self) -> Self::State {
        (self.base.state(), Rc::new(self.separator.copy()))
    }

    fn iter(self, (base, separator): &Self::State) -> Self::Iter {
        let expected = self.base.len();
        let items = self.base.iter(base);
        // From here on the length is promised, or cut (panic_fuse.rs).
        let whole = items.len() == expected;
        Interspersed {
            items,
            separator: Rc::clone(separator),
            len: if whole { self.len } else { 0 },
            separator_is_next: self.separator_is_next,
        }
    }
}

/// Alternating items and separators, `len` in all.
#[derive(Debug)]
pub struct Interspersed<J: Iterator> {
    items: J,
    separator: Rc<J::Item>,
    len: usize,
    separator_is_next: bool,
}

impl<J: Iterator<Item: Clone>> Iterator for Interspersed<J> {
    type Item = J::Item;

    #[inline]
    fn next(&mut self) -> Option<J::Item> {
        self.len = self.len.checked_sub(1)?;
        let separator = self.separator_is_next;
        self.separator_is_next = !separator;
        if separator {
            Some(J::Item::clone(&self.separator))
        } else {
            self.items.next()
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<J: DoubleEndedIterator<Item: Clone>> DoubleEndedIterator for Interspersed<J> {
    fn next_back(&mut self) -> Option<J::Item> {
        self.len = self.len.checked_sub(1)?;
        let separator = self.separator_is_next ^ (self.len % 2 == 1);
        if separator {
            Some(J::Item::clone(&self.separator))
        } else {
            self.items.next_back()
        }
    }
}

impl<J: Iterator<Item: Clone>> ExactSizeIterator for Interspersed<J> {}
