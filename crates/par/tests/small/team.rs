//! What the small programs have in common: threads that wait for each other, and items that are
//! counted.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicIsize, Ordering::SeqCst},
    },
    thread::{self, ThreadId},
    time::{Duration, Instant},
};
use sumac_test_support::{Stopped, stopped};

pub(crate) fn pool() -> Stopped {
    stopped(3)
}

/// Whether more than one thread has worked on something.
#[derive(Default)]
pub(crate) struct Team {
    first: OnceLock<(ThreadId, Instant)>,
    more: AtomicBool,
}

/// How long a team waits in all: on a busy machine giving way takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(1);

impl Team {
    pub(crate) fn is_more_than_one(&self) -> bool {
        self.more.load(SeqCst)
    }

    /// Waits a moment for another thread to take part. Whether one does is up to the scheduler.
    pub(crate) fn wait(&self) {
        for _ in 0..20 {
            let me = thread::current().id();
            let (first, since) = *self.first.get_or_init(|| (me, Instant::now()));
            if self.is_more_than_one() || since.elapsed() > PATIENCE {
                return;
            }
            if first != me {
                self.more.store(true, SeqCst);
            }
            thread::yield_now();
        }
    }
}

/// Something on the heap that counts how many of its kind there are.
pub(crate) struct Item<'a> {
    pub(crate) value: Box<u32>,
    pub(crate) live: &'a AtomicIsize,
}

impl<'a> Item<'a> {
    pub(crate) fn new(value: u32, live: &'a AtomicIsize) -> Self {
        live.fetch_add(1, SeqCst);
        let value = Box::new(value);
        Item { value, live }
    }

    pub(crate) fn some(range: std::ops::Range<u32>, live: &'a AtomicIsize) -> Vec<Self> {
        range.map(|value| Item::new(value, live)).collect()
    }
}

impl Drop for Item<'_> {
    fn drop(&mut self) {
        self.live.fetch_sub(1, SeqCst);
        assert_ne!(*self.value, BAD, "a bad item is dropped");
    }
}

/// An item with this value panics when it is dropped.
pub(crate) const BAD: u32 = 666;

pub(crate) fn values(items: &[Item<'_>]) -> Vec<u32> {
    items.iter().map(|item| *item.value).collect()
}

pub(crate) fn panics<R>(f: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}
