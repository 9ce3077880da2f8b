//! `try_fold` and `try_fold_with`: each run becomes one item, or stops.

use super::original::Original;
use crate::{attempt::Try, iter::ParallelIterator, shape::Sink};
use std::{
    fmt,
    marker::PhantomData,
    ops::ControlFlow::{self, Break, Continue},
};

/// See [`ParallelIterator::try_fold`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct TryFold<I, R, ID, F> {
    base: I,
    identity: ID,
    op: F,
    result: PhantomData<fn() -> R>,
}

crate::debug::debug! { TryFold [I, R, ID, F] [I] base = base }

impl<I, R, ID, F> TryFold<I, R, ID, F> {
    pub(crate) fn new(base: I, identity: ID, op: F) -> Self {
        TryFold {
            base,
            identity,
            op,
            result: PhantomData,
        }
    }
}

impl<I, R, ID, F> ParallelIterator for TryFold<I, R, ID, F>
where
    I: ParallelIterator,
    R: Try + Send,
    ID: Fn() -> R::Output + Sync + Send,
    F: Fn(R::Output, I::Item) -> R + Sync + Send,
{
    type Item = R;

    fn drive<S: Sink<R>>(self, sink: &S) -> S::Output {
        self.base.drive(&TryFoldSink {
            base: sink,
            identity: &self.identity,
            op: &self.op,
            result: PhantomData,
        })
    }
}

/// See [`ParallelIterator::try_fold_with`].
#[derive(Clone)]
#[must_use = "iterator adaptors are lazy"]
pub struct TryFoldWith<I, R: Try, F> {
    base: I,
    init: Original<R::Output>,
    op: F,
}

impl<I: fmt::Debug, R: Try<Output: fmt::Debug>, F> fmt::Debug for TryFoldWith<I, R, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TryFoldWith")
            .field("base", &self.base)
            .field("item", &self.init)
            .finish()
    }
}

impl<I, R: Try, F> TryFoldWith<I, R, F> {
    pub(crate) fn new(base: I, init: R::Output, op: F) -> Self {
        let init = Original::new(init);
        TryFoldWith { base, init, op }
    }
}

impl<I, R, F> ParallelIterator for TryFoldWith<I, R, F>
where
    I: ParallelIterator,
    R: Try<Output: Send + Clone> + Send,
    F: Fn(R::Output, I::Item) -> R + Sync + Send,
{
    type Item = R;

    fn drive<S: Sink<R>>(self, sink: &S) -> S::Output {
        self.base.drive(&TryFoldSink {
            base: sink,
            identity: &|| self.init.copy(),
            op: &self.op,
            result: PhantomData,
        })
    }
}

struct TryFoldSink<'a, S, R, ID, F> {
    base: &'a S,
    identity: &'a ID,
    op: &'a F,
    result: PhantomData<fn() -> R>,
}

impl<T, R, S, ID, F> Sink<T> for TryFoldSink<'_, S, R, ID, F>
where
    R: Try,
    S: Sink<R>,
    ID: Fn() -> R::Output + Sync,
    F: Fn(R::Output, T) -> R + Sync,
{
    /// The run's value is missing only while it is worked on.
    type Acc = (S::Acc, Option<ControlFlow<R::Residual, R::Output>>);
    type Output = S::Output;

    fn begin(&self, position: usize) -> Self::Acc {
        (self.base.begin(position), Some(Continue((self.identity)())))
    }

    #[inline]
    fn push_all<J: Iterator<Item = T>>(&self, (_, flow): &mut Self::Acc, mut items: J) {
        *flow = flow.take().map(|flow| {
            let value = flow?;
            items.try_fold(value, |value, item| (self.op)(value, item).branch())
        });
    }

    fn finish(&self, (mut acc, flow): Self::Acc) -> S::Output {
        let result = flow.map(|flow| match flow {
            Continue(value) => R::from_output(value),
            Break(reason) => R::from_residual(reason),
        });
        self.base.push_all(&mut acc, result.into_iter());
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
