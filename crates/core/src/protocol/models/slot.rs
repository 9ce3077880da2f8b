//! Slots: an offer goes to exactly one taker, which sees its owner's earlier writes.

use super::{RACE, apart, caught, explore_all, relaxed, spawn};
use crate::protocol::slot::Slot;
use loom::cell::UnsafeCell;
use std::{
    ptr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

struct Offer {
    slot: Slot<Record>,
    record: Record,
    taken: AtomicUsize,
}

struct Record {
    /// Which publication this is; written by the owner before it.
    round: UnsafeCell<usize>,
}

// SAFETY: none needed: loom checks each access to `round`.
unsafe impl Sync for Offer {}
// SAFETY: as for `Sync`.
unsafe impl Send for Offer {}

impl Offer {
    fn new() -> Arc<Self> {
        Arc::new(Offer {
            slot: Slot::new(),
            record: Record {
                round: UnsafeCell::new(0),
            },
            taken: AtomicUsize::new(0),
        })
    }

    fn record(&self) -> *mut Record {
        ptr::from_ref(&self.record).cast_mut()
    }

    fn publish(&self, round: usize) {
        // SAFETY: the owner has the record; loom checks.
        self.record.round.with_mut(|r| unsafe { *r = round });
        self.slot.publish(self.record(), 0);
    }

    /// A thief's attempt.
    fn steal(&self) {
        if let Some(record) = self.slot.take() {
            assert_eq!(record.as_ptr(), self.record());
            self.use_up();
        }
    }

    /// The owner's attempt.
    fn reclaim(&self) -> bool {
        let mine = self.slot.reclaim(self.record());
        if mine {
            self.use_up();
        }
        mine
    }

    /// The thread that has the offer touches the record as its only user.
    fn use_up(&self) {
        let round = self.taken.fetch_add(1, Ordering::Relaxed) + 1;
        // SAFETY: the thread that takes the offer has the record; loom checks.
        let published = self.record.round.with_mut(|r| unsafe { *r });
        assert_eq!(published, round, "an offer was taken twice");
    }
}

#[test]
fn one_of_two_thieves_and_the_owner_takes() {
    explore_all(|| {
        let offer = Offer::new();
        let thieves = [(); 2].map(|()| spawn(&offer, |offer| offer.steal()));
        offer.publish(1);
        offer.reclaim();
        thieves.into_iter().for_each(|t| t.join().unwrap());
        assert_eq!(offer.taken.load(Ordering::Relaxed), 1);
    });
}

/// A thief that looked at the first offer may take the second, of the same record, and then has the
/// second.
#[test]
fn a_record_may_be_offered_again() {
    explore_all(|| {
        let offer = Offer::new();
        let thief = spawn(&offer, |offer| {
            offer.steal();
            offer.steal();
        });
        let mut round = 1;
        offer.publish(round);
        while round < 3 && offer.reclaim() {
            round += 1;
            offer.publish(round);
        }
        thief.join().unwrap();
        // Only the owner publishes, so an offer that was not taken is still there.
        let left = usize::from(!offer.slot.is_empty());
        assert_eq!(offer.taken.load(Ordering::Relaxed) + left, round);
    });
}

#[test]
fn publishing_without_release_is_caught() {
    let model = "slot::one_of_two_thieves_and_the_owner_takes";
    caught(
        relaxed("protocol/slot.rs", "publish", "self.job.store("),
        model,
        RACE,
    );
}

#[test]
fn taking_without_acquire_is_caught() {
    let model = "slot::one_of_two_thieves_and_the_owner_takes";
    caught(
        relaxed("protocol/slot.rs", "take", ".compare_exchange("),
        model,
        RACE,
    );
}

#[test]
fn reclaiming_by_look_and_store_is_caught() {
    let fault = apart("protocol/slot.rs", "reclaim", ".compare_exchange(");
    caught(fault, "slot::one_of_two_thieves_and_the_owner_takes", RACE);
    caught(fault, "slot::a_record_may_be_offered_again", RACE);
}
