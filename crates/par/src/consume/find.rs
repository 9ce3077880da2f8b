//! `find_any`, `find_first`, `find_last`, and the methods based on them.
//!
//! A run that finds an item publishes the position at which the run started: runs on the wrong side
//! of it stop. If positions are not exact, several runs may have the same one; those all go on, and
//! merging picks the right item.
//!
//! The search also decides where to start (`Order`): at the end for the last item. For any item,
//! the kernel soon tries other places of the remaining items.

use crate::{
    flag::Flag,
    shape::{Order, Sink},
};
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicUsize, Ordering},
};

/// Which of the found items is wanted, and where items have been found so far.
pub(crate) trait Wanted: Sync {
    /// Where to search first.
    const ORDER: Order;

    /// Records that the run that started at `start` found an item.
    fn found(&self, start: usize);

    /// Returns whether items of the run that started at `start` are not needed.
    fn is_hopeless(&self, start: usize) -> bool;
}

/// Any.
#[derive(Default)]
pub(crate) struct Any(Flag);

impl Wanted for Any {
    const ORDER: Order = Order::Any;

    fn found(&self, _: usize) {
        self.0.raise();
    }

    #[inline]
    fn is_hopeless(&self, _: usize) -> bool {
        self.0.is_raised()
    }
}

/// The first; the position of the first run that found one.
pub(crate) struct First(AtomicUsize);

impl Default for First {
    fn default() -> Self {
        First(AtomicUsize::new(usize::MAX))
    }
}

impl Wanted for First {
    const ORDER: Order = Order::Forward;

    fn found(&self, start: usize) {
        self.0.fetch_min(start, Ordering::Relaxed);
    }

    #[inline]
    fn is_hopeless(&self, start: usize) -> bool {
        self.0.load(Ordering::Relaxed) < start
    }
}

/// The last; the position of the last run that found one.
#[derive(Default)]
pub(crate) struct Last(AtomicUsize);

impl Wanted for Last {
    const ORDER: Order = Order::Backward;

    fn found(&self, start: usize) {
        self.0.fetch_max(start, Ordering::Relaxed);
    }

    #[inline]
    fn is_hopeless(&self, start: usize) -> bool {
        self.0.load(Ordering::Relaxed) > start
    }
}

/// Searches for an item for which `f` returns `Some`.
pub(crate) struct Find<W, F> {
    wanted: W,
    f: F,
}

impl<W: Wanted, F> Find<W, F> {
    /// Whether a later one is better than an earlier one.
    const LAST: bool = matches!(W::ORDER, Order::Backward);
}

impl<W: Default, F> Find<W, F> {
    pub(crate) fn new(f: F) -> Self {
        Find {
            wanted: W::default(),
            f,
        }
    }
}

/// The number of items after which a run checks again whether it is needed. Blocks may be long,
/// since one position may become many items.
const GROUP: u32 = 16;

pub(crate) struct Search<R> {
    start: usize,
    found: Option<R>,
}

impl<T, R: Send, W: Wanted, F: Fn(T) -> Option<R> + Sync> Sink<T> for Find<W, F> {
    type Acc = Search<R>;
    type Output = Option<R>;

    const ORDER: Order = W::ORDER;

    fn begin(&self, position: usize) -> Search<R> {
        Search {
            start: position,
            found: None,
        }
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, run: &mut Search<R>, mut items: I) {
        if self.is_full(run) {
            return;
        }
        loop {
            let mut group = GROUP;
            let flow = items.try_for_each(|item| {
                if let Some(found) = (self.f)(item) {
                    run.found = Some(found);
                    if !Self::LAST {
                        return ControlFlow::Break(());
                    }
                }
                group -= 1;
                if group == 0 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            if run.found.is_some() {
                self.wanted.found(run.start);
            }
            if flow.is_continue() || self.is_full(run) {
                return;
            }
        }
    }

    fn finish(&self, run: Search<R>) -> Option<R> {
        run.found
    }

    fn merge(&self, left: Option<R>, right: Option<R>) -> Option<R> {
        if Self::LAST {
            right.or(left)
        } else {
            left.or(right)
        }
    }

    #[inline]
    fn is_full(&self, run: &Search<R>) -> bool {
        (!Self::LAST && run.found.is_some()) || self.wanted.is_hopeless(run.start)
    }

    #[inline]
    fn has_last(&self, run: &Search<R>) -> bool {
        Self::LAST && run.found.is_some()
    }
}
