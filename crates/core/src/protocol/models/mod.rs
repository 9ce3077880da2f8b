//! Loom models of the protocols between threads, each in every interleaving that loom knows.
//!
//! Every model has twins: the same model with one fault planted (fault.rs), which must fail with
//! the symptom that the twin names. A twin runs in a process of its own, since loom may abort when
//! it finds a deadlock.
//!
//! The models run the code itself, wherever loom can build it. Steps in files that loom cannot
//! build are copied, as short as possible; the head of each model says which functions it mirrors,
//! and a test compares their steps with the source (mirrored.rs). Loom's time stands still: a sleep
//! with a time limit never ends by itself, which is the harder case; where the limit matters the
//! model does not sleep.

mod attention;
mod dormancy;
mod fault;
mod harness;
mod idle;
mod latch;
mod mirrored;
mod nap;
mod parker;
mod pools;
mod registration;
mod slot;
mod spares;
mod stage;
mod terms;
mod times;
mod waits;
mod watch;

use super::{completion::Completion, faulty, parker::Parker};
use fault::{Fault, planted};
use harness::{DEADLOCK, RACE, apart, caught, explore, explore_all, left_out, relaxed, spawn};
use mirrored::steps;
use std::sync::Arc;

/// Waits as the scheduler does for an `AwaitedCompletion` (task/awaited.rs), without help.
fn sleep_until_done(completion: &Completion) {
    let parker = Arc::new(Parker::new());
    while !completion.stage.is_done() {
        if completion.leave_waker(&parker.waker()) {
            parker.park(None);
        }
    }
}

/// What a tick does, in the order that the models of attention, dormancy and two pools have.
fn tick_steps() {
    let source = include_str!("../../join/promote.rs");
    steps(
        source,
        "tick_plain",
        &["begin_tick(", "lower_attention(", "give_in_contexts("],
    );
    steps(
        source,
        "give_in_contexts",
        &[
            "give_in_contexts(",
            "demand.asked()",
            "chain::link(",
            "give(thread",
        ],
    );
    steps(
        source,
        "give",
        &[
            "demand.take()",
            "offers.free_slot()",
            "offer(member",
            "demand.meet(",
            "thread::raise_attention()",
            "wake_dormant(",
        ],
    );
}
