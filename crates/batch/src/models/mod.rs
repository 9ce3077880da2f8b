//! Loom models of the gate and its records (gate.rs, record.rs), each in every interleaving that loom knows.
//!
//! Every model has twins: the same model with one mistake of fault.rs planted, which must fail with the symptom
//! that the twin names. A twin runs in a process of its own, since loom may abort when it finds a deadlock. A model also says what it
//! wants to have met (`Seen`): a case that no interleaving reaches any more is a failure.
//!
//! What surrounds the gate cannot be built under loom, since it needs the scheduler: world.rs has it again, as short as it goes.

mod cancel;
mod claims;
mod record;
mod submitted;
mod turns;
mod world;

use crate::{
    fault::{Fault, plant},
    record::Waiter,
};
use loom::thread::{self, Thread};
use std::{
    env,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Wake, Waker},
};

/// Names the fault to plant in the process of a twin.
const PLANT: &str = "SUMAC_PLANT";

/// Checks `model` in all interleavings with at most `LOOM_MAX_PREEMPTIONS` preemptions, three if it is not set.
fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    check(&builder, model);
}

/// As `explore`, with a preemption less: for models that have more to explore.
fn explore_large(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(builder.preemption_bound.unwrap_or(3).saturating_sub(1));
    check(&builder, model);
}

/// Checks `model` in all interleavings.
fn explore_all(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = None;
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

/// Starts a thread of a model.
fn spawn<S: Send + Sync + 'static, R: 'static>(
    shared: &Arc<S>,
    life: impl FnOnce(&S) -> R + 'static,
) -> loom::thread::JoinHandle<R> {
    let shared = Arc::clone(shared);
    loom::thread::spawn(move || life(&shared))
}

fn check(builder: &loom::model::Builder, model: impl Fn() + Send + Sync + 'static) {
    if let Ok(name) = env::var(PLANT) {
        let fault = Fault::ALL.iter().find(|f| format!("{f:?}") == name);
        plant(*fault.expect("the fault is in the list"));
        println!("planted {name}");
    }
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    builder.check(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        model();
    });
    println!("{} interleavings", count.load(Ordering::Relaxed));
}

/// Asserts that the test `model` fails with `symptom` if `fault` is planted.
fn caught(fault: Fault, model: &str, symptom: &str) {
    let twin = Command::new(env::current_exe().expect("the test runs from a file"))
        .args([&format!("models::{model}"), "--exact", "--nocapture"])
        .env(PLANT, format!("{fault:?}"))
        .env("RUST_BACKTRACE", "0")
        .output()
        .expect("the test program starts");
    let said = [twin.stdout, twin.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("planted"), "{model} did not run:\n{said}");
    assert!(!twin.status.success(), "{model} does not notice {fault:?}");
    assert!(
        said.contains(symptom),
        "{model} fails otherwise than by {symptom:?}:\n{said}"
    );
}

/// What loom says of two accesses to the same memory that nothing orders.
const RACE: &str = "Causality violation";
/// What loom says if all threads that are left sleep.
const DEADLOCK: &str = "deadlock";
