//! Loops as plain functions: over ranges, and whatever else has parallel iterators, on the current
//! pool.
//!
//! The trait [`Loops`] has them as methods of a [`ThreadPool`](sumac_core::ThreadPool), and
//! [`ScopeLoops`] as methods of a [`Scope`](sumac_core::Scope), which is passed to the body.

mod pool;
mod scoped;

pub use self::{pool::Loops, scoped::ScopeLoops};

use crate::iter::{IntoParallelIterator, ParallelIterator};

/// Calls `body` with each item.
///
/// # Examples
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// let sum = AtomicUsize::new(0);
/// sumac::for_each(0..100, |i| {
///     sum.fetch_add(i, Ordering::Relaxed);
/// });
/// assert_eq!(sum.into_inner(), 4950);
///
/// let mut words = vec!["a".to_string(), "b".to_string()];
/// sumac::for_each(&mut words, |word| word.push('!'));
/// assert_eq!(words, ["a!", "b!"]);
/// ```
///
/// # Cost
/// Some fifty nanoseconds more than the sequential loop: it is split only when a thread is idle.
///
/// # Panics
/// If `body` panics; then it may not have been called with all items.
pub fn for_each<I, F>(items: I, body: F)
where
    I: IntoParallelIterator,
    F: Fn(I::Item) + Sync,
{
    items.into_par_iter().for_each(&body);
}

/// Maps each item with `map` and combines the results in order with `reduce`, beginning with
/// `identity`.
///
/// `reduce` must be associative; it need not be commutative.
///
/// # Examples
/// ```
/// let text =
///     sumac::map_reduce(0..5, String::new(), |i| i.to_string(), |a, b| a + &b);
/// assert_eq!(text, "01234");
/// ```
///
/// # Cost
/// That of [`for_each`]. `identity` is used once, and `reduce` is called once per item.
///
/// # Panics
/// If `map` or `reduce` panics.
pub fn map_reduce<I, T, M, R>(items: I, identity: T, map: M, reduce: R) -> T
where
    I: IntoParallelIterator,
    T: Send,
    M: Fn(I::Item) -> T + Sync,
    R: Fn(T, T) -> T + Sync,
{
    let all = items.into_par_iter().map(&map).reduce_with(&reduce);
    match all {
        Some(all) => reduce(identity, all),
        None => identity,
    }
}

/// Replaces each element by the prefix sum by `op` that includes it. This is
/// [`par_inclusive_scan`](crate::slice::ParallelSliceMut::par_inclusive_scan) as a function.
///
/// # Examples
/// ```
/// let mut v = [1, 2, 3, 4];
/// sumac::scan(&mut v, |a, b| a * b);
/// assert_eq!(v, [1, 2, 6, 24]);
/// ```
///
/// # Panics
/// If `op` panics; some of the elements have been replaced then.
pub fn scan<T, F>(v: &mut [T], op: F)
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    crate::scan::inclusive(v, &op);
}

/// Returns the `Some` that `find` returns for any item, not necessarily the first. The loop stops
/// once there is one.
///
/// # Examples
/// ```
/// use sumac::find_any;
/// let root = |i: usize| (i * i == 1_522_756).then_some(i);
/// assert_eq!(find_any(0..10_000, root), Some(1234));
/// assert_eq!(find_any(0..1000, root), None);
/// ```
///
/// # Panics
/// If `find` panics.
pub fn find_any<I, T, F>(items: I, find: F) -> Option<T>
where
    I: IntoParallelIterator,
    T: Send,
    F: Fn(I::Item) -> Option<T> + Sync,
{
    items.into_par_iter().find_map_any(&find)
}
