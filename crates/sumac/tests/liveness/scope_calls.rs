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
use sumac_test_support::{Cx, LONG, keep_forking, pool, rounds, waited, within};

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

/// Nor does an owner outside of all pools that holds a lock answer while it waits for a pool.
#[test]
fn an_owner_in_place_may_hold_a_lock_while_it_calls_a_pool() {
    within(LONG, "a lock across a call", || {
        let (called, other) = (pool(2), waited(1));
        let lock = Mutex::new(0);
        for _ in rounds(50) {
            called.in_place_scope(|s| {
                s.spawn_broadcast(|_, _| *lock.lock().expect("no panic") += 1);
                let held = lock.lock().expect("no panic");
                other.install(|| thread::sleep(Duration::from_micros(200)));
                drop(held);
            });
        }
        assert!(lock.into_inner().expect("no panic") > 0);
    });
}

/// It runs half of a join on top of the wait for its scope.
#[test]
fn an_owner_answers_in_what_it_helps_with() {
    within(LONG, "a half on top of the end", || {
        for (called, other) in [(pool(2), pool(2)), (waited(2), waited(2))] {
            for elsewhere in [false, true] {
                let (begun, taken) = (AtomicBool::new(false), AtomicBool::new(false));
                let calls = AtomicUsize::new(0);
                let await_calls = || yield_until(|| calls.load(SeqCst) == 2);
                called.install(|| {
                    scope(|s| {
                        s.spawn(|s| {
                            begun.store(true, SeqCst);
                            join(
                                || {
                                    keep_forking(&mut Cx::Join, || taken.load(SeqCst));
                                    s.spawn_broadcast(|_, _| {
                                        calls.fetch_add(1, SeqCst);
                                    });
                                },
                                || {
                                    taken.store(true, SeqCst);
                                    match elsewhere {
                                        true => other.install(await_calls),
                                        false => await_calls(),
                                    }
                                },
                            );
                        });
                        while !begun.load(SeqCst) {
                            thread::yield_now();
                        }
                    });
                });
            }
        }
    });
}

/// Of a thread outside of the pool, they do not pile up on its stack.
#[test]
fn an_owner_answers_many_calls() {
    const CALLS: usize = if cfg!(miri) { 100 } else { 5_000 };
    within(LONG, "many calls", || {
        let (alone, calls) = (pool(1), AtomicUsize::new(0));
        alone.task_scope(|s| {
            for _ in 0..CALLS {
                s.spawn_broadcast(|_, _| {
                    calls.fetch_add(1, SeqCst);
                    yield_now();
                });
            }
        });
        assert_eq!(calls.into_inner(), CALLS);
    });
}

#[test]
fn an_owner_in_place_answers_in_a_yield() {
    within(LONG, "a yield in place", || {
        let (two, other) = (pool(2), pool(2));
        for _ in rounds(50) {
            let calls = AtomicUsize::new(0);
            let call = || {
                calls.fetch_add(1, SeqCst);
            };
            two.in_place_scope(|s| {
                s.spawn_broadcast(|_, _| call());
                yield_until(|| calls.load(SeqCst) == 2);
            });
            two.task_scope(|s| {
                s.spawn_broadcast(|_, _| call());
                other.install(|| yield_until(|| calls.load(SeqCst) == 4));
            });
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
