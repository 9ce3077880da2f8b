//! The watch: of the threads that have waited in a pool for long, one at a time looks for work to
//! help with.
//!
//! A waiter looks for work a few times, with longer and longer naps between (wait.rs). After that
//! it joins a queue. The first in the queue is *on watch*: it looks, naps once more, then goes to
//! the end and wakes the next. All others sleep until their wait ends, or until it is their turn.
//! So any number of waiting threads costs as much as one.
//!
//! * **Always one on watch.** A turn begins under the lock, when the thread before passes it on or
//!   leaves. The thread that ends a turn wakes the next; parkers keep an early unpark, and a waiter
//!   checks whether it is first before each sleep.
//! * **A waiter on watch runs nothing.** A waiter that has found work leaves the queue before it
//!   starts it: the work may wait for something that only another waiter can do.

use super::primitive::{Mutex, lock};
use std::{sync::Arc, task::Wake};

/// The wakers of a pool's waiters that have waited for long.
#[derive(Debug)]
pub(crate) struct Watch<W>(Mutex<Vec<Arc<W>>>);

impl<W> Watch<W> {
    pub(crate) fn new() -> Self {
        Watch(Mutex::new(Vec::new()))
    }

    fn join(&self, waiter: &Arc<W>) {
        lock(&self.0).push(Arc::clone(waiter));
    }

    /// Returns whether it is the turn of `waiter`.
    fn is_first(&self, waiter: &Arc<W>) -> bool {
        let queue = lock(&self.0);
        queue
            .first()
            .is_some_and(|first| Arc::ptr_eq(first, waiter))
    }

    /// Ends the turn of `waiter`, if it has the turn, and starts that of the returned one, which
    /// the caller wakes.
    fn pass(&self, waiter: &Arc<W>) -> Option<Arc<W>> {
        let mut queue = lock(&self.0);
        if queue.len() < 2 || !Arc::ptr_eq(&queue[0], waiter) {
            return None;
        }
        queue.rotate_left(1);
        queue.first().cloned()
    }

    /// Removes `waiter`. If it had the turn, starts that of the returned one, which the caller
    /// wakes.
    fn leave(&self, waiter: &Arc<W>) -> Option<Arc<W>> {
        let mut queue = lock(&self.0);
        let at = queue.iter().position(|w| Arc::ptr_eq(w, waiter))?;
        queue.remove(at);
        queue.first().filter(|_| at == 0).cloned()
    }
}

/// A thread that waits, and its place in the queue once it has one. Leaves it when dropped.
pub(crate) struct Waits<'w, W: Wake> {
    watch: &'w Watch<W>,
    me: &'w Arc<W>,
    /// The longest nap, in nanoseconds.
    longest: u64,
    queued: bool,
}

impl<'w, W: Wake> Waits<'w, W> {
    pub(crate) fn new(watch: &'w Watch<W>, me: &'w Arc<W>, longest: u64) -> Self {
        Waits {
            watch,
            me,
            longest,
            queued: false,
        }
    }

    /// Sleeps by `park`: for a nap of so many nanoseconds if it is our turn to take one, else until
    /// unparked (`None`). Returns whether we must look for work then.
    pub(crate) fn sleep(&mut self, nap: Option<u64>, park: impl FnOnce(Option<u64>)) -> bool {
        let nap = nap.filter(|&nap| self.may_nap(nap));
        park(nap);
        self.wake_up(nap.is_some())
    }

    fn may_nap(&mut self, nap: u64) -> bool {
        if nap >= self.longest && !self.queued {
            self.queued = true;
            self.watch.join(self.me);
        }
        !self.queued || self.is_on_watch()
    }

    /// Returns whether it has waited for long, and it is its turn.
    pub(crate) fn is_on_watch(&self) -> bool {
        self.queued && self.watch.is_first(self.me)
    }

    /// Ends our turn if the sleep was a nap. Returns true if we must look for work.
    fn wake_up(&self, napped: bool) -> bool {
        if !self.queued {
            return true;
        }
        if napped {
            wake(self.watch.pass(self.me));
        }
        self.is_on_watch()
    }

    /// Leaves the queue, since there is work.
    pub(crate) fn leave(&mut self) {
        if std::mem::take(&mut self.queued) {
            wake(self.watch.leave(self.me));
        }
    }
}

fn wake<W: Wake>(next: Option<Arc<W>>) {
    next.inspect(W::wake_by_ref);
}

impl<W: Wake> Drop for Waits<'_, W> {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    struct Waiter(usize);

    impl Wake for Waiter {
        fn wake(self: Arc<Self>) {}
    }

    #[test]
    fn a_turn_that_ends_begins_the_next() {
        let (watch, waiters) = (Watch::new(), [0, 1, 2, 3].map(|n| Arc::new(Waiter(n))));
        let number = |waiter: Option<Arc<Waiter>>| waiter.map(|waiter| waiter.0);
        let pass = |waiter: usize| number(watch.pass(&waiters[waiter]));
        let leave = |waiter: usize| number(watch.leave(&waiters[waiter]));
        waiters.iter().for_each(|waiter| watch.join(waiter));
        assert_eq!(pass(0), Some(1));
        assert_eq!(leave(2), None, "its turn has not come");
        assert_eq!(leave(1), Some(3));
        assert!(watch.is_first(&waiters[3]));
        assert_eq!(pass(3), Some(0));
        assert_eq!(leave(0), Some(3));
        assert_eq!(pass(3), None, "it is alone");
    }

    #[test]
    fn waiters_nap_in_turns() {
        let watch = Watch::new();
        let waiters = [0, 1].map(|n| Arc::new(Waiter(n)));
        let mut waiters = waiters.each_ref().map(|me| Waits::new(&watch, me, 100));
        // For how long, and whether it looks for work then.
        let mut sleep = |waiter: usize, nap| {
            let mut slept = None;
            let looks = waiters[waiter].sleep(Some(nap), |time| slept = time);
            (slept, looks)
        };
        assert_eq!(sleep(0, 99), (Some(99), true), "it does not wait for long");
        assert_eq!(sleep(0, 100), (Some(100), true), "it is alone");
        assert_eq!(sleep(1, 100), (None, false), "the other is on watch");
        assert_eq!(sleep(0, 100), (Some(100), false), "its turn has ended");
        assert_eq!(sleep(0, 100), (None, false));
        assert_eq!(sleep(1, 100), (Some(100), false));
    }
}
