//! The start of workers: all when their pool is built, or each when it is first needed; and again
//! after their threads have ended (resizing.rs).
//!
//! Starting a thread takes the system 10 to 50 µs, so on a machine with many processors a program
//! that works for a millisecond needs few of them. For the roles of idle workers (idle.rs) and for
//! dormancy, a worker that has no thread is asleep: a pool whose workers start when they are needed
//! begins as a sleeping pool, with the first worker as its dormant leader. Waking a worker that has
//! no thread starts one (protocol/terms.rs). So the first job or task that is offered starts the
//! leader, which starts its deputy, and the next leader when it hands the lead on; a call for all
//! threads starts all.
//!
//! A fork that is offered starts a thread even if it is short: a join of two additions cannot be
//! distinguished from one of two minutes before it ends.
//!
//! Invariants:
//! * *The last are refused*: if the system refuses a worker's thread, that worker is off, and all
//!   after the last one that has a thread. If others after it have threads it is on, but does not
//!   count, until a call or `resize` asks for its thread again. So the last worker that is on
//!   counts, and where none does the pool has no workers. `Threads` says so before the lock is
//!   released, so a thread that has called all workers sees which of them are on.
//! * *No start after the end*: under the lock, no worker is called once the pool is terminating.
//! * *Threads are kept* until they have left their seats, and so have run all users' code: until
//!   then a shutdown has to find them.
//! * *Detached early*: no handle is dropped when its thread may be about to end, but before the
//!   threads are told to, or by the thread itself. `pthread_detach` may use the memory of a thread
//!   that ends at the same time (glibc's bug 19951).
//! * *Not in a child* of the pool's process (fork(2)): it has none of the pool's threads, and
//!   another thread may have held the lock. A pool has a process from before it is first locked.
//!
//! No user code runs under the lock but the global allocator's.

use super::{ending::PoolGuard, own_threads::Running, shared::Shared, spawn::ThreadBuilder};
use crate::{
    join::member::Member,
    protocol::{
        primitive::{self, Locked, Ordering, fence, lock, lock_to_wait},
        terms::Term,
    },
};
use std::{
    io, iter, mem,
    ops::Range,
    panic::{self, AssertUnwindSafe},
    sync::Arc,
    thread::{self, JoinHandle},
};

impl Shared {
    /// Before the pool is shared: marks the workers that have not been started as asleep, with the
    /// first of them as dormant leader.
    pub(super) fn begin_asleep(&self) {
        let (first, end) = self.threads.running_workers();
        if first < end {
            self.idle.roles(|roles| roles.begin_asleep(first, end));
            self.idle.leader.begin();
        }
    }

    /// Starts all workers that have no thread, and returns the range of indices of those that are
    /// on, the number of threads of the pool then, and whether outside threads hand work over.
    pub(crate) fn all_workers(&self) -> ((usize, usize), usize, bool) {
        let (first, end) = self.threads.running_workers();
        self.start(first..end);
        // They change under the lock.
        let _running = (!self.is_forked()).then(|| {
            self.settle_in_process();
            lock(&self.own_threads.running)
        });
        let workers = self.threads.running_workers();
        (workers, self.threads.count(), self.hands_over())
    }

    /// After a publication for this member, a worker's or another's: unparks its thread by
    /// `unpark`, or starts one.
    pub(crate) fn wake_worker(&self, worker: &Member, unpark: impl FnOnce(&Member)) {
        let index = worker.index;
        if !self.threads.is_worker(index) || !self.start(index..index + 1) {
            unpark(worker);
        }
    }

    /// Starts threads for these workers. Returns false if all of them have one.
    pub(super) fn start(&self, mut workers: Range<usize>) -> bool {
        let has_thread = |index: usize| self.own_threads.terms[index].has_thread();
        let is_own = self.own_threads.has_workers;
        if !is_own || workers.clone().all(has_thread) || self.is_forked() {
            return false;
        }
        self.settle_in_process();
        let running = lock(&self.own_threads.running);
        if self.ending.is_terminating() {
            return true;
        }
        self.call_workers(running, &mut workers, None)
    }

    /// Has threads come to these workers' seats. If the number of workers has changed, wakes the
    /// `heirs`, which lead since others are off. Returns false if a thread sits at each of the
    /// seats.
    pub(super) fn call_workers(
        &self,
        mut running: Locked<'_, Running>,
        workers: &mut dyn Iterator<Item = usize>,
        heirs: Option<Vec<usize>>,
    ) -> bool {
        let (mut refused, mut woken, mut called) = (Vec::new(), Vec::new(), false);
        let changes = heirs.is_some();
        // None comes if the pool's tasks have ended. What is dropped under the lock, if the system
        // refuses a thread, is not the last guard.
        let guard = self.this.upgrade().and_then(PoolGuard::before_the_end);
        let mut heirs = heirs.unwrap_or_default();
        loop {
            let heir = heirs.pop();
            let Some(index) = heir.or_else(|| workers.next()) else {
                break;
            };
            if !refused.is_empty() && self.threads.is_off(index) {
                continue;
            }
            match self.call_worker(&mut running, guard.as_ref(), index) {
                Ok(false) => woken.extend(heir),
                Ok(true) => called = true,
                Err(why) => {
                    heirs.extend(self.refuse(index, why));
                    refused.push(index);
                }
            }
        }
        drop(running);
        for heir in woken {
            self.members.worker(heir).wake_elsewhere();
        }
        if changes || !refused.is_empty() {
            fence(Ordering::SeqCst);
            // Tasks that were queued for those that are off may have no other thread now.
            self.call_more();
            self.give_back(refused.iter().copied());
        }
        called || !refused.is_empty()
    }

