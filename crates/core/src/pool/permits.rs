//! Permits: a pool's workers work only while they hold one, if its builder says so. With those of a
//! jobserver (crates/sumac/src/tokens.rs) many programs share a machine.
//!
//! A process has the right to one thread without a permit: the one that runs `main`. So outside
//! threads that take part in a pool's work need none, and a thread that waits in the midst of its
//! work keeps what it has: it helps.
//!
//! ```text
//!   a worker    none ── sees a job or a task, takes one ──► holds one: runs jobs and tasks
//!                ▲ │                                           │            ▲
//!                │ └─ sees work, none is free:                 │ parks      │ sees work
//!                │    *starves* (below)                        ▼            │
//!                └──────── has been idle for a while ─────── has put it by ─┘
//! ```
//!
//! * **The permits of a pool are alike.** `taken` were taken from the source and not given back;
//!   `used` are held by workers. The others have been *put by*, by workers that parked: any worker
//!   of the pool takes these first. Each worker that puts one by while any are taken gives one
//!   back when it has been idle for `HOLD`, if any is put by then. So an idle pool keeps none for
//!   longer: never are more taken than workers hold one or have such a timer. (To take one is to
//!   hold it. A worker that works again before its time holds one. Otherwise a permit is given up,
//!   or not given back, only while as many are used as are taken.)
//! * **Its own permit.** A pool whose callers wait has one permit that it does not take from the
//!   source: its workers run what no caller waits for, as the reserve does elsewhere. The counts do
//!   not say which is which.
//!   (While `main` works elsewhere, this is one thread too many, in each such pool.)
//! * **A blocked thread lends its own** (pool/spares.rs): while it is blocked, workers and spares
//!   may use one more than there are, and what it keeps is not given back. When it is back, the
//!   pool has *overdrawn*: the next holder that looks for work gives up its permit.
//! * **Who needs none.** The reserve: it stands in for a thread that waits. A call for one worker
//!   alone (inbox.rs): it needs that very thread. And work that a thread outside of the pool
//!   waits for, which may not run it itself: a call, a task, a scope, a future.
//! * **A waiter's right.** Meanwhile one worker at a time that lacks a permit runs such work. It
//!   holds one from then on, and while it runs that entry of a queue (`running`) there is one more.
//!   So what others use does not depend on it; afterwards the pool has overdrawn. If it sleeps in
//!   a wait, the right is free for another worker, and so on. (When such are back, there are as
//!   many threads too many.) The work that has been waited for longest comes first, and
//!   last once a worker has run it. A thread lends one right for each wait on its stack, also while
//!   it runs something on top of that. A worker uses one only when it has found no permit, so it
//!   takes a free one of the source for such work, too.
//!
//! **To starve.** Permits come back to the source at any time, and it tells no pool. So the
//! leader, which has seen work and found no permit, naps, for longer and longer, up to `NAP_MAX`,
//! and tries again after each nap. All others sleep: the deputy as beside a dormant leader
//! (idle.rs), and publications wake none. If it sees no work after a nap of `NAP_MAX` in which no
//! thread has answered, the work is over, and it goes dormant as usual. A worker that is not the
//! leader and finds no permit takes a role, as if there were no work: the leader is awake, or has
//! been woken for that work.
//!
//! ```text
//!   leader                               another thread
//!   S1  naps (nap.rs): callers end it    P1  puts a permit by; lends one; or begins to wait for
//!   S2  starves := true                      work that a worker must run
//!   S3  fence                            P2  fence, or the lock
//!   S4  looks at the permits put by,     P3  ends the nap, if there is one
//!       those of the source, and that
//!       work                             T2  queues a task, or blocks
//!   S5  calls the reserve and a spare,   T3  fence
//!       if they are needed               T4  calls the reserve and a spare, if they are needed
//!   S6  sleeps
//! ```
//!
//! If S4 misses P1, P3 comes after S1, and ends the nap. If T4 takes the leader for an idle worker
//! that will come, S2 is after T3, so S5 sees T2 (reserve.rs, protocol/spares.rs). Else the
//! nap ends by itself. Nothing waits for that but permits of the source, a step of a future or a
//! task of a scope that a worker queues while a thread outside waits for the end of all, and what
//! is left by a worker that falls asleep on a waiter's right.
//!
//! **Liveness**, with no permit free for ever: all work ends that would end in a pool with the one
//! thread that needs none.
//! * What a worker has begun it ends: it gives back nothing before it is idle.
//! * Jobs of joins and loops are run by the threads that offer them.
//! * Tasks are run by threads that take part; by the reserve, since a pool that starves counts as
//!   one without an idle worker (`Shared::has_idle`), also if a guest inside does not answer, and
//!   now and then if guests do; where callers wait, on the pool's own permit.
//! * A thread that waits for another pool sleeps; that pool's leader, or the next one while that is
//!   busy, runs what is waited for, unless one that runs a part of it is awake. So a worker without
//!   a permit counts as awake in the wait-for graph (wait_for.rs), rightly: when that one
//!   sleeps or has ended its part, it starts the rest. It never waits for a permit while it has
//!   work on its stack, so no thread waits for a permit through it.
//! * A blocked thread's permit is free for others.
//! * Where it is off, a worker that sees work and finds no permit naps for `NAP_MAX`, or until one
//!   is put by or lent, and tries again. Meanwhile it counts as busy, so the reserve, spares and
//!   the handler of stalls do what they would. It ends when it sees none, so tasks that are queued
//!   by then are run.
//! * A worker that ends, since its pool is over, smaller or shut down, gives back all that are put
//!   by, its own among them.
//!
//! **Locks.** The counts' lock may be held when that of the wait-for graph or of a queue is taken,
//! and not the other way round.
//!
//! The source is users' code. No lock is held while it runs, and its panics are swallowed: a permit
//! that was not taken is none, and one that could not be given back is lost. A child of fork(2) has
//! no workers, so it takes and gives back nothing.

