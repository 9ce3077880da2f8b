//! A sink that has its runs begin elsewhere: for loops that are parts of a larger one.
//!
//! The part's positions begin at 0. Either they follow something that has so many positions (they stay exact then), or all of
//! its runs are to begin at one and the same position of the larger loop (*monotone* is all that can be had then).

use crate::shape::Sink;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where runs begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// All here.
    Here(usize),
    /// So much further.
    After(usize),
}

/// A sink whose runs begin at a place.
pub(crate) struct At<'a, S> {
    base: &'a S,
    place: Place,
    full: AtomicBool,
}

impl<'a, S> At<'a, S> {
    pub(crate) fn new(base: &'a S, place: Place) -> Self {
        At {
            base,
            place,
            full: AtomicBool::new(false),
        }
    }

    /// Whether any run has ended because the sink was full.
    pub(crate) fn was_full(self) -> bool {
        self.full.into_inner()
    }
}

impl<T, S: Sink<T>> Sink<T> for At<'_, S> {
    type Acc = S::Acc;
    type Output = S::Output;

    #[inline]
    fn begin(&self, position: usize) -> S::Acc {
        self.base.begin(match self.place {
            Place::Here(here) => here,
            Place::After(offset) => offset.saturating_add(position),
        })
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, acc: &mut S::Acc, items: I) {
        self.base.push_all(acc, items);
    }

    #[inline]
    fn finish(&self, acc: S::Acc) -> S::Output {
        if self.base.is_full(&acc) {
            self.full.store(true, Ordering::Relaxed);
        }
        self.base.finish(acc)
    }

    #[inline]
    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    #[inline]
    fn is_full(&self, acc: &S::Acc) -> bool {
        self.base.is_full(acc)
    }
}
