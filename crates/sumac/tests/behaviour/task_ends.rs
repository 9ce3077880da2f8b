//! How tasks end: by a panic, cancelled, with their pool; every capture and every value is dropped
//! once.

use std::{
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};

use sumac::{ThreadPool, ThreadPoolBuilder, promise, spawn};
use sumac_test_support::{
    LONG, Ledger, caught, child, child_argument, held, pool, run, spin, text, throw, wait_until,
    within,
};

const SIZES: [usize; 4] = [1, 2, 3, 8];

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
    const NAME: &str = "task_ends::detached_panics_abort_without_a_handler";
    if child_argument(NAME).is_some() {
        let two = pool(2);
        two.spawn(|| panic!("unheard"));
        thread::sleep(LONG);
        return;
    }
    let ended = run(child(NAME, ""), LONG);
    assert!(!ended.status.success());
    assert!(ended.output.contains("unheard"), "{}", ended.output);
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
            pool.wait_until_stopped();
            LEDGER.assert_balanced();
        }
    });
}

#[test]
fn cancelled_tasks_do_not_run_and_drop_their_captures_at_once() {
    within(LONG, "cancel", || {
        let two = pool(2);
        let held = || (held(&two), held(&two));
        let ((one, one_ends), (other, other_ends)) = held();
        static LEDGER: Ledger = Ledger::new();
        let ledger = &LEDGER;
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
        drop((one_ends, other_ends));
        assert_eq!((one.join(), other.join()), (5, 5));
        two.spawn(|| ()).join();
        assert!(!ran.load(SeqCst));
        let (running, ends) = sumac_test_support::held(&two);
        assert!(!running.cancel());
        drop(ends);
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
            pool.wait_until_stopped();
            assert_eq!(ran.load(SeqCst), 200, "{threads} threads");
        }
    });
}

#[test]
fn dropping_a_pool_waits_for_nothing() {
    within(LONG, "drop while a task runs", || {
        for threads in SIZES {
            let pool = pool(threads);
            let (running, end) = held(&pool);
            let queued = pool.spawn(|| 6);
            // The drop returns although this task ends only afterwards.
            drop(pool);
            drop(end);
            assert!(wait_until(LONG, || queued.is_finished()));
            assert_eq!((running.join(), queued.join()), (5, 6));
        }
    });
}

#[test]
fn a_pool_does_not_wait_for_itself() {
    within(LONG, "own end", || {
        for threads in SIZES {
            let pool = pool(threads);
            let (begun, has_begun) = mpsc::channel();
            let (send, receive) = mpsc::channel::<ThreadPool>();
            let promise = pool.spawn(move || {
                begun.send(()).expect("the test waits");
                let pool = receive.recv().expect("a pool");
                pool.wait_until_stopped();
            });
            has_begun.recv().expect("a worker begins");
            let last = pool.spawn(|| 4);
            send.send(pool).expect("the task waits");
            assert_eq!(text(&*caught(|| promise.join())), "a pool waits for itself");
            assert_eq!(last.join(), 4);
        }
    });
}

#[test]
fn promises_outlive_their_pool() {
    within(LONG, "no pool", || {
        let pool = pool(2);
        let promise = pool.spawn(|| 3);
        pool.wait_until_stopped();
        assert!(promise.is_finished());
        assert_eq!(promise.join(), 3);
    });
}

/// Nor do their panics end the process: a pool that is gone may have had a handler for them.
#[test]
fn panics_outlive_their_pool() {
    within(LONG, "no pool", || {
        let two = ThreadPoolBuilder::new().num_threads(2);
        let two = two.panic_handler(|_| ()).build().expect("a pool");
        let promise = two.spawn(|| -> u32 { throw("of the task") });
        assert!(wait_until(LONG, || promise.is_finished()));
        two.wait_until_stopped();
        // Gives the seats in the old pool up.
        pool(1).install(|| ());
        drop(promise);
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
