//! Detached broadcasts, and those of scopes: each thread is called once, after its own
//! tasks, also in a pool that is being dropped.

use std::{
    collections::HashSet,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{ThreadPool, ThreadPoolBuilder, scope, spawn, spawn_broadcast};
use sumac_test_support::{
    LONG, alone, assert_soon, assert_usable, caught, held, median, pool, sized, text, throw,
    wait_until, within,
};

/// A pool that does all of its work on threads of its own.
fn own_threads(threads: usize, newest_first: bool) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let builder = builder.thread_name(|index| format!("own {index}"));
    let pool = builder.newest_first(newest_first).build();
    pool.expect("a pool")
}

/// Pools of all kinds with so many threads.
fn pools(threads: usize) -> [ThreadPool; 3] {
    [
        pool(threads),
        own_threads(threads, false),
        own_threads(threads, true),
    ]
}

#[test]
fn each_thread_is_called_once() {
    within(LONG, "detached", || {
        for threads in [1, 2, 3, 8] {
            for pool in pools(threads) {
                for rest in [0, 1, 30, 0] {
                    thread::sleep(Duration::from_millis(rest));
                    let (send, receive) = mpsc::channel();
                    // None goes on before all have come.
                    let barrier = Barrier::new(threads);
                    pool.spawn_broadcast(move |context| {
                        barrier.wait();
                        assert_eq!(sumac::current_thread_index(), Some(context.index()));
                        let called = (context.index(), context.num_threads());
                        send.send((called, thread::current().id()))
                            .expect("the test waits");
                    });
                    let mut called: Vec<_> = receive.iter().collect();
                    called.sort_by_key(|called| called.0.0);
                    assert!(
                        called
                            .iter()
                            .map(|c| c.0)
                            .eq((0..threads).map(|i| (i, threads)))
                    );
                    let ids: HashSet<_> = called.iter().map(|called| called.1).collect();
                    assert_eq!(ids.len(), threads);
                    assert!(!ids.contains(&thread::current().id()));
                }
            }
        }
    });
}

#[test]
fn pools_with_the_current_thread() {
    within(LONG, "own thread", || {
        let builder = ThreadPoolBuilder::new().num_threads(3).use_current_thread();
        let own = builder.build().expect("a pool");
        let (send, receive) = mpsc::channel();
        spawn_broadcast(move |context| send.send(context.index()).expect("the test waits"));
        let mut called: Vec<_> = receive.iter().collect();
        called.sort_unstable();
        assert_eq!(called, [0, 1, 2]);
        drop(own);
    });
    within(LONG, "certain threads", || {
        let builder = ThreadPoolBuilder::new().num_threads(3).use_current_thread();
        let own = builder.thread_name(|i| i.to_string()).build();
        let own = own.expect("a pool");
        let (send, receive) = mpsc::channel();
        own.spawn_broadcast(move |context| {
            send.send((context.index(), thread::current().id()))
                .expect("the test waits");
        });
        let mut called: Vec<_> = receive.iter().take(2).collect();
        assert_eq!(sumac::yield_now(), Some(sumac::Yield::Executed));
        called.extend(receive.iter());
        called.sort_by_key(|called| called.0);
        assert!(called.iter().map(|c| c.0).eq(0..3));
        assert_eq!(called[0].1, thread::current().id());
    });
}

#[test]
fn panics_go_to_the_handler() {
    within(LONG, "panics", || {
        for threads in [1, 3] {
            let told = Arc::new(AtomicUsize::new(0));
            let counts = Arc::clone(&told);
            let builder = ThreadPoolBuilder::new().num_threads(threads);
            let builder = builder.panic_handler(move |payload| {
                assert_eq!(text(&*payload), "called");
                counts.fetch_add(1, SeqCst);
            });
            let pool = builder.build().expect("a pool");
            pool.spawn_broadcast(|_| throw("called"));
            assert!(wait_until(LONG, || told.load(SeqCst) == threads));
            assert_usable(&pool);
        }
    });
}

#[test]
fn a_dropped_pool_answers() {
    within(LONG, "dropped", || {
        for round in 0..200 {
            for threads in 1..4 {
                for pool in pools(threads) {
                    let count = Arc::new(AtomicUsize::new(0));
                    let counts = Arc::clone(&count);
                    pool.spawn_broadcast(move |_| {
                        counts.fetch_add(1, SeqCst);
                    });
                    if round % 2 == 0 {
                        pool.wait_until_stopped();
                        assert_eq!(count.load(SeqCst), threads);
                    } else {
                        drop(pool);
                        assert!(wait_until(LONG / 4, || count.load(SeqCst) == threads));
                    }
                }
            }
            if cfg!(miri) {
                return;
            }
        }
    });
}

