//! A parker, on which one thread sleeps until it is unparked or a time-out. It has one token: an
//! unpark before the park makes that park return at once. It belongs to a member, which outlives
//! every job, so that no thread sleeps on memory that may be freed. Tasks may outlive the pool of a
//! thread that waits for them: they hold its parker as a waker.

use super::primitive::{Condvar, Mutex, lock, lock_to_wait};
use std::{
    sync::Arc,
    task::{Wake, Waker},
    time::Duration,
};

#[derive(Debug)]
#[cfg_attr(explore, repr(align(128)))] // simulate.rs, *apart*
pub(crate) struct Parker {
    state: Mutex<State>,
    unparked: Condvar,
}

#[derive(Debug)]
struct State {
    token: bool,
    parked: bool,
}

impl Parker {
    pub(crate) fn new() -> Self {
        Parker {
            state: Mutex::new(State {
                token: false,
                parked: false,
            }),
            unparked: Condvar::new(),
        }
    }

    /// Sleeps until there is a token or `timeout` has passed, and takes the token. May return
    /// without either; callers check again what they wait for.
    #[inline(never)]
    pub(crate) fn park(&self, timeout: Option<Duration>) {
        #[cfg(all(
            target_family = "wasm",
            target_os = "unknown",
            not(target_feature = "atomics")
        ))]
        if !lock(&self.state).token {
            return crate::wasm::wait_alone();
        }
        if crate::testing::active::is_active() && !lock(&self.state).token {
            return crate::testing::active::wait();
        }
        let mut state = lock_to_wait(&self.state);
        if !state.token {
            state.parked = true;
            state = match timeout {
                None => self.unparked.wait(state).unwrap_or_else(|p| p.into_inner()),
                Some(t) => {
                    self.unparked
                        .wait_timeout(state, t)
                        .unwrap_or_else(|p| p.into_inner())
                        .0
                }
            };
            state.parked = false;
        }
        state.token = false;
    }

    /// A waker that unparks.
    pub(crate) fn waker(self: &Arc<Self>) -> Waker {
        Waker::from(Arc::clone(self))
    }

    /// Leaves a token and wakes the thread if it is parked.
    ///
    /// # Cost
    /// Some ten nanoseconds if no thread is parked; 4 to 15 µs in the operating system otherwise.
    #[inline(never)]
    pub(crate) fn unpark(&self) {
        self.unpark_after(|| ());
    }

    /// Does as [`unpark`](Self::unpark); if the thread is parked, calls `before` while it cannot go
    /// on. `before` runs no user code, since the parker is locked.
    pub(crate) fn unpark_after(&self, before: impl FnOnce()) {
        let mut state = lock(&self.state);
        if state.parked {
            before();
        }
        state.token = true;
        let parked = state.parked;
        drop(state);
        if parked {
            self.unparked.notify_one();
        }
    }
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.unpark();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn an_unpark_may_come_before_the_park() {
        let (parker, long) = (Parker::new(), Duration::from_secs(60));
        let start = Instant::now();
        parker.unpark();
        parker.park(Some(long));
        assert!(start.elapsed() < long, "the token is lost");
    }
}
