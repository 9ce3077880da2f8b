//! Collecting into an `Option` or a `Result`: the values, unless an item is `None` or an error;
//! then all runs stop.

use crate::{
    adapt::transform::{Transform, Transformed},
    attempt::Try,
    iter::{FromParallelIterator, IntoParallelIterator, ParallelIterator},
};
use std::{
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// The first reason to stop.
struct Failure<E> {
    happened: AtomicBool,
    reason: Mutex<Option<E>>,
}

impl<E> Failure<E> {
    /// A later reason is dropped, which is users' code, when the lock is free again: after the
    /// guard, as arguments are.
    fn set(&self, reason: E) {
        let mut first = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none() {
            *first = Some(reason);
        }
        self.happened.store(true, Ordering::Relaxed);
    }

    fn has_happened(&self) -> bool {
        self.happened.load(Ordering::Relaxed)
    }
}

/// Collects the outputs of `items`, or returns the reason to stop.
fn collect<C, I>(items: I) -> ControlFlow<<I::Item as Try>::Residual, C>
where
    C: FromParallelIterator<<I::Item as Try>::Output>,
    I: ParallelIterator<Item: Try<Output: Send, Residual: Send>>,
{
    let failure = Failure {
        happened: AtomicBool::new(false),
        reason: Mutex::new(None),
    };
    let collected = C::from_par_iter(Transformed::new(items, Outputs { failure: &failure }));
    let reason = failure
        .reason
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    match reason {
        None => ControlFlow::Continue(collected),
        Some(reason) => ControlFlow::Break(reason),
    }
}

/// Keeps the outputs of items, up to the first failure.
struct Outputs<'f, E> {
    failure: &'f Failure<E>,
}

impl<R> Transform<R> for Outputs<'_, R::Residual>
where
    R: Try<Output: Send, Residual: Send>,
{
    type Output = R::Output;

    const FORWARD: bool = true;

    #[inline]
    fn through<J: Iterator<Item = R>>(&self, items: J) -> impl Iterator<Item = R::Output> {
        items.map_while(|item| match item.branch() {
            ControlFlow::Continue(output) if !self.failure.has_happened() => Some(output),
            ControlFlow::Continue(_) => None,
            ControlFlow::Break(reason) => {
                self.failure.set(reason);
                None
            }
        })
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.failure.has_happened()
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

/// An error if any item is one: if there are several, the one that was found first.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_errors_are_dropped_while_the_lock_is_free() {
        struct Looks(&'static str);

        static FAILURE: Failure<Looks> = Failure {
            happened: AtomicBool::new(false),
            reason: Mutex::new(None),
        };

        impl Drop for Looks {
            fn drop(&mut self) {
                let first = FAILURE.reason.try_lock().expect("it is free");
                assert_eq!(first.as_ref().map(|looks| looks.0), Some("first"));
            }
        }

        FAILURE.set(Looks("first"));
        FAILURE.set(Looks("second"));
    }
}