use super::shared::Shared;
use crate::{
    join::member::sleeping::is_asleep,
    protocol::primitive::{AtomicBool, Mutex, Ordering, fence, lock},
    unwind::swallow,
};
use std::sync::Arc;

/// A share of the machine: the permits that the workers of a pool need to work. See
/// [`ThreadPoolBuilder::permits`](crate::ThreadPoolBuilder::permits).
///
/// Several pools, and by an implementation that asks another process also several programs, may
/// have the same ones. They are dropped with the memory of the pool, which a thread may keep that
/// has used it; permits that own the pool's handle leak both.
pub trait Permits: Send + Sync {
    /// Takes a permit if one is free, and returns whether it has. Returns at once.
    ///
    /// It must not use the pool. A panic counts as false.
    fn try_take(&self) -> bool;

    /// Gives back a permit that was taken. Returns at once.
    ///
    /// It must not use the pool. A panic is swallowed.
    fn give_back(&self);
}

impl<P: Permits + ?Sized> Permits for Arc<P> {
    fn try_take(&self) -> bool {
        (**self).try_take()
    }

    fn give_back(&self) {
        (**self).give_back();
    }
}

/// How long a worker keeps a permit while it is idle, in nanoseconds: so it does not lose it in
/// each short pause, to another program's long job.
pub(crate) const HOLD: u64 = 1_000_000;
/// The first and the longest naps of a leader that starves, in nanoseconds.
pub(crate) const NAP: u64 = 1_000_000;
pub(crate) const NAP_MAX: u64 = 8_000_000;

/// The permits of a pool.
pub(crate) struct PoolPermits {
    source: Option<Arc<dyn Permits>>,
    /// Whether the leader starves.
    starves: AtomicBool,
    /// Whether the pool may have overdrawn. Written under the lock of `counts`.
    overdrawn: AtomicBool,
    counts: Mutex<Counts>,
}

