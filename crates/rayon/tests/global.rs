//! The global pool, in child processes: each has one of its own.

mod common;

use common::*;
use std::{
    error::Error,
    sync::{
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac_rayon::{
    ThreadPoolBuilder, broadcast, current_num_threads, current_thread_index, in_place_scope, join,
    scope, spawn,
};

const THREADS: &str = "RAYON_NUM_THREADS";
const CPUS: &str = "RAYON_RS_NUM_CPUS";

fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

#[test]
fn the_environment_says_how_many_threads() {
    const TEST: &str = "the_environment_says_how_many_threads";
    if is_child(TEST) {
        println!("threads {}", current_num_threads());
        return;
    }
    for (variables, expected) in [
        (&[(THREADS, "3")][..], 3),
        (&[(CPUS, "3")], 3),
        (&[(THREADS, "4"), (CPUS, "3")], 4),
        (&[(THREADS, "0"), (CPUS, "3")], processors()),
        (&[(THREADS, "many"), (CPUS, "3")], 3),
        (&[(CPUS, "0")], processors()),
        (&[], processors()),
    ] {
        let said = child(TEST, variables).stdout;
        let said = String::from_utf8_lossy(&said);
        let expected = format!("threads {expected}\n");
        assert!(said.contains(&expected), "{variables:?}: {said}");
    }
}

/// As in rayon: a thread that uses the pool first while another builds it gets what that builds.
#[test]
fn a_first_use_waits_for_the_pool_that_is_being_built() {
    const TEST: &str = "a_first_use_waits_for_the_pool_that_is_being_built";
    if !is_child(TEST) {
        child_that_succeeds(TEST, &[]);
        return;
    }
    let threads = processors() + 2;
    let (tell, told) = mpsc::channel();
    let built = ThreadPoolBuilder::new()
        .num_threads(threads)
        .spawn_handler(|worker| {
            let tell = tell.clone();
            thread::spawn(move || tell.send(current_num_threads()));
            // Long enough for that thread to come to the pool, which is not built yet.
            thread::sleep(Duration::from_millis(20));
            thread::spawn(|| worker.run());
            Ok(())
        })
        .build_global();
    built.expect("the first pool");
    assert_eq!(told.recv(), Ok(threads));
}

/// Callers from outside, tasks and threads of the pool together: never more than it has.
#[test]
fn never_more_threads_than_asked_for() {
    const TEST: &str = "never_more_threads_than_asked_for";
    if !is_child(TEST) {
        for threads in ["1", "2", "3"] {
            child_that_succeeds(TEST, &[(THREADS, threads)]);
        }
        return;
    }
    fn visit(depth: u32, gauge: &Gauge) {
        if depth == 0 {
            gauge.call(current_num_threads(), thread::yield_now);
        } else {
            join(|| visit(depth - 1, gauge), || visit(depth - 1, gauge));
        }
    }
    within(|| {
        let threads = current_num_threads();
        let gauge: &'static Gauge = Box::leak(Box::default());
        let ended = AtomicUsize::new(0);
        thread::scope(|threads_of_callers| {
            for _ in 0..4 {
                threads_of_callers.spawn(|| {
                    for _ in 0..20 {
                        visit(6, gauge);
                        scope(|s| {
                            for _ in 0..8 {
                                s.spawn(|_| gauge.call(threads, || ()));
                            }
                            gauge.call(threads, || ());
                        });
                        in_place_scope(|s| s.spawn(|_| gauge.call(threads, || ())));
                        broadcast(|context| {
                            assert_eq!(Some(context.index()), current_thread_index());
                            gauge.call(threads, || ());
                        });
                        let (send, receive) = mpsc::channel();
                        spawn(move || {
                            gauge.call(threads, || ());
                            let _ = send.send(());
                        });
                        receive.recv().expect("the task runs");
                        assert_eq!(current_thread_index(), None);
                    }
                    ended.fetch_add(1, SeqCst);
                });
            }
        });
        assert_eq!(ended.load(SeqCst), 4);
        assert!(gauge.most() <= threads);
    });
}

#[test]
fn it_is_built_once() {
    const TEST: &str = "it_is_built_once";
    if !is_child(TEST) {
        child_that_succeeds(TEST, &[]);
        return;
    }
    let build = || ThreadPoolBuilder::new().num_threads(5).build_global();
    build().expect("the first");
    assert_eq!(current_num_threads(), 5);
    let error = build().expect_err("the second");
    assert!(error.source().is_none());
    let text = "The global thread pool has already been initialized.";
    assert_eq!(error.to_string(), text);
}

#[test]
fn it_is_built_by_its_first_use() {
    const TEST: &str = "it_is_built_by_its_first_use";
    if !is_child(TEST) {
        child_that_succeeds(TEST, &[(THREADS, "2")]);
        return;
    }
    assert_eq!(join(|| 1, || 2), (1, 2));
    let build = ThreadPoolBuilder::new().num_threads(5).build_global();
    assert!(build.is_err());
    assert_eq!(current_num_threads(), 2);
}

/// Then all that runs in it runs on such threads.
#[test]
fn its_threads_are_as_asked_for() {
    const TEST: &str = "its_threads_are_as_asked_for";
    if !is_child(TEST) {
        child_that_succeeds(TEST, &[]);
        return;
    }
    within(|| {
        ThreadPoolBuilder::new()
            .num_threads(2)
            .thread_name(|index| format!("mine-{index}"))
            .build_global()
            .expect("a pool");
        let look = || {
            let index = current_thread_index().expect("inside");
            let name = format!("mine-{index}");
            assert_eq!(thread::current().name(), Some(&*name));
        };
        for _ in 0..100 {
            join(look, look);
            scope(|s| {
                s.spawn(|_| look());
                look();
            });
            in_place_scope(|s| s.spawn(|_| look()));
            broadcast(|_| look());
            let (send, receive) = mpsc::channel();
            spawn(move || {
                look();
                let _ = send.send(());
            });
            receive.recv().expect("the task runs");
        }
        assert_eq!(current_thread_index(), None);
    });
}

#[test]
fn announced_if_asked_for() {
    const TEST: &str = "announced_if_asked_for";
    if is_child(TEST) {
        join(|| (), || ());
        pool(2);
        return;
    }
    let said = child_that_succeeds(TEST, &[(THREADS, "3"), ("SUMAC_ANNOUNCE", "")]);
    let lines: Vec<_> = said.lines().filter(|l| l.starts_with("sumac ")).collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].ends_with("a pool with 3 threads"), "{said}");
    assert!(lines[1].ends_with("a pool with 2 threads"), "{said}");
    let said = child_that_succeeds(TEST, &[]);
    assert!(!said.contains("sumac "), "{said}");
}
