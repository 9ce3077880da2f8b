//! What the members of a pool share: each other, the roles of the idle, the dormant leader.
//!
//! It is made of parts, each with an invariant of its own; callers name the part. What is here
//! takes several of them.

use super::{ending::Ending, members::Members, place, starting::Starting, threads::Threads};
use crate::{
    join::{
        job::Payload,
        member::{GUEST, Member},
        wait::Waiter,
    },
    os,
    policy::Policy,
    protocol::{
        dormancy::Sleeper,
        idle::Idle,
        primitive::{AtomicU32, Instant, Ordering, fence},
        watch::Watch,
    },
    task::Reserve,
    unwind::swallow,
};
use std::sync::{Arc, Weak};

/// What the members of a pool share.
pub(crate) struct Shared {
    /// The first to go.
    pub(crate) members: Members,
    /// How it schedules.
    pub(crate) policy: Policy,
    /// For tasks, which must not keep the pool.
    pub(crate) this: Weak<Shared>,
    pub(crate) threads: Threads,
    pub(super) starting: Starting,
    /// Whether a thread takes the newest of its own tasks first.
    pub(crate) newest_first: bool,
    pub(crate) idle: Idle,
    /// How many processors there are.
    cpus: usize,
    /// The leader, while it is dormant.
    pub(crate) leader: Sleeper<Member>,
    pub(crate) watch: Watch<Waiter>,
    /// The thread that runs tasks where workers are missing, if callers take part.
    pub(crate) reserve: Reserve,
    pub(crate) panic: Option<PanicFn>,
    #[cfg(feature = "hooks")]
    pub(crate) observer: crate::hooks::ObserverOf,
    pub(crate) ending: Ending,
    start: Instant,
    /// The process that has the pool's threads, 0 before it has any.
    process: AtomicU32,
}

pub(crate) type PanicFn = Arc<dyn Fn(Payload) + Send + Sync>;

impl Shared {
    /// A pool on so many processors, with seats for these workers.
    pub(crate) fn new(
        cpus: usize,
        threads: Threads,
        newest_first: bool,
        start_when_needed: bool,
        policy: Policy,
        panic: Option<PanicFn>,
    ) -> Arc<Self> {
        let workers = threads.workers;
        let (own, _) = threads.running_workers();
        let shared = Arc::new_cyclic(|this| Shared {
            members: Members::new(),
            policy: policy.bounded(),
            this: Weak::clone(this),
            threads,
            starting: Starting::new(if start_when_needed { own } else { workers }),
            newest_first,
            idle: Idle::new(workers),
            cpus,
            leader: Sleeper::new(),
            watch: Watch::new(),
            reserve: Reserve::new(),
            panic,
            #[cfg(feature = "hooks")]
            observer: crate::hooks::ObserverOf::default(),
            ending: Ending::new(),
            start: Instant::now(),
            process: AtomicU32::new(if start_when_needed { 0 } else { os::process() }),
        });
        shared.idle.lose(own);
        shared.members.add_workers(&shared, workers);
        shared.count_threads();
        if start_when_needed {
            shared.begin_asleep();
        }
        shared
    }

    /// Counts the threads, whenever that may have changed.
    fn count_threads(&self) {
        self.threads.recount(self.hands_over());
    }

    /// Says that the workers from `first` on were not started.
    pub(super) fn lose_workers(&self, first: usize) {
        self.idle.lose(self.threads.lose(first));
        self.count_threads();
    }

    /// Whether `member` is one of a thread from outside, which hands its work over and waits.
    pub(crate) fn is_caller(&self, member: &Member) -> bool {
        member.index == GUEST && self.hands_over()
    }

    /// Whether threads from outside hand over what they do, and wait. Not where there is no thread
    /// to wait for: all workers were refused, or have ended.
    pub(crate) fn hands_over(&self) -> bool {
        self.threads.only_workers() && self.threads.has_workers() && !self.ending.tasks_ended()
    }

    /// After a fence: starts or wakes the reserve, if it is needed. A pool that was asked for
    /// certain threads has no others.
    pub(crate) fn call_reserve(&self) {
        if !self.threads.only_workers() {
            self.reserve.call(self);
        }
    }

