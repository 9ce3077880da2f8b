//! The members of a pool: a list that only grows, and its free seats.
//!
//! Invariant *linked once*: a member is boxed, linked before it is seen, and stays until the list
//! is freed with its pool. So a reference to a member is valid for as long as one to the pool.
//!
//! Invariant *workers first*: workers are linked when the pool is built, so guests and spares are
//! all newer.

use super::shared::Shared;
use crate::{
    join::member::{GUEST, Member, MemberPtr},
    protocol::primitive::{AtomicPtr, Mutex, Ordering, lock},
};
use std::{ptr, sync::OnceLock};

pub(crate) struct Members {
    /// The newest member; the others follow by `older`.
    newest: AtomicPtr<Member>,
    /// Seats of guests that have left.
    free: Mutex<Vec<MemberPtr>>,
    /// The workers' members, by index, once the pool has been built.
    workers: OnceLock<Box<[MemberPtr]>>,
    /// Those of spares.
    spares: Box<[OnceLock<MemberPtr>]>,
}

impl Members {
    pub(crate) fn new(spares: usize) -> Self {
        Members {
            newest: AtomicPtr::new(ptr::null_mut()),
            free: Mutex::default(),
            workers: OnceLock::new(),
            spares: (0..spares).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Adds the workers' members to these, the members of `pool`. Called once.
    pub(super) fn add_workers(&self, pool: &Shared, count: usize) {
        let seats = (0..count).map(|index| MemberPtr::of(self.add(pool, index)));
        let _ = self.workers.set(seats.collect());
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
                    pool.observer.welcome(new);
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

    /// Returns the member of a worker, or of a spare that has been called.
    pub(crate) fn worker(&self, index: usize) -> &Member {
        let seats = self.workers.get();
        let seats = seats.expect("a pool is built with its workers' seats");
        let spare = || self.spares[index - seats.len()].get();
        let seat = seats.get(index).or_else(spare);
        // SAFETY: a member of this pool.
        unsafe { seat.expect("a spare is called after it has a seat").get() }
    }

    /// Adds the member of a spare of `pool`, whose members these are, if it has none.
    pub(super) fn add_spare(&self, pool: &Shared, spare: usize) {
        let index = pool.threads.workers + spare;
        self.spares[spare].get_or_init(|| MemberPtr::of(self.add(pool, index)));
    }

    /// Iterates over the members of spares, with their numbers.
    pub(crate) fn spares(&self) -> impl Iterator<Item = (usize, &Member)> {
        let seats = self.spares.iter().enumerate();
        // SAFETY: members of this pool.
        seats.filter_map(|(spare, seat)| Some((spare, unsafe { seat.get()?.get() })))
    }

    /// Returns a seat of `pool`, whose members these are, for an outside thread.
    pub(super) fn take_guest_seat(&self, pool: &Shared) -> &Member {
        let free = lock(&self.free).pop();
        match free {
            // SAFETY: a member of this pool.
            Some(seat) => unsafe { seat.get() },
            None => self.add(pool, GUEST),
        }
    }

    pub(crate) fn return_guest_seat(&self, seat: &Member) {
        lock(&self.free).push(MemberPtr::of(seat));
    }

    /// Returns the guest with `waits` that the pool served least recently: callers take turns,
    /// approximately in the order in which they come. Guests are the newest members, so workers are
    /// not visited.
    pub(crate) fn next_guest(&self, waits: impl Fn(&Member) -> bool) -> Option<&Member> {
        let workers = self.workers.get().map_or(0, |workers| workers.len());
        let newer = self.iter().take_while(|member| member.index >= workers);
        newer
            .filter(|member| member.index == GUEST && waits(member))
            .min_by_key(|guest| guest.served_at())
    }

    /// Returns whether there is a job, a task or a call for any thread.
    pub(crate) fn offer_anything(&self) -> bool {
        self.iter().any(|m| {
            !m.offers.is_empty() || !m.queues.tasks.is_empty() || !m.queues.inbox.is_empty()
        })
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
