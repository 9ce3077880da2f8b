//! A member: one thread's seat in one pool, and the only thing of it that other threads see.
//!
//! Members are linked into their pool once and stay until the pool's memory goes; the seat of a
//! guest (a thread from outside) is used again after the guest has left. So any member of a pool
//! may look at any other, at any time, without locks.

use super::{
    fifo::Fifo, place::Place, queue::TaskQueue, seat::Home, shared::Shared, stats::Counters,
};
use crate::{
    join::job::Job,
    os,
    policy::SLOTS,
    protocol::{
        attention::Flag,
        parker::Parker,
        primitive::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering},
        slot::Slot,
        times::{Phase, Times},
    },
    task::Inbox,
};
use std::{
    cell::UnsafeCell,
    ptr,
    sync::{Arc, Weak},
    time::Duration,
};

/// The index of members that are not workers.
pub(crate) const GUEST: usize = usize::MAX;

pub(crate) const NO_CPU: u32 = u32::MAX;

#[repr(align(128))]
pub(crate) struct Member {
    /// A ring of offers, so that thieves find the oldest first.
    slots: [Slot<Job>; SLOTS as usize],
    /// How many of the slots are in use.
    ring: usize,
    /// Where the next offer goes, below `ring`; from there on the offers are in the order of their
    /// age. Only the seated thread writes it.
    next_slot: AtomicUsize,
    /// How many jobs the idle ask for. Set by askers, taken by the owner in a tick.
    asked: AtomicU32,
    /// How many offers that nobody took the owner may still renew for the last demand.
    credit: AtomicU32,
    /// When somebody last asked, in nanoseconds of the pool's clock.
    asked_at: AtomicU64,
    /// How long askers leave this member alone, in nanoseconds.
    interval: AtomicU64,
    /// Until when the idle take nothing here, on the pool's clock.
    rest_until: AtomicU64,
    /// Counts the ends of computations, as far as they were promoted.
    epoch: AtomicU32,
    /// Whose job this member is waiting for, and how deep it runs there: a hint for those who wait
    /// for us.
    waiting_for: AtomicPtr<Member>,
    waiting_level: AtomicU32,
    /// Who took a job here last and is running it, how deep, and how deep in the work done here the
    /// job lay: a hint for the same, while the seated thread is still busy with its own half.
    taken_by: AtomicPtr<Member>,
    taken_level: AtomicU32,
    taken_from: AtomicU32,
    /// On which processor the seated thread was last seen active; `NO_CPU` if it is not.
    cpu: AtomicU32,
    /// Where the worker that sleeps here may wake (place.rs).
    pub(crate) place: Place,
    /// Tasks that the threads sitting here have spawned.
    pub(crate) tasks: TaskQueue,
    /// Those of them that are to be begun in the order of their spawning.
    pub(crate) fifo: Arc<Fifo>,
    /// Calls for the seated thread alone.
    pub(crate) inbox: Inbox,
    /// What those tasks know of their pool.
    pub(crate) home: Home,
    pub(crate) flag: Flag,
    pub(crate) parker: Arc<Parker>,
    pub(crate) counters: Counters,
    pub(crate) times: Times,
    #[cfg(feature = "trace")]
    pub(crate) events: crate::trace::Events,
    /// The pool. A pointer since the pool owns its members; it lives as long as they do.
    pub(crate) shared: *const Shared,
    /// The worker's number, or `GUEST`.
    pub(crate) index: usize,
    /// The next older member of the pool. Written before the member is linked, then constant.
    pub(crate) older: *const Member,
    /// Whether a thread sits here.
    pub(crate) seated: AtomicBool,
    /// How many calls the seated thread is inside of in which it takes part in the pool's work.
    /// Only that thread writes it.
    inside: AtomicU32,
    /// Job records; only the seated thread touches the list.
    free_jobs: UnsafeCell<Vec<*mut Job>>,
    all_jobs: UnsafeCell<Vec<*mut Job>>,
}

// SAFETY: the atomics, slots, flag and parker are for all; the job lists are used by the seated
// thread only (`alloc_job`, `free_job`), and handed on with the seat through the pool's lock.
unsafe impl Sync for Member {}
// SAFETY: as for `Sync`.
unsafe impl Send for Member {}

