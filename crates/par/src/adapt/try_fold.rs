//! `try_fold` and `try_fold_with`: each run becomes one item, or stops.

use super::original::{Given, Init, Original};
use crate::{
    attempt::{Try, from_flow},
    iter::ParallelIterator,
    shape::Sink,
};
use std::{
    fmt,
    marker::PhantomData,
    ops::ControlFlow::{self, Break, Continue},
};

/// See [`ParallelIterator::try_fold`].
pub type TryFold<I, R, ID, F> = TryFoldRuns<I, R, Given<ID>, F>;

crate::debug::debug! { TryFold [I, R, ID, F] [I] base = base }

/// See [`ParallelIterator::try_fold_with`].
pub type TryFoldWith<I, R, F> = TryFoldRuns<I, R, Original<<R as Try>::Output>, F>;

impl<I: fmt::Debug, R: Try<Output: fmt::Debug>, F> fmt::Debug for TryFoldWith<I, R, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryFoldWith")
            .field("base", &self.base)
            .field("item", &self.init)
            .finish()
    }
}

/// Folds each run, beginning with a value of its own.
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct TryFoldRuns<I, R, N, F> {
    base: I,
    init: N,
    op: F,
    result: PhantomData<fn() -> R>,
}

impl<I, R, N, F> TryFoldRuns<I, R, N, F> {
    pub(crate) fn new(base: I, init: N, op: F) -> Self {
        TryFoldRuns {
            base,
            init,
            op,
            result: PhantomData,
        }
    }
}

impl<I, R, N, F> ParallelIterator for TryFoldRuns<I, R, N, F>
where
    I: ParallelIterator,
    R: Try + Send,
    N: Init<Value = R::Output>,
    F: Fn(R::Output, I::Item) -> R + Sync + Send,
{
    type Item = R;

    fn drive<S: Sink<R>>(self, sink: &S) -> S::Output {
        self.base.drive(&TryFoldSink {
            base: sink,
            init: &self.init,
            op: &self.op,
            result: PhantomData,
        })
    }
}

struct TryFoldSink<'a, S, R, N, F> {
    base: &'a S,
    init: &'a N,
    op: &'a F,
    result: PhantomData<fn() -> R>,
}

impl<T, R, S, N, F> Sink<T> for TryFoldSink<'_, S, R, N, F>
where
    R: Try,
    S: Sink<R>,
    N: Init<Value = R::Output>,
    F: Fn(R::Output, T) -> R + Sync,
{
    /// The run's value is `None` only while `op` runs.
    type Acc = (S::Acc, Option<ControlFlow<R::Residual, R::Output>>);
    type Output = S::Output;

    fn begin(&self, position: usize) -> Self::Acc {
        (self.base.begin(position), Some(Continue(self.init.value())))
    }

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, (_, flow): &mut Self::Acc, mut items: J) {
        *flow = flow.take().map(|flow| {
            let value = flow?;
            items.try_fold(value, |value, item| (self.op)(value, item).branch())
        });
    }

    fn finish(&self, (mut acc, flow): Self::Acc) -> S::Output {
        self.base
            .push_all(&mut acc, flow.map(from_flow).into_iter());
        self.base.finish(acc)
    }

    fn merge(&self, left: S::Output, right: S::Output) -> S::Output {
        self.base.merge(left, right)
    }

    #[inline]
    fn is_full(&self, (acc, flow): &Self::Acc) -> bool {
        matches!(flow, Some(Break(_))) || self.base.is_full(acc)
    }
}
