//! The watch: of the threads that have waited in a pool for long, one at a time goes on looking for
//! work to help with.
//!
//! A waiter looks for work a few times, with longer and longer naps between (wait.rs). After that
//! it joins a queue. The first in it is *on watch*: it looks, naps once more, then goes to the end
//! and wakes the next. All others sleep until what they wait for is done, or until it is their
//! turn. So however many threads wait, they cost as much as one.
//!
//! * **Always one on watch.** A turn begins under the lock, when the one before passes it on or
//!   leaves. The thread that ends a turn unparks the next; parkers keep an unpark that comes early,
//!   and a waiter looks whether it is first before each sleep.
//! * **A waiter on watch runs nothing.** A waiter that has found work leaves the queue before it
//!   begins it: the work may wait for something that only another waiter can do.

use super::primitive::{Mutex, lock};
use crate::fault::{Fault, planted};
use std::collections::VecDeque;

/// The waiters of a pool that have waited for long.
#[derive(Debug)]
pub(crate) struct Watch<W>(Mutex<VecDeque<W>>);

impl<W: Copy + PartialEq> Watch<W> {
    pub(crate) fn new() -> Self {
        Watch(Mutex::new(VecDeque::new()))
    }

    pub(crate) fn join(&self, waiter: W) {
        lock(&self.0).push_back(waiter);
    }

    /// Whether it is the turn of `waiter`.
    pub(crate) fn is_first(&self, waiter: W) -> bool {
        lock(&self.0).front() == Some(&waiter)
    }

    /// Ends the turn of `waiter`, if it is its turn, and begins that of the result, which is to be
    /// unparked.
    pub(crate) fn pass(&self, waiter: W) -> Option<W> {
        let mut queue = lock(&self.0);
        if queue.len() < 2 || queue.front() != Some(&waiter) {
            return None;
        }
        queue.rotate_left(1);
        queue.front().copied()
    }

    /// `waiter` has waited enough. If it was its turn, that of the result begins, which is to be
    /// unparked.
    pub(crate) fn leave(&self, waiter: W) -> Option<W> {
        let mut queue = lock(&self.0);
        let at = queue.iter().position(|&w| w == waiter)?;
        queue.remove(at);
        if at > 0 || planted(Fault::LeaveWatchAlone) {
            return None;
        }
        queue.front().copied()
    }
}
