//! Where a thread is a member: its seats in pools.
//!
//! A worker has its seat for good, a guest until the pool has been dropped. The last seat of a pool
//! whose callers take turns (turns.rs) is a thread's for the length of one call.

use super::{
    member::{GUEST, LAST, Member},
    shared::Shared,
    thread::{self, Thread},
};
use crate::join::word::with_word;
use std::{
    mem, ptr,
    rc::Rc,
    sync::{Arc, atomic::Ordering},
};

/// A membership: keeps the pool's memory.
///
/// Invariant *in use*: a thread that does something as a guest of a pool holds the `Rc` of its seat
/// until it has done it, or borrows the pool's handle. It gives up only seats that are not in use:
/// user code that runs meanwhile (a waker's destructor, say) may enter other pools, and so come
/// to `sit`. Another guest would otherwise take the seat, and two threads would be one member.
///
/// Invariant *in turn*: what a thread does on the last seat ends before it gets off. All of it lies
/// inside of the one call: contexts, waits and the `Rc`s of the seat do. Scopes that users own may
/// outlive the call, and so do bases; for these there is `lasting_seat_in`.
pub(crate) struct Seat {
    pool: Arc<Shared>,
    pub(crate) member: *const Member,
}

impl Thread {
    /// This thread's seat in `pool`, which it joins as a guest if need be. One that is the thread's
    /// alone comes first: it may have one as a guest, too, which a scope has taken before the turn
    /// or in it.
    pub(crate) fn seat_in(&self, pool: &Arc<Shared>) -> Rc<Seat> {
        let own = self.find_seat(pool, |index| index != GUEST);
        own.unwrap_or_else(|| self.lasting_seat_in(pool))
    }

    /// As `seat_in`, but one that the thread keeps when its turn is over.
    pub(crate) fn lasting_seat_in(&self, pool: &Arc<Shared>) -> Rc<Seat> {
        let found = self.find_seat(pool, |index| index != LAST);
        found.unwrap_or_else(|| self.sit(pool, pool.guest_seat()))
    }

    fn find_seat(&self, pool: &Arc<Shared>, fits: impl Fn(usize) -> bool) -> Option<Rc<Seat>> {
        let seats = self.seats.borrow();
        let mut found = seats.iter().filter(|s| Arc::ptr_eq(&s.pool, pool));
        found.find(|seat| fits(seat.member().index)).map(Rc::clone)
    }

    /// The first, second, ... member that is this thread's alone: those of workers, and of pools
    /// where it has its turn.
    pub(crate) fn own(&self, nth: usize) -> Option<&Member> {
        let seats = self.seats.borrow();
        // SAFETY: members live as long as their pool, which the seat keeps. A worker's seat is kept
        // as long as this record; the last seat of a pool until the call ends that we are inside of
        // (*in turn*).
        let members = seats.iter().map(|seat| unsafe { &*seat.member });
        members.filter(|member| member.index != GUEST).nth(nth)
    }

    /// Whether this thread is one of the pool's own, for good or for its turn.
    pub(crate) fn works_in(&self, pool: &Shared) -> bool {
        let seats = self.seats.borrow();
        let mut seats = seats.iter().filter(|seat| ptr::eq(&*seat.pool, pool));
        seats.any(|seat| seat.member().index != GUEST)
    }

    /// Whether this thread has its turn in the pool.
    pub(crate) fn has_turn_in(&self, pool: &Shared) -> bool {
        let seats = self.seats.borrow();
        let mut seats = seats.iter().filter(|seat| ptr::eq(&*seat.pool, pool));
        seats.any(|seat| seat.member().index == LAST)
    }

    /// Takes a seat that no other thread has.
    pub(crate) fn sit(&self, pool: &Arc<Shared>, member: *const Member) -> Rc<Seat> {
        let mut seats = self.seats.borrow_mut();
        let (over, kept): (Vec<_>, Vec<_>) =
            mem::take(&mut *seats).into_iter().partition(Seat::is_over);
        *seats = kept;
        let seat = Seat::taken(pool, member);
        seat.member().seated.store(true, Ordering::Release);
        seats.push(Rc::clone(&seat));
        drop(seats);
        thread::raise_attention();
        // The memory of a pool that goes with its last seat takes the user's handlers along. Their
        // destructors may do anything, with the new seat in use; `Shared::drop` keeps their panics.
        drop(over);
        seat
    }

    /// Takes the last seat of a pool, which is the calling thread's now (turns.rs). No user code
    /// runs here, and the thread's attention stays as it is: the context that is entered next looks
    /// whether anything is asked for.
    pub(crate) fn sit_in_turn(&self, pool: &Arc<Shared>, last: &Member) {
        debug_assert!(last.index == LAST && !self.has_turn_in(pool));
        let seat = Seat::taken(pool, last);
        self.seats.borrow_mut().push(seat);
    }

    /// Gets off the last seat again. The caller keeps the pool, so no user code runs here.
    pub(crate) fn get_off(&self, last: &Member) {
        let mut seats = self.seats.borrow_mut();
        let at = seats.iter().rposition(|seat| ptr::eq(seat.member, last));
        let seat = seats.remove(at.expect("the thread has its turn"));
        debug_assert_eq!(Rc::strong_count(&seat), 1, "the seat is in use");
        drop(seat);
    }
}

impl Seat {
    /// The seat of the calling thread at `member`.
    fn taken(pool: &Arc<Shared>, member: *const Member) -> Rc<Self> {
        let seat = Seat {
            pool: Arc::clone(pool),
            member,
        };
        let member = seat.member();
        let word = with_word(ptr::from_ref);
        // SAFETY: `Seat::drop` detaches; it runs at the latest in the record's destructor, which
        // the word outlives (`word`).
        unsafe { member.flag.attach(word) };
        member.note_cpu();
        Rc::new(seat)
    }

    fn member(&self) -> &Member {
        // SAFETY: members live as long as their pool, which the seat keeps.
        unsafe { &*self.member }
    }

    /// Whether the pool has been dropped and this thread may give up the seat (*in use*).
    fn is_over(self: &Rc<Self>) -> bool {
        self.pool.is_terminating() && Rc::strong_count(self) == 1 && self.member().index == GUEST
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let member = self.member();
        member.flag.detach();
        member.forget_cpu();
        // The last seat is always one to be asked, for the next thread that takes it.
        if member.index != LAST {
            member.seated.store(false, Ordering::Release);
        }
        if member.index == GUEST {
            self.pool.return_guest_seat(self.member);
        }
    }
}
