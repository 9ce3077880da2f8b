//! `try_for_each` and its variants: all runs stop once one has a reason to.

use crate::{attempt::Try, shape::Sink};
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

/// The items are the results of the calls.
#[derive(Default)]
pub(crate) struct TryForEach {
    stopped: AtomicBool,
}

impl<R: Try<Output = ()> + Send> Sink<R> for TryForEach {
    type Acc = R;
    type Output = R;

    fn begin(&self, _: usize) -> R {
        R::from_output(())
    }

    #[inline]
    fn push_all<I: Iterator<Item = R>>(&self, result: &mut R, mut items: I) {
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        let flow = items.try_for_each(|item| match item.branch() {
            ControlFlow::Break(reason) => ControlFlow::Break(Some(reason)),
            ControlFlow::Continue(()) if self.stopped.load(Ordering::Relaxed) => {
                ControlFlow::Break(None)
            }
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
        });
        if let ControlFlow::Break(Some(reason)) = flow {
            self.stopped.store(true, Ordering::Relaxed);
            *result = R::from_residual(reason);
        }
    }

    fn finish(&self, result: R) -> R {
        result
    }

    fn merge(&self, left: R, right: R) -> R {
        match left.branch() {
            ControlFlow::Continue(()) => right,
            ControlFlow::Break(reason) => R::from_residual(reason),
        }
    }

    fn is_full(&self, _: &R) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
