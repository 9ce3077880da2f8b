//! Loom models of the protocols between threads, each in every interleaving that loom knows.
//!
//! Every model has twins: the same model with one fault planted (fault.rs), which must fail with
//! the symptom that the twin names. A twin runs in a process of its own, since loom may abort when
//! it finds a deadlock.
//!
//! The models run the code itself, wherever loom can build it. What calls it is copied, as short as
//! possible; the head of each model says what that is. It is one call, or the order of calls
//! follows from what they return, or from what unsafe functions ask for, or a unit test looks at
//! it.
//!
//! Loom's time stands still: a sleep with a time limit never ends by itself, which is the harder
//! case; where the limit matters the model does not sleep.

#[macro_use]
mod faults;

mod attention;
mod biased_lock;
mod dormancy;
mod fault;
mod harness;
mod idle;
mod latch;
mod nap;
mod parker;
mod pools;
mod registration;
mod remote;
mod slot;
mod spares;
mod stage;
mod task_lists;
mod terms;
mod times;
mod unfinished;
mod waits;
mod watch;

use super::{completion::Completion, demand::Gift, faulty, offers::Offers, parker::Parker};
use fault::{Fault, planted};
use harness::{DEADLOCK, RACE, apart, caught, explore, explore_all, left_out, relaxed, spawn};
use std::{cell::Cell, sync::Arc};

const FLAG_LOST: &str = "the leader sleeps and a flag is down";

/// What a tick gives: one of so many frames, which are only counted, in a ring of one slot.
fn give(frames: &Cell<u32>, offers: &Offers<u8, 1>, job: *mut u8) -> Gift {
    if frames.get() == 0 {
        return Gift::Nothing;
    }
    let Some(slot) = offers.free_slot() else {
        return Gift::Full;
    };
    offers.publish(slot, job, 0);
    frames.set(frames.get() - 1);
    Gift::Given
}

/// Waits as the scheduler does for an `AwaitedCompletion` (task/awaited.rs), without help.
fn sleep_until_done(completion: &Completion) {
    let parker = Arc::new(Parker::new());
    while !completion.stage.is_done() {
        completion.sleep(&parker.waker(), || (), || parker.park(None));
    }
}
