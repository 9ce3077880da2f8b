//! The start of workers: all when their pool is built, or each when it is first needed.
//!
//! Starting a thread takes the system 10 to 50 µs, so on a machine with many processors a program
//! that works for a millisecond needs few of them. For the roles of idle workers (idle.rs) and for
//! dormancy, a worker that has not been started is asleep: a pool whose workers start when they are
//! needed begins as a sleeping pool, with the first worker as its dormant leader. Waking a worker
//! that has not been started starts it. So the first job or task that is offered starts the leader,
//! which starts its deputy, and the next leader when it hands the lead on; a call for all threads
//! starts all.
//!
//! A fork that is offered starts a thread even if it is short: a join of two additions cannot be
//! distinguished from one of two minutes before it ends.
//!
//! Invariants:
//! * *In order*: workers start in the order of their indices, under the lock, so those that the
//!   system refuses are the last. `started` counts all of them at the end, after `Threads` has
//!   removed the refused ones, so a thread that sees all counted sees which run.
//! * *No start after the end*: under the lock, none starts once the pool is terminating, so the
//!   handles that are taken then are all.
//! * *Not in a child* of the pool's process (fork(2)): it has none of the pool's threads, and
//!   another thread may have held the lock. A pool has a process from before it is first locked.
//!
//! No user code runs under the lock but the global allocator's.

use super::{cpu_placement, ending::PoolGuard, shared::Shared, spawn::ThreadBuilder};
use crate::{
    join::member::Member,
    protocol::primitive::{AtomicUsize, Mutex, Ordering, fence, lock, spawn},
};
use std::{
    io, mem,
    sync::OnceLock,
    thread::{Builder, JoinHandle},
};

pub(crate) struct Starting {
    /// The number of workers that have been started or refused, by index.
    started: AtomicUsize,
    pub(super) handles: Mutex<Vec<JoinHandle<()>>>,
    refusal: OnceLock<io::Error>,
}

impl Starting {
    /// Of a pool that starts the workers from `first` on when they are needed.
    pub(super) fn new(first: usize) -> Self {
        Starting {
            started: AtomicUsize::new(first),
            handles: Mutex::default(),
            refusal: OnceLock::new(),
        }
    }
}

impl Shared {
    /// Before the pool is shared: marks the workers that have not been started as asleep, with the
    /// first of them as dormant leader.
    pub(super) fn begin_asleep(&self) {
        let (first, end) = self.threads.running_workers();
        if first < end {
            self.idle.roles(|roles| roles.begin_asleep(first));
            // SAFETY: members live as long as their pool, which the sleeper is a part of.
            unsafe { self.leader.begin(self.members.worker(first)) };
        }
    }

    /// Starts all workers that have not been started, and returns the range of indices of those
    /// that run.
    pub(crate) fn all_workers(&self) -> (usize, usize) {
        self.start(self.threads.workers);
        self.threads.running_workers()
    }

    /// Starts the worker of this seat, or unparks it with `unpark`.
    pub(super) fn wake_worker(&self, worker: &Member, unpark: impl FnOnce(&Member)) {
        if !self.threads.is_worker(worker.index) || !self.start(worker.index + 1) {
            unpark(worker);
        }
    }

    /// Starts the workers below `end` that have not been started. Returns false if there was none.
    pub(super) fn start(&self, end: usize) -> bool {
        if self.starting.started.load(Ordering::Acquire) >= end || self.is_forked() {
            return false;
        }
        self.settle_in_process();
        let mut handles = lock(&self.starting.handles);
        let first = self.starting.started.load(Ordering::Relaxed);
        if first >= end {
            return false;
        }
        let Some(pool) = self
            .this
            .upgrade()
            .filter(|_| !self.ending.is_terminating())
        else {
            return true;
        };
        if first == self.threads.running_workers().0 {
            // The dormant leader starts for any reason: it is awake.
            self.leader.wake();
        }
        for index in first..end {
            let thread = ThreadBuilder::plain(PoolGuard::new(&pool), index);
            match spawn(Builder::new(), || thread.run()) {
                Ok(handle) => handles.push(handle),
                Err(refusal) => {
                    let heir = self.refused(index, refusal);
                    drop(handles);
                    heir.inspect(|&heir| cpu_placement::wake_elsewhere(self.members.worker(heir)));
                    // Tasks that were queued for the workers may have none now.
                    fence(Ordering::SeqCst);
                    self.call_more();
                    break;
                }
            }
            self.starting.started.store(index + 1, Ordering::Relaxed);
        }
        true
    }

    /// For a pool that is terminating: counts the workers that have not been started as ended, with
    /// callers and the reserve, of which none comes from now on.
    pub(super) fn start_no_more(&self) {
        let handles = lock(&self.starting.handles);
        let all = self.threads.workers;
        let unstarted = all - self.starting.started.swap(all, Ordering::Release);
        self.idle.lose(unstarted);
        let callers = usize::from(!self.threads.only_workers());
        self.spares.lose(unstarted + callers);
        drop(handles);
        fence(Ordering::SeqCst);
        self.call_more();
    }

    /// Adds a worker that the builder has started; a custom spawn handler returns no handle.
    pub(super) fn add_worker(&self, handle: Option<JoinHandle<()>>) {
        lock(&self.starting.handles).extend(handle);
    }

    /// Removes the workers from `first` on, since the system has refused that one. If one of them
    /// was to lead, returns the new leader, which the caller unparks.
    pub(super) fn refused(&self, first: usize, refusal: io::Error) -> Option<usize> {
        let _ = self.starting.refusal.set(refusal);
        self.lose_workers(first);
        let heir = self.idle.roles(|roles| roles.lose(first));
        self.starting
            .started
            .store(self.threads.workers, Ordering::Release);
        heir
    }

    /// Takes the threads of a terminating pool, to join or detach them.
    pub(super) fn take_handles(&self) -> Vec<JoinHandle<()>> {
        mem::take(&mut *lock(&self.starting.handles))
    }

    pub(super) fn refusal(&self) -> Option<&io::Error> {
        self.starting.refusal.get()
    }
}