    /// Under the lock: has a thread come to the seat of this worker or spare. Returns false if one
    /// sits there.
    pub(super) fn call_worker(
        &self,
        running: &mut Running,
        guard: Option<&PoolGuard>,
        index: usize,
    ) -> io::Result<bool> {
        self.own_threads.terms[index].call(&self.idle, || {
            let Some(guard) = guard.map(|guard| PoolGuard::new(guard.pool())) else {
                return Ok(false);
            };
            let thread = ThreadBuilder { guard, index }.start()?;
            self.keep(running, thread);
            Ok(true)
        })
    }

    /// Keeps a thread, unless none will be joined: neither of a pool that is dropped, nor where a
    /// spawn handler has started the workers, since a thread on call ends after their tasks.
    pub(super) fn keep(&self, running: &mut Running, thread: JoinHandle<()>) {
        if self.own_threads.has_workers && !self.ending.detaches() {
            running.0.push(thread);
        }
    }

    /// The calling thread has left its seat: forgets it, unless threads are being joined, so it
    /// detaches itself while it still runs.
    pub(super) fn forget_here(&self, running: &mut Running) {
        if !self.is_stopping() && !self.ending.is_dropped() {
            let here = thread::current().id();
            running.0.retain(|own| own.thread().id() != here);
        }
    }

    /// As the thread that has been started for this worker or spare: waits until the one before it
    /// has given up the seat.
    pub(super) fn await_seat(&self, index: usize) {
        let is_taken = || self.own_threads.terms[index].is_taken();
        if !is_taken() {
            return;
        }
        // That one may be in users' code, which may take long.
        self.while_busy(index, || {
            let mut running = lock_to_wait(&self.own_threads.running);
            while is_taken() {
                let free = self.own_threads.is_free.wait(running);
                running = free.unwrap_or_else(|poisoned| poisoned.into_inner());
            }
        });
    }

    /// Returns whether a worker that is on has no thread, and does not count, since the system has
    /// refused it.
    pub(crate) fn is_absent(&self, worker: usize) -> bool {
        self.own_threads.terms[worker].is_empty()
    }

    /// Called when the calling thread, of a worker or spare, has given up its seat.
    pub(super) fn worker_is_gone(&self, index: usize) {
        if self.is_forked() {
            return;
        }
        let mut running = lock(&self.own_threads.running);
        self.forget_here(&mut running);
        if self.own_threads.terms[index].free() {
            self.own_threads.is_free.notify_all();
        }
        drop(running);
        if self.threads.is_spare(index) {
            self.call_spare();
        }
    }

    /// Under the lock: the system has refused this worker's thread. Returns the workers that lead
    /// now.
    fn refuse(&self, index: usize, refusal: io::Error) -> Vec<usize> {
        let _ = self.own_threads.refusal.set(refusal);
        let terms = &self.own_threads.terms;
        let (first, before) = self.threads.running_workers();
        let last = (index..before).rev().find(|&last| terms[last].lasts());
        let end = last.map_or(index.min(before), |last| last + 1);
        let counts = |&last: &usize| last != index && terms[last].counts();
        let last = (first..end).rev().find(counts);
        self.turn_off(last.map_or(first, |last| last + 1), Some(index))
    }

    /// Gives what waits for threads that the system refuses to others.
    fn give_back(&self, refused: impl Iterator<Item = usize>) {
        refused.for_each(|index| self.answer_in_vain(self.members.worker(index)));
    }

    /// Starts these workers' threads by the builder's spawn handler. If it refuses one, or panics,
    /// it is not asked for the others.
    pub(super) fn start_by(
        self: &Arc<Self>,
        workers: Range<usize>,
        spawn: &mut dyn FnMut(ThreadBuilder) -> io::Result<()>,
    ) {
        for index in workers {
            let guard = PoolGuard::new(self);
            let thread = ThreadBuilder { guard, index };
            let spawned = panic::catch_unwind(AssertUnwindSafe(|| spawn(thread)));
            let (why, payload) = match spawned {
                Ok(Ok(())) => continue,
                Ok(Err(why)) => (why, None),
                Err(payload) => (io::Error::other("the handler panicked"), Some(payload)),
            };
            self.refused_by_handler(index, why);
            if let Some(payload) = payload {
                panic::resume_unwind(payload);
            }
            return;
        }
    }

    /// The spawn handler has refused this worker.
    fn refused_by_handler(&self, first: usize, refusal: io::Error) {
        let running = lock(&self.own_threads.running);
        let (_, end) = self.threads.running_workers();
        self.own_threads.terms[first..]
            .iter()
            .for_each(Term::refused);
        let heirs = self.refuse(first, refusal);
        self.call_workers(running, &mut iter::empty(), Some(heirs));
        self.give_back(first..end);
    }

    /// Takes the threads, to join or detach them.
    pub(super) fn take_handles(&self) -> Vec<JoinHandle<()>> {
        mem::take(&mut lock(&self.own_threads.running).0)
    }

    /// Joins the threads until there are none: those that end may start others.
    pub(super) fn join_all(&self) {
        loop {
            let handles = self.take_handles();
            if handles.is_empty() {
                return;
            }
            for handle in handles {
                let _ = primitive::join(handle);
            }
        }
    }

    pub(super) fn refusal(&self) -> Option<&io::Error> {
        self.own_threads.refusal.get()
    }
}
