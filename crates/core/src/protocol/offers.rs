//! The offers of a member: a ring of slots, so that thieves find the oldest job first.
//!
//! Invariant *ring*: from `next` on, the slots that are not empty are in the order of the age of
//! their jobs. Only the seated thread offers, or one that stands in for it (remote.rs), in the slot
//! `next`, which advances before the offer is made; and it takes back its newest offer first, which
//! moves `next` back.

use super::{
    primitive::{AtomicUsize, Ordering},
    slot::Slot,
};

pub(crate) struct Offers<J, const SLOTS: usize> {
    slots: [Slot<J>; SLOTS],
    /// The number of slots in use.
    ring: usize,
    /// Where the next offer goes, below `ring`. Only the seated thread writes it.
    next: AtomicUsize,
}

impl<J, const SLOTS: usize> Offers<J, SLOTS> {
    pub(crate) fn new(ring: usize) -> Self {
        Offers {
            slots: std::array::from_fn(|_| Slot::new()),
            ring,
            next: AtomicUsize::new(0),
        }
    }

    /// Returns whether there is no offer.
    #[inline(never)]
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.iter().all(Slot::is_empty)
    }

    /// Returns the slot of the oldest offer.
    pub(crate) fn oldest(&self) -> Option<&Slot<J>> {
        loop {
            let next = self.next.load(Ordering::Relaxed);
            let found = self.from(next).find(|slot| !slot.is_empty())?;
            // A later offer would have moved `next`, and since we have seen the offer, we would see
            // that.
            if next == self.next.load(Ordering::Relaxed) {
                return Some(found);
            }
        }
    }

    /// Iterates over the slots, oldest offers first (approximately, if the seated thread is making
    /// more).
    pub(crate) fn by_age(&self) -> impl Iterator<Item = &Slot<J>> {
        self.from(self.next.load(Ordering::Relaxed))
    }

    fn from(&self, next: usize) -> impl Iterator<Item = &Slot<J>> {
        let (newer, older) = self.slots.split_at(next);
        older.iter().chain(newer)
    }

    /// Returns the slot for the next offer, for the seated thread. `None` if that slot has an offer
    /// that is not taken.
    pub(crate) fn free_slot(&self) -> Option<usize> {
        let next = self.next.load(Ordering::Relaxed);
        self.slots[next].is_empty().then_some(next)
    }

    /// Offers `job` in the slot that `free_slot` has just returned.
    pub(crate) fn publish(&self, slot: usize, job: *const J, level: u32) {
        // Before the offer, so that a thread that sees the offer also sees its order.
        self.next.store((slot + 1) % self.ring, Ordering::Relaxed);
        self.slots[slot].publish(job, level);
    }

    /// Returns whether no thread has taken the offer that the seated thread made in this slot.
    pub(crate) fn holds(&self, slot: usize, job: *const J) -> bool {
        self.slots[slot].holds(job)
    }

    /// Takes back an offer of the seated thread. Returns false if another thread has it.
    pub(crate) fn reclaim(&self, slot: usize, job: *const J) -> bool {
        let reclaimed = self.slots[slot].reclaim(job);
        if reclaimed && (slot + 1) % self.ring == self.next.load(Ordering::Relaxed) {
            self.next.store(slot, Ordering::Relaxed);
        }
        reclaimed
    }
}
