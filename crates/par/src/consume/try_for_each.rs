//! `try_for_each` and its like: all runs stop once one has a reason to.

use crate::{attempt::Try, shape::Sink};
use std::{
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

pub(crate) struct TryForEach<N, F> {
    init: N,
    f: F,
    stopped: AtomicBool,
}

impl<N, F> TryForEach<N, F> {
    pub(crate) fn new(init: N, f: F) -> Self {
        TryForEach {
            init,
            f,
            stopped: AtomicBool::new(false),
        }
    }
}

impl<T, X, N, F, R> Sink<T> for TryForEach<N, F>
where
    N: Fn() -> X + Sync,
    F: Fn(&mut X, T) -> R + Sync,
    R: Try<Output = ()> + Send,
{
    type Acc = (X, R);
    type Output = R;

    fn begin(&self, _: usize) -> (X, R) {
        ((self.init)(), R::from_output(()))
    }

    #[inline]
    fn push_all<I: Iterator<Item = T>>(&self, (state, result): &mut (X, R), mut items: I) {
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        let flow = items.try_for_each(|item| match (self.f)(state, item).branch() {
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

    fn finish(&self, (_, result): (X, R)) -> R {
        result
    }

    fn merge(&self, left: R, right: R) -> R {
        match left.branch() {
            ControlFlow::Continue(()) => right,
            ControlFlow::Break(reason) => R::from_residual(reason),
        }
    }

    fn is_full(&self, _: &(X, R)) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