impl Member {
    pub(crate) fn new(shared: &Shared, index: usize) -> Self {
        Member {
            slots: std::array::from_fn(|_| Slot::new()),
            ring: shared.policy.want_max() as usize,
            next_slot: AtomicUsize::new(0),
            asked: AtomicU32::new(1),
            credit: AtomicU32::new(0),
            asked_at: AtomicU64::new(0),
            interval: AtomicU64::new(shared.policy.interval_min),
            rest_until: AtomicU64::new(0),
            epoch: AtomicU32::new(0),
            waiting_for: AtomicPtr::new(ptr::null_mut()),
            waiting_level: AtomicU32::new(0),
            taken_by: AtomicPtr::new(ptr::null_mut()),
            taken_level: AtomicU32::new(0),
            taken_from: AtomicU32::new(0),
            cpu: AtomicU32::new(NO_CPU),
            place: Place::new(),
            tasks: TaskQueue::default(),
            fifo: Arc::default(),
            inbox: Inbox::default(),
            home: Home::new(Weak::clone(&shared.this)),
            flag: Flag::new(),
            parker: Arc::new(Parker::new()),
            counters: Counters::default(),
            times: Times::default(),
            #[cfg(feature = "trace")]
            events: crate::trace::Events::default(),
            shared,
            index,
            older: ptr::null(),
            seated: AtomicBool::new(false),
            inside: AtomicU32::new(0),
            free_jobs: UnsafeCell::new(Vec::new()),
            all_jobs: UnsafeCell::new(Vec::new()),
        }
    }

    pub(crate) fn shared(&self) -> &Shared {
        // SAFETY: the pool owns its members, and frees them with itself.
        unsafe { &*self.shared }
    }

    /// The seated thread, which is the calling one, is in `phase` from `now` on. Returns the phase
    /// before.
    pub(crate) fn enter(&self, phase: Phase, now: u64) -> Phase {
        let before = self.times.enter(phase, now);
        #[cfg(feature = "trace")]
        self.events.enters(phase, now);
        before
    }

    /// Remembers what happens on the seated thread, which is the calling one, if somebody traces.
    #[cfg(feature = "trace")]
    pub(crate) fn note(&self, what: crate::trace::Happened) {
        if self.events.is_on() {
            self.events.happened(what, self.shared().now());
        }
    }

    /// Asks the seated thread for `count` jobs at its next join.
    pub(crate) fn ask(&self, count: u32, now: u64) {
        #[cfg(feature = "trace")]
        if self.events.is_on() {
            self.events.happened(crate::trace::Happened::Asked, now);
        }
        self.asked_at.store(now, Ordering::Relaxed);
        self.leave_asked(count);
        self.flag.raise();
    }

    pub(crate) fn asked_at(&self) -> u64 {
        self.asked_at.load(Ordering::Relaxed)
    }

    pub(crate) fn interval(&self) -> u64 {
        self.interval.load(Ordering::Relaxed)
    }

    pub(crate) fn set_interval(&self, interval: u64) {
        self.interval.store(interval, Ordering::Relaxed);
    }

    /// Leaves this member alone until `time`.
    pub(crate) fn rest_until(&self, time: u64) {
        self.rest_until.store(time, Ordering::Relaxed);
    }

    pub(crate) fn is_resting(&self, now: u64) -> bool {
        now < self.rest_until.load(Ordering::Relaxed)
    }

    /// Whether a job is offered here.
    pub(crate) fn offers(&self) -> bool {
        self.slots.iter().any(|slot| !slot.is_empty())
    }

    /// The slot of the oldest offer.
    pub(crate) fn oldest_offer(&self) -> Option<&Slot<Job>> {
        loop {
            let next = self.next_slot.load(Ordering::Relaxed);
            let found = self.by_age(next).find(|slot| !slot.is_empty())?;
            // An offer made since would have moved `next_slot`, and we would see that, having seen
            // the offer.
            if next == self.next_slot.load(Ordering::Relaxed) {
                return Some(found);
            }
        }
    }

    pub(crate) fn epoch(&self) -> u32 {
        self.epoch.load(Ordering::Relaxed)
    }

