//! Collecting into an `Option` or a `Result`: what is inside, unless some item is `None` or an
//! error; then all runs stop.

use crate::{
    attempt::Try,
    iter::{FromParallelIterator, IntoParallelIterator, ParallelIterator},
    shape::{Sink, forward},
};
use std::{
    marker::PhantomData,
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// The first reason to stop that a thread had.
struct Failure<E> {
    happened: AtomicBool,
    reason: Mutex<Option<E>>,
}

impl<E> Failure<E> {
    fn set(&self, reason: E) {
        let mut first = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(reason);
        self.happened.store(true, Ordering::Relaxed);
    }

    fn has_happened(&self) -> bool {
        self.happened.load(Ordering::Relaxed)
    }
}

/// Collects the outputs of `items`, or the reason why not.
fn collect<C, I>(items: I) -> ControlFlow<<I::Item as Try>::Residual, C>
where
    C: FromParallelIterator<<I::Item as Try>::Output>,
    I: ParallelIterator<Item: Try<Output: Send, Residual: Send>>,
{
    let failure = Failure {
        happened: AtomicBool::new(false),
        reason: Mutex::new(None),
    };
    let collected = C::from_par_iter(Outputs {
        base: items,
        failure: &failure,
    });
    let reason = failure
        .reason
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    match reason {
        None => ControlFlow::Continue(collected),
        Some(reason) => ControlFlow::Break(reason),
    }
}

/// The outputs of items, up to the first failure.
struct Outputs<'f, I, E> {
    base: I,
    failure: &'f Failure<E>,
}

impl<I, R> ParallelIterator for Outputs<'_, I, R::Residual>
where
    I: ParallelIterator<Item = R>,
    R: Try<Output: Send, Residual: Send>,
{
    type Item = R::Output;

    fn drive<S: Sink<R::Output>>(self, sink: &S) -> S::Output {
        self.base.drive(&OutputsSink {
            base: sink,
            failure: self.failure,
            item: PhantomData::<fn(R)>,
        })
    }
}

struct OutputsSink<'a, S, E, R> {
    base: &'a S,
    failure: &'a Failure<E>,
    item: PhantomData<R>,
}

impl<R, S> Sink<R> for OutputsSink<'_, S, R::Residual, fn(R)>
where
    R: Try<Residual: Send>,
    S: Sink<R::Output>,
{
    forward!(|sink| sink.failure.has_happened());

    #[inline]
    fn push_all<I: Iterator<Item = R>>(&self, acc: &mut S::Acc, items: I) {
        let outputs = items.map_while(|item| match item.branch() {
            ControlFlow::Continue(output) if !self.failure.has_happened() => Some(output),
            ControlFlow::Continue(_) => None,
            ControlFlow::Break(reason) => {
                self.failure.set(reason);
                None
            }
        });
        self.base.push_all(acc, outputs);
    }
}

/// `None` if any item is.
impl<T: Send, C: FromParallelIterator<T>> FromParallelIterator<Option<T>> for Option<C> {
    fn from_par_iter<I: IntoParallelIterator<Item = Option<T>>>(items: I) -> Self {
        match collect(items.into_par_iter()) {
            ControlFlow::Continue(collected) => Some(collected),
            ControlFlow::Break(()) => None,
        }
    }
}

/// An error if any item is: the one that was found first, if there are several.
impl<T: Send, E: Send, C> FromParallelIterator<Result<T, E>> for Result<C, E>
where
    C: FromParallelIterator<T>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = Result<T, E>>>(items: I) -> Self {
        match collect(items.into_par_iter()) {
            ControlFlow::Continue(collected) => Ok(collected),
            ControlFlow::Break(error) => Err(error),
        }
    }
}