#[derive(Default)]
struct Counts {
    taken: usize,
    used: usize,
    /// How many workers run an entry on the right of a thread that waits for it.
    running: usize,
    /// The entries of queues for which threads outside of the pool wait, by address, and the worker
    /// that runs one on such a thread's right. The first come first.
    awaited: Vec<(usize, Option<usize>)>,
}

impl Counts {
    /// Returns how many permits there are, in a pool with so many of its own.
    fn most(&self, own: usize) -> usize {
        self.taken + self.running + own
    }
}

impl PoolPermits {
    pub(super) fn new(source: Option<Arc<dyn Permits>>) -> Self {
        PoolPermits {
            source,
            starves: AtomicBool::new(false),
            overdrawn: AtomicBool::new(false),
            counts: Mutex::default(),
        }
    }

    /// Returns whether workers need permits.
    pub(crate) fn are_needed(&self) -> bool {
        self.source.is_some()
    }

    /// Returns whether the leader starves. A hint.
    pub(crate) fn starves(&self) -> bool {
        self.starves.load(Ordering::Relaxed)
    }

    /// Returns whether the pool may have overdrawn.
    pub(crate) fn may_be_overdrawn(&self) -> bool {
        self.overdrawn.load(Ordering::Relaxed)
    }

    /// The leader starves no more.
    pub(crate) fn feed(&self) {
        self.starves.store(false, Ordering::Relaxed);
    }

    /// A worker has run an entry that [`Shared::overdraw_permits`] has given it.
    pub(crate) fn has_run(&self, worker: usize, entry: usize) {
        let counts = &mut *lock(&self.counts);
        counts.running -= 1;
        self.overdrawn.store(true, Ordering::Relaxed);
        let it = (entry, Some(worker));
        let at = counts.awaited.iter().position(|&other| other == it);
        if let Some(at) = at {
            counts.awaited.remove(at);
            counts.awaited.push((entry, None));
        }
    }

    /// Takes the source out, to drop it.
    pub(super) fn take_source(&mut self) -> Option<Arc<dyn Permits>> {
        self.source.take()
    }
}

impl Shared {
    /// Returns whether a worker is idle, and may run a task.
    pub(crate) fn has_idle(&self) -> bool {
        self.idle.count() > 0 && !self.permits.starves()
    }

    fn own_permits(&self) -> usize {
        usize::from(self.threads.only_workers())
    }

    /// Returns the number of the pool's own permits and those that are lent.
    fn own_or_lent(&self) -> usize {
        self.own_permits() + self.spares.blocked()
    }

    /// For a worker: takes a permit that is put by, or one of the source, if one is free.
    pub(crate) fn take_permit(&self) -> bool {
        let Some(source) = &self.permits.source else {
            return true;
        };
        let mut counts = lock(&self.permits.counts);
        if counts.used < counts.most(self.own_or_lent()) {
            counts.used += 1;
            return true;
        }
        drop(counts);
        let mut is_taken = false;
        swallow(|| is_taken = source.try_take());
        if is_taken {
            let mut counts = lock(&self.permits.counts);
            counts.taken += 1;
            counts.used += 1;
        }
        is_taken
    }

    /// For a worker without a permit: if it can `take` one of the entries that it may run, it holds
    /// a permit from now on. Returns that entry and what it has taken.
    pub(crate) fn overdraw_permits<T>(
        &self,
        worker: usize,
        take: impl FnOnce(&[usize]) -> Option<(usize, T)>,
    ) -> Option<(usize, T)> {
        let counts = &mut *lock(&self.permits.counts);
        let taken = take(&self.free_entries(counts))?;
        let mut awaited = counts.awaited.iter_mut();
        let it = awaited.find(|(entry, _)| *entry == taken.0);
        it.into_iter().for_each(|(_, by)| *by = Some(worker));
        counts.used += 1;
        counts.running += 1;
        Some(taken)
    }