    /// The outermost join of a computation is ending. Only the seated thread calls this.
    pub(crate) fn count_computation(&self) {
        self.epoch
            .store(self.epoch().wrapping_add(1), Ordering::Relaxed);
    }

    /// How many jobs are asked for and not yet given.
    pub(crate) fn asked(&self) -> u32 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Takes the demand, to be met now.
    pub(crate) fn take_asked(&self) -> u32 {
        self.asked.swap(0, Ordering::Relaxed)
    }

    /// Demand to be met at the next tick: new, or what could not be met in the last.
    pub(crate) fn leave_asked(&self, count: u32) {
        self.asked.fetch_max(count, Ordering::Relaxed);
    }

    /// Allows the owner to renew offers that nobody takes. Only the seated thread calls this.
    pub(crate) fn give_credit(&self) {
        self.credit
            .store(self.shared().policy.credit, Ordering::Relaxed);
    }

    /// Nobody took an offer before its owner needed it: whether to make another for the same
    /// demand.
    pub(crate) fn renew_offer(&self) -> bool {
        let credit = self.credit.load(Ordering::Relaxed);
        if credit == 0 {
            return false;
        }
        self.credit.store(credit - 1, Ordering::Relaxed);
        self.leave_asked(1);
        true
    }

    /// The seated thread takes an offer back that it made at this time (0: the leader did not nap).
    /// If it waited for long, cuts the leader's nap short; whether to make another for it.
    pub(crate) fn cut_nap(&self, offered_at: u64) -> bool {
        if offered_at == 0 {
            return false;
        }
        let shared = self.shared();
        let waited = shared.now().saturating_sub(offered_at);
        let Some(leader) = shared.idle.nap.cut(waited) else {
            return false;
        };
        // Its computations are not tiny, whatever has been learnt.
        self.set_interval(shared.policy.shorter(self.interval()));
        self.rest_until(0);
        self.leave_asked(1);
        shared.unpark_worker(self, leader);
        true
    }

    /// The slot for the next offer, for the seated thread. `None` if the ring has come round to one
    /// that is not taken.
    pub(crate) fn free_slot(&self) -> Option<usize> {
        let next = self.next_slot.load(Ordering::Relaxed);
        self.slots[next].is_empty().then_some(next)
    }

    /// Offers `job` in the slot that `free_slot` has just named.
    pub(crate) fn publish(&self, slot: usize, job: *mut Job, level: u32) {
        // Before the offer: whoever sees the offer then sees the order it is in.
        self.next_slot
            .store((slot + 1) % self.ring, Ordering::Relaxed);
        self.slots[slot].publish(job, level);
    }

    /// Whether nobody has taken the offer that the seated thread made in this slot.
    pub(crate) fn still_offers(&self, slot: usize, job: *mut Job) -> bool {
        self.slots[slot].holds(job)
    }

    /// Takes an offer of the seated thread's own back. False if somebody has it.
    pub(crate) fn reclaim(&self, slot: usize, job: *mut Job) -> bool {
        let reclaimed = self.slots[slot].reclaim(job);
        if reclaimed && (slot + 1) % self.ring == self.next_slot.load(Ordering::Relaxed) {
            self.next_slot.store(slot, Ordering::Relaxed);
        }
        reclaimed
    }

    /// The slots, the oldest offers first (about, if the seated thread is making more).
    pub(crate) fn offers_by_age(&self) -> impl Iterator<Item = &Slot<Job>> {
        self.by_age(self.next_slot.load(Ordering::Relaxed))
    }

    fn by_age(&self, next: usize) -> impl Iterator<Item = &Slot<Job>> {
        let (newer, older) = self.slots.split_at(next);
        older.iter().chain(newer)
    }

    pub(crate) fn set_waiting_for(&self, other: *const Member, level: u32) {
        self.waiting_level.store(level, Ordering::Relaxed);
        self.waiting_for.store(other.cast_mut(), Ordering::Release);
    }

    /// Whom the seated thread waits for, and at which level. A hint.
    pub(crate) fn waiting_for(&self) -> Option<(ptr::NonNull<Member>, u32)> {
        let other = ptr::NonNull::new(self.waiting_for.load(Ordering::Acquire))?;
        Some((other, self.waiting_level.load(Ordering::Relaxed)))
    }

