//! `Try`: the results that the `try_…` methods take, a value or a reason to stop.

use crate::shape::Seal;
use std::{convert::Infallible, ops::ControlFlow};

/// `Option`, `Result` or `ControlFlow`. Replaces std's trait of this name, which is unstable.
///
/// ```
/// use std::ops::ControlFlow;
/// use sumac::prelude::*;
///
/// let found = (0..100).into_par_iter().try_for_each(|n| match n {
///     42 => ControlFlow::Break(n),
///     _ => ControlFlow::Continue(()),
/// });
/// assert_eq!(found, ControlFlow::Break(42));
/// ```
pub trait Try: Sized {
    /// The type of the value on success.
    type Output;
    /// The type of the reason to stop.
    type Residual;

    /// Wraps a value.
    fn from_output(output: Self::Output) -> Self;

    /// Wraps a reason to stop.
    fn from_residual(residual: Self::Residual) -> Self;

    /// Returns the value or the reason to stop.
    fn branch(self) -> ControlFlow<Self::Residual, Self::Output>;

    /// No other crate implements this trait.
    #[doc(hidden)]
    fn seal(_: Seal);
}

/// Wraps the result of a loop that a reason may have stopped.
pub(crate) fn from_flow<R: Try>(flow: ControlFlow<R::Residual, R::Output>) -> R {
    match flow {
        ControlFlow::Continue(output) => R::from_output(output),
        ControlFlow::Break(residual) => R::from_residual(residual),
    }
}

impl<T> Try for Option<T> {
    type Output = T;
    type Residual = ();

    fn from_output(output: T) -> Self {
        Some(output)
    }

    fn from_residual((): ()) -> Self {
        None
    }

    fn branch(self) -> ControlFlow<(), T> {
        match self {
            Some(output) => ControlFlow::Continue(output),
            None => ControlFlow::Break(()),
        }
    }

    fn seal(_: Seal) {}
}

impl<T, E> Try for Result<T, E> {
    type Output = T;
    type Residual = E;

    fn from_output(output: T) -> Self {
        Ok(output)
    }

    fn from_residual(residual: E) -> Self {
        Err(residual)
    }

    fn branch(self) -> ControlFlow<E, T> {
        match self {
            Ok(output) => ControlFlow::Continue(output),
            Err(error) => ControlFlow::Break(error),
        }
    }

    fn seal(_: Seal) {}
}

impl<B, C> Try for ControlFlow<B, C> {
    type Output = C;
    type Residual = ControlFlow<B, Infallible>;

    fn from_output(output: C) -> Self {
        ControlFlow::Continue(output)
    }

    fn from_residual(residual: Self::Residual) -> Self {
        match residual {
            ControlFlow::Break(value) => ControlFlow::Break(value),
            ControlFlow::Continue(never) => match never {},
        }
    }

    fn branch(self) -> ControlFlow<Self::Residual, C> {
        match self {
            ControlFlow::Continue(output) => ControlFlow::Continue(output),
            ControlFlow::Break(value) => ControlFlow::Break(ControlFlow::Break(value)),
        }
    }

    fn seal(_: Seal) {}
}
