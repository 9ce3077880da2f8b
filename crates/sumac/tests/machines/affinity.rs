//! Processors that are taken from the threads of a pool, and given back, while it works.

use super::{BEGUN, run_there, threads_here};
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity},
    unistd::Pid,
};
use std::{
    thread,
    time::{Duration, Instant},
};
use sumac::{ThreadPool, ThreadPoolBuilder};
use sumac_test_support::{
    LONG, Style, alone, child, child_argument, enter, rounds, spin, sum, wait_until,
};

/// The processors that a thread may use.
fn allowed(thread: i32) -> Vec<usize> {
    let set = sched_getaffinity(Pid::from_raw(thread)).expect("the set of a living thread");
    let all = 0..CpuSet::count();
    all.filter(|&cpu| set.is_set(cpu).is_ok_and(|is| is))
        .collect()
}

/// Allows all threads of this process these processors and no others, as `taskset --all-tasks`.
pub(crate) fn allow(cpus: &[usize]) {
    let mut set = CpuSet::new();
    cpus.iter()
        .for_each(|&cpu| set.set(cpu).expect("the number of a processor"));
    // A worker that is on its way from one processor to another sets its own, once.
    let set_all = || {
        let threads = threads_here();
        for &thread in &threads {
            sched_setaffinity(Pid::from_raw(thread), &set).expect("processors it may use");
        }
        thread::sleep(Duration::from_millis(5));
        threads.iter().all(|&thread| allowed(thread) == cpus)
    };
    assert!(
        wait_until(LONG / 4, set_all),
        "threads have processors of their own"
    );
}

/// The two processors on which the halves of a join of half a millisecond run.
fn halves(pool: &ThreadPool, style: Style) -> [usize; 2] {
    let half = || {
        spin(Duration::from_micros(500));
        sched_getcpu().expect("the processor of this thread")
    };
    let (a, b) = enter(style, pool, |cx| cx.join(|_| half(), |_| half()));
    [a, b]
}

/// How long some thousand joins take.
fn time_of_joins(pool: &ThreadPool) -> Duration {
    let begin = Instant::now();
    for _ in 0..20 {
        assert_eq!(
            enter(Style::Scope, pool, |cx| sum(cx, 0, 5_000)),
            12_497_500
        );
    }
    begin.elapsed()
}

/// Works on both of its processors, on one, on both again, as `allow` says.
pub(crate) fn shrink_and_grow(allow: impl Fn(&[usize])) {
    let all = allowed(0);
    let one = ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool");
    let four = ThreadPoolBuilder::new()
        .num_threads(4)
        .build()
        .expect("a pool");
    for round in rounds(20) {
        let few = [all[round % all.len()]];
        allow(&few);
        for style in Style::ALL {
            assert_eq!(halves(&four, style), [few[0]; 2], "{round}");
        }
        // Three workers that look for work share the processor with the one that works.
        let slower = || time_of_joins(&four).as_secs_f64() / time_of_joins(&one).as_secs_f64();
        let is_fair = (0..10).any(|_| slower() < 2.0);
        assert!(is_fair, "four threads on one processor are slower than one");
        for thread in threads_here() {
            assert_eq!(allowed(thread), few, "{round}");
        }
        allow(&all);
        let spreads = wait_until(LONG / 4, || {
            let [a, b] = halves(&four, Style::ALL[round % 2]);
            a != b
        });
        assert!(spreads, "both halves stay on one processor");
        thread::sleep(Duration::from_millis([0, 2, 30][round % 3]));
        for thread in threads_here() {
            // One that is only late may be moving.
            let is_free = || allowed(thread) == all;
            assert!(wait_until(Duration::from_millis(500), is_free), "{round}");
        }
    }
}

#[test]
fn processors_that_go_and_come_back_are_used() {
    let _alone = alone();
    const NAME: &str = "affinity::processors_that_go_and_come_back_are_used";
    if child_argument(NAME).is_none() {
        return run_there("affinity", child(NAME, ""));
    }
    println!("{BEGUN}");
    if allowed(0).len() < 2 {
        return super::skipped("affinity", "one processor");
    }
    shrink_and_grow(allow);
}
