//! The state that the members of a pool share: the members, the roles of idle workers, the threads.
//!
//! It consists of parts, each with an invariant of its own; callers name the part. The functions
//! here use several of them.

use super::{
    ending::Ending,
    members::Members,
    on_call::Reserve,
    own_threads::{OwnThreads, PanicFn},
    permits::PoolPermits,
    stall::watch::StallWatch,
    threads::{GUEST, Threads},
};
use crate::{
    hooks,
    join::member::Member,
    os,
    policy::{Policy, roles::Role},
    protocol::{
        idle::Idle,
        parker::Parker,
        primitive::{Instant, Ordering, fence},
        spares::Spares,
        watch::Watch,
    },
    unwind::swallow,
};
use std::sync::{Arc, Weak};

/// The state that the members of a pool share.
pub(crate) struct Shared {
    /// Dropped first.
    pub(crate) members: Members,
    /// The scheduling choices.
    pub(crate) policy: Policy,
    /// For tasks, which must not keep the pool alive.
    pub(crate) this: Weak<Shared>,
    pub(crate) threads: Threads,
    pub(super) own_threads: OwnThreads,
    pub(crate) idle: Idle,
    pub(crate) watch: Watch<Parker>,
    pub(crate) spares: Spares,
    /// The thread that runs tasks if workers are missing, if callers take part.
    pub(crate) reserve: Reserve,
    pub(crate) panic: Option<PanicFn>,
    /// Looks for stalls, if the builder or the environment asks for it.
    pub(crate) stall: Option<Arc<StallWatch>>,
    pub(crate) permits: PoolPermits,
    pub(crate) ending: Ending,
    pub(super) start: Instant,
}

impl Shared {
    /// Counts the threads, when their number may have changed.
    pub(super) fn count_threads(&self) {
        self.threads.recount(self.hands_over());
    }

    /// Returns whether `member` is that of an outside thread which hands its work over and waits.
    pub(crate) fn is_caller(&self, member: &Member) -> bool {
        member.index == GUEST && self.hands_over()
    }

    /// Returns whether outside threads hand their work over and wait. They do not if there is no
    /// thread to wait for: all workers were refused, or have ended.
    pub(crate) fn hands_over(&self) -> bool {
        self.threads.only_workers() && self.threads.has_workers() && !self.ending.tasks_ended()
    }

    /// After a fence: starts or wakes a spare, and the reserve, if they are needed. A pool whose
    /// callers wait has no reserve, unless all of its workers were refused.
    pub(crate) fn call_more(&self) {
        self.call_spare();
        let threads = &self.threads;
        if !threads.only_workers() || (threads.may_lack() && !threads.has_workers()) {
            self.reserve.call(self);
        }
    }

    /// On a thread that has just been started for this worker or spare: if it leads, it was dormant
    /// without a thread, and is awake now, whatever has started this one.
    pub(super) fn arrive(&self, index: usize) {
        if self.idle.roles(|roles| roles.of(index)) == Role::Leader {
            self.idle.leader.wake();
        }
    }

    /// Calls `f`, which runs users' code or waits for it, on the thread of a worker that is none of
    /// the idle ones meanwhile. It may not sit there yet.
    pub(super) fn while_busy(&self, index: usize, f: impl FnOnce()) {
        // A spare counts as idle when it works.
        if !self.threads.is_worker(index) {
            return f();
        }
        let heir = self.idle.roles(|roles| roles.resign(index));
        if let Some(heir) = heir.map(|heir| self.members.worker(heir)) {
            self.wake_worker(heir, Member::wake_elsewhere);
        }
        self.as_busy(f);
    }

    /// Calls `f` on a thread that counts as idle. Meanwhile it counts as busy.
    pub(crate) fn as_busy(&self, f: impl FnOnce()) {
        self.idle.begin_job();
        // The reserve's T3.
        fence(Ordering::SeqCst);
        self.call_more();
        f();
        self.idle.end_job();
    }

    /// Returns a seat for an outside thread.
    pub(crate) fn guest_seat(&self) -> &Member {
        let member = self.members.take_guest_seat(self);
        // The experience with its last guest does not apply to this one.
        member.demand.set_interval(self.policy.interval);
        member.demand.leave(self.demand());
        member.end_turn();
        member
    }

    /// Returns the nanoseconds since the pool was built; at least 1.
    #[inline(never)]
    pub(crate) fn now(&self) -> u64 {
        let elapsed = self.start.elapsed();
        (elapsed.as_secs() * 1_000_000_000 + u64::from(elapsed.subsec_nanos())).max(1)
    }

