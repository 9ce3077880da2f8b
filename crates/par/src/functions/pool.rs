//! Loops as methods of a pool.

use crate::iter::IntoParallelIterator;
use sumac_core::ThreadPool;

/// The [functions](crate::functions) as methods of a pool: each is the function inside
/// [`install`](ThreadPool::install).
///
/// # Examples
/// ```
/// use sumac::ThreadPool;
/// use sumac::prelude::*;
///
/// let pool = ThreadPool::new();
/// let sum = pool.map_reduce(0..100, 0, |i| i, |a, b| a + b);
/// assert_eq!(sum, 4950);
/// ```
pub trait Loops {
    /// Calls `body` with each item; see [`for_each`](crate::functions::for_each).
    ///
    /// ```
    /// use sumac::{ThreadPool, prelude::*};
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    /// let sum = AtomicUsize::new(0);
    /// ThreadPool::new().for_each(0..5, |i| {
    ///     sum.fetch_add(i, Ordering::Relaxed);
    /// });
    /// assert_eq!(sum.into_inner(), 10);
    /// ```
    fn for_each<I, F>(&self, items: I, body: F)
    where
        I: IntoParallelIterator + Send,
        F: Fn(I::Item) + Sync;

    /// Maps each item and combines the results; see [`map_reduce`](crate::functions::map_reduce).
    ///
    /// ```
    /// use sumac::{ThreadPool, prelude::*};
    /// let squares = ThreadPool::new().map_reduce(0..4, 0, |i| i * i, |a, b| a + b);
    /// assert_eq!(squares, 14);
    /// ```
    fn map_reduce<I, T, M, R>(&self, items: I, identity: T, map: M, reduce: R) -> T
    where
        I: IntoParallelIterator + Send,
        T: Send,
        M: Fn(I::Item) -> T + Sync,
        R: Fn(T, T) -> T + Sync;

    /// Replaces each element by its prefix sum; see [`scan`](crate::functions::scan).
    ///
    /// ```
    /// use sumac::{ThreadPool, prelude::*};
    /// let mut v = [1, 2, 3];
    /// ThreadPool::new().scan(&mut v, |a, b| a + b);
    /// assert_eq!(v, [1, 3, 6]);
    /// ```
    fn scan<T, F>(&self, v: &mut [T], op: F)
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> T + Sync;

    /// Returns a `Some` that `find` returns; see [`find_any`](crate::functions::find_any).
    ///
    /// ```
    /// use sumac::{ThreadPool, prelude::*};
    /// let found = ThreadPool::new().find_any(0..100, |i| (i * i == 81).then_some(i));
    /// assert_eq!(found, Some(9));
    /// ```
    fn find_any<I, T, F>(&self, items: I, find: F) -> Option<T>
    where
        I: IntoParallelIterator + Send,
        T: Send,
        F: Fn(I::Item) -> Option<T> + Sync;
}

impl Loops for ThreadPool {
    #[track_caller]
    fn for_each<I, F>(&self, items: I, body: F)
    where
        I: IntoParallelIterator + Send,
        F: Fn(I::Item) + Sync,
    {
        let body = &body;
        self.install(|| super::for_each(items, body));
    }

    #[track_caller]
    fn map_reduce<I, T, M, R>(&self, items: I, identity: T, map: M, reduce: R) -> T
    where
        I: IntoParallelIterator + Send,
        T: Send,
        M: Fn(I::Item) -> T + Sync,
        R: Fn(T, T) -> T + Sync,
    {
        let (map, reduce) = (&map, &reduce);
        self.install(|| super::map_reduce(items, identity, map, reduce))
    }

    #[track_caller]
    fn scan<T, F>(&self, v: &mut [T], op: F)
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        let op = &op;
        self.install(|| super::scan(v, op));
    }

    #[track_caller]
    fn find_any<I, T, F>(&self, items: I, find: F) -> Option<T>
    where
        I: IntoParallelIterator + Send,
        T: Send,
        F: Fn(I::Item) -> Option<T> + Sync,
    {
        let find = &find;
        self.install(|| super::find_any(items, find))
    }
}
