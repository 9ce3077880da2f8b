//! Collecting into an `Option` or a `Result`: the values, unless an item is `None` or an error;
//! then all runs stop.

use crate::{
    adapt::transform::{Transform, Transformed},
    attempt::{Try, from_flow},
    iter::{FromParallelIterator, IntoParallelIterator, ParallelIterator},
};
use std::{
    ops::ControlFlow,
    sync::{Mutex, OnceLock, PoisonError},
};

/// Collects the outputs of `items`, or returns the first reason to stop.
fn collect<C, I>(items: I) -> ControlFlow<<I::Item as Try>::Residual, C>
where
    C: FromParallelIterator<<I::Item as Try>::Output>,
    I: ParallelIterator<Item: Try<Output: Send, Residual: Send>>,
{
    let first = OnceLock::new();
    let collected = C::from_par_iter(Transformed::new(items, Outputs { first: &first }));
    match first.into_inner() {
        None => ControlFlow::Continue(collected),
        Some(reason) => {
            ControlFlow::Break(reason.into_inner().unwrap_or_else(PoisonError::into_inner))
        }
    }
}

/// Keeps the outputs of items, up to the first reason to stop.
struct Outputs<'f, E> {
    /// In a mutex since it need not be `Sync`.
    first: &'f OnceLock<Mutex<E>>,
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
            ControlFlow::Continue(output) => self.first.get().is_none().then_some(output),
            ControlFlow::Break(reason) => {
                // A later one is dropped.
                let _ = self.first.set(Mutex::new(reason));
                None
            }
        })
    }

    #[inline]
    fn is_over(&self) -> bool {
        self.first.get().is_some()
    }
}

/// `None` if any item is.
impl<T: Send, C: FromParallelIterator<T>> FromParallelIterator<Option<T>> for Option<C> {
    fn from_par_iter<I: IntoParallelIterator<Item = Option<T>>>(items: I) -> Self {
        from_flow(collect(items.into_par_iter()))
    }
}

/// An error if any item is one: if there are several, the one that was found first.
impl<T: Send, E: Send, C> FromParallelIterator<Result<T, E>> for Result<C, E>
where
    C: FromParallelIterator<T>,
{
    fn from_par_iter<I: IntoParallelIterator<Item = Result<T, E>>>(items: I) -> Self {
        from_flow(collect(items.into_par_iter()))
    }
}
