//! Registration and exit: once a thread has left, no other accesses its word, the next thread can
//! use its seat, and a thread that has a seat in another pool is raised in both.
//!
//! Flags and demands are the real ones. Mirrors `Thread::sit`, `Seat::drop` and
//! `Members::{take_guest_seat, return_guest_seat}` (each pool has one seat here), whose order is
//! under `debug_assert!`, and for the asker `Member::ask` of those whose flag is attached.

use super::{Fault, RACE, apart, caught, explore, explore_all, left_out, planted, spawn};
use crate::protocol::{
    attention::{self, ATTENTION, NO_FRAME},
    demand::Demand,
    primitive::{AtomicUsize, Mutex, Ordering, lock},
};
use loom::cell::UnsafeCell;
use std::sync::Arc;

/// What is in the memory of a word after its thread has ended.
const GONE: usize = 0x60e;

const LOST: &str = "a raise was lost";
const TWO: &str = "two threads on a seat";
const UNSEATED: &str = "a thread sits where another thinks that it sits alone";

/// The only seats of two pools, and who may sit there.
struct Pools {
    seats: [Seat; 2],
    words: [Word; 2],
}

struct Seat {
    demand: Demand,
    free: Mutex<bool>,
    /// What only the thread that sits here touches.
    records: UnsafeCell<u32>,
}

// SAFETY: none needed: loom checks each access to the cells.
unsafe impl Sync for Pools {}
// SAFETY: as for `Sync`.
unsafe impl Send for Pools {}

/// The word of a thread, in memory that stays so that the model can look at it.
struct Word(std::cell::UnsafeCell<AtomicUsize>);

impl Word {
    fn new() -> Self {
        Word(std::cell::UnsafeCell::new(AtomicUsize::new(ATTENTION)))
    }

    fn get(&self) -> &AtomicUsize {
        // SAFETY: only `end` takes it exclusively, for the time of a call into loom.
        unsafe { &*self.0.get() }
    }

    /// The memory goes: from here on, any access that does not come before is a race.
    fn end(&self) {
        self.get().store(NO_FRAME, Ordering::Relaxed);
        // SAFETY: the model's threads run one at a time, and this call does not switch.
        let word = unsafe { &mut *self.0.get() };
        word.with_mut(|w| *w = GONE);
    }

    fn is_up(&self) -> bool {
        self.get().load(Ordering::Relaxed) == ATTENTION
    }

    fn is_gone(&self) -> bool {
        self.get().load(Ordering::Relaxed) == GONE
    }
}

impl Seat {
    fn new() -> Self {
        Seat {
            demand: Demand::new(0),
            free: Mutex::new(true),
            records: UnsafeCell::new(0),
        }
    }

    /// False if another thread sits here.
    fn sit(&self, word: &Word) -> bool {
        if !std::mem::replace(&mut *lock(&self.free), false) {
            return false;
        }
        self.demand.leave(1);
        // SAFETY: `leave` detaches before the word ends.
        unsafe { self.demand.flag.attach(word.get()) };
        true
    }

    fn leave(&self) {
        if planted(Fault::FreeSeatFirst) {
            *lock(&self.free) = true;
        }
        // SAFETY: we sit here; loom checks.
        self.records.with_mut(|records| unsafe { *records += 1 });
        if !planted(Fault::LeaveFlagBehind) {
            self.demand.flag.detach();
        }
        *lock(&self.free) = true;
    }

    /// The life of a thread that does nothing but sit here and end. False if it did not get the
    /// seat.
    fn visit(&self, word: &Word) -> bool {
        let sat = self.sit(word);
        if sat {
            attention::lower(word.get(), NO_FRAME);
            self.leave();
        }
        word.end();
        sat
    }

    fn ask(&self) -> bool {
        let seated = self.demand.flag.is_attached();
        if seated {
            self.demand.ask(1, 0);
        }
        seated
    }

    /// After all is said: whether a thread that may have `met` the demand will meet the rest.
    fn check(&self, word: &Word) {
        assert!(word.is_up() || self.demand.asked() == 0, "{LOST}");
    }
}

impl Pools {
    fn new() -> Arc<Self> {
        Arc::new(Pools {
            seats: [Seat::new(), Seat::new()],
            words: [Word::new(), Word::new()],
        })
    }
}

#[test]
fn no_thread_raises_one_that_has_left() {
    explore_all(|| {
        let pools = Pools::new();
        let asker = spawn(&pools, |pools| {
            pools.seats[0].ask();
            pools.seats[0].ask();
        });
        pools.seats[0].visit(&pools.words[0]);
        asker.join().unwrap();
        assert!(pools.words[0].is_gone());
    });
}

