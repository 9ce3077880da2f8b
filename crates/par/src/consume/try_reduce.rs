//! `try_reduce` and `try_reduce_with`.

use crate::{attempt::Try, shape::Sink};
use std::{
    ops::ControlFlow::{self, Break, Continue},
    sync::atomic::{AtomicBool, Ordering},
};

pub(crate) struct TryReduce<F> {
    op: F,
    stopped: AtomicBool,
}

impl<F> TryReduce<F> {
    pub(crate) fn new(op: F) -> Self {
        TryReduce {
            op,
            stopped: AtomicBool::new(false),
        }
    }

    fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
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
        if self.is_stopped() {
            return;
        }
        let mut total = match acc.take() {
            Some(Continue(total)) => total,
            // A run with a reason to stop has reported it.
            Some(Break(_)) | None => match items.next().map(R::branch) {
                None => return,
                Some(Continue(first)) => first,
                Some(Break(reason)) => {
                    self.stop();
                    *acc = Some(Break(reason));
                    return;
                }
            },
        };
        for item in items {
            let next = match item.branch() {
                Continue(item) => (self.op)(total, item).branch(),
                stop => stop,
            };
            match next {
                Continue(next) => total = next,
                Break(reason) => {
                    self.stop();
                    *acc = Some(Break(reason));
                    return;
                }
            }
            if self.is_stopped() {
                break;
            }
        }
        *acc = Some(Continue(total));
    }

    fn finish(&self, acc: Self::Acc) -> Option<R> {
        acc.map(|flow| match flow {
            Continue(total) => R::from_output(total),
            Break(reason) => R::from_residual(reason),
        })
    }

    fn merge(&self, left: Option<R>, right: Option<R>) -> Option<R> {
        let (left, right) = match (left, right) {
            (Some(left), Some(right)) => (left.branch(), right.branch()),
            (left, right) => return left.or(right),
        };
        Some(match (left, right) {
            (Continue(left), Continue(right)) => match (self.op)(left, right).branch() {
                Continue(total) => R::from_output(total),
                Break(reason) => {
                    self.stop();
                    R::from_residual(reason)
                }
            },
            (Break(reason), _) | (_, Break(reason)) => R::from_residual(reason),
        })
    }

    fn is_full(&self, _: &Self::Acc) -> bool {
        self.is_stopped()
    }
}
