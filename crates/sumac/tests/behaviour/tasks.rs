//! Tasks and their promises: every task runs once, soon and anywhere, and waiting for one runs
//! nothing else.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{ThreadPoolBuilder, spawn};
use sumac_test_support::{Cx, LONG, held, keep_forking, pool, spin, sum, wait_until, within};

const SIZES: [usize; 4] = [1, 2, 3, 8];

#[test]
fn join_returns_the_value() {
    within(LONG, "spawn and join", || {
        assert_eq!(spawn(|| 1 + 1).join(), 2);
        for threads in SIZES {
            let pool = pool(threads);
            assert_eq!(pool.spawn(|| "value".to_owned()).join(), "value");
            assert_eq!(pool.install(|| spawn(|| 7).join()), 7);
            let promises: Vec<_> = (0..1_000).map(|i| pool.spawn(move || i)).collect();
            let values: Vec<_> = promises.into_iter().map(|p| p.join()).collect();
            assert!(values.into_iter().eq(0..1_000));
        }
    });
}

#[test]
fn detached_tasks_run_on_every_size_of_pool() {
    within(LONG, "detached", || {
        for threads in SIZES {
            let pool = pool(threads);
            for pause in [0, 1, 30] {
                thread::sleep(Duration::from_millis(pause));
                let (send, receive) = mpsc::channel();
                for i in 0..100 {
                    let send = send.clone();
                    pool.spawn(move || send.send(i));
                }
                drop(send);
                let mut got: Vec<i32> = receive.iter().collect();
                got.sort();
                assert!(got.into_iter().eq(0..100), "{threads} threads");
            }
        }
    });
}

/// Spawns itself again until it is to stop.
fn again(stop: Arc<AtomicBool>) {
    if !stop.load(SeqCst) {
        spawn(|| again(stop));
    }
}

/// Workers always have tasks of their own.
#[test]
fn tasks_from_outside_have_their_turn() {
    within(LONG, "tasks that spawn tasks", || {
        for threads in SIZES {
            for (newest_first, yields) in [(false, false), (false, true), (true, false)] {
                let pool = ThreadPoolBuilder::new().num_threads(threads);
                let pool = pool.newest_first(newest_first).build().unwrap();
                let stop = Arc::new(AtomicBool::new(false));
                for _ in 0..2 * threads {
                    let stop = Arc::clone(&stop);
                    pool.spawn(move || {
                        again(Arc::clone(&stop));
                        while yields && !stop.load(SeqCst) {
                            sumac::yield_now();
                        }
                    });
                }
                let stops = Arc::clone(&stop);
                pool.spawn(move || stops.store(true, SeqCst));
                assert!(wait_until(LONG, || stop.load(SeqCst)), "{threads} threads");
            }
        }
    });
}

/// The same where a worker is in a task that waits for those that it has spawned.
#[test]
fn tasks_behind_a_blocked_one_have_their_turn() {
    within(LONG, "tasks behind a blocked one", || {
        let pool = pool(3);
        let stop = Arc::new(AtomicBool::new(false));
        for _ in 0..8 {
            let stop = Arc::clone(&stop);
            pool.spawn(|| again(stop));
        }
        // Not joined: the test would run it, outside.
        let (send, receive) = mpsc::channel();
        pool.spawn(move || {
            let theirs = Arc::clone(&stop);
            spawn(move || theirs.store(true, SeqCst));
            send.send(wait_until(LONG, || stop.load(SeqCst))).unwrap();
        });
        assert!(receive.recv().unwrap());
    });
}

#[test]
fn tasks_spawn_tasks_in_their_own_pool() {
    fn tree(depth: u32) -> u32 {
        assert_eq!(sumac::current_num_threads(), 3);
        if depth == 0 {
            return 1;
        }
        let left = spawn(move || tree(depth - 1));
        let right = tree(depth - 1);
        left.join() + right
    }
    within(LONG, "tree of tasks", || {
        let three = pool(3);
        assert_eq!(three.spawn(|| tree(10)).join(), 1 << 10);
        assert_eq!(three.install(|| tree(10)), 1 << 10);
    });
}

#[test]
fn promises_go_to_other_threads_and_pools() {
    within(LONG, "foreign joiners", || {
        let (two, three) = (pool(2), pool(3));
        for _ in 0..50 {
            let promise = two.spawn(|| {
                let (a, b) = sumac::join(|| 1, || 2);
                a + b
            });
            assert_eq!(thread::spawn(|| promise.join()).join().expect("a value"), 3);
            let promise = two.spawn(sumac::current_num_threads);
            assert_eq!(three.spawn(|| promise.join()).join(), 2, "in its own pool");
            let promise = two.spawn(sumac::current_num_threads);
            assert_eq!(three.install(|| promise.join()), 2, "in its own pool");
        }
    });
}

#[test]
fn a_waiter_sleeps_until_the_task_has_ended() {
    within(LONG, "long wait", || {
        for threads in SIZES {
            let pool = pool(threads);
            for wait in [0, 3, 30] {
                let (promise, end) = held(&pool);
                assert!(!promise.is_finished());
                let ender = thread::spawn(move || {
                    thread::sleep(Duration::from_millis(wait));
                    drop(end);
                });
                assert_eq!(promise.join(), 5);
                ender.join().expect("no panic");
            }
        }
    });
}

