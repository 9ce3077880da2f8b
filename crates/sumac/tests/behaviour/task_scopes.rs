//! Scopes of tasks: all tasks end before their scope, borrow from outside it, run wherever a thread
//! is idle, and a scope's owner runs nothing else meanwhile.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{TaskScope, in_place_scope, scope};
use sumac_test_support::{
    Cx, LONG, Ledger, caught, pool, spin, sum, text, throw, wait_until, within,
};

const SIZES: [usize; 4] = [1, 2, 3, 8];

#[test]
fn tasks_borrow_from_outside() {
    within(LONG, "borrow", || {
        for threads in SIZES {
            let pool = pool(threads);
            let mut squares = vec![0; 1_000];
            let sum = pool.task_scope(|s| {
                for (i, square) in squares.iter_mut().enumerate() {
                    s.spawn(move |_| *square = i * i);
                }
                "result"
            });
            assert_eq!(sum, "result");
            assert!(squares.iter().enumerate().all(|(i, &s)| s == i * i));
        }
    });
}

#[test]
fn the_empty_scope() {
    assert_eq!(scope(|_| 3), 3);
    let local = std::rc::Rc::new(4);
    assert_eq!(*in_place_scope(|_| local), 4);
}

#[test]
fn in_place_scopes_of_another_pool() {
    within(LONG, "in place", || {
        let (two, three) = (pool(2), pool(3));
        two.install(|| {
            let sizes = Mutex::new(Vec::new());
            three.in_place_scope(|s| {
                assert_eq!(sumac::current_num_threads(), 2);
                for _ in 0..20 {
                    s.spawn(|_| {
                        let size = sumac::current_num_threads();
                        sizes.lock().expect("no poison").push(size);
                    });
                }
            });
            assert_eq!(sizes.into_inner().expect("no poison"), [3; 20]);
        });
    });
}

#[test]
fn scopes_nest_and_tasks_spawn_more() {
    fn grow<'scope>(s: &TaskScope<'scope>, depth: u32, leaves: &'scope AtomicUsize) {
        if depth == 0 {
            leaves.fetch_add(1, SeqCst);
            return;
        }
        s.spawn(move |s| grow(s, depth - 1, leaves));
        s.spawn(move |s| grow(s, depth - 1, leaves));
    }
    fn nest(depth: u32, leaves: &AtomicUsize) {
        if depth == 0 {
            leaves.fetch_add(1, SeqCst);
            return;
        }
        scope(|s| {
            s.spawn(|_| nest(depth - 1, leaves));
            s.spawn(|_| nest(depth - 1, leaves));
        });
    }
    within(LONG, "nested scopes", || {
        for threads in SIZES {
            let leaves = AtomicUsize::new(0);
            let pool = pool(threads);
            pool.task_scope(|s| grow(s, 10, &leaves));
            assert_eq!(leaves.swap(0, SeqCst), 1 << 10);
            pool.install(|| nest(10, &leaves));
            assert_eq!(leaves.into_inner(), 1 << 10);
        }
    });
}

#[test]
fn spawning_from_joins_inside_of_tasks() {
    fn halves<'scope>(s: &TaskScope<'scope>, n: usize, count: &'scope AtomicUsize) {
        if n == 1 {
            return s.spawn(move |_| {
                spin(Duration::from_micros(1));
                count.fetch_add(1, SeqCst);
            });
        }
        sumac::join(|| halves(s, n / 2, count), || halves(s, n - n / 2, count));
    }
    within(LONG, "joins that spawn", || {
        for threads in SIZES {
            let count = AtomicUsize::new(0);
            pool(threads).task_scope(|s| {
                s.spawn(|s| halves(s, 500, &count));
                halves(s, 500, &count);
            });
            assert_eq!(count.into_inner(), 1_000);
        }
    });
}

