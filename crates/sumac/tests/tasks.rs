//! Tasks and their promises: every task runs once, promises get each value once, waiting runs nothing foreign, and panics
//! end where they should.

mod common;

use std::{
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use common::{
    Cx, LONG, Ledger, caught, child, child_argument, keep_forking, pool, run, spin, sum, text,
    throw, wait_until, within,
};
use sumac::{ThreadPoolBuilder, promise, spawn};

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

/// A task that says when it has begun and ends when it is told to.
fn held(pool: &sumac::ThreadPool) -> (sumac::Promise<u32>, mpsc::Sender<()>) {
    let (begun, has_begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let promise = pool.spawn(move || {
        begun.send(()).expect("the test waits");
        let _ = ended.recv();
        5
    });
    has_begun
        .recv_timeout(LONG)
        .expect("a worker begins the task");
    (promise, end)
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
fn a_waiter_helps_with_the_joins_of_its_task() {
    within(LONG, "helping", || {
        let two = pool(2);
        let waiter = thread::current().id();
        let began = Arc::new(AtomicBool::new(false));
        let helped = Arc::new(AtomicBool::new(false));
        let promise = {
            let (began, helped) = (Arc::clone(&began), Arc::clone(&helped));
            two.spawn(move || {
                began.store(true, SeqCst);
                let start = Instant::now();
                while !helped.load(SeqCst) && start.elapsed() < Duration::from_secs(5) {
                    sumac::join(
                        || spin(Duration::from_micros(50)),
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

// The frames outside of a promise's join are not promoted: they must stay on offer while their thread helps.
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

#[test]
fn panics_reach_whoever_joins() {
    within(LONG, "panics", || {
        for threads in SIZES {
            let pool = pool(threads);
            for begun in [false, true] {
                let promise = pool.spawn(|| -> u32 { throw("of the task") });
                if begun {
                    assert!(wait_until(LONG, || promise.is_finished()));
                }
                assert_eq!(text(&*caught(|| promise.join())), "of the task");
            }
            let error = pool.spawn(|| throw::<&str>("again")).try_join();
            let error = error.map(|(): ()| ()).expect_err("a panic");
            assert!(error.is_panic() && !error.is_cancelled());
            assert_eq!(text(&*error.into_panic().expect("a payload")), "again");
            assert_eq!(pool.spawn(|| 3).join(), 3);
        }
    });
}

#[test]
fn detached_panics_go_to_the_handler() {
    within(LONG, "panic handler", || {
        for threads in [1, 2] {
            let (send, receive) = mpsc::channel();
            let send = Mutex::new(send);
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .panic_handler(move |payload| {
                    let said = text(&*payload).to_owned();
                    let send = send.lock().expect("no poison");
                    send.send(said).expect("the test waits");
                })
                .build()
                .expect("a pool");
            for held in [Duration::ZERO, Duration::from_millis(3)] {
                let promise = pool.spawn(|| throw::<&str>("unheard"));
                thread::sleep(held);
                drop::<sumac::Promise<()>>(promise);
                assert_eq!(receive.recv_timeout(LONG).as_deref(), Ok("unheard"));
            }
            assert_eq!(pool.spawn(|| 3).join(), 3);
        }
    });
}

#[test]
fn detached_panics_abort_without_a_handler() {
    const NAME: &str = "detached_panics_abort_without_a_handler";
    if child_argument(NAME).is_some() {
        let two = pool(2);
        two.spawn(|| panic!("nobody hears this"));
        thread::sleep(LONG);
        return;
    }
    let ended = run(child(NAME, ""), LONG);
    assert!(!ended.status.success());
    assert!(
        ended.output.contains("nobody hears this"),
        "{}",
        ended.output
    );
    assert!(ended.output.contains("aborting"), "{}", ended.output);
}

#[test]
fn every_capture_and_value_is_dropped_once() {
    static LEDGER: Ledger = Ledger::new();
    within(LONG, "drops", || {
        for threads in SIZES {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .panic_handler(|_| ())
                .build()
                .expect("a pool");
            for round in 0..400 {
                let capture = LEDGER.token();
                let promise = pool.spawn(move || {
                    let _capture = capture;
                    spin(Duration::from_micros(round % 3));
                    if round % 4 == 3 {
                        throw(LEDGER.token());
                    }
                    LEDGER.token()
                });
                match round % 5 {
                    0 => drop(promise),
                    1 => drop(promise.try_join()),
                    2 => drop(promise.cancel()),
                    3 => {
                        spin(Duration::from_micros(30));
                        drop(promise);
                    }
                    _ => drop(thread::spawn(|| promise.try_join()).join()),
                }
            }
            drop(pool);
            LEDGER.assert_balanced();
        }
    });
}

#[test]
fn cancelled_tasks_do_not_run_and_drop_their_captures_at_once() {
    within(LONG, "cancel", || {
        let two = pool(2);
        let (blocker, end) = held(&two);
        let ledger: &'static Ledger = Box::leak(Box::default());
        let token = ledger.token();
        let ran = Arc::new(AtomicBool::new(false));
        let promise = {
            let ran = Arc::clone(&ran);
            two.spawn(move || {
                let _token = token;
                ran.store(true, SeqCst);
            })
        };
        assert!(promise.cancel());
        ledger.assert_balanced();
        drop(end);
        assert_eq!(blocker.join(), 5);
        two.spawn(|| ()).join();
        assert!(!ran.load(SeqCst));
        let (running, end) = held(&two);
        assert!(!running.cancel());
        drop(end);
    });
}

#[test]
fn pools_finish_their_tasks_before_they_go() {
    within(LONG, "drop", || {
        for threads in SIZES {
            let ran = Arc::new(AtomicUsize::new(0));
            let pool = pool(threads);
            for _ in 0..200 {
                let ran = Arc::clone(&ran);
                pool.spawn(move || {
                    spin(Duration::from_micros(10));
                    spawn(move || ran.fetch_add(1, SeqCst));
                });
            }
            drop(pool);
            assert_eq!(ran.load(SeqCst), 200, "{threads} threads");
        }
    });
}

#[test]
fn promises_outlive_their_pool() {
    within(LONG, "no pool", || {
        let promise = pool(2).spawn(|| 3);
        assert!(promise.is_finished());
        assert_eq!(promise.join(), 3);
    });
}

#[test]
fn tasks_that_no_thread_can_be_had_for() {
    within(LONG, "no reserve", || {
        let absurd = if cfg!(target_pointer_width = "32") {
            usize::MAX / 4 * 3
        } else {
            usize::MAX / 4
        };
        let alone = ThreadPoolBuilder::new()
            .num_threads(1)
            .stack_size(absurd)
            .build()
            .expect("a pool");
        let here = thread::current().id();
        let waited_for = alone.spawn(|| thread::current().id());
        let cancelled = alone.spawn(|| unreachable!());
        assert_eq!(waited_for.join(), here);
        let mut count = 0;
        alone.task_scope(|s| s.spawn(|_| count += 1));
        assert_eq!(count, 1);
        drop(alone);
        assert!(cancelled.is_finished());
        let error = cancelled
            .try_join()
            .map(|(): ()| ())
            .expect_err("never run");
        assert!(error.is_cancelled());
    });
}

#[test]
fn a_pool_may_be_dropped_by_its_own_task() {
    within(LONG, "dropped inside", || {
        for threads in [1, 2, 4] {
            let pool = Arc::new(pool(threads));
            let mine = Arc::clone(&pool);
            let go = Arc::new(Barrier::new(2));
            let waits = Arc::clone(&go);
            let promise = pool.spawn(move || {
                waits.wait();
                drop(mine);
                let last = spawn(|| 4);
                (spawn(|| 3).join(), last)
            });
            drop(pool);
            go.wait();
            let (three, last) = promise.join();
            assert_eq!(three, 3);
            assert_eq!(last.join(), 4);
        }
    });
}

#[test]
fn resolvers_keep_promises_from_anywhere() {
    within(LONG, "resolver", || {
        let (resolver, kept) = promise();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(5));
            resolver.resolve(9);
        });
        assert_eq!(kept.join(), 9);
        let two = pool(2);
        let (resolver, kept) = promise();
        two.spawn(move || resolver.resolve("from a task"));
        assert_eq!(two.install(|| kept.join()), "from a task");
    });
}

#[test]
fn a_dropped_resolver_is_an_error() {
    let (resolver, kept) = promise::<u8>();
    drop(resolver);
    let error = kept.try_join().expect_err("no value");
    assert!(!error.is_panic() && !error.is_cancelled());
    let (resolver, kept) = promise::<u8>();
    drop(resolver);
    assert!(text(&*caught(|| kept.join())).contains("resolver was dropped"));
}
