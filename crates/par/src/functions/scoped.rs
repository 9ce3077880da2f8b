//! Loops as methods of a scope, which is passed to the body.

use crate::{
    consume::{
        find::{Any, Find},
        for_each::ForEach,
        reduce::Reduce,
    },
    iter::{IndexedParallelIterator, IntoParallelIterator},
    kernel,
    shape::{Seal, Sink},
};
use std::ops::Range;
use sumac_core::Scope;

/// The [functions](crate::functions) as methods of a scope, which is passed to the body for joins
/// and loops inside.
///
/// # Examples
/// ```
/// use sumac::Scope;
/// use sumac::prelude::*;
///
/// let mut scope = Scope::global();
/// let pairs = scope.map_reduce(
///     0..10,
///     0,
///     |scope, i| {
///         let (a, b) = scope.join(|_| i, |_| 2 * i);
///         a + b
///     },
///     |a, b| a + b,
/// );
/// assert_eq!(pairs, 135);
/// ```
pub trait ScopeLoops {
    /// Calls `body` with each index; see [`for_each`](crate::functions::for_each).
    ///
    /// ```
    /// use sumac::{Scope, prelude::*};
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// let sum = AtomicUsize::new(0);
    /// Scope::global().for_each(0..5, |_scope, i| {
    ///     sum.fetch_add(i, Ordering::Relaxed);
    /// });
    /// assert_eq!(sum.into_inner(), 10);
    /// ```
    ///
    /// # Panics
    /// If `body` panics.
    fn for_each<F>(&mut self, range: Range<usize>, body: F)
    where
        F: Fn(&mut Scope<'_>, usize) + Sync;

    /// Maps each index with `map` and combines the results, beginning with `identity`; see
    /// [`map_reduce`](crate::functions::map_reduce).
    ///
    /// ```
    /// use sumac::{Scope, prelude::*};
    /// let squares = Scope::global().map_reduce(0..4, 0, |_scope, i| i * i, |a, b| a + b);
    /// assert_eq!(squares, 14);
    /// ```
    ///
    /// # Panics
    /// If `map` or `reduce` panics.
    fn map_reduce<T, M, R>(&mut self, range: Range<usize>, identity: T, map: M, reduce: R) -> T
    where
        T: Send,
        M: Fn(&mut Scope<'_>, usize) -> T + Sync,
        R: Fn(T, T) -> T + Sync;

    /// Returns a `Some` that `find` returns; see [`find_any`](crate::functions::find_any).
    ///
    /// ```
    /// use sumac::{Scope, prelude::*};
    /// let found = Scope::global().find_any(0..100, |_scope, i| (i * i == 81).then_some(i));
    /// assert_eq!(found, Some(9));
    /// ```
    ///
    /// # Panics
    /// If `find` panics.
    fn find_any<T, F>(&mut self, range: Range<usize>, find: F) -> Option<T>
    where
        T: Send,
        F: Fn(&mut Scope<'_>, usize) -> Option<T> + Sync;
}

impl ScopeLoops for Scope<'_> {
    fn for_each<F>(&mut self, range: Range<usize>, body: F)
    where
        F: Fn(&mut Scope<'_>, usize) + Sync,
    {
        drive(self, range, &body, &ForEach { f: drop });
    }

    fn map_reduce<T, M, R>(&mut self, range: Range<usize>, identity: T, map: M, reduce: R) -> T
    where
        T: Send,
        M: Fn(&mut Scope<'_>, usize) -> T + Sync,
        R: Fn(T, T) -> T + Sync,
    {
        match drive(self, range, &map, &Reduce { op: &reduce }) {
            Some(all) => reduce(identity, all),
            None => identity,
        }
    }

    fn find_any<T, F>(&mut self, range: Range<usize>, find: F) -> Option<T>
    where
        T: Send,
        F: Fn(&mut Scope<'_>, usize) -> Option<T> + Sync,
    {
        drive(self, range, &find, &Find::<Any, _>::new(|found| found))
    }
}

fn drive<U, F, S>(scope: &mut Scope<'_>, range: Range<usize>, body: &F, sink: &S) -> S::Output
where
    F: Fn(&mut Scope<'_>, usize) -> U + Sync,
    S: Sink<U>,
{
    let indices = range.into_par_iter().producer(Seal(()));
    kernel::drive_in(scope, indices, sink, body)
}