    /// Returns whether any of the entries `is_queued` that a worker without a permit may run.
    pub(crate) fn is_any_awaited(&self, is_queued: impl FnOnce(&[usize]) -> bool) -> bool {
        let counts = lock(&self.permits.counts);
        is_queued(&self.free_entries(&counts))
    }

    /// Returns those that no worker runs, or one that sleeps.
    fn free_entries(&self, counts: &Counts) -> Vec<usize> {
        let sleeps = |worker| is_asleep(self.members.worker(worker));
        let awaited = counts.awaited.iter();
        let free = awaited.filter(|(_, by)| by.is_none_or(sleeps));
        free.map(|&(entry, _)| entry).collect()
    }

    /// Gives up the permit of a worker if the pool has overdrawn; returns whether it has.
    pub(crate) fn settle_overdraft(&self) -> bool {
        let mut counts = lock(&self.permits.counts);
        let most = counts.most(self.own_or_lent());
        let is_overdrawn = counts.used > most;
        counts.used -= usize::from(is_overdrawn);
        let is_still = counts.used > most;
        self.permits.overdrawn.store(is_still, Ordering::Relaxed);
        is_overdrawn
    }

    /// For a thread that blocks no more.
    pub(in crate::pool) fn end_lending(&self) {
        // In a child of fork, the lock may stay locked.
        if self.permits.are_needed() && !self.is_forked() {
            let _counts = lock(&self.permits.counts);
            self.permits.overdrawn.store(true, Ordering::Relaxed);
        }
    }

    /// Puts a permit by. Returns whether the pool has any of the source.
    pub(crate) fn put_permit_by(&self) -> bool {
        let mut counts = lock(&self.permits.counts);
        counts.used -= 1;
        let is_any_taken = counts.taken > 0;
        drop(counts);
        self.end_starving();
        is_any_taken
    }

    /// Gives one of those back that are put by. Returns false if there is none.
    pub(crate) fn give_permit_back(&self) -> bool {
        let mut counts = lock(&self.permits.counts);
        if counts.taken == 0 || counts.used >= counts.most(self.own_permits()) {
            return false;
        }
        counts.taken -= 1;
        drop(counts);
        let source = self.permits.source.iter();
        source.for_each(|source| swallow(|| source.give_back()));
        true
    }

    /// S2, S3 and S5. (What comes between them does not change what S5 sees.)
    pub(crate) fn starve(&self) {
        self.permits.starves.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.call_more();
    }

    /// P3.
    pub(crate) fn end_starving(&self) {
        if self.permits.starves() {
            self.end_nap();
        }
    }

    /// For a thread outside of the pool that waits for work: until the result is dropped, one
    /// worker at a time may run that without a permit. It has entries of this address in the
    /// queues.
    pub(crate) fn lend_permit(&self, entry: usize) -> Option<Lent<'_>> {
        // In a child of fork, the lock may stay locked, also when the right is dropped.
        if !self.permits.are_needed() || self.is_forked() {
            return None;
        }
        lock(&self.permits.counts).awaited.push((entry, None));
        self.end_starving();
        Some(Lent { pool: self, entry })
    }
}

/// The right to work of a thread that waits for work in this pool.
pub(crate) struct Lent<'p> {
    pool: &'p Shared,
    entry: usize,
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if self.pool.is_forked() {
            return;
        }
        let awaited = &mut lock(&self.pool.permits.counts).awaited;
        let at = awaited.iter().position(|&(entry, _)| entry == self.entry);
        at.map(|at| awaited.remove(at));
    }
}

#[cfg(test)]
mod tests {
    use crate::pool::{builder::ThreadPoolBuilder, spares::blocking};

    /// In a pool without permits workers look at none.
    #[test]
    fn without_permits_nothing_is_overdrawn() {
        let pool = ThreadPoolBuilder::new().num_threads(2).build();
        let pool = pool.expect("a pool");
        pool.spawn(|| blocking(|| ())).join();
        assert!(!pool.shared().permits.may_be_overdrawn());
    }
}
