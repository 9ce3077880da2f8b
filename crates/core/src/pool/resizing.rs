//! Pools that change: their size (`resize`), their threads' end and new beginning (`shutdown`), and
//! a quota of processor time that becomes smaller or larger.
//!
//! **A smaller pool.** The workers from a certain index on are *off*: they have no role among the
//! idle ones, nor count there. A thread whose worker is off gives up its role, answers the calls
//! that it has, and ends; a job or task that it is in comes first. Its queue stays, and others take
//! from it, as from all. If it leaves tasks there it announces them again, so that a thread comes
//! for them. The last worker leaves none: the reserve may not come any more, if the pool ends at
//! the same time. It counts as busy before it looks, so whatever is queued then sees that.
//!
//! **A larger pool.** Workers that are on again get threads, on the seats that they had. If the one
//! before is still there, it stays; if it is about to end, the next follows it (protocol/terms.rs).
//!
//! **A pool that is shut down** keeps its size. For as long as `shutdown` waits, a worker that
//! would sleep without a time limit ends its thread instead, and keeps its role: the leader only
//! once it is dormant, and so its deputy, which looks again now and then until it is. Then it is as
//! one that has not been started, so whatever would wake it starts it, and the pool works on. No
//! other state begins or ends with a shutdown. Spares that rest end at once, and the reserve and
//! the watch for stalls in place of their dormancy.
//!
//! **What waits for what.** Only `shutdown` waits: for threads, without a lock that others take but
//! further shutdowns. A thread ends when nothing is queued or offered (dormancy.rs, L5), so after
//! all tasks, and also after those that are blocked. It waits for none of them; so no circle
//! closes, unless such a task waits for the thread that has called `shutdown`, or for another
//! shutdown. On a thread of the pool it panics. The order in which it joins them does not matter:
//! the reserve and the watch end as soon as they would be dormant, whether they are being joined or
//! not, and a thread that needs one then starts another. The watch waits for its handler, too. That
//! may not wait for the pool; a `shutdown` there panics, also while another one joins that thread.
//!
//! **Calls of broadcasts.** A broadcast calls the workers that are on when it begins. A call starts
//! a thread if there is none, also if the worker is off by now: it answers and ends again. If the
//! system refuses it, the call goes to the scope's owner, or becomes a task.
//!
//! **No workers.** If the last worker is turned off, since the pool is smaller or the system
//! refuses its thread, outside threads run what they have handed over themselves. Those that sleep
//! are woken: each has put its parker into the pool's list before it looks for the last time, so
//! by the lock of that list either it sees that there are no workers, or it is found.

use super::shared::Shared;
use crate::{
    join::member::Member,
    os::{self, CALLING},
    policy::roles::Role,
    protocol::{
        parker::Parker,
        primitive::{self, Ordering, fence, lock},
    },
};
use std::sync::Arc;

/// How often a pool looks for the number of processors, in nanoseconds.
const LOOK_AFTER: u64 = 1_000_000_000 / 2;

impl Shared {
    /// Returns whether a shutdown waits.
    pub(crate) fn is_stopping(&self) -> bool {
        self.own_threads.stopping.load(Ordering::Relaxed) > 0
    }

    /// Has all threads of the pool look what there is to do, and whether they end.
    pub(super) fn rouse(&self) {
        fence(Ordering::SeqCst);
        self.members.unpark();
        self.reserve.wake();
        self.stall.iter().for_each(|watch| watch.parker.unpark());
    }

    /// Makes the pool one of so many threads, if it `may` be so under the lock.
    pub(super) fn set_threads(&self, threads: usize, may: impl FnOnce() -> bool) {
        if self.is_forked() {
            return;
        }
        self.settle_in_process();
        let end = self.threads.workers_of(threads);
        // Not under the lock.
        (0..end).for_each(|index| self.members.add_seat(self, index));
        let running = lock(&self.own_threads.running);
        if self.ending.is_terminating() || !may() {
            return;
        }
        let heirs = self.turn_off(end, None);
        let terms = self.own_threads.terms[..end].iter().enumerate();
        let mut missing = terms.filter_map(|(index, term)| (!term.counts()).then_some(index));
        self.call_workers(running, &mut missing, Some(heirs));
    }

    /// Under the lock: the workers below `end` are on.
    fn set_end(&self, end: usize) {
        let had_workers = self.threads.has_workers();
        self.threads.set_end(end);
        self.count_threads();
        // In a pool without workers, callers may be gone at any time.
        let has_workers = self.threads.has_workers();
        self.spares.set_workers(has_workers);
        if had_workers && !has_workers {
            let outside = lock(&self.own_threads.outside);
            outside.iter().for_each(|parker| parker.unpark());
        }
    }

