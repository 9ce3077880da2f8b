//! Turns: work of one thread that the consumer may wait for.

use crate::unwind::lock;
use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
    thread,
};
use sumac_core::{HelperGroup, PoolRef};

/// A call of user code for one item.
pub(super) struct Turn {
    group: HelperGroup,
    is_over: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Turn {
    /// Of the calling thread.
    pub(super) fn new() -> Self {
        Turn {
            group: HelperGroup::new(&PoolRef::current()),
            is_over: AtomicBool::new(false),
            waker: Mutex::default(),
        }
    }

    /// Calls user code, which the consumer may help.
    pub(super) fn call<R>(&self, f: impl FnOnce() -> R) -> thread::Result<R> {
        self.group
            .lead(|_| panic::catch_unwind(AssertUnwindSafe(f)))
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    pub(super) fn end(&self) {
        let waker = {
            let mut waker = lock(&self.waker);
            self.is_over.store(true, Ordering::Release);
            waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Waits for the end; meanwhile runs jobs that descend from what is called.
    pub(super) fn wait(&self) {
        assert!(!self.group.is_inside(), "an item waits for itself");
        let watch = |waker: &Waker| {
            let mut place = lock(&self.waker);
            let waits = !self.is_over();
            if waits {
                *place = Some(waker.clone());
            }
            waits
        };
        self.group.wait(|| self.is_over(), watch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::{Arc, atomic::AtomicUsize},
        task::Wake,
    };

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn the_end_wakes_who_waits() {
        let (turn, count) = (Turn::new(), Arc::new(Count::default()));
        *lock(&turn.waker) = Some(Arc::clone(&count).into());
        assert_eq!((turn.is_over(), turn.call(|| 5).ok()), (false, Some(5)));
        assert!(
            turn.call(|| panic!("in the call"))
                .is_err_and(|error| error.is::<&str>())
        );
        turn.end();
        assert!(turn.is_over());
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
        turn.wait();
    }
}
