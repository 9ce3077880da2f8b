//! Loops on a pool of one's own.

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
    /// See [`for_each`](crate::functions::for_each).
    fn for_each<F>(&self, range: Range<usize>, body: F)
    where
        F: Fn(usize) + Sync;

    /// See [`map_reduce`](crate::functions::map_reduce).
    fn map_reduce<T, M, R>(&self, range: Range<usize>, identity: T, map: M, reduce: R) -> T
    where
        T: Send,
        M: Fn(usize) -> T + Sync,
        R: Fn(T, T) -> T + Sync;

    /// See [`scan`](crate::functions::scan).
    fn scan<T, F>(&self, v: &mut [T], op: F)
    where
        T: Send + Sync,
        F: Fn(&T, &T) -> T + Sync;

    /// See [`find_any`](crate::functions::find_any).
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
