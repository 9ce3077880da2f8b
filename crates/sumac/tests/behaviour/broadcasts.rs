//! Broadcasts reach each thread of a pool once, asleep or busy, and do not wait for one another in
//! a circle.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};

use sumac::{Callers, ThreadBuilder, ThreadPoolBuilder, broadcast};
use sumac_test_support::{
    Cx, LONG, caught, held, keep_forking, pool, sum, text, throw, wait_until, within,
};

#[test]
fn each_thread_is_called_once() {
    within(LONG, "broadcast", || {
        for threads in [1, 2, 3, 8] {
            let pool = pool(threads);
            for rest in [0, 1, 30, 0] {
                thread::sleep(Duration::from_millis(rest));
                let called = pool.broadcast(|context| {
                    assert_eq!(context.num_threads(), threads);
                    assert_eq!(sumac::current_thread_index(), Some(context.index()));
                    (context.index(), thread::current().id())
                });
                assert!(called.iter().map(|c| c.0).eq(0..threads));
                assert_eq!(called[threads - 1].1, thread::current().id());
                let mut ids: Vec<_> = called.iter().map(|c| format!("{:?}", c.1)).collect();
                ids.sort();
                ids.dedup();
                assert_eq!(ids.len(), threads);
            }
        }
    });
}

#[test]
fn busy_workers_answer_between_tasks() {
    within(LONG, "busy", || {
        let three = pool(3);
        let (calls, tasks) = (AtomicUsize::new(0), AtomicUsize::new(0));
        three.task_scope(|s| {
            for _ in 0..50 {
                s.spawn(|_| {
                    thread::sleep(Duration::from_micros(100));
                    tasks.fetch_add(1, SeqCst);
                });
            }
            three.broadcast(|_| calls.fetch_add(1, SeqCst));
        });
        assert_eq!((calls.into_inner(), tasks.into_inner()), (3, 50));
    });
}

#[test]
fn workers_broadcast_at_the_same_time() {
    within(LONG, "at once", || {
        for threads in [2, 3, 5] {
            let pool = pool(threads);
            let calls = AtomicUsize::new(0);
            for _ in 0..50 {
                pool.task_scope(|s| {
                    for _ in 0..threads {
                        s.spawn(|_| {
                            let before = broadcast(|_| calls.fetch_add(1, SeqCst));
                            assert!(before.len() + 1 >= threads);
                        });
                    }
                });
            }
            assert!(calls.into_inner() >= 50 * threads * (threads - 1));
        }
    });
}

// The first worker waits for the job that the other broadcasts from.
#[test]
fn a_waiting_thread_answers_what_descends_from_its_job() {
    within(LONG, "in a join", || {
        let three = pool(3);
        for _ in 0..20 {
            let inner = || {
                let taken = AtomicUsize::new(0);
                sumac::join(
                    || keep_forking(&mut Cx::Join, || taken.load(SeqCst) > 0),
                    || {
                        taken.store(1, SeqCst);
                        broadcast(|_| ()).len()
                    },
                )
            };
            let (found, called) = three.spawn(inner).join();
            assert!(!found || called >= 2);
        }
    });
}

#[test]
fn panics_reach_the_caller_after_all_calls() {
    within(LONG, "panics", || {
        let four = pool(4);
        for panicking in 0..4 {
            let calls = AtomicUsize::new(0);
            let payload = caught(|| {
                four.broadcast(|context| {
                    calls.fetch_add(1, SeqCst);
                    if context.index() == panicking {
                        throw("one of them");
                    }
                })
            });
            assert_eq!(text(&*payload), "one of them");
            assert_eq!(calls.into_inner(), 4);
        }
    });
}

#[test]
fn pools_with_the_current_thread() {
    within(LONG, "own thread", || {
        let own = ThreadPoolBuilder::new()
            .num_threads(3)
            .use_current_thread()
            .build()
            .expect("a pool");
        let here = thread::current().id();
        let ids = broadcast(|_| thread::current().id());
        assert_eq!((ids.len(), ids[0]), (3, here));
        let others = Mutex::new(Vec::new());
        thread::scope(|s| {
            s.spawn(|| {
                let there = thread::current().id();
                let ids = own.broadcast(|context| {
                    others.lock().expect("no poison").push(context.index());
                    thread::current().id()
                });
                assert_eq!((ids.len(), ids[0]), (3, there));
            });
        });
        assert_eq!(others.into_inner().expect("no poison").len(), 3);
    });
}

