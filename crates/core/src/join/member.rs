//! A member: one thread's seat in one pool, and the only part of the thread that others see.
//!
//! Members are linked into their pool once and stay until the pool is freed; the seat of a guest
//! (an outside thread) is reused after the guest has left. So any member of a pool may read any
//! other, at any time, without locks.
//!
//! A member consists of parts, each with an invariant of its own; callers name the part.

pub(crate) mod counters;
pub(crate) mod cpu;
pub(crate) mod site;
pub(crate) mod sleeping;

use self::{
    counters::Counters,
    cpu::Cpu,
    site::{Line, Site, WaitsFor},
    sleeping::Sleeping,
};
use super::job::{Job, Records};
use crate::{
    hooks,
    policy::SLOTS,
    pool::{queues::Queues, shared::Shared},
    protocol::{
        demand::Demand,
        hint::Hint,
        offers::Offers,
        parker::Parker,
        primitive::{AtomicU64, Ordering, lock},
        times::{Phase, Times},
    },
    unwind::Finally,
};
use std::{
    mem,
    panic::Location,
    ptr::{self, NonNull},
    sync::Arc,
    thread,
    time::Duration,
};

const APART: usize = if cfg!(explore) { 8 } else { 0 };

#[repr(align(128))]
#[cfg_attr(explore, repr(C))]
pub(crate) struct Member {
    /// The jobs that are offered here.
    pub(crate) offers: Offers<Job, { SLOTS as usize }>,
    pub(crate) demand: Demand,
    /// The member that last took a job here and is running it, while the seated thread is busy with
    /// its own half: where to look for parts of its work. It is of the same pool, so it lives as
    /// long.
    pub(crate) taken_by: Hint<Member>,
    pub(crate) cpu: Cpu,
    pub(crate) records: Records,
    pub(crate) queues: Queues,
    /// The seated thread's wait, while it sleeps in one.
    pub(crate) sleeping: Sleeping,
    /// For a guest: when the pool last took work from it, or it came.
    served_at: AtomicU64,
    pub(crate) parker: Arc<Parker>,
    pub(crate) counters: Counters,
    pub(crate) times: Times,
    /// What the seated thread is doing.
    pub(crate) site: Site,
    pub(crate) lane: hooks::LaneOf,
    /// The pool. A pointer, since the pool owns its members; it lives as long as they do.
    pub(crate) shared: *const Shared,
    /// The worker's number, or `GUEST`.
    pub(crate) index: usize,
    /// The next older member of the pool. Written before the member is linked, then constant.
    pub(crate) older: *const Member,
    /// To be a line apart from whatever follows (simulate.rs, *apart*).
    _apart: [u64; APART],
}

// SAFETY: the parts are for all, but for the records, which the seated thread alone uses
// (job.rs, *seated*), and the wait, which is accessed under a lock (pool/wait_for.rs). The
// pointers are constant once the member is linked.
unsafe impl Sync for Member {}
// SAFETY: as for `Sync`.
unsafe impl Send for Member {}

/// A pointer to a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberPtr(pub(crate) NonNull<Member>);

// SAFETY: members are `Sync` and live as long as their pool.
unsafe impl Send for MemberPtr {}
// SAFETY: as for `Send`.
unsafe impl Sync for MemberPtr {}

impl MemberPtr {
    pub(crate) fn of(member: &Member) -> Self {
        MemberPtr(NonNull::from(member))
    }

    /// Returns the member.
    ///
    /// # Safety
    /// Its pool lives as long as the reference.
    pub(crate) unsafe fn get<'m>(self) -> &'m Member {
        // SAFETY: members live as long as their pool.
        unsafe { self.0.as_ref() }
    }
}

impl Member {
    pub(crate) fn new(shared: &Shared, index: usize) -> Self {
        Member {
            offers: Offers::new(shared.policy.want_max() as usize),
            demand: Demand::new(shared.policy.interval),
            taken_by: Hint::new(),
            cpu: Cpu::new(),
            records: Records::default(),
            queues: Queues::new(shared),
            sleeping: Sleeping::default(),
            served_at: AtomicU64::new(0),
            parker: Arc::new(Parker::new()),
            counters: Counters::default(),
            times: Times::default(),
            site: Site::new(),
            lane: hooks::LaneOf::default(),
            shared,
            index,
            older: ptr::null(),
            _apart: [0; APART],
        }
    }

