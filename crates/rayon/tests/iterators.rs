//! Parallel iterators and rayon's functions are in one pool; in child processes, since it is the
//! global one.
#![cfg(feature = "iter")]

mod common;

use common::*;
use std::{sync::mpsc, thread};
use sumac_rayon::{
    ThreadPoolBuilder, current_num_threads, current_thread_index, join, prelude::*, scope, spawn,
};

/// A loop is the first use: its callers wait, so no two threads have an index in common.
#[test]
fn loops_begin_the_global_pool() {
    const TEST: &str = "loops_begin_the_global_pool";
    if !is_child(TEST) {
        child_that_succeeds(TEST, &[("RAYON_NUM_THREADS", "2")]);
        return;
    }
    within(|| {
        let gauge = Gauge::default();
        let item = |_| gauge.call(2, thread::yield_now);
        thread::scope(|callers| {
            for _ in 0..3 {
                callers.spawn(|| {
                    for _ in 0..50 {
                        (0..20).into_par_iter().for_each(item);
                        join(|| item(0), || item(1));
                    }
                    assert_eq!(current_thread_index(), None);
                });
            }
        });
        assert_eq!(current_num_threads(), 2);
        assert!(ThreadPoolBuilder::new().build_global().is_err());
    });
}

/// Whichever is the first use, tasks run in rayon's order.
#[test]
fn loops_begin_a_pool_that_runs_the_newest_task_first() {
    const TEST: &str = "loops_begin_a_pool_that_runs_the_newest_task_first";
    if !is_child(TEST) {
        child_that_succeeds(TEST, &[("RAYON_NUM_THREADS", "1")]);
        return;
    }
    within(|| {
        assert_eq!((0..10).into_par_iter().sum::<i32>(), 45);
        let (send, receive) = mpsc::channel();
        scope(|_| {
            for task in 0..4 {
                let send = send.clone();
                spawn(move || send.send(task).expect("the test waits"));
            }
        });
        drop(send);
        assert_eq!(receive.iter().collect::<Vec<_>>(), [3, 2, 1, 0]);
    });
}

/// A loop runs on the threads of the global pool that was asked for, or of the pool around it.
#[test]
fn loops_run_in_the_pool_that_was_built() {
    const TEST: &str = "loops_run_in_the_pool_that_was_built";
    if !is_child(TEST) {
        child_that_succeeds(TEST, &[]);
        return;
    }
    within(|| {
        let named = |name: &'static str| {
            ThreadPoolBuilder::new()
                .num_threads(2)
                .thread_name(move |index| format!("{name}-{index}"))
        };
        named("global").build_global().expect("a pool");
        let names = || {
            let name = |_| thread::current().name().map(str::to_owned);
            let names = (0..1000).into_par_iter().map(name);
            names.collect::<Vec<_>>()
        };
        let all_begin = |with: &str| {
            let begins = |name: &Option<String>| name.as_ref().is_some_and(|n| n.starts_with(with));
            assert!(names().iter().all(begins), "{with}");
        };
        all_begin("global-");
        let pool = named("own").build().expect("another");
        pool.install(|| all_begin("own-"));
    });
}