/// A task of a pool that is being dropped broadcasts, when other threads may have ended.
#[test]
fn a_task_broadcasts_while_its_pool_is_dropped() {
    within(LONG, "while dropped", || {
        for threads in 1..4 {
            for pool in pools(threads) {
                let count = Arc::new(AtomicUsize::new(0));
                let counts = Arc::clone(&count);
                let (go, gone) = mpsc::channel::<()>();
                pool.spawn(move || {
                    let _ = gone.recv();
                    thread::sleep(Duration::from_millis(20));
                    spawn_broadcast(move |_| {
                        counts.fetch_add(1, SeqCst);
                    });
                });
                drop(go);
                pool.wait_until_stopped();
                assert_eq!(count.load(SeqCst), threads);
            }
        }
    });
}

/// What a thread has spawned before it is called has begun before it answers.
#[test]
fn calls_come_after_a_threads_own_tasks() {
    within(LONG, "after tasks", || {
        for newest_first in [false, true] {
            let pool = own_threads(1, newest_first);
            let (send, receive) = mpsc::channel();
            pool.install(|| {
                for i in 0..10 {
                    let send = send.clone();
                    spawn(move || send.send(i));
                }
                let calls = send.clone();
                spawn_broadcast(move |_| calls.send(10).expect("the test waits"));
                spawn(move || send.send(11));
            });
            let mut order: Vec<_> = receive.iter().collect();
            let call = order.iter().position(|&i| i == 10);
            assert!(call >= Some(10), "{order:?}");
            order.retain(|&i| i < 10);
            if newest_first {
                order.reverse();
            }
            assert!(order.into_iter().eq(0..10));
        }
        // Also where the newest come first, and each spawns another.
        let (pool, begun) = (own_threads(1, true), Arc::<AtomicUsize>::default());
        let (send, receive) = mpsc::channel();
        pool.install(|| {
            for _ in 0..10 {
                let begun = Arc::clone(&begun);
                spawn(move || {
                    begun.fetch_add(1, SeqCst);
                    spawn(|| ());
                });
            }
            spawn_broadcast(move |_| send.send(begun.load(SeqCst)).expect("the test waits"));
        });
        assert_eq!(receive.recv(), Ok(10));
        // Where several threads may take the task, all have answered after it has begun.
        let pool = own_threads(1, false);
        let task = pool.install(|| spawn(|| thread::sleep(Duration::from_millis(5))));
        pool.broadcast(|_| ());
        assert!(task.is_finished());
    });
}

/// A task that spawns itself again and again until the thread has answered.
#[test]
fn calls_are_not_starved() {
    fn again(answered: Arc<AtomicBool>, count: usize) {
        if !answered.load(SeqCst) && count < 1_000_000 {
            spawn(move || again(answered, count + 1));
            return;
        }
        assert!(answered.load(SeqCst), "starved");
    }
    within(LONG, "starved", || {
        for newest_first in [false, true] {
            let pool = own_threads(1, newest_first);
            let answered = Arc::new(AtomicBool::new(false));
            let (flag, begun) = (Arc::clone(&answered), mpsc::channel());
            pool.spawn(move || {
                again(Arc::clone(&flag), 0);
                begun.0.send(()).expect("the test waits");
            });
            begun.1.recv().expect("it begins");
            let calls = Arc::clone(&answered);
            pool.spawn_broadcast(move |_| calls.store(true, SeqCst));
            assert!(wait_until(LONG / 2, || answered.load(SeqCst)));
            // And by a loop of yields.
            let answered = Arc::new(AtomicBool::new(false));
            let (flag, calls) = (Arc::clone(&answered), Arc::clone(&answered));
            pool.install(|| {
                again(Arc::clone(&flag), 0);
                spawn_broadcast(move |_| calls.store(true, SeqCst));
                for _ in 0..100 {
                    sumac::yield_local();
                }
                assert!(flag.load(SeqCst), "starved in yields");
            });
        }
    });
}

#[test]
fn broadcasts_from_pool_to_pool() {
    within(LONG, "mutual", || {
        let kinds: [fn(usize) -> ThreadPool; 2] = [pool, |n| own_threads(n, true)];
        for build in kinds {
            let (one, other) = (Arc::new(build(3)), Arc::new(build(7)));
            let count = Arc::new(AtomicUsize::new(0));
            let (first, second) = (Arc::clone(&one), Arc::clone(&other));
            let counts = Arc::clone(&count);
            one.spawn_broadcast(move |_| {
                let (first, counts) = (Arc::clone(&first), Arc::clone(&counts));
                second.spawn_broadcast(move |_| {
                    let counts = Arc::clone(&counts);
                    first.spawn_broadcast(move |_| {
                        counts.fetch_add(1, SeqCst);
                    });
                });
            });
            assert!(wait_until(LONG / 2, || count.load(SeqCst) == 3 * 7 * 3));
            let waited = AtomicUsize::new(0);
            one.in_place_scope(|s| {
                s.spawn_broadcast(|_, _| {
                    other.in_place_scope(|s| {
                        s.spawn_broadcast(|_, _| {
                            one.in_place_scope_fifo(|s| {
                                s.spawn_broadcast(|_, _| {
                                    waited.fetch_add(1, SeqCst);
                                });
                            });
                        });
                    });
                });
            });
            assert!(waited.into_inner() >= 3 * 6 * 2);
            let calls = AtomicUsize::new(0);
            one.broadcast(|_| {
                other.broadcast(|_| one.broadcast(|_| calls.fetch_add(1, SeqCst)));
            });
            assert!(calls.into_inner() >= 3 * 6 * 2);
        }
    });
}

