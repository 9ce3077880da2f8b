//! Scans (prefix sums), in place: every element is replaced by the sum of all before it, with or
//! without itself, by an associative operation.
//!
//! The slice is handed out in chunks, in order (chunks.rs), to any idle thread (team.rs). If the
//! sum before a chunk is known, the thread that takes the chunk scans it at once: on one thread
//! that is the sequential scan. Otherwise the thread *reduces* the chunk, and more behind it, until
//! the sum before is known; passes the sum behind them to the next thread (relay.rs); and only then
//! scans. Normally that is soon, when the chunk is still in its cache: so the slice is read from
//! memory once, and two threads do three elements in the time of two.
//!
//! ```text
//!   thread 1   │scan 0 ─────────────────►│scan 4 ─────────────────►
//!   thread 2   │reduce 1 │reduce 2 │red 3│scan 1 ──► 2 ──► 3 ─► │reduce 5 ..
//! ```

mod chunks;
mod relay;
mod team;

use std::mem;

/// Replaces each element by `op` of the one before it and itself.
pub(crate) fn inclusive<T, F>(v: &mut [T], op: &F)
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    team::scan(v, &Inclusive { op }, None);
}

/// Replaces each element by the sum before it, beginning with `init`; returns the total.
pub(crate) fn exclusive<T, F>(v: &mut [T], init: T, op: &F) -> T
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    team::scan(v, &Exclusive { op }, init)
}

/// A kind of scan.
trait Scan<'v, T>: Sync {
    /// The sum of all elements before one.
    type Before: Send;

    /// Combines two elements.
    fn op(&self, left: &T, right: &T) -> T;

    /// Scans sequentially; returns the sum before the next element.
    fn scan(&self, before: Self::Before, chunk: &'v mut [T]) -> Self::Before;

    /// Returns the sum behind elements that sum up to `sum`.
    fn after(&self, before: &Self::Before, sum: T) -> Self::Before;

    /// Returns the sum of the elements, of which there must be at least two.
    fn reduce(&self, chunk: &[T]) -> Option<T> {
        let [first, second, rest @ ..] = chunk else {
            return None;
        };
        Some(self.fold(self.op(first, second), rest))
    }

    /// Returns the sum of `sum` and the elements.
    fn fold(&self, sum: T, chunk: &[T]) -> T {
        chunk.iter().fold(sum, |sum, x| self.op(&sum, x))
    }
}

struct Inclusive<'f, F> {
    op: &'f F,
}

/// The sum of all elements before one: owned, or the last element of a chunk that has been scanned.
enum Prefix<'v, T> {
    Made(T),
    Last(&'v T),
}

impl<T> Prefix<'_, T> {
    fn get(&self) -> &T {
        match self {
            Prefix::Made(value) => value,
            Prefix::Last(value) => value,
        }
    }
}

impl<'v, T, F> Scan<'v, T> for Inclusive<'_, F>
where
    T: Send + Sync + 'v,
    F: Fn(&T, &T) -> T + Sync,
{
    type Before = Option<Prefix<'v, T>>;

    #[inline]
    fn op(&self, left: &T, right: &T) -> T {
        (self.op)(left, right)
    }

    #[inline]
    fn scan(&self, before: Self::Before, chunk: &'v mut [T]) -> Self::Before {
        let Some((first, rest)) = chunk.split_first_mut() else {
            return before;
        };
        if let Some(before) = before {
            *first = self.op(before.get(), first);
        }
        let mut last = &*first;
        for x in rest {
            *x = self.op(last, x);
            last = x;
        }
        Some(Prefix::Last(last))
    }

    fn after(&self, before: &Self::Before, sum: T) -> Self::Before {
        Some(Prefix::Made(match before {
            Some(before) => self.op(before.get(), &sum),
            None => sum,
        }))
    }
}

struct Exclusive<'f, F> {
    op: &'f F,
}

impl<'v, T, F> Scan<'v, T> for Exclusive<'_, F>
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    type Before = T;

    #[inline]
    fn op(&self, left: &T, right: &T) -> T {
        (self.op)(left, right)
    }

    #[inline]
    fn scan(&self, mut before: T, chunk: &'v mut [T]) -> T {
        for x in chunk {
            let next = self.op(&before, x);
            *x = mem::replace(&mut before, next);
        }
        before
    }

    fn after(&self, before: &T, sum: T) -> T {
        self.op(before, &sum)
    }
}
