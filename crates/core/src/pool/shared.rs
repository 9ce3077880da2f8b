//! What the members of a pool share: each other, the roles of the idle, the dormant leader.

use super::{
    callers::Callers,
    life::SeatPtr,
    member::{GUEST, Member},
    place,
};
use crate::{
    join::{job::Payload, wait::Waiter},
    policy::Policy,
    protocol::{
        dormancy::Dormancy,
        idle::Idle,
        primitive::{
            AtomicBool, AtomicPtr, AtomicUsize, Instant, Mutex, Ordering, fence, lock, processors,
        },
        watch::Watch,
    },
    task::Reserve,
    unwind::swallow,
};
use std::{
    ptr,
    sync::{Arc, OnceLock, Weak},
};

mod threads;

/// What the members of a pool share.
pub(crate) struct Shared {
    /// How it schedules.
    pub(crate) policy: Policy,
    /// For tasks, which must not keep the pool.
    pub(crate) this: Weak<Shared>,
    /// The newest member; the others follow by `older`. Members are never unlinked.
    newest: AtomicPtr<Member>,
    /// Seats of guests who have left.
    free_seats: Mutex<Vec<SeatPtr>>,
    /// The workers' members, by index, once the pool has been built.
    workers: OnceLock<Box<[SeatPtr]>>,
    /// How many of the workers' seats are those of threads that use the pool.
    own: usize,
    /// What threads from outside do. If they wait, the pool has a worker for each of its threads.
    callers: Callers,
    /// Whether a thread takes the newest of its own tasks first.
    newest_first: bool,
    /// How many workers the system refused to start.
    lost: AtomicUsize,
    /// How many threads the pool has (`count_threads`).
    threads: AtomicUsize,
    pub(crate) idle: Idle,
    /// How many processors there are.
    cpus: usize,
    pub(crate) dormancy: Dormancy,
    pub(crate) watch: Watch<Waiter>,
    /// The leader, while it is dormant.
    leader: AtomicPtr<Member>,
    terminating: AtomicBool,
    /// The thread that runs tasks where workers are missing, if callers take part.
    pub(crate) reserve: Reserve,
    panic: Option<PanicFn>,
    #[cfg(feature = "trace")]
    pub(crate) tracers: crate::trace::Tracers,
    /// The pool's handle, and its threads: the last to go ends the tasks.
    lives: AtomicUsize,
    /// Nobody runs queued tasks any more.
    tasks_ended: AtomicBool,
    start: Instant,
    /// The process that has the pool's threads.
    process: u32,
}

pub(crate) type PanicFn = Arc<dyn Fn(Payload) + Send + Sync>;

impl Shared {
    /// A pool with seats for so many workers, of which the first `own` are threads that exist.
    pub(crate) fn new(
        workers: usize,
        own: usize,
        callers: Callers,
        newest_first: bool,
        policy: Policy,
        panic: Option<PanicFn>,
    ) -> Arc<Self> {
        let shared = Arc::new_cyclic(|this| Shared {
            policy: policy.bounded(),
            this: Weak::clone(this),
            newest: AtomicPtr::new(ptr::null_mut()),
            free_seats: Mutex::new(Vec::new()),
            workers: OnceLock::new(),
            idle: Idle::new(workers),
            own,
            callers,
            newest_first,
            lost: AtomicUsize::new(0),
            threads: AtomicUsize::new(0),
            cpus: processors(),
            dormancy: Dormancy::new(),
            watch: Watch::new(),
            leader: AtomicPtr::new(ptr::null_mut()),
            terminating: AtomicBool::new(false),
            reserve: Reserve::new(),
            panic,
            #[cfg(feature = "trace")]
            tracers: crate::trace::Tracers::default(),
            lives: AtomicUsize::new(1),
            tasks_ended: AtomicBool::new(false),
            start: Instant::now(),
            process: std::process::id(),
        });
        shared.idle.lose(own);
        let seats = (0..workers)
            .map(|index| SeatPtr(shared.add_member(index)))
            .collect();
        let _ = shared.workers.set(seats);
        shared.count_threads();
        shared
    }