    /// Says that `taker` runs a job that was offered here, how deep, and how deep the work lay that
    /// offered it.
    pub(crate) fn note_taker(&self, taker: &Member, level: u32, from: u32) {
        self.taken_level.store(level, Ordering::Relaxed);
        self.taken_from.store(from, Ordering::Relaxed);
        self.taken_by
            .store(ptr::from_ref(taker).cast_mut(), Ordering::Release);
    }

    /// Says that `taker` no longer does.
    pub(crate) fn forget_taker(&self, taker: &Member) {
        let taker = ptr::from_ref(taker).cast_mut();
        let _ = self.taken_by.compare_exchange(
            taker,
            ptr::null_mut(),
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
    }

    /// Who runs a job that was offered here from so deep or deeper, and how deep. A hint.
    pub(crate) fn taken_by(&self, from: u32) -> Option<(ptr::NonNull<Member>, u32)> {
        let taker = ptr::NonNull::new(self.taken_by.load(Ordering::Acquire))?;
        let fits = self.taken_from.load(Ordering::Relaxed) >= from;
        fits.then(|| (taker, self.taken_level.load(Ordering::Relaxed)))
    }

    /// The seated thread, which is the calling one, sleeps ([`Parker::park`]). It may use all
    /// processors again then, wherever it was to wake up.
    pub(crate) fn park(&self, timeout: Option<Duration>) {
        self.parker.park(timeout);
        self.place.spread();
    }

    /// Says that the seated thread, which is the calling one, is active here.
    pub(crate) fn note_cpu(&self) {
        self.cpu
            .store(os::current_cpu().unwrap_or(NO_CPU), Ordering::Relaxed);
    }

    /// Says that the seated thread is not active.
    pub(crate) fn forget_cpu(&self) {
        self.cpu.store(NO_CPU, Ordering::Relaxed);
    }

    pub(crate) fn cpu(&self) -> Option<u32> {
        let cpu = self.cpu.load(Ordering::Relaxed);
        (cpu != NO_CPU).then_some(cpu)
    }

    /// The seated thread, which is the calling one, takes part in the pool's work until the result
    /// is dropped.
    pub(crate) fn take_part(&self) -> TakingPart<'_> {
        let inside = self.inside.load(Ordering::Relaxed);
        self.inside.store(inside + 1, Ordering::Relaxed);
        TakingPart(&self.inside)
    }

    /// Whether the seated thread has said that it takes part. A hint.
    pub(crate) fn is_inside(&self) -> bool {
        self.inside.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn is_seated(&self) -> bool {
        self.seated.load(Ordering::Acquire)
    }

    /// A free job record.
    ///
    /// # Safety
    /// The caller is the seated thread.
    pub(crate) unsafe fn alloc_job(&self) -> *mut Job {
        // SAFETY: only the seated thread touches the lists.
        let free = unsafe { &mut *self.free_jobs.get() };
        free.pop().unwrap_or_else(|| {
            let job = Box::into_raw(Box::new(Job::new(self)));
            // SAFETY: as above.
            unsafe { &mut *self.all_jobs.get() }.push(job);
            job
        })
    }

    /// Gives a record back.
    ///
    /// # Safety
    /// The caller is the seated thread; the job is one of its own, and has been reclaimed or
    /// finished.
    pub(crate) unsafe fn free_job(&self, job: *mut Job) {
        // SAFETY: only the seated thread touches the lists.
        unsafe { &mut *self.free_jobs.get() }.push(job);
    }
}

/// A call in which a thread takes part in the work of a pool.
pub(crate) struct TakingPart<'m>(&'m AtomicU32);

impl Drop for TakingPart<'_> {
    fn drop(&mut self) {
        let inside = self.0.load(Ordering::Relaxed);
        self.0.store(inside - 1, Ordering::Relaxed);
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        for &job in self.all_jobs.get_mut().iter() {
            // SAFETY: boxed by `alloc_job`; the member is being dropped, so nobody uses the pool
            // any more.
            drop(unsafe { Box::from_raw(job) });
        }
    }
}