#[test]
fn a_seat_serves_one_after_the_other() {
    explore(|| {
        let pools = Pools::new();
        let visitor = spawn(&pools, |pools| pools.seats[0].visit(&pools.words[1]));
        let asker = spawn(&pools, |pools| pools.seats[0].ask());
        let first = pools.seats[0].visit(&pools.words[0]);
        let second = visitor.join().unwrap();
        asker.join().unwrap();
        assert!(first || second);
        assert!(pools.words.iter().all(Word::is_gone));
    });
}

/// A thread that sits down, is asked or not, and stays: its attention is up.
#[test]
fn a_thread_that_stays_is_raised() {
    explore_all(|| {
        let pools = Pools::new();
        let (seat, word) = (&pools.seats[0], &pools.words[0]);
        attention::lower(word.get(), NO_FRAME);
        let asker = spawn(&pools, |pools| pools.seats[0].ask());
        assert!(seat.sit(word));
        assert!(word.is_up(), "{LOST}");
        attention::lower(word.get(), NO_FRAME);
        assert!(seat.demand.take() > 0);
        asker.join().unwrap();
        seat.check(word);
    });
}

/// A thread takes the seat that another has just left, and is raised there.
#[test]
fn a_seat_is_given_on_whole() {
    explore(|| {
        let pools = Pools::new();
        assert!(pools.seats[0].sit(&pools.words[0]));
        let next = spawn(&pools, |pools| {
            let sat = pools.seats[0].sit(&pools.words[1]);
            if sat {
                // SAFETY: we sit here; loom checks.
                pools.seats[0].records.with_mut(|r| unsafe { *r += 1 });
                assert!(pools.seats[0].demand.flag.is_attached(), "{UNSEATED}");
            }
            sat
        });
        pools.seats[0].leave();
        pools.words[0].end();
        let sat = next.join().unwrap();
        // A thread that asks now reaches who sits here.
        assert_eq!(pools.seats[0].ask(), sat, "{UNSEATED}");
    });
}

/// A thread that has a seat in one pool sits down in another while both want something.
#[test]
fn a_thread_that_knows_another_pool() {
    explore(|| {
        let pools = Pools::new();
        let word = &pools.words[0];
        assert!(pools.seats[0].sit(word));
        attention::lower(word.get(), NO_FRAME);
        pools.seats[0].demand.take();
        let askers = [0, 1].map(|pool| spawn(&pools, move |pools| pools.seats[pool].ask()));
        assert!(pools.seats[1].sit(word));
        assert!(word.is_up(), "{LOST}");
        attention::lower(word.get(), NO_FRAME);
        for seat in &pools.seats {
            seat.demand.take();
        }
        askers.into_iter().for_each(|asker| {
            asker.join().unwrap();
        });
        pools.seats.iter().for_each(|seat| seat.check(word));
    });
}

/// A thread gives the seat in one pool up, and keeps that in the other for a while.
#[test]
fn a_thread_that_leaves_one_of_two_pools() {
    explore(|| {
        let pools = Pools::new();
        let word = &pools.words[0];
        assert!(pools.seats.iter().all(|seat| seat.sit(word)));
        attention::lower(word.get(), NO_FRAME);
        for seat in &pools.seats {
            seat.demand.take();
        }
        let askers = [0, 1].map(|pool| spawn(&pools, move |pools| pools.seats[pool].ask()));
        pools.seats[0].leave();
        attention::lower(word.get(), NO_FRAME);
        pools.seats[1].demand.take();
        let [first, second] = askers;
        second.join().unwrap();
        pools.seats[1].check(word);
        pools.seats[1].leave();
        word.end();
        first.join().unwrap();
        assert!(word.is_gone());
    });
}

#[test]
fn leaving_the_flag_behind_is_caught() {
    let fault = Fault::LeaveFlagBehind;
    let models = [
        ("registration::no_thread_raises_one_that_has_left", RACE),
        ("registration::a_seat_serves_one_after_the_other", TWO),
        ("registration::a_thread_that_leaves_one_of_two_pools", RACE),
    ];
    for (model, symptom) in models {
        caught(fault, model, symptom);
    }
}

#[test]
fn a_seat_that_is_free_before_it_is_left_is_caught() {
    let model = "registration::a_seat_is_given_on_whole";
    caught(Fault::FreeSeatFirst, model, UNSEATED);
}

#[test]
fn sitting_down_unraised_is_caught() {
    let fault = left_out("protocol/attention.rs", "raise_own", "word.swap(");
    caught(fault, "registration::a_thread_that_stays_is_raised", LOST);
    let model = "registration::a_thread_that_knows_another_pool";
    caught(fault, model, LOST);
}

#[test]
fn sitting_down_by_a_store_is_caught() {
    let model = "registration::a_thread_that_knows_another_pool";
    caught(
        apart("protocol/attention.rs", "raise_own", "word.swap("),
        model,
        LOST,
    );
}
