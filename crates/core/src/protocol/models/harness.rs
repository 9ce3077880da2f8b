//! Helpers for models, also of the crate of batches: interleavings, twins, threads.

use super::{
    fault::{Fault, plant},
    faulty::{Step, Wrong},
};
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

/// Checks `model` in all interleavings with at most `LOOM_MAX_PREEMPTIONS` preemptions, three if it
/// is not set.
pub(super) fn explore(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(3));
    check(&builder, model);
}

/// Checks `model` in all interleavings.
pub(super) fn explore_all(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = None;
    check(&builder, model);
}

/// Starts a thread of a model.
pub(super) fn spawn<S: Send + Sync + 'static, R: 'static>(
    shared: &Arc<S>,
    life: impl FnOnce(&S) -> R + 'static,
) -> loom::thread::JoinHandle<R> {
    let shared = Arc::clone(shared);
    loom::thread::spawn(move || life(&shared))
}

pub(super) fn check(builder: &loom::model::Builder, model: impl Fn() + Send + Sync + 'static) {
    if let Ok(name) = env::var(PLANT) {
        let listed = || {
            Fault::ALL
                .iter()
                .find(|f| format!("{f:?}") == name)
                .copied()
        };
        let step = name.parse().map(Fault::Step).ok();
        plant(step.or_else(listed).expect("the fault is known"));
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

/// A step of a file below `src` that orders nothing: the lines of `function` with this text.
pub(super) fn relaxed(file: &'static str, function: &str, text: &str) -> Fault {
    step(Wrong::Relaxed, file, function, text)
}

/// One whose read and write are two steps.
pub(super) fn apart(file: &'static str, function: &str, text: &str) -> Fault {
    step(Wrong::Apart, file, function, text)
}

/// One that is left out.
pub(super) fn left_out(file: &'static str, function: &str, text: &str) -> Fault {
    step(Wrong::LeftOut, file, function, text)
}

fn step(wrong: Wrong, file: &'static str, function: &str, text: &str) -> Fault {
    Fault::Step(Step::new(wrong, file, function, text))
}

/// Asserts that the test `model` fails with `symptom` if `fault` is planted.
pub(super) fn caught(fault: Fault, model: &str, symptom: &str) {
    let name = match fault {
        Fault::Step(step) => format!("{step:?}"),
        listed => format!("{listed:?}"),
    };
    let twin = Command::new(env::current_exe().expect("the test runs from a file"))
        .args([&format!("{}{model}", models()), "--exact", "--nocapture"])
        .env(PLANT, name)
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

/// Loom's message for two unordered accesses to the same memory.
pub(super) const RACE: &str = "Causality violation";
/// Loom's message if all remaining threads sleep.
pub(super) const DEADLOCK: &str = "deadlock";

/// What the names of all models begin with.
fn models() -> &'static str {
    let (_, here) = module_path!().split_once("::").expect("a crate's name");
    here.trim_end_matches("harness")
}
