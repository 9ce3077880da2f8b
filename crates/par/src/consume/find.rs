//! `find_any`, `find_first`, `find_last`, and what is made of them.
//!
//! Runs tell each other where something was found by the position at which the finder's run began: runs on its wrong side need
//! not go on. Where positions are not exact, several runs may have the same one; those all go on, and merging
//! picks the right one.

use crate::shape::Sink;
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

/// Which of the items found is wanted, and where such were found so far.
pub(crate) trait Wanted: Sync {
    /// Whether a later one is better than an earlier one.
    const LAST: bool;

    /// Something was found by the run that began at `start`.
    fn found(&self, start: usize);

    /// Whether what the run that began at `start` may find is not needed.
    fn is_hopeless(&self, start: usize) -> bool;
}

/// Any.
#[derive(Default)]
pub(crate) struct Any(AtomicBool);

impl Wanted for Any {
    const LAST: bool = false;

    fn found(&self, _: usize) {
        self.0.store(true, Ordering::Relaxed);
    }

    #[inline]
    fn is_hopeless(&self, _: usize) -> bool {
        self.0.load(Ordering::Relaxed)
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
    const LAST: bool = false;

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
    const LAST: bool = true;

    fn found(&self, start: usize) {
        self.0.fetch_max(start, Ordering::Relaxed);
    }

    #[inline]
    fn is_hopeless(&self, start: usize) -> bool {
        self.0.load(Ordering::Relaxed) > start
    }
}

/// Looks for an item of which `f` makes something; `f` is also told the item's position, if positions are exact.
pub(crate) struct Find<W, F> {
    wanted: W,
    f: F,
}

impl<W: Default, F> Find<W, F> {
    pub(crate) fn new(f: F) -> Self {
        Find {
            wanted: W::default(),
            f,
        }
    }
}

pub(crate) struct Search<R> {
    start: usize,
    /// The position of the next item, if positions are exact.
    next: usize,
    found: Option<R>,
}

impl<T, R: Send, W: Wanted, F: Fn(usize, T) -> Option<R> + Sync> Sink<T> for Find<W, F> {
    type Acc = Search<R>;
    type Output = Option<R>;

    fn begin(&self, position: usize) -> Search<R> {
        Search {
            start: position,
            next: position,
            found: None,
        }
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, run: &mut Search<R>, mut items: I) {
        if self.is_full(run) {
            return;
        }
        let (start, mut next) = (run.start, run.next);
        let _ = items.try_for_each(|item| {
            let found = (self.f)(next, item);
            next = next.wrapping_add(1);
            if found.is_some() {
                self.wanted.found(start);
                run.found = found;
                if !W::LAST {
                    return ControlFlow::Break(());
                }
            }
            if self.wanted.is_hopeless(start) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        run.next = next;
    }

    fn finish(&self, run: Search<R>) -> Option<R> {
        run.found
    }

    fn merge(&self, left: Option<R>, right: Option<R>) -> Option<R> {
        if W::LAST {
            right.or(left)
        } else {
            left.or(right)
        }
    }

    #[inline]
    fn is_full(&self, run: &Search<R>) -> bool {
        (!W::LAST && run.found.is_some()) || self.wanted.is_hopeless(run.start)
    }
}
