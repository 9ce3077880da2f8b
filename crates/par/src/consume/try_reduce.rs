//! `try_reduce`, `try_for_each` and their variants: all runs stop once one has a reason to.

use crate::{
    attempt::{Try, from_flow},
    flag::Flag,
    shape::Sink,
};
use std::ops::ControlFlow::{self, Break, Continue};

pub(crate) struct TryReduce<F> {
    op: F,
    stopped: Flag,
}

impl<F> TryReduce<F> {
    pub(crate) fn new(op: F) -> Self {
        TryReduce {
            op,
            stopped: Flag::default(),
        }
    }
}

impl<R, T, F> Sink<R> for TryReduce<F>
where
    R: Try<Output = T> + Send,
    F: Fn(T, T) -> R + Sync,
{
    type Acc = Option<ControlFlow<R::Residual, T>>;
    type Output = Option<R>;

    fn begin(&self, _: usize) -> Self::Acc {
        None
    }

    #[inline]
    fn push_all<I: Iterator<Item = R>>(&self, acc: &mut Self::Acc, mut items: I) {
        if self.stopped.is_raised() {
            return;
        }
        let Some(first) = acc.take().or_else(|| items.next().map(R::branch)) else {
            return;
        };
        // Breaks with a reason to stop, or with the total if another run has one.
        let flow = match first {
            Continue(first) => items.try_fold(first, |total, item| match item.branch() {
                Continue(item) => match (self.op)(total, item).branch() {
                    Continue(total) if !self.stopped.is_raised() => Continue(total),
                    stop => Break(stop),
                },
                stop => Break(stop),
            }),
            stop => Break(stop),
        };
        let flow = match flow {
            Continue(total) => Continue(total),
            Break(flow) => flow,
        };
        if flow.is_break() {
            self.stopped.raise();
        }
        *acc = Some(flow);
    }

    fn finish(&self, acc: Self::Acc) -> Option<R> {
        acc.map(from_flow)
    }

    fn merge(&self, left: Option<R>, right: Option<R>) -> Option<R> {
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left.branch(), right.branch()),
            (left, right) => return left.or(right),
        };
        let flow = match (left, right) {
            (Continue(left), Continue(right)) => (self.op)(left, right).branch(),
            (Break(reason), _) | (_, Break(reason)) => Break(reason),
        };
        if flow.is_break() {
            self.stopped.raise();
        }
        Some(from_flow(flow))
    }

    fn is_full(&self, _: &Self::Acc) -> bool {
        self.stopped.is_raised()
    }
}
