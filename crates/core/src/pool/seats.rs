//! A thread's seats in pools.
//!
//! A worker keeps its seat for its life, and so does the reserve; a guest until the pool has been
//! dropped.

use super::{shared::Shared, threads::GUEST};
use crate::join::{
    member::{Member, MemberPtr},
    thread::Thread,
    word::Local,
};
use std::{cell::Cell, iter, mem, ptr, rc::Rc, sync::Arc};

/// A seat, which keeps the pool's memory.
///
/// Invariant *in use*: a thread that acts as a guest of a pool holds the `Rc` of its seat
/// meanwhile, or borrows the pool's handle. It gives up only seats that are not in use: user code
/// that runs meanwhile (a waker's destructor, for instance) may enter other pools, and so reach
/// `sit`. Otherwise another guest would take the seat, and two threads would be one member.
pub(crate) struct Seat {
    pool: Arc<Shared>,
    member: *const Member,
    /// Whether its thread is in `blocking`, and counted there.
    pub(super) is_blocked: Cell<bool>,
    /// Whether its thread is the pool's: a worker's, or the reserve.
    is_own: Cell<bool>,
}

impl Thread {
    /// Returns this thread's seat in `pool`, if it has one.
    pub(crate) fn seat_of(&self, pool: &Shared) -> Option<Rc<Seat>> {
        let seats = self.seats.borrow();
        let found = seats.iter().find(|seat| ptr::eq(&*seat.pool, pool));
        found.map(Rc::clone)
    }

    /// Returns this thread's seat in `pool`, which it joins as a guest if necessary.
    #[inline(never)]
    pub(crate) fn seat_in(&self, pool: &Arc<Shared>) -> Rc<Seat> {
        let found = self.seat_of(pool);
        found.unwrap_or_else(|| self.sit(pool, pool.guest_seat()))
    }

    /// Becomes the first worker of `pool`, which is that of plain joins at the base from now on.
    /// Returns false if there is one.
    pub(super) fn sit_at_base(&self, pool: &Arc<Shared>) -> bool {
        let member = pool.members.worker(0);
        // SAFETY: the first worker's, which keeps its seat for its life: it takes it below, before
        // it joins.
        let is_first = self.set_base(unsafe { MemberPtr::of(member).get() });
        if is_first {
            self.sit(pool, member);
        }
        is_first
    }

    /// Returns the first, second, ... member of this thread in a pool whose thread it is.
    #[inline(never)]
    pub(crate) fn own(&self, nth: usize) -> Option<&Member> {
        let seats = self.seats.borrow();
        let member = seats
            .iter()
            .filter(|seat| seat.is_own.get())
            .nth(nth)?
            .member;
        // SAFETY: members live as long as their pool, which the seat keeps. Such a seat is kept as
        // long as this record.
        Some(unsafe { &*member })
    }

    /// Takes a seat for the life of this thread, the pool's reserve.
    pub(crate) fn sit_as_reserve(&self, pool: &Arc<Shared>) -> Rc<Seat> {
        let seat = self.seat_in(pool);
        seat.is_own.set(true);
        seat
    }

    /// Returns whether this thread is one of the pool's threads.
    pub(crate) fn works_in(&self, pool: &Shared) -> bool {
        let seats = self.seats.borrow();
        let mut seats = seats.iter().filter(|seat| ptr::eq(&*seat.pool, pool));
        seats.any(|seat| seat.member().index != GUEST)
    }

    /// Returns whether this thread is inside a job or task of `pool`.
    pub(crate) fn runs_for(&self, pool: &Shared) -> bool {
        self.with_context(|innermost, _| {
            let mut contexts = iter::successors(innermost, |context| context.outer);
            contexts.any(|at| ptr::eq(at.member.shared, pool) && !at.run.is_null())
        })
    }

    /// Takes a seat that no other thread has.
    pub(crate) fn sit(&self, pool: &Arc<Shared>, member: *const Member) -> Rc<Seat> {
        let mut seats = self.seats.borrow_mut();
        let (over, kept): (Vec<_>, Vec<_>) =
            mem::take(&mut *seats).into_iter().partition(Seat::is_over);
        *seats = kept;
        let seat = Seat::taken(self, pool, member);
        seats.push(Rc::clone(&seat));
        drop(seats);
        // A pool that is freed with its last seat drops the user's handlers. Their destructors may
        // do anything, with the new seat in use; `Shared::drop` catches their panics.
        drop(over);
        seat
    }
}

impl Seat {
    /// Returns the seat of the calling thread, whose record this is, at `member`.
    fn taken(thread: &Thread, pool: &Arc<Shared>, member: *const Member) -> Rc<Self> {
        let seat = Seat {
            pool: Arc::clone(pool),
            member,
            is_blocked: Cell::new(false),
            is_own: Cell::new(false),
        };
        let member = seat.member();
        seat.is_own.set(member.index != GUEST);
        let word = Local::word_of(thread);
        // SAFETY: `Seat::drop` detaches; it runs at the latest in the record's destructor, which
        // the word outlives (`word`).
        unsafe { member.demand.flag.attach(word) };
        member.cpu.note();
        member.seats(|| Some(std::thread::current()));
        Rc::new(seat)
    }

    pub(crate) fn member(&self) -> &Member {
        // SAFETY: members live as long as their pool, which the seat keeps.
        unsafe { &*self.member }
    }

    /// Returns whether the pool has ended and this thread may give up the seat (*in use*).
    fn is_over(self: &Rc<Self>) -> bool {
        self.pool.ending.is_terminating() && Rc::strong_count(self) == 1 && !self.is_own.get()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let member = self.member();
        member.demand.flag.detach();
        member.cpu.forget();
        member.seats(|| None);
        if member.index == GUEST {
            self.pool.members.return_guest_seat(member);
        } else {
            self.pool.worker_is_gone(member.index);
        }
    }
}