    /// Returns how many jobs to ask a member for whose jobs are worth taking.
    pub(crate) fn demand(&self) -> u32 {
        self.demand_of(1, self.policy.interval)
    }

    /// Returns how many jobs to ask a member with this interval for; `want` unless it pays to ask
    /// for more.
    #[inline(never)]
    pub(crate) fn demand_of(&self, want: u32, interval: u64) -> u32 {
        self.policy.demand(want, self.idle_and_busy(), interval)
    }

    /// Returns how many workers run no jobs, and how many threads compute: the others, and one
    /// caller.
    fn idle_and_busy(&self) -> (usize, usize) {
        let idle = self.idle.count();
        let (first, end) = self.threads.running_workers();
        let (spares, blocked) = self.spares.on_and_blocked();
        let busy = (end - first + spares).saturating_sub(idle + blocked);
        (idle, busy + 1)
    }

    /// Returns whether there is a processor for one more worker besides those that run jobs and one
    /// caller.
    pub(crate) fn has_free_cpu(&self) -> bool {
        let (_, busy) = self.idle_and_busy();
        busy < self.threads.cpus.load(Ordering::Relaxed)
    }

    /// Drops a guard, of the pool's handle or of one of its threads. With the last one all queued
    /// and later tasks are dropped.
    pub(crate) fn release_guard(&self) {
        if self.ending.release_guard() {
            self.terminate();
            self.count_threads();
            fence(Ordering::SeqCst);
            self.cancel_tasks();
            self.own_threads.forget_handlers();
            self.stall.iter().for_each(|watch| watch.end());
        }
    }

    /// After a publication by `by`: wakes the leader if dormant, and the watch for stalls.
    pub(crate) fn wake_dormant(&self, by: &Member) {
        if self.idle.leader.is_dormant() {
            // Before a child could be without a leader, or with a lock that is locked.
            self.settle_in_process();
        }
        let is_woken = self.idle.leader.wake();
        self.call_watch();
        if !is_woken {
            return;
        }
        let unpark = match self.is_caller(by) {
            true => |leader: &Member| leader.parker.unpark(),
            false => Member::wake_elsewhere,
        };
        self.wake_by(by, || self.idle.roles(|roles| roles.leader()), unpark);
    }

    pub(crate) fn unpark_worker(&self, by: &Member, index: usize) {
        self.wake_by(by, || Some(index), Member::wake_elsewhere);
    }

    /// Wakes `worker` for the thread that sits on `by`; not in a child of the pool's process, where
    /// locks may be locked.
    fn wake_by(
        &self,
        by: &Member,
        worker: impl FnOnce() -> Option<usize>,
        unpark: impl FnOnce(&Member),
    ) {
        by.counters.wakes.add_one();
        by.note(hooks::Event::Wake);
        let worker = (!self.is_forked()).then(worker).flatten();
        if let Some(worker) = worker {
            self.wake_worker(self.members.worker(worker), unpark);
        }
    }

    /// For a caller that waits: ends the leader's nap.
    pub(crate) fn end_nap(&self) {
        if let Some(napping) = self.idle.nap.cut(u64::MAX).filter(|_| !self.is_forked()) {
            self.wake_worker(self.members.worker(napping), |me| me.parker.unpark());
        }
    }

    /// Returns whether the calling process is a child of the pool's (fork(2)): it has none of the
    /// pool's threads, and one of them may have held its parker's lock, which stays locked here.
    pub(crate) fn is_forked(&self) -> bool {
        let process = self.own_threads.process.load(Ordering::Relaxed);
        process != 0 && process != os::process()
    }

    /// Records the calling process as that of the pool's threads, unless another is.
    pub(crate) fn settle_in_process(&self) {
        let order = Ordering::Relaxed;
        let process = &self.own_threads.process;
        if process.load(order) == 0 {
            let _ = process.compare_exchange(0, os::process(), order, order);
        }
    }
}

impl Drop for Shared {
    /// The thread that drops the last reference runs this, on any stack, so no panic may escape.
    fn drop(&mut self) {
        swallow(|| drop(self.panic.take()));
        let permits = self.permits.take_source();
        swallow(|| drop(permits));
        // The thread of a watch keeps that, and no pool. A child of the pool's process may find its
        // locks locked.
        let watch = self.stall.take().filter(|_| !self.is_forked());
        watch.inspect(|watch| watch.end());
    }
}
