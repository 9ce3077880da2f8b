//! The members of a pool: a list that only grows, and its free seats.
//!
//! Invariant *linked once*: a member is boxed, linked before it is seen, and stays until the list
//! is freed with its pool. So a reference to a member is valid for as long as one to the pool.
//!
//! Invariant *workers first*: the pool's first workers are linked when it is built, so guests,
//! spares and later workers are all newer.

use super::{shared::Shared, threads::GUEST};
use crate::{
    hooks::ObserverOf,
    join::member::{Member, MemberPtr},
    protocol::primitive::{AtomicPtr, Mutex, Ordering, lock},
};
use std::{ptr, sync::OnceLock};

pub(crate) struct Members {
    /// The newest member; the others follow by `older`.
    newest: AtomicPtr<Member>,
    /// Seats of guests that have left.
    free: Mutex<Vec<MemberPtr>>,
    /// The members of workers and spares, by index, once they have been needed.
    seats: Box<[OnceLock<MemberPtr>]>,
    /// The number of workers that the pool is built with.
    first_workers: usize,
    pub(crate) observer: ObserverOf,
}

impl Members {
    /// With so many seats for workers and spares.
    pub(crate) fn new(seats: usize, first_workers: usize) -> Self {
        Members {
            newest: AtomicPtr::new(ptr::null_mut()),
            free: Mutex::default(),
            seats: (0..seats).map(|_| OnceLock::new()).collect(),
            first_workers,
            observer: ObserverOf::default(),
        }
    }

    /// Adds the member of a worker or spare of `pool`, whose members these are, if it has none.
    pub(super) fn add_seat(&self, pool: &Shared, index: usize) {
        self.seats[index].get_or_init(|| MemberPtr::of(self.add(pool, index)));
    }

    fn add(&self, pool: &Shared, index: usize) -> &Member {
        let mut member = Box::new(Member::new(pool, index));
        let mut newest = self.newest.load(Ordering::Relaxed);
        loop {
            member.older = newest;
            let new = Box::into_raw(member);
            match self
                .newest
                .compare_exchange(newest, new, Ordering::Release, Ordering::Relaxed)
            {
                Ok(_) => {
                    // SAFETY: linked; members live as long as the pool.
                    let new = unsafe { &*new };
                    pool.mark_if_dropped(new);
                    self.observer.welcome(new);
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

    /// Iterates over all members there have ever been, with and without a thread on them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Member> {
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
        self.iter().any(|m| ptr::eq(m, member))
    }

    /// Unparks all threads.
    pub(super) fn unpark(&self) {
        self.iter().for_each(|member| member.parker.unpark());
    }

    /// Returns the member of a worker or spare that has been called.
    #[inline(never)]
    pub(crate) fn worker(&self, index: usize) -> &Member {
        let seat = self.seats[index].get();
        self.of(*seat.expect("a worker is called after it has a seat"))
    }

    /// Returns the member of a seat in these lists.
    fn of(&self, seat: MemberPtr) -> &Member {
        // SAFETY: a member of this pool, which lives as long as the result.
        unsafe { seat.get() }
    }

    /// Iterates over the members of workers and spares from this index on.
    pub(crate) fn workers_from(&self, first: usize) -> impl Iterator<Item = &Member> {
        let seats = self.seats[first..].iter();
        seats.filter_map(|seat| Some(self.of(*seat.get()?)))
    }

    /// Returns a seat of `pool`, whose members these are, for an outside thread.
    pub(super) fn take_guest_seat(&self, pool: &Shared) -> &Member {
        let free = lock(&self.free).pop();
        free.map_or_else(|| self.add(pool, GUEST), |seat| self.of(seat))
    }

    pub(crate) fn return_guest_seat(&self, seat: &Member) {
        debug_assert!(!seat.demand.flag.is_attached(), "a thread sits there");
        lock(&self.free).push(MemberPtr::of(seat));
    }

    /// Returns the guest with `waits` that the pool served least recently: callers take turns,
    /// approximately in the order in which they come. Guests are newer members than the first
    /// workers, so those are not visited.
    pub(crate) fn next_guest(&self, waits: impl Fn(&Member) -> bool) -> Option<&Member> {
        let first = self.first_workers;
        let newer = self.iter().take_while(|member| member.index >= first);
        newer
            .filter(|member| member.index == GUEST && waits(member))
            .min_by_key(|guest| guest.served_at())
    }

    /// Returns whether there is a job, a task or a call for the thread that sits on `me`. (Calls
    /// for others wake those.)
    pub(crate) fn offer_anything(&self, me: &Member) -> bool {
        let mut members = self.iter();
        !me.queues.inbox.is_empty()
            || members.any(|m| !m.offers.is_empty() || !m.queues.tasks.is_empty())
    }

    /// Returns whether a task is queued.
    pub(crate) fn have_tasks(&self) -> bool {
        self.iter().any(|m| !m.queues.tasks.is_empty())
    }

    /// Returns the number of ticks so far, which shows whether any thread answers.
    pub(crate) fn answers(&self) -> u64 {
        self.iter()
            .map(|m| m.counters.ticks.get())
            .fold(0, u64::wrapping_add)
    }
}

impl Drop for Members {
    fn drop(&mut self) {
        let mut at = *self.newest.get_mut();
        while !at.is_null() {
            // SAFETY: boxed by `add`; no thread holds the pool any more.
            let member = unsafe { Box::from_raw(at) };
            at = member.older.cast_mut();
        }
    }
}
