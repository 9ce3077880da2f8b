//! Loops as methods of a pool.

use std::ops::Range;
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
    /// Calls `body` with each index; see [`for_each`](crate::functions::for_each).
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
    fn for_each<F>(&self, range: Range<usize>, body: F)
    where
        F: Fn(usize) + Sync;

    /// Maps each index and combines the results; see [`map_reduce`](crate::functions::map_reduce).
    ///
    /// ```
    /// use sumac::{ThreadPool, prelude::*};
    /// let squares = ThreadPool::new().map_reduce(0..4, 0, |i| i * i, |a, b| a + b);
    /// assert_eq!(squares, 14);
    /// ```
    fn map_reduce<T, M, R>(&self, range: Range<usize>, identity: T, map: M, reduce: R) -> T
    where
        T: Send,
        M: Fn(usize) -> T + Sync,
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
    fn find_any<T, F>(&self, range: Range<usize>, find: F) -> Option<T>
    where
        T: Send,
        F: Fn(usize) -> Option<T> + Sync;
}

impl Loops for ThreadPool {
    fn for_each<F>(&self, range: Range<usize>, body: F)
    where
        F: Fn(usize) + Sync,
    {
        let body = &body;
        self.install(|| super::for_each(range, body));
    }

    fn map_reduce<T, M, R>(&self, range: Range<usize>, identity: T, map: M, reduce: R) -> T
    where
        T: Send,
        M: Fn(usize) -> T + Sync,
        R: Fn(T, T) -> T + Sync,
    {
        let (map, reduce) = (&map, &reduce);
        self.install(|| super::map_reduce(range, identity, map, reduce))
    }

    fn scan<T, F>(&self, v: &mut [T], op: F)
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> T + Sync,
    {
        let op = &op;
        self.install(|| super::scan(v, op));
    }

    fn find_any<T, F>(&self, range: Range<usize>, find: F) -> Option<T>
    where
        T: Send,
        F: Fn(usize) -> Option<T> + Sync,
    {
        let find = &find;
        self.install(|| super::find_any(range, find))
    }
}
