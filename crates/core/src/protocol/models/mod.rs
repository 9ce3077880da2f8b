//! Loom models of the protocols between threads, each in every interleaving that loom knows.
//!
//! Every model has twins: the same model with one mistake of fault.rs planted, which must fail with the symptom
//! that the twin names. A twin runs in a process of its own, since loom may abort when it finds a deadlock.
//!
//! Parts of a protocol that live in files loom cannot build are written again here, as short as they go; the head of
//! each model says which functions it mirrors, and has to change with them. Loom's time stands still: a sleep with a
//! time limit never ends by itself, which is the harder case; where the limit matters the model sleeps zero times.

mod attention;
mod dormancy;
mod idle;
mod latch;
mod nap;
mod parker;
mod registration;
mod slot;
mod stage;
mod times;
mod waits;
mod watch;

use crate::fault::{Fault, plant};
use std::{
    env,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

/// Names the fault to plant in the process of a twin.
const PLANT: &str = "SUMAC_PLANT";

/// Checks `model` in all interleavings with at most `LOOM_MAX_PREEMPTIONS` preemptions, three if it is not set.
fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    check(&builder, model);
}

/// Checks `model` in all interleavings.
fn explore_all(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = None;
    check(&builder, model);
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
        .args([
            &format!("protocol::models::{model}"),
            "--exact",
            "--nocapture",
        ])
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