    /// A seat for a thread from outside.
    pub(crate) fn guest_seat(&self) -> *const Member {
        let seat = self.members.take_guest_seat(self);
        // SAFETY: members live as long as the pool.
        let member = unsafe { &*seat };
        // What was learnt about its last guest does not hold for this one.
        member.pace.set_interval(self.policy.interval_min);
        member.demand.leave(self.demand());
        member.end_turn();
        seat
    }

    /// Nanoseconds since the pool was built; at least 1.
    pub(crate) fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos())
            .unwrap_or(u64::MAX)
            .max(1)
    }

    /// How many jobs to ask a member for that is worth asking.
    pub(crate) fn demand(&self) -> u32 {
        self.demand_of(1, self.policy.interval_min)
    }

    /// How many jobs to ask a member for that has this interval; `want` unless it is worth asking
    /// for more.
    pub(crate) fn demand_of(&self, want: u32, interval: u64) -> u32 {
        self.policy.demand(want, self.idle_and_busy(), interval)
    }

    /// How many workers run no jobs, and how many threads compute: the others, and one that uses
    /// the pool.
    fn idle_and_busy(&self) -> (usize, usize) {
        let idle = self.idle.count();
        let (first, end) = self.threads.running_workers();
        (idle, (end - first).saturating_sub(idle) + 1)
    }

    /// Whether there is a processor for one more worker besides those that run jobs and one that
    /// uses the pool.
    pub(crate) fn has_free_cpu(&self) -> bool {
        let (_, busy) = self.idle_and_busy();
        busy < self.cpus
    }

    /// The pool's handle or one of its threads goes. With the last one all queued tasks are
    /// dropped, and those to come.
    pub(crate) fn end_life(&self) {
        if self.ending.end_life() {
            self.count_threads();
            fence(Ordering::SeqCst);
            self.cancel_tasks();
        }
    }

    /// After a publication by `by`: wakes the leader if it is dormant.
    pub(crate) fn wake_dormant(&self, by: &Member) {
        let Some(leader) = self.leader.wake() else {
            return;
        };
        by.counters.wakes.add_one();
        #[cfg(feature = "hooks")]
        by.note(crate::hooks::Event::Wake);
        if self.is_forked() {
            return;
        }
        let is_caller = self.is_caller(by);
        self.wake_worker(leader, |leader| {
            if is_caller {
                leader.parker.unpark();
            } else {
                place::wake_elsewhere(leader);
            }
        });
    }

    pub(crate) fn unpark_worker(&self, by: &Member, index: usize) {
        by.counters.wakes.add_one();
        #[cfg(feature = "hooks")]
        by.note(crate::hooks::Event::Wake);
        if !self.is_forked() {
            self.wake_worker(self.members.worker(index), place::wake_elsewhere);
        }
    }

    /// For a caller, which waits: ends the leader's nap.
    pub(crate) fn end_nap(&self) {
        if let Some(napping) = self.idle.nap.cut(u64::MAX).filter(|_| !self.is_forked()) {
            self.members.worker(napping).parker.unpark();
        }
    }

    /// Whether the calling process is a child of the pool's (fork(2)): it has none of the pool's
    /// threads, and one of them may have held its parker's lock, which stays locked here.
    pub(crate) fn is_forked(&self) -> bool {
        let process = self.process.load(Ordering::Relaxed);
        process != 0 && process != os::process()
    }

    /// The calling process is about to have threads of the pool, unless another has them.
    pub(crate) fn settle_in_process(&self) {
        let order = Ordering::Relaxed;
        let _ = self
            .process
            .compare_exchange(0, os::process(), order, order);
    }

    pub(crate) fn terminate(&self) {
        self.ending.terminate();
        for member in self.members.iter() {
            member.parker.unpark();
        }
        // The reserve looks for the end once it is dormant.
        self.reserve.wake();
    }
}

impl Drop for Shared {
    /// Whichever thread lets go last runs this, wherever it is: no panic may come out.
    fn drop(&mut self) {
        swallow(|| drop(self.panic.take()));
    }
}