#[test]
fn broadcasts_of_scopes() {
    within(LONG, "scopes", || {
        for threads in [1, 2, 3, 8] {
            for pool in pools(threads) {
                let called = Mutex::new(Vec::new());
                let add = |index| called.lock().expect("no poison").push(index);
                pool.task_scope(|s| {
                    s.spawn_broadcast(|s, context| {
                        assert_eq!(context.num_threads(), threads);
                        assert_eq!(sumac::current_thread_index(), Some(context.index()));
                        add(context.index());
                        s.spawn(|s| s.spawn_broadcast(|_, context| add(context.index())));
                    });
                });
                let mut called = called.into_inner().expect("no poison");
                called.sort_unstable();
                let expected = (0..threads).flat_map(|i| vec![i; threads + 1]);
                assert!(called.into_iter().eq(expected));
                let count = AtomicUsize::new(0);
                pool.in_place_scope_fifo(|s| {
                    s.spawn_broadcast(|_, _| {
                        count.fetch_add(1, SeqCst);
                    });
                });
                assert_eq!(count.into_inner(), threads);
            }
        }
    });
}

#[test]
fn panics_of_a_scopes_broadcast() {
    within(LONG, "panics of a scope", || {
        for threads in [1, 2, 4] {
            for pool in pools(threads) {
                for panicking in 0..threads {
                    let count = AtomicUsize::new(0);
                    let payload = caught(|| {
                        pool.task_scope(|s| {
                            s.spawn_broadcast(|_, context| {
                                count.fetch_add(1, SeqCst);
                                if context.index() == panicking {
                                    throw("one of them");
                                }
                            });
                        });
                    });
                    assert_eq!(text(&*payload), "one of them");
                    assert_eq!(count.into_inner(), threads);
                }
            }
        }
    });
}

/// Calls that a thread has not come to when the scope is cancelled are dropped.
#[test]
fn cancelled_calls_are_dropped() {
    within(LONG, "cancelled", || {
        let two = pool(2);
        let (busy, end) = held(&two);
        two.task_scope(|s| {
            s.spawn_broadcast(|_, _| unreachable!("cancelled"));
            s.cancel();
            drop(end);
        });
        assert_eq!(busy.join(), 5);
    });
}

/// What the calls own is dropped when the scope is cancelled: it may wait for just that.
#[test]
fn cancelled_calls_are_dropped_at_once() {
    within(LONG, "cancelled inside", || {
        for threads in [1, 2, 4] {
            for pool in pools(threads) {
                let (send, receive) = mpsc::channel::<()>();
                pool.task_scope(move |s| {
                    s.spawn_broadcast(move |_, _| drop(send.clone()));
                    s.cancel();
                    assert!(receive.recv().is_err());
                });
                let (send, receive) = mpsc::channel::<()>();
                pool.in_place_scope(|s| {
                    s.cancel();
                    s.spawn_broadcast(move |_, _| drop(send.clone()));
                    assert!(receive.recv().is_err());
                });
                // Also those of a thread that is busy.
                let (_, end) = held(&pool);
                let (send, receive) = mpsc::channel::<()>();
                pool.in_place_scope(|s| {
                    s.spawn_broadcast(move |_, _| drop(send.clone()));
                    s.cancel();
                    assert!(receive.recv().is_err());
                });
                end.send(()).expect("it is held");
            }
        }
    });
}

/// Each broadcast of a scope costs the same, however many there are.
#[test]
fn many_broadcasts_of_a_scope() {
    within(LONG, "many", || {
        let _alone = alone();
        let few = sized(2_000, 20);
        for threads in [1, 2] {
            let pool = pool(threads);
            let time = |broadcasts| {
                let (begin, count) = (Instant::now(), AtomicUsize::new(0));
                pool.task_scope(|s| {
                    for _ in 0..broadcasts {
                        s.spawn_broadcast(|_, _| {
                            count.fetch_add(1, SeqCst);
                        });
                    }
                });
                assert_eq!(count.into_inner(), broadcasts * threads);
                begin.elapsed()
            };
            let short = median((0..5).map(|_| time(few)).collect());
            assert_soon("32 times as many", 128 * short, || time(32 * few));
        }
    });
}

/// A pool that ends while the scope waits for its workers' answers.
#[test]
fn a_scope_whose_pool_is_dropped() {
    within(LONG, "dropped inside", || {
        for threads in 1..4 {
            for pool in pools(threads) {
                let (send, receive) = mpsc::channel();
                let task = pool.spawn(move || {
                    let _ = receive.recv();
                    thread::sleep(Duration::from_millis(5));
                    let count = AtomicUsize::new(0);
                    scope(|s| {
                        s.spawn_broadcast(|_, _| {
                            count.fetch_add(1, SeqCst);
                        });
                    });
                    count.into_inner()
                });
                drop(pool);
                send.send(()).expect("the task waits");
                assert!(task.join() >= threads - 1);
            }
        }
    });
}