#[test]
fn spawning_from_threads_of_another_kind() {
    within(LONG, "std threads", || {
        for threads in SIZES {
            let count = AtomicUsize::new(0);
            pool(threads).task_scope(|s| {
                thread::scope(|threads| {
                    for _ in 0..4 {
                        threads.spawn(|| {
                            for _ in 0..100 {
                                s.spawn(|_| {
                                    count.fetch_add(1, SeqCst);
                                });
                            }
                        });
                    }
                });
            });
            assert_eq!(count.into_inner(), 400);
        }
    });
}

// Programs for rayon do this: the closure itself waits for what its tasks send.
#[test]
fn the_closure_may_block_on_its_tasks() {
    within(LONG, "blocking closure", || {
        for threads in SIZES {
            let pool = pool(threads);
            for rest in [0, 1, 30] {
                thread::sleep(Duration::from_millis(rest));
                pool.in_place_scope(|s| {
                    let (send, receive) = mpsc::sync_channel(1);
                    s.spawn(move |s| {
                        s.spawn({
                            let send = send.clone();
                            move |_| (0..100).for_each(|i| send.send(i).expect("received"))
                        });
                        drop(send);
                    });
                    assert_eq!(receive.iter().sum::<i32>(), 4950);
                });
            }
        }
    });
}

#[test]
fn tasks_run_beside_one_another() {
    within(LONG, "two at once", || {
        let three = pool(3);
        for rest in [0, 1, 30] {
            thread::sleep(Duration::from_millis(rest));
            let here = AtomicUsize::new(0);
            let meet = || {
                here.fetch_add(1, SeqCst);
                assert!(wait_until(LONG, || here.load(SeqCst) == 3), "alone");
            };
            three.task_scope(|s| {
                s.spawn(|_| meet());
                s.spawn(|_| meet());
                meet();
            });
        }
    });
}

#[test]
fn tasks_spawned_while_the_owner_sleeps() {
    within(LONG, "late spawn", || {
        // The second task needs the owner: the only worker waits for it.
        let two = pool(2);
        for pause in [0, 1, 10] {
            let done = AtomicBool::new(false);
            let begun = AtomicBool::new(false);
            two.task_scope(|s| {
                s.spawn(|s| {
                    begun.store(true, SeqCst);
                    thread::sleep(Duration::from_millis(pause));
                    s.spawn(|_| done.store(true, SeqCst));
                    assert!(wait_until(LONG, || done.load(SeqCst)));
                });
                assert!(wait_until(LONG, || begun.load(SeqCst)));
            });
        }
    });
}

#[test]
fn a_hundred_thousand_tiny_tasks() {
    within(LONG, "tiny tasks", || {
        for threads in SIZES {
            let pool = pool(threads);
            let count = AtomicUsize::new(0);
            pool.task_scope(|s| {
                for _ in 0..100_000 {
                    s.spawn(|_| {
                        count.fetch_add(1, SeqCst);
                    });
                }
            });
            assert_eq!(count.swap(0, SeqCst), 100_000);
            for _ in 0..10_000 {
                pool.task_scope(|s| {
                    s.spawn(|_| {
                        count.fetch_add(1, SeqCst);
                    });
                });
            }
            assert_eq!(count.into_inner(), 10_000);
        }
    });
}

// The owner must not run what wants the lock it holds.
#[test]
fn lock_held_around_a_scope() {
    within(LONG, "lock around a scope", || {
        for threads in SIZES {
            let pool = pool(threads);
            let lock = Mutex::new(0);
            pool.task_scope(|s| {
                for _ in 0..200 {
                    s.spawn(|_| {
                        let mut held = lock.lock().expect("no poison");
                        let inside = AtomicUsize::new(0);
                        scope(|s| {
                            for _ in 0..4 {
                                s.spawn(|_| {
                                    spin(Duration::from_micros(2));
                                    let n = sum(&mut Cx::Join, 0, 5);
                                    inside.fetch_add(n as usize, SeqCst);
                                });
                            }
                        });
                        *held += inside.into_inner();
                    });
                }
            });
            assert_eq!(lock.into_inner().expect("no poison"), 200 * 40);
        }
    });
}

