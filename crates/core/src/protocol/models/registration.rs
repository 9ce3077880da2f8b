//! Registration and exit: once a thread has left, nobody touches its word, and its seat serves the
//! next.
//!
//! Mirrors `Thread::sit` and `Seat::drop`, `Members::{take_guest_seat, return_guest_seat}` (the
//! pool has one seat), and for the asker `Member::ask` behind `is_seated`.

use super::{RACE, caught, explore_all, spawn};
use crate::{
    fault::Fault,
    protocol::{
        attention::{self, ATTENTION, Flag, NO_FRAME},
        primitive::{Mutex, lock},
    },
};
use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::Arc;

/// What is in the memory of a word after its thread has ended.
const GONE: usize = 0x60e;

struct Seat {
    flag: Flag,
    seated: AtomicBool,
    asked: AtomicU32,
    free: Mutex<bool>,
    words: [Word; 2],
}

/// The word of a thread, in memory that stays so that the model can look at it.
struct Word(std::cell::UnsafeCell<AtomicUsize>);

// SAFETY: `end` is called once, by the thread the word belongs to; loom checks all accesses.
unsafe impl Sync for Word {}

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
        // SAFETY: the model's threads run one at a time, and this call does not switch.
        let word = unsafe { &mut *self.0.get() };
        word.with_mut(|w| *w = GONE);
    }
}

impl Seat {
    fn new() -> Arc<Self> {
        Arc::new(Seat {
            flag: Flag::new(),
            seated: AtomicBool::new(false),
            asked: AtomicU32::new(0),
            free: Mutex::new(true),
            words: [Word::new(), Word::new()],
        })
    }

    /// False if somebody sits here.
    fn sit(&self, word: &AtomicUsize) -> bool {
        if !std::mem::replace(&mut *lock(&self.free), false) {
            return false;
        }
        self.asked.fetch_max(1, Ordering::Relaxed);
        // SAFETY: `leave` detaches before the word ends.
        unsafe { self.flag.attach(word) };
        self.seated.store(true, Ordering::Release);
        word.store(ATTENTION, Ordering::Relaxed);
        true
    }

    fn leave(&self) {
        self.flag.detach();
        self.seated.store(false, Ordering::Release);
        *lock(&self.free) = true;
    }

    /// The life of a thread that does nothing but sit here and end. False if it did not get the
    /// seat.
    fn visit(&self, word: &Word) -> bool {
        let sat = self.sit(word.get());
        if sat {
            attention::lower(word.get(), NO_FRAME);
            self.leave();
        }
        word.get().store(NO_FRAME, Ordering::Relaxed);
        word.end();
        sat
    }

    fn ask(&self) -> bool {
        let seated = self.seated.load(Ordering::Acquire);
        if seated {
            self.asked.fetch_max(1, Ordering::Relaxed);
            self.flag.raise();
        }
        seated
    }
}

#[test]
fn nobody_raises_a_thread_that_has_left() {
    explore_all(|| {
        let seat = Seat::new();
        let asker = spawn(&seat, |seat| {
            seat.ask();
            seat.ask();
        });
        seat.visit(&seat.words[0]);
        asker.join().unwrap();
        assert_eq!(seat.words[0].get().load(Ordering::Relaxed), GONE);
    });
}

#[test]
fn a_seat_serves_one_after_the_other() {
    explore_all(|| {
        let seat = Seat::new();
        let visitor = spawn(&seat, |seat| seat.visit(&seat.words[1]));
        let asker = spawn(&seat, |seat| seat.ask());
        let first = seat.visit(&seat.words[0]);
        let second = visitor.join().unwrap();
        asker.join().unwrap();
        assert!(first || second);
        for word in &seat.words {
            assert_eq!(word.get().load(Ordering::Relaxed), GONE);
        }
    });
}

/// A thread that sits down, is asked or not, and stays: its attention is up.
#[test]
fn a_thread_that_stays_is_raised() {
    explore_all(|| {
        let seat = Seat::new();
        let asker = spawn(&seat, |seat| seat.ask());
        assert!(seat.sit(seat.words[0].get()));
        let raised = seat.words[0].get().load(Ordering::Relaxed) == ATTENTION;
        attention::lower(seat.words[0].get(), NO_FRAME);
        let asked = seat.asked.swap(0, Ordering::Relaxed);
        asker.join().unwrap();
        assert!(raised && asked > 0);
        let up = seat.words[0].get().load(Ordering::Relaxed) == ATTENTION;
        assert!(up || seat.asked.load(Ordering::Relaxed) == 0);
    });
}

#[test]
fn leaving_the_flag_behind_is_caught() {
    let fault = Fault::LeaveFlagBehind;
    caught(
        fault,
        "registration::nobody_raises_a_thread_that_has_left",
        RACE,
    );
    caught(
        fault,
        "registration::a_seat_serves_one_after_the_other",
        RACE,
    );
}