/// A thread that answers a call while it waits in the middle of a join gives that join's other half
/// away, too.
#[test]
fn joins_around_an_answered_call_are_still_given() {
    within(LONG, "answered", || {
        let four = pool(4);
        let (taken, waits) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
        );
        let (busy, end) = held(&four);
        let end = Mutex::new(Some(end));
        let (done, seen) = (Arc::clone(&taken), Arc::clone(&waits));
        let calls = four.spawn(move || {
            assert!(wait_until(LONG, || seen.load(SeqCst)));
            thread::sleep(Duration::from_millis(5));
            let here = thread::current().id();
            let given = broadcast(|_| {
                if thread::current().id() == here {
                    return true;
                }
                let first = end.lock().expect("no poison").take();
                first.is_none_or(|end| {
                    drop(end);
                    keep_forking(&mut Cx::Join, || done.load(SeqCst))
                })
            });
            given.into_iter().all(|given| given)
        });
        let outer = four.spawn(move || {
            sum(&mut Cx::Join, 0, 1_000);
            let halves = || {
                waits.store(true, SeqCst);
                calls.join()
            };
            sumac::join(halves, || taken.store(true, SeqCst)).0
        });
        assert!(wait_until(LONG, || outer.is_finished()));
        assert!(outer.join(), "the other half was kept");
        assert_eq!(busy.join(), 5);
    });
}

/// A closure need not be `Send`, as with rayon: the caller keeps it.
#[test]
fn the_closure_stays_with_its_caller() {
    within(LONG, "a guard", || {
        let (three, mutex) = (pool(3), Mutex::new(5));
        let guard = mutex.lock().expect("no poison");
        assert_eq!(three.broadcast(move |_| *guard), [5; 3]);
        assert!(mutex.try_lock().is_ok(), "and drops it");
    });
}

/// The first worker calls the others. The spawn handler starts none of these, as `refuse` says.
fn answers_of_refused(refuse: fn() -> io::Result<()>) {
    let (send, receive) = mpsc::channel();
    let (send, called) = (Mutex::new(send), Arc::new(AtomicBool::new(false)));
    let calls = Arc::clone(&called);
    let builder = ThreadPoolBuilder::new().num_threads(4);
    let builder = builder.start_handler(move |index| {
        if index == 0 {
            let answers = broadcast(|context| {
                // The others have been called by then.
                calls.fetch_or(context.index() == 0, SeqCst);
                context.index()
            });
            let send = send.lock().expect("no panic");
            send.send(answers).expect("the test waits");
        }
    });
    let builder = builder.spawn_handler(|worker: ThreadBuilder| {
        if worker.index() == 1 {
            assert!(wait_until(LONG / 2, || called.load(SeqCst)));
            return refuse();
        }
        thread::spawn(|| worker.run());
        Ok(())
    });
    let pool = catch_unwind(AssertUnwindSafe(|| builder.build()));
    let answers = receive.recv().expect("the first worker answers");
    assert_eq!(answers, [0, 1, 2, 3]);
    drop(pool);
}

#[test]
fn calls_of_threads_that_a_spawn_handler_refuses_are_answered() {
    within(LONG, "refused", || {
        answers_of_refused(|| Err(io::Error::other("refused")));
        answers_of_refused(|| throw(1));
    });
}

/// The workers of a pool that is being dropped answer for themselves.
#[test]
fn calls_that_wait_for_each_other_end_as_the_pool_does() {
    within(LONG, "a dropped pool", || {
        let pool = ThreadPoolBuilder::new().num_threads(2);
        let pool = pool.callers(Callers::Wait).build().expect("a pool");
        let begun = Arc::new(Barrier::new(3));
        let [here, there] = [(); 2].map(|()| Arc::clone(&begun));
        let ((go, waits), (dropped, is_dropped)) = (mpsc::channel::<()>(), mpsc::channel::<()>());
        drop(pool.spawn(move || {
            here.wait();
            waits.recv().expect("the caller");
            thread::sleep(Duration::from_millis(50));
        }));
        let caller = pool.spawn(move || {
            there.wait();
            is_dropped.recv().expect("the test");
            let both = Barrier::new(2);
            go.send(()).expect("the other worker");
            broadcast(|context| {
                both.wait();
                context.index()
            })
        });
        begun.wait();
        drop(pool);
        dropped.send(()).expect("the caller");
        assert_eq!(caller.join(), [0, 1]);
    });
}

/// A task on a thread from outside, which began when the pool had no worker, broadcasts when the
/// pool has been dropped.
#[test]
fn a_guest_of_a_dropped_pool_reaches_its_workers() {
    within(LONG, "a guest", || {
        let builder = ThreadPoolBuilder::new().num_threads(1).max_threads(3);
        let builder = builder.use_current_thread().callers(Callers::Wait);
        let pool = builder.build().expect("a pool");
        let (begin, has_begun) = mpsc::channel();
        let (go, waits) = mpsc::channel::<()>();
        let task = pool.spawn(move || {
            begin.send(()).expect("the test");
            waits.recv().expect("the test");
            let meeting = Barrier::new(2);
            broadcast(|context| {
                meeting.wait();
                context.index()
            })
        });
        let guest = thread::spawn(|| task.join());
        has_begun.recv().expect("the guest runs it");
        pool.resize(3).expect("three threads");
        drop(pool);
        go.send(()).expect("the guest");
        assert_eq!(guest.join().expect("no panic"), [1, 2]);
    });
}
