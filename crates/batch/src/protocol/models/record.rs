//! A record alone: an owner that watches, and a signaller.

use super::{DEADLOCK, Fault, RACE, apart, caught, explore, here, left_out, planted, relaxed};
use crate::protocol::record::{Record, Signal, Waiter};
use loom::thread;
use std::{cell::UnsafeCell, sync::Arc, task::Waker};

/// A record whose owner is a thread of the model. It outlives the model, so that who touches it too
/// late is caught by loom and not by the system.
struct Shared(UnsafeCell<Record<u32>>);

// SAFETY: none needed: loom checks each access to what the record consists of.
unsafe impl Sync for Shared {}
// SAFETY: as for `Sync`.
unsafe impl Send for Shared {}

impl Shared {
    fn new() -> Arc<Self> {
        Arc::new(Shared(UnsafeCell::new(Record::new())))
    }

    fn record(&self) -> &Record<u32> {
        // SAFETY: it is there; loom checks what is done with it.
        unsafe { &*self.0.get() }
    }

    /// Signaller.
    fn finish(&self) {
        // SAFETY: the record is there, and no other thread signals it.
        let waiter = unsafe { Record::finish(self.0.get(), 7) };
        if planted(Fault::TouchAfterDone) {
            self.record().signal();
        }
        waiter.into_iter().for_each(Waiter::wake);
    }

    /// Signaller.
    fn appoint(&self) {
        // SAFETY: as in `finish`.
        let waiter = unsafe { Record::appoint(self.0.get()) };
        waiter.into_iter().for_each(Waiter::wake);
    }

    /// Owner.
    fn end(&self) {
        assert_eq!(self.record().take(), Some(7));
        // SAFETY: done: the record is ours; loom checks.
        unsafe { &mut *self.0.get() }.retire();
    }
}

fn signalled(
    signaller: impl Fn(&Shared) + Copy + Send + Sync + 'static,
    owner: impl Fn(&Shared) + Send + Sync + 'static,
) {
    explore(move || {
        let shared = Shared::new();
        let other = super::spawn(&shared, signaller);
        owner(&shared);
        other.join().unwrap();
    });
}

#[test]
fn the_owner_sleeps() {
    signalled(Shared::finish, |shared| {
        while shared.record().watch(here()) {
            thread::park();
        }
        shared.end();
    });
}

/// Spins for a while, as callers do before they sleep.
#[test]
fn the_owner_looks() {
    signalled(Shared::finish, |shared| {
        shared.record().wait_for_the_end();
        shared.end();
    });
}

/// A waker is replaced by another; both of the same thread, which sleeps until it is woken once.
#[test]
fn the_owner_watches_again() {
    signalled(Shared::finish, |shared| {
        let record = shared.record();
        if record.watch(Waiter(Waker::noop().clone())) && record.watch(here()) {
            thread::park();
        }
        shared.end();
    });
}

#[test]
fn the_owner_is_appointed() {
    signalled(Shared::appoint, |shared| {
        let record = shared.record();
        while record.watch(here()) {
            thread::park();
        }
        assert_eq!(record.signal(), Some(Signal::Lead));
        shared.finish();
        shared.end();
    });
}

#[test]
fn looking_without_acquire_is_caught() {
    caught(
        relaxed("protocol/record.rs", "signal", "self.state.load("),
        "record::the_owner_looks",
        RACE,
    );
}

#[test]
fn watching_without_the_lock_is_caught() {
    caught(
        left_out("protocol/record.rs", "move_on", ".compare_exchange("),
        "record::the_owner_sleeps",
        DEADLOCK,
    );
}

#[test]
fn watching_without_release_is_caught() {
    caught(
        relaxed("protocol/record.rs", "watch", "self.state.store("),
        "record::the_owner_sleeps",
        RACE,
    );
}

#[test]
fn signalling_by_look_and_store_is_caught() {
    caught(
        apart("protocol/record.rs", "tell", "state.compare_exchange("),
        "record::the_owner_sleeps",
        DEADLOCK,
    );
}

#[test]
fn signalling_without_release_is_caught() {
    let model = "record::the_owner_watches_again";
    caught(
        relaxed("protocol/record.rs", "tell", "state.store("),
        model,
        RACE,
    );
}

#[test]
fn touching_a_record_that_is_done_is_caught() {
    let model = "record::the_owner_watches_again";
    caught(Fault::TouchAfterDone, model, RACE);
}
