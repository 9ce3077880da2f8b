//! What a scope calls each thread for: its owner has a part, too, and answers in a yield and
//! wherever it waits, as other threads do. And other threads take a scope's tasks in their order.

use std::{
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac::{
    ThreadPool, broadcast, in_place_scope, join, scope, spawn, spawn_broadcast, yield_now,
};
use sumac_test_support::{LONG, pool, rounds, waited, within};

/// Calls `f` for small pools of both kinds, and with the number of threads that a broadcast of a
/// thread inside calls.
fn each_pool(f: impl Fn(&ThreadPool, usize)) {
    for threads in 1..=3 {
        f(&pool(threads), threads);
        f(&waited(threads), threads);
    }
}

fn yield_until(is_over: impl Fn() -> bool) {
    while !is_over() {
        yield_now();
    }
}

#[test]
fn an_owner_answers_in_a_yield() {
    within(LONG, "a yield of the owner", || {
        each_pool(|pool, threads| {
            for _ in rounds(100) {
                let calls = AtomicUsize::new(0);
                pool.task_scope(|s| {
                    s.spawn_broadcast(|_, _| {
                        calls.fetch_add(1, SeqCst);
                    });
                    yield_until(|| calls.load(SeqCst) == threads);
                });
            }
        });
    });
}

#[test]
fn an_owner_answers_in_a_yield_what_a_task_calls_it_for() {
    within(LONG, "a call by a task", || {
        each_pool(|pool, threads| {
            for _ in rounds(100) {
                let (calls, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
                pool.task_scope(|s| {
                    s.spawn(|s| {
                        s.spawn_broadcast(|_, _| {
                            calls.fetch_add(1, SeqCst);
                        });
                        yield_until(|| calls.load(SeqCst) == threads);
                        is_over.store(true, SeqCst);
                    });
                    yield_until(|| is_over.load(SeqCst));
                });
            }
        });
    });
}

#[test]
fn an_owner_answers_while_it_waits() {
    within(LONG, "waits of the owner", || {
        each_pool(|pool, threads| {
            for _ in rounds(100) {
                let all = Barrier::new(threads);
                pool.task_scope(|s| {
                    s.spawn_broadcast(|_, _| {
                        all.wait();
                    });
                    broadcast(|_| ());
                });
                pool.task_scope(|s| {
                    s.spawn_broadcast(|_, _| {
                        all.wait();
                    });
                    scope(|s| {
                        s.spawn_broadcast(|_, _| {
                            all.wait();
                        });
                    });
                });
                pool.task_scope(|s| {
                    s.spawn_broadcast(|_, _| {
                        all.wait();
                    });
                    // For a task behind the call of its thread.
                    join(|| (), || spawn(|| ()).join());
                });
            }
        });
    });
}

/// An owner outside of all pools, which takes part, waits for another pool.
#[test]
fn an_owner_outside_answers_while_it_waits_elsewhere() {
    within(LONG, "a wait elsewhere", || {
        let (called, other) = (pool(2), waited(1));
        for _ in rounds(50) {
            let (begun, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
            called.in_place_scope(|s| {
                s.spawn_broadcast(|_, _| {
                    answered.fetch_add(1, SeqCst);
                });
                other.install(|| {
                    begun.store(true, SeqCst);
                    while answered.load(SeqCst) < 2 {
                        thread::sleep(Duration::from_micros(50));
                    }
                });
            });
            assert!(begun.into_inner());
        }
    });
}

#[test]
fn an_owner_in_place_answers_in_a_yield_of_its_task() {
    within(LONG, "a task of an owner in place", || {
        for threads in 1..=3 {
            let pool = pool(threads);
            for _ in rounds(50) {
                let calls = AtomicUsize::new(0);
                pool.in_place_scope(|s| {
                    s.spawn(|s| {
                        s.spawn_broadcast(|_, _| {
                            calls.fetch_add(1, SeqCst);
                        });
                        yield_until(|| calls.load(SeqCst) >= 1);
                    });
                });
                assert_eq!(calls.into_inner(), threads);
            }
        }
        in_place_scope(|s| s.spawn_broadcast(|_, _| ()));
    });
}

/// The owner takes the newest task, which waits for the oldest.
#[test]
fn others_take_the_oldest_task_of_an_owner_outside() {
    within(LONG, "the oldest task", || {
        for threads in [1, 2, 3] {
            let (pool, is_over) = (pool(threads), AtomicBool::new(false));
            let wait = || {
                while !is_over.load(SeqCst) {
                    thread::sleep(Duration::from_millis(1));
                }
            };
            pool.in_place_scope(|s| {
                s.spawn(|_| is_over.store(true, SeqCst));
                (0..2 * threads).for_each(|_| s.spawn(|_| wait()));
            });
        }
    });
}

/// A thread starts the tasks that it has spawned before it answers, also if it has noticed a call
/// before that is gone.
#[test]
fn tasks_start_before_a_later_call_is_answered() {
    within(LONG, "a call after one that is cancelled", || {
        let pool = Arc::new(waited(1));
        let (ask, asked) = mpsc::channel::<()>();
        let (done, is_done) = mpsc::channel::<()>();
        let (ask, is_done) = (Arc::new(Mutex::new(ask)), Arc::new(Mutex::new(is_done)));
        let step = move || {
            ask.lock().expect("no panic").send(()).expect("it is there");
            is_done
                .lock()
                .expect("no panic")
                .recv()
                .expect("it answers");
        };
        let calls_and_cancels = {
            let pool = Arc::clone(&pool);
            move || {
                pool.in_place_scope(|s| {
                    asked.recv().expect("the first");
                    s.spawn_broadcast(|_, _| unreachable!("it is cancelled"));
                    done.send(()).expect("it waits");
                    asked.recv().expect("the second");
                    s.cancel();
                    done.send(()).expect("it waits");
                });
            }
        };
        let outside = thread::spawn(calls_and_cancels);
        let log = Arc::new(Mutex::new(Vec::new()));
        let note = {
            let log = Arc::clone(&log);
            move |what: u32| log.lock().expect("no panic").push(what)
        };
        let seen = Arc::clone(&log);
        pool.spawn(move || {
            step();
            spawn(move || {
                step();
                for task in 0..3 {
                    let note = note.clone();
                    spawn(move || note(task));
                }
                spawn_broadcast(move |_| note(100));
            });
            yield_until(|| seen.lock().expect("no panic").len() == 4);
        })
        .join();
        outside.join().expect("no panic");
        assert_eq!(*log.lock().expect("no panic"), [0, 1, 2, 100]);
    });
}
