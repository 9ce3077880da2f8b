//! Which tasks of a pool have not ended, counted at each member, and how the pool closes.
//!
//! A pool that has been dropped keeps its threads until all tasks have ended, since each of them
//! may fork, spawn and broadcast. Threads that spawn and end tasks must not all write to one place,
//! so each member has two counts, which only grow: of the tasks that have *begun* there, counted by
//! the seated thread before it queues them; and of those that have *ended* there, on any thread. A
//! task may end at another member than it has begun at: only the sums count.
//!
//! **All ended.** A thread reads all counts of ends, then all counts of beginnings. If the sums are
//! equal, no task was unfinished between the two: by then no fewer had ended than the first sum
//! says, and no more begun than the second, and no more tasks have ended than begun.
//!
//! **None comes later.** Once the pool has been dropped, tasks begin in tasks that have not ended,
//! or on threads outside of the pool that wake a future (below). Whatever a task begins is counted
//! before its own end is, so a thread that sees the end sees that, too.
//!
//! **The last end is seen**, by the thread that counts it or the one that drops the pool:
//!
//! ```text
//!   a thread that ends a task             the thread that drops the pool
//!   E1  ended += 1; was it marked?        D1  mark each member's count of ends
//!   E2  yes: fence                        D2  fence
//!   E3  have all ended?                   D3  have all ended?
//! ```
//!
//! If E1 finds no mark it comes before D1 in the same word, and D3 sees it. Of the others, the one
//! whose fence comes last sees all ends.
//!
//! **Closed.** The thread that has seen that all tasks have ended closes the pool, unless a thread
//! outside has begun one meanwhile:
//!
//! ```text
//!   after E3 or D3                        a thread that may be outside begins a task
//!   C1  one more is closing               W1  begun += 1
//!   C2  fence                             W2  fence
//!   C3  have all ended? Then it is        W3  while one is closing: waits
//!       closed; one fewer is closing      W4  closed? Then E1 to E3, and the task is dropped;
//!                                             else queues it
//! ```
//!
//! If C3 misses W1, W3 sees C1. If W3 sees no C1, C3 sees W1, and the task ends later and is seen.
//! Between C1 and C3 a thread waits for none, so W3 ends: once W1 is seen none begins to close.

use super::primitive::{AtomicUsize, Ordering, fence, yield_now};

/// The mark in a count of ends; what is counted are twos.
const MARK: usize = 1;
/// The pool is closed, in the count of threads that are closing it.
const CLOSED: usize = 1;
const ONE: usize = 2;

/// The counts of one member.
#[derive(Default)]
pub(crate) struct Unfinished {
    begun: AtomicUsize,
    ended: AtomicUsize,
}

impl Unfinished {
    /// Counts a task of the calling thread, which sits here.
    pub(crate) fn begin(&self) {
        let begun = self.begun.load(Ordering::Relaxed);
        self.begun.store(begun.wrapping_add(ONE), Ordering::Relaxed);
    }

    /// E1 and E2. Returns whether E3 follows.
    pub(crate) fn end(&self) -> bool {
        let is_marked = self.ended.fetch_add(ONE, Ordering::AcqRel) & MARK != 0;
        if is_marked {
            fence(Ordering::SeqCst);
        }
        is_marked
    }

    /// D1, at this member.
    pub(crate) fn mark(&self) {
        self.ended.fetch_or(MARK, Ordering::AcqRel);
    }
}

/// E3, D3 and C3.
fn have_ended<'u, I>(all: &impl Fn() -> I) -> bool
where
    I: Iterator<Item = &'u Unfinished>,
{
    let ended = all().map(|one| one.ended.load(Ordering::Acquire) & !MARK);
    let ended = ended.fold(0, usize::wrapping_add);
    let begun = all().map(|one| one.begun.load(Ordering::Relaxed));
    ended == begun.fold(0, usize::wrapping_add)
}

/// Whether a pool is closed, or threads are closing it.
#[derive(Default)]
pub(crate) struct Closing(AtomicUsize);

impl Closing {
    /// E3 or D3, and C1 to C3. Returns whether the pool is closed.
    pub(crate) fn close<'u, I>(&self, all: impl Fn() -> I) -> bool
    where
        I: Iterator<Item = &'u Unfinished>,
    {
        if !have_ended(&all) {
            return false;
        }
        self.0.fetch_add(ONE, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let is_closed = have_ended(&all);
        if is_closed {
            self.0.fetch_or(CLOSED, Ordering::Relaxed);
        }
        self.0.fetch_sub(ONE, Ordering::Relaxed);
        is_closed
    }

    /// W2 and W3, or until no thread `may_close` it. Returns whether it is closed.
    pub(crate) fn is_closed(&self, may_close: impl Fn() -> bool) -> bool {
        fence(Ordering::SeqCst);
        loop {
            let closing = self.0.load(Ordering::Relaxed);
            if closing < ONE || !may_close() {
                return closing & CLOSED != 0;
            }
            yield_now();
        }
    }
}