    /// Calls `park`, in which a thread looks for the last time and sleeps on its `parker`. If it is
    /// an outside one that has handed work over to a pool, it is unparked when that has no workers
    /// any more.
    pub(crate) fn sleep_outside(pool: Option<&Self>, parker: &Arc<Parker>, park: &mut dyn FnMut()) {
        // In a child of fork, the lock may stay locked.
        let pool = pool.filter(|pool| !pool.is_forked());
        let outside = pool.map(|pool| &pool.own_threads.outside);
        outside.inspect(|outside| lock(outside).push(Arc::clone(parker)));
        park();
        outside.inspect(|outside| lock(outside).retain(|other| !Arc::ptr_eq(other, parker)));
    }

    /// Under the lock: turns the workers from `end` on off. Those that have threads see that
    /// themselves. One that the system has `refused` counts no more. Returns the new leaders, which
    /// the caller wakes.
    pub(super) fn turn_off(&self, end: usize, refused: Option<usize>) -> Vec<usize> {
        self.set_end(end);
        let mut heirs = Vec::new();
        let refused = refused.filter(|&index| index < end);
        for index in (end..self.threads.workers).rev().chain(refused) {
            if self.own_threads.terms[index].lose() {
                self.idle.lose(1);
                let (role, heir) = self
                    .idle
                    .roles(|roles| (roles.of(index), roles.resign(index)));
                if role == Role::Leader {
                    // It is dormant, but has no thread. Its heir looks before it is.
                    self.idle.leader.wake();
                }
                heirs.extend(heir);
            }
        }
        let others = self.members.workers_from(end);
        others.for_each(|worker| worker.parker.unpark());
        heirs.retain(|&heir| heir < end && Some(heir) != refused);
        heirs
    }

    /// For the thread of `me`, which does nothing: returns true if it ends, since its worker is off
    /// and has no calls, nor, as the last one, tasks.
    pub(crate) fn leaves_as_off(&self, me: &Member) -> bool {
        let others_come = || self.threads.has_workers() || !self.members.have_tasks();
        let is_done = || me.queues.inbox.is_empty() && others_come();
        let may_end = || self.threads.is_off(me.index) && is_done();
        let running = lock(&self.own_threads.running);
        let term = &self.own_threads.terms[me.index];
        if self.ending.is_terminating() || !term.leave_as_off(&self.idle, may_end) {
            return false;
        }
        drop(running);
        fence(Ordering::SeqCst);
        if self.members.have_tasks() {
            self.wake_dormant(me);
        }
        self.call_more();
        true
    }

    /// Returns whether workers that are asleep end, since a shutdown waits.
    pub(crate) fn ends_sleepers(&self) -> bool {
        self.is_stopping() && self.own_threads.has_workers
    }

    /// For the thread of `me`, which would sleep until it is woken: returns true if it ends
    /// instead, since its worker, or spare, still `is_asleep`.
    pub(crate) fn leaves_asleep(&self, me: &Member, is_asleep: impl FnOnce() -> bool) -> bool {
        let _running = lock(&self.own_threads.running);
        self.own_threads.terms[me.index].leave_asleep(is_asleep)
    }

    /// Looks now and then whether there are fewer processors, or more, and makes the pool as large
    /// if its size was the default. Called by workers between jobs, and, where there are none, by
    /// threads that enter the pool.
    pub(crate) fn follow_processors(&self) {
        if self.threads.follows.load(Ordering::Relaxed) {
            self.look_at_processors();
        }
    }

    #[cold]
    #[inline(never)]
    fn look_at_processors(&self) {
        let looked_at = &self.threads.looked_at;
        let (now, before) = (self.now(), looked_at.load(Ordering::Relaxed));
        let order = Ordering::Relaxed;
        if now.saturating_sub(before) < LOOK_AFTER
            || looked_at.compare_exchange(before, now, order, order).is_err()
            // A thread that is kept off some processors, or was moved by others, knows only those.
            || os::processors(CALLING) != self.threads.processors
        {
            return;
        }
        self.use_processors(primitive::processors());
    }

    /// There are so many processors.
    fn use_processors(&self, processors: usize) {
        if self.threads.cpus.swap(processors, Ordering::Relaxed) != processors {
            // Unless a program has asked for another number meanwhile, or the quota has changed.
            let follows = || {
                self.threads.follows.load(Ordering::Relaxed)
                    && self.threads.cpus.load(Ordering::Relaxed) == processors
            };
            self.set_threads(processors.min(self.threads.most()), follows);
        }
    }
}
