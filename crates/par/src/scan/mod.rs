//! Scans (prefix sums), in place: every element becomes what all before it, with or without itself,
//! come to.
//!
//! The slice is handed out in chunks, in order (chunks.rs), to any thread that is idle (team.rs). A
//! thread that takes a chunk and finds that what comes before it is known scans it at once: on one
//! thread that is the sequential scan. Otherwise it *reduces* the chunk, and more behind it until
//! what comes before is known; tells the next one what they come to together (relay.rs); and only
//! then scans. Normally that is soon, when all of it is still in its cache: so the slice is read
//! from memory once, and two threads do three elements in the time of two.
//!
//! ```text
//!   thread 1   │scan 0 ─────────────────►│scan 4 ─────────────────►
//!   thread 2   │reduce 1 │reduce 2 │red 3│scan 1 ──► 2 ──► 3 ─► │reduce 5 ..
//! ```

mod chunks;
mod relay;
mod team;

use std::mem;

/// Makes each element `op` of the one before it and itself.
pub(crate) fn inclusive<T, F>(v: &mut [T], op: &F)
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    team::scan(v, &Inclusive { op }, None);
}

/// Makes each element what comes before it, beginning with `init`; returns what all come to.
pub(crate) fn exclusive<T, F>(v: &mut [T], init: T, op: &F) -> T
where
    T: Send + Sync,
    F: Fn(&T, &T) -> T + Sync,
{
    team::scan(v, &Exclusive { op }, init)
}

/// A kind of scan.
trait Scan<'v, T>: Sync {
    /// What is known of all elements before one.
    type Before: Send;

    /// Puts two elements together.
    fn op(&self, left: &T, right: &T) -> T;

    /// Scans sequentially; returns what is before the next one then.
    fn scan(&self, before: Self::Before, chunk: &'v mut [T]) -> Self::Before;

    /// What is before an element behind some that come to `sum`.
    fn after(&self, before: &Self::Before, sum: T) -> Self::Before;

    /// What the elements come to; there must be two for that.
    fn reduce(&self, chunk: &[T]) -> Option<T> {
        let [first, second, rest @ ..] = chunk else {
            return None;
        };
        Some(self.fold(self.op(first, second), rest))
    }

    /// What `sum` and the elements come to.
    fn fold(&self, sum: T, chunk: &[T]) -> T {
        chunk.iter().fold(sum, |sum, x| self.op(&sum, x))
    }
}

struct Inclusive<'f, F> {
    op: &'f F,
}

/// What all elements before one come to: made for the purpose, or the last element of a chunk that
/// has been scanned.
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
