//! Joins: both closures run, where they run, and what they are told.

mod common;

use common::*;
use std::{
    collections::HashSet,
    panic,
    sync::{
        Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
};
use sumac_rayon::{ThreadPoolBuilder, join, join_context};

fn fib(n: u32) -> u64 {
    if n < 2 {
        return u64::from(n);
    }
    let (a, b) = join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[test]
fn results_are_those_of_the_program_without_joins() {
    within(|| {
        assert_eq!(fib(20), 6765);
        for threads in [1, 2, 5] {
            assert_eq!(pool(threads).install(|| fib(20)), 6765);
            assert_eq!(pool(threads).join(|| fib(9), || fib(10)), (34, 55));
        }
    });
}

#[test]
fn both_closures_run_whatever_panics() {
    fn half(panics: bool, text: &'static str, runs: &AtomicUsize) {
        runs.fetch_add(1, SeqCst);
        if panics {
            panic::panic_any(text);
        }
    }
    within(|| {
        let pool = pool(2);
        for (first, second, expected) in [
            (true, false, "first"),
            (false, true, "second"),
            (true, true, "first"),
        ] {
            let runs = AtomicUsize::new(0);
            let halves = || {
                join(
                    || half(first, "first", &runs),
                    || half(second, "second", &runs),
                )
            };
            assert_eq!(panic_of(halves), expected);
            assert_eq!(runs.load(SeqCst), 2);
            assert_eq!(panic_of(|| pool.install(halves)), expected);
            assert_eq!(runs.load(SeqCst), 4);
        }
    });
}

/// Calls from outside bring both closures into a pool.
#[test]
fn closures_of_calls_from_outside_have_migrated() {
    within(|| {
        for _ in 0..100 {
            let told = join_context(|a| a.migrated(), |b| b.migrated());
            assert_eq!(told, (true, true));
        }
    });
}

#[test]
fn closures_of_calls_from_inside_have_migrated_if_another_thread_runs_them() {
    within(|| {
        let alone = pool(1);
        let told = alone.install(|| join_context(|a| a.migrated(), |b| b.migrated()));
        assert_eq!(told, (false, false));
        // Each waits for the other, so two threads run them.
        let both = Barrier::new(2);
        let meet = |migrated| {
            both.wait();
            migrated
        };
        let told = pool(2).install(|| join_context(|a| meet(a.migrated()), |b| meet(b.migrated())));
        assert_eq!(told, (false, true));
        // And deep inside of a call from outside.
        let deep = || join_context(|a| a.migrated(), |_| ()).0;
        assert!(!join_context(|_| deep(), |_| ()).0);
    });
}

/// What `migrated` says is what the threads' names say.
#[test]
fn migrated_is_truthful() {
    fn visit(depth: u32) -> usize {
        if depth == 0 {
            return 0;
        }
        let here = thread::current().id();
        let (a, b) = join_context(
            |a| {
                assert_eq!(a.migrated(), thread::current().id() != here);
                visit(depth - 1)
            },
            |b| {
                assert_eq!(b.migrated(), thread::current().id() != here);
                visit(depth - 1) + usize::from(b.migrated())
            },
        );
        a + b
    }
    within(|| {
        let pool = pool(3);
        wait_until("a stolen half", || pool.install(|| visit(12)) > 0);
    });
}

#[test]
fn every_half_runs_in_the_pool() {
    fn visit(depth: u32, gauge: &Gauge, threads: usize) {
        if depth == 0 {
            gauge.call(threads, || {
                thread::yield_now();
            });
        } else {
            join(
                || visit(depth - 1, gauge, threads),
                || visit(depth - 1, gauge, threads),
            );
        }
    }
    within(|| {
        for threads in [1, 2, 3] {
            let (pool, gauge) = (pool(threads), Gauge::default());
            // More callers than threads.
            thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| pool.install(|| visit(9, &gauge, threads)));
                }
            });
            assert!(gauge.most() <= threads);
        }
    });
    assert_eq!(sumac_rayon::current_thread_index(), None);
}

/// The threads of a pool are its own: callers' are none of them.
#[test]
fn callers_of_a_pool_run_nothing() {
    within(|| {
        let caller = thread::current().id();
        let pool = pool(2);
        let seen = Mutex::new(HashSet::new());
        for _ in 0..1_000 {
            pool.install(|| {
                let look = || {
                    seen.lock()
                        .expect("no panic")
                        .insert(thread::current().id())
                };
                join(look, look)
            });
        }
        let seen = seen.into_inner().expect("no panic");
        assert!(!seen.contains(&caller) && seen.len() <= 2, "{seen:?}");
    });
}

/// A half blocks until a queued task has run, which only the thread that waits for it can run.
#[test]
fn a_half_may_wait_for_a_task() {
    within(|| {
        let pool = ThreadPoolBuilder::new().num_threads(2).use_current_thread();
        let pool = pool.build().expect("a pool");
        let (tell, told) = mpsc::channel();
        let begun = &AtomicBool::new(false);
        let joins = move || {
            while !begun.load(SeqCst) {
                join(|| (), || ());
            }
            pool.spawn(move || tell.send(()).expect("the half waits"));
        };
        let half = move || {
            begun.store(true, SeqCst);
            told.recv().expect("the task runs");
        };
        join(joins, half);
    });
}
