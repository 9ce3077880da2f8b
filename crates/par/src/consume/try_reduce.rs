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
        // If another run has stopped, its reason is the result, and the total is not needed.
        let flow = match first {
            Break(reason) => Break(Some(reason)),
            Continue(first) => items.try_fold(first, |total, item| {
                let item = item.branch().map_break(Some)?;
                let total = (self.op)(total, item).branch().map_break(Some)?;
                if self.stopped.is_raised() {
                    return Break(None);
                }
                Continue(total)
            }),
        };
        *acc = match flow {
            Continue(total) => Some(Continue(total)),
            Break(None) => None,
            Break(Some(reason)) => {
                self.stopped.raise();
                Some(Break(reason))
            }
        };
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
