//! `panic_fuse`: after a panic, the other threads stop before their next item instead of their next
//! block.
//!
//! Adaptors above rely on lengths: `chunks` goes on for as long as there are items, and std's `Zip`
//! panics from the back if one of two equally long iterators ends first. So lengths stay true,
//! which is the invariant of [`Fused`]: **promised**. If the length of a block was queried before
//! the fuse blew, the block yields all its items; if it is queried later, the block is empty.
//! Promised items stop before the next block.

use super::transform::{Transform, Transformed};
use crate::{
    flag::Flag,
    iter::{IndexedParallelIterator, ParallelIterator},
    shape::{Producer, Seal, Sink},
};
use std::{cell::Cell, iter, thread};

/// See [`ParallelIterator::panic_fuse`].
#[derive(Clone, Debug)]
#[must_use = "iterator adaptors are lazy"]
pub struct PanicFuse<I> {
    base: I,
    /// Raised by a panic.
    fuse: Flag,
}

impl<I> PanicFuse<I> {
    pub(crate) fn new(base: I) -> Self {
        let fuse = Flag::default();
        PanicFuse { base, fuse }
    }
}

/// Items until the fuse is blown, unless they are *promised*. Blows it if a panic drops it.
#[derive(Debug)]
pub struct Fused<'p, J> {
    items: J,
    fuse: &'p Flag,
    /// Whether all items will be yielded, since their number was.
    promised: Cell<bool>,
    /// Whether it was created during another panic.
    was_panicking: bool,
}

impl<J> Drop for Fused<'_, J> {
    fn drop(&mut self) {
        if !self.was_panicking && thread::panicking() {
            self.fuse.raise();
        }
    }
}

impl<'p, J> Fused<'p, J> {
    fn new(items: J, fuse: &'p Flag) -> Self {
        Fused {
            items,
            fuse,
            promised: Cell::new(false),
            was_panicking: thread::panicking(),
        }
    }

    #[inline]
    fn is_cut(&self) -> bool {
        self.fuse.is_raised() && !self.promised.get()
    }
}

impl<J: Iterator> Iterator for Fused<'_, J> {
    type Item = J::Item;

    #[inline]
    fn next(&mut self) -> Option<J::Item> {
        if self.is_cut() {
            None
        } else {
            self.items.next()
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        if self.is_cut() {
            return (0, Some(0));
        }
        self.promised.set(true);
        self.items.size_hint()
    }
}

impl<J: DoubleEndedIterator> DoubleEndedIterator for Fused<'_, J> {
    #[inline]
    fn next_back(&mut self) -> Option<J::Item> {
        if self.is_cut() {
            None
        } else {
            self.items.next_back()
        }
    }
}

/// *Promised*.
impl<J: ExactSizeIterator> ExactSizeIterator for Fused<'_, J> {}

impl<I: ParallelIterator> ParallelIterator for PanicFuse<I> {
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        let fuse = Fusing(&self.fuse);
        Transformed::new(self.base, fuse).drive(sink)
    }

    fn exact_len(&self, seal: Seal) -> Option<usize> {
        self.base.exact_len(seal)
    }
}

/// Yields items until the fuse is blown. Sinks need no lengths, and a hint would be a promise.
struct Fusing<'p>(&'p Flag);

impl<T: Send> Transform<T> for Fusing<'_> {
    type Output = T;

    const FORWARD: bool = true;

    #[inline]
    fn through<J: Iterator<Item = T>>(&self, items: J) -> impl Iterator<Item = T> {
        let mut items = Fused::new(items, self.0);
        iter::from_fn(move || items.next())
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.0.is_raised()
    }
}

impl<I: IndexedParallelIterator> IndexedParallelIterator for PanicFuse<I> {
    type Producer<'p>
        = PanicFuseProducer<'p, I::Producer<'p>>
    where
        Self: 'p;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn producer(&mut self, seal: Seal) -> Self::Producer<'_> {
        PanicFuseProducer {
            base: self.base.producer(seal),
            fuse: &self.fuse,
        }
    }
}

/// The remaining items of a [`PanicFuse`].
#[derive(Debug)]
pub struct PanicFuseProducer<'p, P> {
    base: P,
    fuse: &'p Flag,
}

impl<'p, P: Producer> Producer for PanicFuseProducer<'p, P> {
    type Item = P::Item;
    type State = P::State;
    type Iter = Fused<'p, P::Iter>;

    fn len(&self) -> usize {
        self.base.len()
    }

    fn split_at(self, at: usize) -> (Self, Self) {
        let PanicFuseProducer { base, fuse } = self;
        let (left, right) = base.split_at(at);
        let fused = |base| PanicFuseProducer { base, fuse };
        (fused(left), fused(right))
    }

    fn state(&self) -> P::State {
        self.base.state()
    }

    fn iter(self, state: &P::State) -> Self::Iter {
        Fused::new(self.base.iter(state), self.fuse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iter::IntoParallelIterator;
    use std::panic::{self, AssertUnwindSafe};

    /// In the middle of a block as well, and only of the loop that panics.
    #[test]
    fn others_stop_before_their_next_item() {
        let mut all = (0..10_usize).into_par_iter().panic_fuse();
        let mut copy = all.clone();
        let (panics, other) = all.producer(Seal(())).split_at(5);
        let mut begun = other.iter(&());
        assert_eq!(begun.next(), Some(5));
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
            panics.iter(&()).for_each(|n| assert!(n < 3));
        }));
        assert!(outcome.is_err());
        assert_eq!(begun.next(), None);
        assert_eq!(begun.next_back(), None);
        assert_eq!(begun.len(), 0);
        assert_eq!(copy.producer(Seal(())).iter(&()).count(), 10);
    }
}