    fn add_member(&self, index: usize) -> *const Member {
        let mut member = Box::new(Member::new(self, index));
        let mut newest = self.newest.load(Ordering::Relaxed);
        loop {
            member.older = newest;
            let new = Box::into_raw(member);
            match self
                .newest
                .compare_exchange(newest, new, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => {
                    #[cfg(feature = "trace")]
                    {
                        // SAFETY: linked; members live as long as the pool.
                        let member = unsafe { &*new };
                        self.tracers.welcome(self, &member.events, &member.times);
                    }
                    return new;
                }
                Err(now) => {
                    newest = now;
                    // SAFETY: it was not linked, so it is still ours alone.
                    member = unsafe { Box::from_raw(new) };
                }
            }
        }
    }

    /// All members there have ever been, with and without a thread on them.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member> {
        let mut at = self.newest.load(Ordering::Acquire).cast_const();
        std::iter::from_fn(move || {
            // SAFETY: members live as long as the pool; `older` was written before the member was
            // linked.
            let member = unsafe { at.as_ref() }?;
            at = member.older;
            Some(member)
        })
    }

    pub(crate) fn contains(&self, member: *const Member) -> bool {
        self.members().any(|m| ptr::eq(m, member))
    }

    pub(crate) fn worker_count(&self) -> usize {
        self.workers.get().map_or(0, |w| w.len())
    }

    pub(crate) fn worker(&self, index: usize) -> &Member {
        let seats = self.workers.get();
        seats.expect("a pool is built with its workers' seats")[index].get()
    }

    pub(crate) fn only_workers(&self) -> bool {
        self.callers == Callers::Wait
    }

    /// Whether `member` is one of a thread from outside, which hands its work over and waits.
    pub(crate) fn is_caller(&self, member: &Member) -> bool {
        member.index == GUEST && self.hands_over()
    }

    pub(crate) fn newest_first(&self) -> bool {
        self.newest_first
    }

    /// Whether threads from outside hand over what they do, and wait. Not where there is no thread
    /// to wait for: all workers were refused, or have ended.
    pub(crate) fn hands_over(&self) -> bool {
        self.only_workers() && self.has_workers() && !self.tasks_ended()
    }

    /// After a fence: starts or wakes the reserve, if it is needed. A pool that was asked for
    /// certain threads has no others.
    pub(crate) fn call_reserve(&self) {
        if !self.only_workers() {
            self.reserve.call(self);
        }
    }

    /// A seat for a thread from outside.
    pub(crate) fn guest_seat(&self) -> *const Member {
        let mut free = lock(&self.free_seats);
        let seat = free
            .pop()
            .map_or_else(|| self.add_member(GUEST), |seat| seat.0);
        // SAFETY: members live as long as the pool.
        let member = unsafe { &*seat };
        // What was learnt about its last guest does not hold for this one.
        member.set_interval(self.policy.interval_min);
        member.rest_until(0);
        member.leave_asked(self.demand());
        seat
    }

    pub(crate) fn return_guest_seat(&self, seat: *const Member) {
        lock(&self.free_seats).push(SeatPtr(seat));
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
        let workers = self.worker_count() - self.own - self.lost.load(Ordering::Relaxed);
        (idle, workers.saturating_sub(idle) + 1)
    }

    /// Whether there is a processor for one more worker besides those that run jobs and one that
    /// uses the pool.
    pub(crate) fn has_free_cpu(&self) -> bool {
        let (_, busy) = self.idle_and_busy();
        busy < self.cpus
    }

    /// Whether there is a job, a task or a call for anybody.
    pub(crate) fn anything_offered(&self) -> bool {
        self.members()
            .any(|m| m.offers() || !m.tasks.is_empty() || !m.inbox.is_empty())
    }

    pub(crate) fn anything_queued(&self) -> bool {
        self.members().any(|m| !m.tasks.is_empty())
    }

    pub(crate) fn tasks_ended(&self) -> bool {
        self.tasks_ended.load(Ordering::Relaxed)
    }

    /// One of the pool's threads comes.
    pub(crate) fn begin_life(&self) {
        self.lives.fetch_add(1, Ordering::Relaxed);
    }

    /// The pool's handle or one of its threads goes.
    pub(crate) fn end_life(&self) {
        if self.lives.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.end_tasks();
        }
    }

    /// Drops all queued tasks, and those to come: there is nobody to run them.
    fn end_tasks(&self) {
        self.tasks_ended.store(true, Ordering::Relaxed);
        self.count_threads();
        fence(Ordering::SeqCst);
        self.cancel_tasks();
    }

    pub(crate) fn panic_handler(&self) -> Option<&PanicFn> {
        self.panic.as_ref()
    }

    /// How many ticks there have been: whether anybody answers.
    pub(crate) fn answers(&self) -> u64 {
        self.members()
            .map(|m| m.counters.ticks.get())
            .fold(0, u64::wrapping_add)
    }

    /// Raises everybody's attention, for the dormant leader, and forgets part of what has been
    /// learnt about them.
    pub(crate) fn arm(&self) {
        let now = self.now();
        for member in self.members().filter(|m| m.is_seated()) {
            let interval = self.policy.shorter(member.interval());
            member.set_interval(interval);
            member.ask(self.demand_of(1, interval), now);
        }
    }

    pub(crate) fn set_leader(&self, leader: &Member) {
        self.leader
            .store(ptr::from_ref(leader).cast_mut(), Ordering::Release);
    }

    /// After a publication by `by`: wakes the leader if it is dormant.
    pub(crate) fn wake_dormant(&self, by: &Member) {
        if self.dormancy.wake() {
            by.counters.wakes.add_one();
            #[cfg(feature = "trace")]
            by.note(crate::trace::Happened::Wake);
            self.wake_leader(by);
        }
    }

    fn wake_leader(&self, by: &Member) {
        // SAFETY: null, or set by whoever went dormant; members live as long as the pool.
        let leader = unsafe { self.leader.load(Ordering::Acquire).as_ref() };
        if let Some(leader) = leader.filter(|_| !self.is_forked()) {
            if self.is_caller(by) {
                leader.parker.unpark();
            } else {
                place::wake_elsewhere(leader);
            }
        }
    }

    pub(crate) fn unpark_worker(&self, by: &Member, index: usize) {
        by.counters.wakes.add_one();
        #[cfg(feature = "trace")]
        by.note(crate::trace::Happened::Wake);
        if !self.is_forked() {
            place::wake_elsewhere(self.worker(index));
        }
    }

    /// Whether the calling process is a child of the pool's (fork(2)): it has none of the pool's
    /// threads, and one of them may have held its parker's lock, which stays locked here.
    pub(crate) fn is_forked(&self) -> bool {
        std::process::id() != self.process
    }

    pub(crate) fn is_terminating(&self) -> bool {
        self.terminating.load(Ordering::Acquire)
    }

    /// As [`is_terminating`](Self::is_terminating), for a thread that then looks for the last time:
    /// either it finds a call that is made now, or the caller sees that the pool is terminating.
    pub(crate) fn is_over(&self) -> bool {
        let is_over = self.is_terminating();
        if is_over {
            fence(Ordering::SeqCst);
        }
        is_over
    }

    pub(crate) fn terminate(&self) {
        self.terminating.store(true, Ordering::Release);
        // A guest whose member is added now may wait for workers that end. Either we see the
        // member, or the guest, after the fence of its call (`Bag::call_on`), sees this store.
        fence(Ordering::SeqCst);
        for member in self.members() {
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
        let mut at = *self.newest.get_mut();
        while !at.is_null() {
            // SAFETY: boxed by `add_member`; nobody holds the pool any more.
            let member = unsafe { Box::from_raw(at) };
            at = member.older.cast_mut();
        }
    }
}
