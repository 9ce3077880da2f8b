//! A sink whose runs start at other positions: for loops that are parts of a larger one.
//!
//! The part's positions begin at 0. Either they follow a part with a known number of positions
//! (then they stay exact), or all of its runs start at the same position of the larger loop (then
//! they are only *monotone*).
//!
//! A part whose positions stay exact has a fixed number of them, and is allotted no more (*allotted
//! once*, shape.rs), even if it has more items.

use crate::{
    flag::Flag,
    shape::{Order, Sink},
};

/// Where runs start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Start {
    /// All at this position.
    Here(usize),
    /// `before` positions further, with at most `len` positions.
    After { before: usize, len: usize },
}

/// A sink whose runs start where a [`Start`] says.
pub(crate) struct At<'a, S> {
    base: &'a S,
    start: Start,
    full: Flag,
    last: Flag,
}

impl<'a, S> At<'a, S> {
    pub(crate) fn new(base: &'a S, start: Start) -> Self {
        At {
            base,
            start,
            full: Flag::default(),
            last: Flag::default(),
        }
    }

    /// Returns whether any run has ended because the sink was full.
    pub(crate) fn was_full(&self) -> bool {
        self.full.is_raised()
    }

    /// Returns whether items on the left of any run are no longer needed.
    pub(crate) fn had_last(&self) -> bool {
        self.last.is_raised()
    }
}

/// A run, and the number of positions that it may still be allotted.
pub(crate) struct Run<B> {
    base: B,
    room: usize,
}

impl<T, S: Sink<T>> Sink<T> for At<'_, S> {
    type Acc = Run<S::Acc>;
    type Output = S::Output;

    const ORDER: Order = S::ORDER;
    const PIECES: bool = S::PIECES;

    #[inline]
    fn begin(&self, position: usize) -> Self::Acc {
        let (position, room) = match self.start {
            Start::Here(here) => (here, 0),
            Start::After { before, len } => (
                before.saturating_add(position),
                len.saturating_sub(position),
            ),
        };
        Run {
            base: self.base.begin(position),
            room,
        }
    }

    #[inline]
    fn allot(&self, run: &mut Self::Acc, positions: usize) {
        if let Start::After { .. } = self.start {
            let left = run.room.checked_sub(positions);
            run.room = left.expect("no more items than the iterator said");
            self.base.allot(&mut run.base, positions);
        }
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, run: &mut Self::Acc, items: I) {
        self.base.push_all(&mut run.base, items);
    }

    fn cut(&self, run: &mut Self::Acc) {
        self.base.cut(&mut run.base);
    }

    #[inline]
    fn finish(&self, run: Self::Acc) -> S::Output {
        if self.base.is_full(&run.base) {
            self.full.raise();
        }
        if self.base.has_last(&run.base) {
            self.last.raise();
        }
        self.base.finish(run.base)
    }

    #[inline]
    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    #[inline]
    fn is_full(&self, run: &Self::Acc) -> bool {
        self.base.is_full(&run.base)
    }

    #[inline]
    fn has_last(&self, run: &Self::Acc) -> bool {
        self.base.has_last(&run.base)
    }
}