#[test]
fn an_owner_helps_with_the_joins_of_its_tasks() {
    within(LONG, "helping", || {
        let two = pool(2);
        let owner = thread::current().id();
        let (began, helped) = (AtomicBool::new(false), AtomicBool::new(false));
        two.task_scope(|s| {
            s.spawn(|_| {
                began.store(true, SeqCst);
                let elsewhere = thread::current().id() != owner;
                let start = Instant::now();
                while !helped.load(SeqCst) && start.elapsed() < LONG / 2 {
                    let (_, other) = sumac::join(
                        || spin(Duration::from_micros(20)),
                        || {
                            spin(Duration::from_micros(20));
                            thread::current().id()
                        },
                    );
                    helped.store(elsewhere && other == owner, SeqCst);
                }
            });
            assert!(wait_until(LONG, || began.load(SeqCst)));
        });
        assert!(helped.into_inner(), "the owner did not help");
    });
}

#[test]
fn panics_end_the_scope_after_all_tasks() {
    within(LONG, "panics", || {
        for threads in SIZES {
            let pool = pool(threads);
            for (own, task, expected) in [
                (true, false, "own"),
                (false, true, "task"),
                (true, true, "own"),
            ] {
                let ran = AtomicUsize::new(0);
                let payload = caught(|| {
                    pool.task_scope(|s| {
                        for i in 0..100 {
                            let ran = &ran;
                            s.spawn(move |_| {
                                ran.fetch_add(1, SeqCst);
                                if task && i % 10 == 5 {
                                    throw("task");
                                }
                            });
                        }
                        if own {
                            throw("own");
                        }
                    });
                });
                assert_eq!(text(&*payload), expected);
                assert_eq!(ran.into_inner(), 100);
            }
            assert_eq!(pool.spawn(|| 3).join(), 3);
        }
    });
}

#[test]
fn every_capture_is_dropped_once_and_inside() {
    within(LONG, "drops", || {
        for threads in SIZES {
            let pool = pool(threads);
            for round in 0..100 {
                let ledger = Ledger::new();
                let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    pool.task_scope(|s| {
                        for i in 0..50 {
                            let token = ledger.token();
                            s.spawn(move |s| {
                                let _token = token;
                                if round % 4 == 1 && i == 20 {
                                    s.cancel();
                                }
                                if round % 4 == 2 && i == 30 {
                                    throw("dropped all the same");
                                }
                            });
                        }
                        if round % 4 == 3 {
                            throw("own");
                        }
                    });
                }));
                assert_eq!(result.is_err(), round % 4 > 1);
                ledger.assert_balanced();
            }
        }
    });
}

#[test]
fn cancelled_scopes_run_nothing_more() {
    within(LONG, "cancel", || {
        for threads in SIZES {
            let ran = AtomicUsize::new(0);
            pool(threads).task_scope(|s| {
                assert!(!s.is_cancelled());
                s.cancel();
                assert!(s.is_cancelled());
                for _ in 0..10 {
                    s.spawn(|_| {
                        ran.fetch_add(1, SeqCst);
                    });
                }
            });
            assert_eq!(ran.into_inner(), 0);
        }
    });
}

#[test]
fn scopes_in_destructors_that_run_while_unwinding() {
    struct OnDrop<'a>(&'a AtomicUsize);
    impl Drop for OnDrop<'_> {
        fn drop(&mut self) {
            scope(|s| {
                for _ in 0..20 {
                    s.spawn(|_| {
                        self.0.fetch_add(1, SeqCst);
                    });
                }
            });
            self.0.fetch_add(sumac::spawn(|| 1).join(), SeqCst);
        }
    }
    within(LONG, "unwinding", || {
        for threads in SIZES {
            let ran = AtomicUsize::new(0);
            caught(|| {
                pool(threads).install(|| {
                    let _on_drop = OnDrop(&ran);
                    throw::<()>(());
                })
            });
            assert_eq!(ran.into_inner(), 21);
        }
    });
}