    pub(crate) fn shared(&self) -> &Shared {
        // SAFETY: the pool owns its members, and frees them with itself.
        unsafe { &*self.shared }
    }

    /// Changes the phase of the seated thread, which is the calling one, from `now` on. Returns the
    /// phase before.
    pub(crate) fn enter(&self, phase: Phase, now: u64) -> Phase {
        let before = self.times.enter(phase, now);
        self.lane.enters(phase, now);
        before
    }

    /// Reports an event of the seated thread, which is the calling one.
    pub(crate) fn note(&self, what: hooks::Event) {
        self.lane.happens(what, || self.shared().now());
    }

    /// Returns when the pool last took work from this guest, or it came.
    pub(crate) fn served_at(&self) -> u64 {
        self.served_at.load(Ordering::Relaxed)
    }

    /// Records that the pool takes work from this guest, or that it comes: others have their turn
    /// first.
    pub(crate) fn end_turn(&self) {
        self.served_at.store(self.shared().now(), Ordering::Relaxed);
    }

    /// Asks the seated thread to offer `count` jobs at its next join.
    pub(crate) fn ask(&self, count: u32, now: u64) {
        self.lane.happens(hooks::Event::Asked, || now);
        self.demand.ask(count, now);
    }

    /// Parks the seated thread, which is the calling one ([`Parker::park`]). Afterwards it may use
    /// all processors again.
    pub(crate) fn park(&self, timeout: Option<Duration>) {
        self.parker.park(timeout);
        self.cpu.spread();
    }

    /// Wakes the worker that sits here, if it is parked, on another processor than that of the
    /// calling thread.
    #[inline(never)]
    pub(crate) fn wake_elsewhere(&self) {
        self.cpu.wake_elsewhere(&self.parker);
    }

    /// Records that the calling thread sits here from now on, or no thread.
    pub(crate) fn seats(&self, thread: impl FnOnce() -> Option<thread::Thread>) {
        if self.shared().stall.is_some() {
            let before = mem::replace(&mut *lock(&self.site.thread), thread());
            drop(before);
        }
    }

    /// Until the result is dropped, the seated thread is in what the call on this line has asked
    /// for.
    #[inline]
    pub(crate) fn runs(&self, line: Option<Line>) -> Option<Finally<impl FnMut()>> {
        let watch = self.shared().stall.as_ref();
        watch.map(|_| self.in_call(line.map_or(ptr::null(), ptr::from_ref)))
    }

    /// As [`runs`](Self::runs), unless it is in a call already.
    pub(crate) fn enters(&self, line: Line) -> Option<Finally<impl FnMut()>> {
        let watch = self.shared().stall.as_ref();
        let watch = watch.filter(|_| self.site.line().is_none());
        watch.map(|_| self.in_call(line))
    }

    #[cold]
    fn in_call(&self, line: *const Location<'static>) -> Finally<impl FnMut()> {
        let site = &self.site;
        let outer = site.line.load(Ordering::Relaxed);
        let (since, waits_for) = (site.since(), site.waits_for());
        site.set(line, self.shared().now(), WaitsFor::Program);
        Finally(move || site.set(outer, since, waits_for))
    }

    /// Until the result is dropped, the seated thread waits for this, where nothing else runs on
    /// top of the wait.
    pub(crate) fn waits(&self, what: WaitsFor) -> Option<Finally<impl FnMut()>> {
        let watch = self.shared().stall.as_ref();
        watch.map(|_| {
            let waits_for = &self.site.waits_for;
            let before = waits_for.load(Ordering::Relaxed);
            waits_for.store(what as usize, Ordering::Relaxed);
            Finally(move || waits_for.store(before, Ordering::Relaxed))
        })
    }
}
