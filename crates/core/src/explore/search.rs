//! Many schedules of a scenario, and helpers for scenarios.

use super::{current::with_current, primitive, schedule::Schedule, simulate::use_one_processor};
use crate::protocol::faulty::{Step, Wrong};
use std::{
    env,
    panic::{self, AssertUnwindSafe},
    sync::{
        Arc, Once,
        atomic::{AtomicU32, Ordering},
    },
    thread::{self, JoinHandle},
    time::Instant,
};

/// The number of schedules of each scenario, from `EXPLORE_SCHEDULES`.
fn schedules() -> u64 {
    let asked = env::var("EXPLORE_SCHEDULES");
    asked.map_or(1000, |n| n.parse().expect("EXPLORE_SCHEDULES is a number"))
}

/// The first seed, from `EXPLORE_SEED`, to repeat a failure.
fn first_seed() -> u64 {
    let asked = env::var("EXPLORE_SEED");
    asked.map_or(0, |n| n.parse().expect("EXPLORE_SEED is a number"))
}

/// Runs `scenario` in the requested number of schedules.
///
/// # Panics
/// If one of them fails.
pub(super) fn explore(scenario: fn()) {
    let (start, count) = (Instant::now(), schedules());
    let mut all = 0;
    search(None, count, scenario, |seed, steps| match steps {
        Ok(steps) => all += steps,
        Err(why) => panic!("EXPLORE_SEED={seed}: {why}"),
    });
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{count} schedules, {:.0} a second, {} steps each",
        count as f64 / seconds,
        all / count
    );
}

/// Asserts that one of ten times as many schedules of `scenario` fails with `symptom` if `fault` is
/// planted. The search ends there.
pub(super) fn caught(fault: Step, scenario: fn(), symptom: &str) {
    let mut found = None;
    search(Some(fault), 10 * schedules(), scenario, |seed, steps| {
        found = steps.err().map(|why| (seed, why)).or(found.take());
    });
    let (seed, why) = found.unwrap_or_else(|| panic!("no schedule notices {fault:?}"));
    println!(
        "{fault:?}: after {} schedules: {why}",
        seed - first_seed() + 1
    );
    assert!(why.contains(symptom), "{fault:?} fails otherwise: {why}");
}

/// A step of a file below `src` whose read and write are two steps: the lines of `function` with
/// this text.
pub(super) fn apart(file: &'static str, function: &str, text: &str) -> Step {
    Step::new(Wrong::Apart, file, function, text)
}

/// Such a step that is left out.
pub(super) fn left_out(file: &'static str, function: &str, text: &str) -> Step {
    Step::new(Wrong::LeftOut, file, function, text)
}

/// Runs `scenario` in that many schedules, up to the first that fails, and reports each.
fn search(
    fault: Option<Step>,
    schedules: u64,
    scenario: fn(),
    mut each: impl FnMut(u64, Result<u64, String>),
) {
    announce_seeds();
    use_one_processor();
    // The threads of a run that fails keep it.
    let schedule: &'static Schedule = Box::leak(Box::new(Schedule::new()));
    for seed in (first_seed()..).take(schedules as usize) {
        let steps = schedule.run(seed, fault, move || {
            if panic::catch_unwind(scenario).is_err() {
                fail("the scenario panicked");
            }
        });
        let failed = steps.is_err();
        each(seed, steps);
        if failed {
            return;
        }
    }
}

/// Makes each panic print its schedule, since it may end the process.
fn announce_seeds() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            with_current(|schedule, me| {
                eprintln!("thread {me} of the schedule of seed {}:", schedule.seed());
            });
            usual(info);
        }));
    });
}

/// Ends the schedule as a failure, from any thread.
pub(super) fn fail(why: &str) -> ! {
    with_current(|schedule, _| schedule.fail_with(why)).expect("a thread of a schedule")
}

/// Returns a random number below `bound`, for choices of a scenario.
pub(super) fn random(bound: u64) -> u64 {
    with_current(|schedule, _| schedule.random(bound)).expect("a thread of a schedule")
}

/// From now on the system refuses to start one thread in three.
pub(super) fn refuse_threads() {
    with_current(|schedule, _| schedule.refuse_threads());
}

/// Lets others go on for a random time, so that they may be anywhere afterwards.
pub(super) fn loiter() {
    for _ in 0..random(1 << random(8)) {
        primitive::yield_now();
    }
}

/// Lets so many nanoseconds pass.
pub(super) fn pass(time: u64) {
    with_current(|schedule, _| schedule.advance(time));
}

/// A thread of a scenario.
pub(super) struct Spawned<T>(JoinHandle<T>);

pub(super) fn spawn<T: Send + 'static>(f: impl FnOnce() -> T + Send + 'static) -> Spawned<T> {
    Spawned(primitive::spawn(thread::Builder::new(), f).expect("a thread"))
}

impl<T> Spawned<T> {
    pub(super) fn join(self) -> T {
        let result = primitive::join(self.0);
        result.unwrap_or_else(|payload| panic::resume_unwind(payload))
    }
}

/// Counts which of some closures have run; each must run once.
#[derive(Clone, Debug)]
pub(super) struct Tally(Arc<[AtomicU32]>);

impl Tally {
    pub(super) fn new(closures: usize) -> Self {
        Tally((0..closures).map(|_| AtomicU32::new(0)).collect())
    }

    /// Runs the closure `nth`, and returns its number. Others may go on meanwhile.
    pub(super) fn run(&self, nth: usize) -> usize {
        if self.0[nth].fetch_add(1, Ordering::Relaxed) > 0 {
            fail("a closure ran twice");
        }
        primitive::yield_now();
        nth
    }

    /// How many have run.
    pub(super) fn count(&self) -> usize {
        let run = |count: &&AtomicU32| count.load(Ordering::Relaxed) > 0;
        self.0.iter().filter(run).count()
    }

    /// Asserts that all have run.
    pub(super) fn all(&self) {
        assert_eq!(self.count(), self.0.len(), "some closures have not run");
    }
}

/// Calls `f`, which must panic with the number `payload`.
pub(super) fn panics<R>(payload: usize, f: impl FnOnce() -> R) {
    let result = panic::catch_unwind(AssertUnwindSafe(f)).map(|_| ());
    let caught = result.expect_err("it panics");
    assert_eq!(caught.downcast_ref(), Some(&payload), "another's payload");
}

/// Panics with a number, without a message.
pub(super) fn throw(payload: usize) -> ! {
    panic::resume_unwind(Box::new(payload))
}