#[test]
fn long_tasks_do_not_keep_others_waiting() {
    within(LONG, "one task per worker", || {
        let four = pool(4);
        for round in 0..20 {
            thread::sleep(Duration::from_millis(round % 3 * 10));
            let holds: Vec<_> = (0..3).map(|_| held(&four)).collect();
            for (promise, end) in holds {
                drop(end);
                assert_eq!(promise.join(), 5);
            }
        }
    });
}

// A waiter must not run what wants the lock it holds.
#[test]
fn lock_held_while_joining_a_promise() {
    within(LONG, "lock across Promise::join", || {
        for threads in SIZES {
            let pool = pool(threads);
            let lock = Arc::new(Mutex::new(0));
            let tasks: Vec<_> = (0..200)
                .map(|_| {
                    let lock = Arc::clone(&lock);
                    pool.spawn(move || {
                        let mut held = lock.lock().expect("no poison");
                        let inner = spawn(|| {
                            spin(Duration::from_micros(3));
                            sum(&mut Cx::Join, 0, 50)
                        });
                        let other = sum(&mut Cx::Join, 0, 50);
                        *held += inner.join() + other;
                    })
                })
                .collect();
            tasks.into_iter().for_each(|task| task.join());
            assert_eq!(*lock.lock().expect("no poison"), 200 * 2 * 1225);
        }
    });
}

#[test]
fn a_waiter_runs_no_other_task() {
    within(LONG, "strangers", || {
        for threads in [1, 2] {
            let pool = pool(threads);
            // The only thread that runs tasks is busy; what is queued is there for the waiter to
            // see.
            let (promise, end) = held(&pool);
            let others: Vec<_> = (0..20)
                .map(|_| pool.spawn(|| thread::current().id()))
                .collect();
            let ender = thread::spawn(move || {
                thread::sleep(Duration::from_millis(20));
                drop(end);
            });
            assert_eq!(promise.join(), 5);
            ender.join().expect("no panic");
            assert!(wait_until(LONG, || others.iter().all(|p| p.is_finished())));
            let here = thread::current().id();
            assert!(others.into_iter().all(|other| other.join() != here));

            let (promise, end) = held(&pool);
            let other = pool.spawn(|| thread::current().id());
            drop(end);
            pool.task_scope(|s| s.spawn(|_| thread::sleep(Duration::from_millis(5))));
            assert_eq!(promise.join(), 5);
            assert!(wait_until(LONG, || other.is_finished()));
            assert_ne!(other.join(), here);
        }
    });
}

#[test]
fn a_waiter_helps_with_the_joins_of_its_task() {
    within(LONG, "helping", || {
        // The pool has no worker: only the waiter is there to help.
        let one = pool(1);
        let waiter = thread::current().id();
        let began = Arc::new(AtomicBool::new(false));
        let helped = Arc::new(AtomicBool::new(false));
        let promise = {
            let (began, helped) = (Arc::clone(&began), Arc::clone(&helped));
            one.spawn(move || {
                began.store(true, SeqCst);
                let start = Instant::now();
                while !helped.load(SeqCst) && start.elapsed() < LONG / 2 {
                    // Longer than a waiter's longest nap, and without need of a processor: a job
                    // that was asked for is still on offer when the waiter looks again.
                    sumac::join(
                        || thread::sleep(Duration::from_millis(10)),
                        || {
                            spin(Duration::from_micros(50));
                            if thread::current().id() == waiter {
                                helped.store(true, SeqCst);
                            }
                        },
                    );
                }
            })
        };
        assert!(wait_until(LONG, || began.load(SeqCst)));
        promise.join();
        assert!(helped.load(SeqCst), "the waiter did not help");
    });
}

// The frames outside of a promise's join are not promoted: they must stay on offer while their
// thread helps.
#[test]
fn joins_around_a_waiting_promise_are_still_given() {
    within(LONG, "outer joins", || {
        let three = pool(3);
        let taken = AtomicBool::new(false);
        let promise = three.spawn(|| spin(Duration::from_millis(1)));
        three.join(
            || {
                promise.join();
                assert!(keep_forking(&mut Cx::Join, || taken.load(SeqCst)));
            },
            || taken.store(true, SeqCst),
        );
    });
}

/// A chain of tasks that each join the one before nests on the stack of the thread that joins the
/// last.
#[test]
fn a_joined_task_takes_little_stack() {
    const LENGTH: usize = 100;
    const MOST: usize = if cfg!(debug_assertions) { 1_400 } else { 350 };
    fn here() -> usize {
        let local = 0_u8;
        std::ptr::from_ref(std::hint::black_box(&local)).addr()
    }
    within(LONG, "a chain", || {
        let pool = pool(2);
        let (held, end) = held(&pool);
        let depth = pool.install(|| {
            let mut last = spawn(here);
            for _ in 0..LENGTH {
                let before = last;
                last = spawn(move || before.join());
            }
            here().abs_diff(last.join())
        });
        drop(end);
        held.join();
        assert!(depth <= LENGTH * MOST, "{} bytes a task", depth / LENGTH);
    });
}
