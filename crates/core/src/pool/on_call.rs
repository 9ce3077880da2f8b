//! A thread of a pool that starts when it is called first, and sleeps until it is called again: the
//! reserve (reserve.rs) and the watch for stalls (stall/watch.rs).
//!
//! If the system refuses the thread, the next call asks for it again. None is started once the pool
//! is terminating. It is kept among the workers' threads, under their lock (starting.rs), and is
//! joined as they are. While a shutdown waits (resizing.rs) it ends in place of its dormancy, and
//! the next call starts another one. No call is lost: it looks whether the thread has been started
//! after a fence, and the thread looks for what it is called for once more when it has said that it
//! has not (L1 to L5 of dormancy.rs).

use super::{ending::PoolGuard, queues::Inbox, shared::Shared};
use crate::{
    join::member::Member,
    protocol::{
        dormancy::Sleeper,
        primitive::{AtomicBool, AtomicPtr, Ordering, fence, lock},
    },
};
use std::{io, ptr, sync::Arc, thread::JoinHandle};

pub(crate) struct OnCall {
    /// Written under the lock.
    started: AtomicBool,
    /// Whether the thread is dormant.
    pub(crate) sleeper: Sleeper,
}

impl OnCall {
    pub(crate) fn new() -> Self {
        OnCall {
            started: AtomicBool::new(false),
            sleeper: Sleeper::new(),
        }
    }

    /// Returns whether the thread has been started. A hint.
    pub(crate) fn has_started(&self) -> bool {
        self.started.load(Ordering::Relaxed)
    }

    /// Starts the thread by `start`, if it has not been started.
    #[cold]
    pub(crate) fn start(
        &self,
        pool: &Shared,
        start: &dyn Fn(&Arc<Shared>) -> io::Result<JoinHandle<()>>,
    ) {
        // What is dropped under the lock, if the system refuses the thread, is not the last guard.
        let Some(guard) = pool.this.upgrade().and_then(PoolGuard::before_the_end) else {
            return;
        };
        let pool = guard.pool();
        // A child of the pool's process has none of its threads, and the lock may stay locked.
        if pool.is_forked() {
            return;
        }
        pool.settle_in_process();
        // One thread at a time tries to start it.
        let mut running = lock(&pool.own_threads.running);
        if pool.ending.is_terminating() || self.has_started() {
            return;
        }
        if let Ok(thread) = start(pool) {
            self.started.store(true, Ordering::Relaxed);
            pool.keep(&mut running, thread);
        }
    }

    /// Returns whether the thread has been started. If not, waits for the end of an attempt to start
    /// it. (If it ends instead of its dormancy just now, it still sees what the caller has left for
    /// it before a fence.)
    pub(crate) fn is_started(&self, pool: &Shared) -> bool {
        self.has_started() || {
            let _running = (!pool.is_forked()).then(|| lock(&pool.own_threads.running));
            self.has_started()
        }
    }

    /// For this thread, which would sleep: returns true if it ends, unless something `comes`.
    pub(crate) fn ends(&self, pool: &Shared, comes: impl FnOnce() -> bool) -> bool {
        if !pool.is_stopping() {
            return false;
        }
        let _running = lock(&pool.own_threads.running);
        self.started.store(false, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let ends = !comes();
        self.started.store(!ends, Ordering::Relaxed);
        ends
    }
}

/// The reserve (reserve.rs).
pub(crate) struct Reserve {
    pub(super) thread: OnCall,
    /// Its member, while it lives.
    pub(super) member: AtomicPtr<Member>,
    /// Calls for outside threads, for which it stands if none waits (broadcast.rs).
    pub(crate) inbox: Inbox,
}

impl Reserve {
    pub(crate) fn new() -> Self {
        Reserve {
            thread: OnCall::new(),
            member: AtomicPtr::new(ptr::null_mut()),
            inbox: Inbox::default(),
        }
    }

    /// Returns whether the thread has been started. Waits for the end of an attempt to start it.
    pub(super) fn is_started(&self, pool: &Shared) -> bool {
        self.thread.is_started(pool)
    }

    /// Wakes the thread if it is dormant; not in a child of the pool's process, which has none.
    pub(crate) fn wake(&self) {
        if self.thread.sleeper.wake() {
            let member = self.member();
            let here = member.filter(|member| !member.shared().is_forked());
            here.inspect(|member| member.wake_elsewhere());
        }
    }

    /// Returns the member that the thread sits on. It is stored before the thread goes dormant, so
    /// those that wake it see it.
    pub(crate) fn member(&self) -> Option<&Member> {
        // SAFETY: null, or a member of the pool that this is a part of.
        unsafe { self.member.load(Ordering::Acquire).as_ref() }
    }
}
