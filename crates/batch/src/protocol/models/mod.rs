//! Loom models of the gate and its records (gate.rs, record.rs), each in every interleaving that
//! loom knows.
//!
//! Every model has twins: the same model with one fault planted (fault.rs), which must fail with
//! the symptom that the twin names. A twin runs in a process of its own, since loom may abort when
//! it finds a deadlock. A model also says what it wants to have met (`Seen`): a case that no
//! interleaving reaches any more is a failure.
//!
//! Turns, gate and records are the real ones. What surrounds them cannot be built under loom, since
//! it needs the scheduler: world.rs stands in for it.

#[macro_use]
#[path = "../../../../core/src/protocol/models/faults.rs"]
mod faults;

mod cancel;
mod claims;
pub(crate) mod fault;
#[path = "../../../../core/src/protocol/models/harness.rs"]
mod harness;
mod reads;
mod record;
mod submitted;
mod turns;
mod world;

use crate::{primitive::faulty, protocol::record::Waiter};
use fault::{Fault, planted};
use harness::{
    DEADLOCK, RACE, apart, caught, check, explore, explore_all, left_out, relaxed, spawn,
};
use loom::thread::{self, Thread};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Wake, Waker},
};

/// As `explore`, with a preemption less: for models that have more to explore.
fn explore_large(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(builder.preemption_bound.unwrap_or(3).saturating_sub(1));
    check(&builder, model);
}

/// Wakes a thread of the model.
struct Unparks(Thread);

impl Wake for Unparks {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What wakes the calling thread.
fn here() -> Waiter {
    Waiter(Waker::from(Arc::new(Unparks(thread::current()))))
}

/// Counts the interleavings in which something has happened.
#[derive(Clone, Default)]
struct Seen(Arc<AtomicUsize>);

impl Seen {
    fn note(&self, happened: bool) {
        self.0.fetch_add(usize::from(happened), Ordering::Relaxed);
    }

    /// Asserts that it has happened.
    fn assert(&self, what: &str) {
        let times = self.0.load(Ordering::Relaxed);
        println!("{times} times: {what}");
        assert!(times > 0, "never met: {what}");
    }
}
