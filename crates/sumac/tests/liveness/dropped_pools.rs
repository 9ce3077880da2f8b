//! A task of a pool that has been dropped meanwhile has all of the pool's threads.

use std::{
    collections::HashSet,
    sync::{
        Arc, Barrier,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac::{Callers, Promise, ThreadPool, ThreadPoolBuilder, promise, spawn_async_in};
use sumac_test_support::{LONG, held, pool, wait_until, waited, within};

/// Pools of which so many threads can run a task, and what it forks or calls.
fn pools(threads: usize) -> [ThreadPool; 3] {
    let lazy = ThreadPoolBuilder::new().num_threads(threads + 1);
    let lazy = lazy.start_when_needed().build().expect("a pool");
    [pool(threads + 1), waited(threads), lazy]
}

/// Runs `f` as a task, which begins when its pool has been dropped.
fn detached<T: Send + 'static>(
    pool: ThreadPool,
    f: impl FnOnce() -> T + Send + 'static,
) -> Promise<T> {
    let (begun, begins) = mpsc::channel();
    let (go, goes) = mpsc::channel::<()>();
    let task = pool.spawn(move || {
        begun.send(()).expect("the test waits");
        goes.recv().expect("the test goes on");
        f()
    });
    begins.recv_timeout(LONG).expect("it begins");
    drop(pool);
    // The others would end now.
    thread::sleep(Duration::from_millis(5));
    go.send(()).expect("the task waits");
    task
}

/// Two threads meet in the halves of a join.
fn halves_meet() {
    let meeting = Barrier::new(2);
    sumac::join(|| _ = meeting.wait(), || _ = meeting.wait());
}

#[test]
fn tasks_of_a_scope_meet() {
    within(LONG, "the scopes", || {
        for pool in pools(2) {
            let meeting = Barrier::new(2);
            let task = detached(pool, move || {
                sumac::scope(|scope| {
                    scope.spawn(|_| _ = meeting.wait());
                    scope.spawn(|_| _ = meeting.wait());
                });
            });
            task.join();
        }
    });
}

#[test]
fn halves_of_a_join_meet() {
    within(LONG, "the joins", || {
        for pool in pools(2) {
            detached(pool, halves_meet).join();
        }
    });
}

#[test]
fn spawned_tasks_meet() {
    within(LONG, "the tasks", || {
        for pool in pools(3) {
            let meeting = Arc::new(Barrier::new(3));
            let task = detached(pool, move || {
                let others = [1, 2].map(|_| {
                    let meeting = Arc::clone(&meeting);
                    sumac::spawn(move || meeting.wait())
                });
                meeting.wait();
                others
            });
            // They outlive the one that has spawned them.
            let _ = task.join().map(|other| other.join());
        }
    });
}

#[test]
fn a_broadcast_reaches_all_threads() {
    within(LONG, "the broadcasts", || {
        for threads in [1, 3] {
            for pool in pools(threads) {
                let meeting = Barrier::new(threads);
                let called = detached(pool, move || {
                    sumac::broadcast(|context| {
                        meeting.wait();
                        assert_eq!(sumac::current_thread_index(), Some(context.index()));
                        thread::current().id()
                    })
                });
                let called: HashSet<_> = called.join().into_iter().collect();
                assert_eq!(called.len(), threads);
            }
        }
    });
}

#[test]
fn a_detached_broadcast_reaches_all_threads() {
    within(LONG, "the calls", || {
        for pool in pools(2) {
            let (count, counted) = (Arc::new(AtomicUsize::new(0)), mpsc::channel());
            let (meeting, all) = (Barrier::new(2), counted.0);
            let task = detached(pool, move || {
                sumac::spawn_broadcast(move |context| {
                    // Not that of outside threads.
                    if context.index() < 2 {
                        meeting.wait();
                    }
                    count.fetch_add(1, SeqCst);
                    all.send(count.load(SeqCst)).ok();
                });
            });
            task.join();
            assert!(counted.1.iter().max() >= Some(2));
        }
    });
}

/// A step of a future is a part of a task.
#[test]
fn a_future_forks() {
    within(LONG, "the futures", || {
        for pool in pools(2) {
            let (go, goes) = mpsc::channel::<()>();
            let (begun, begins) = mpsc::channel();
            let future = spawn_async_in(&pool, async move {
                begun.send(()).expect("the test waits");
                goes.recv().expect("the test goes on");
                halves_meet();
            });
            begins.recv().expect("it begins");
            drop(pool);
            go.send(()).expect("the future waits");
            future.join();
        }
    });
}

/// The pool's last handle is dropped by its own task.
#[test]
fn a_task_that_drops_its_pool_goes_on() {
    within(LONG, "the task", || {
        for pool in pools(2) {
            let pool = Arc::new(pool);
            let own = Arc::clone(&pool);
            let (go, goes) = mpsc::channel::<()>();
            let task = pool.spawn(move || {
                goes.recv().expect("the test goes on");
                drop(own);
                halves_meet();
            });
            drop(pool);
            go.send(()).expect("the task waits");
            task.join();
        }
    });
}

/// The threads end with the last task, whichever thread has run it or dropped it.
#[test]
fn the_end_of_the_last_task_ends_the_pool() {
    within(LONG, "the end", || {
        for round in 0..200 {
            let (end, ends) = mpsc::channel();
            let pool = ThreadPoolBuilder::new().num_threads(1);
            let pool = pool.exit_handler(move |_| assert!(end.send(()).is_ok()));
            let pool = pool.build().expect("a pool");
            let (go, goes) = mpsc::channel::<()>();
            let held = pool.spawn(move || goes.recv().is_ok());
            let other = pool.spawn(|| 5);
            drop(pool);
            assert!(ends.try_recv().is_err(), "it has ended before its task");
            let go_on = thread::spawn(move || go.send(()));
            match round % 3 {
                0 => assert_eq!(other.join(), 5),
                1 => _ = other.cancel(),
                _ => drop(other),
            }
            assert!(held.join());
            go_on.join().expect("no panic").expect("the task waits");
            ends.recv().expect("the worker ends");
        }
    });
}

/// A start handler may run when others have ended: it answers its broadcasts itself.
#[test]
fn a_broadcast_of_a_start_handler_ends() {
    within(LONG, "the broadcast", || {
        let (called, calls) = mpsc::channel();
        let ended = Arc::new(AtomicUsize::new(0));
        let others = Arc::clone(&ended);
        let builder = ThreadPoolBuilder::new().num_threads(3);
        let builder = builder.start_handler(move |index| {
            if index == 0 {
                assert!(wait_until(LONG / 2, || others.load(SeqCst) == 2));
                let answers = sumac::broadcast(|context| (context.index(), thread::current().id()));
                called.send(answers).expect("the test");
            }
        });
        let builder = builder.exit_handler(move |_| _ = ended.fetch_add(1, SeqCst));
        drop(builder.build().expect("a pool"));
        let answers = calls.recv_timeout(LONG).expect("it ends");
        assert_eq!(
            Vec::from_iter(answers.iter().map(|&(index, _)| index)),
            [0, 1, 2]
        );
        assert!(answers.iter().all(|&(_, thread)| thread == answers[0].1));
    });
}

/// A future is woken while its pool is dropped: it ends with all threads there, or without a value.
#[test]
fn a_future_that_is_woken_has_the_threads() {
    within(LONG, "the futures", || {
        for round in 0..300 {
            for pool in [pool(3), waited(2)] {
                let (resolver, woken) = promise();
                let future = spawn_async_in(&pool, async move {
                    woken.await;
                    halves_meet();
                });
                if round % 2 == 0 {
                    pool.install(|| ());
                }
                let drops = thread::spawn(|| drop(pool));
                resolver.resolve(());
                drops.join().expect("no panic");
                let end = future.try_join();
                assert!(end.is_ok() || end.is_err_and(|error| error.is_cancelled()));
            }
        }
    });
}

/// A thread outside runs a step of a future that it joins: that counts, too.
#[test]
fn a_step_of_a_thread_outside_has_the_threads() {
    within(LONG, "the step", || {
        for _ in 0..20 {
            let pool = pool(2);
            let (held, end) = held(&pool);
            let (begun, begins) = mpsc::channel();
            let (go, goes) = mpsc::channel::<()>();
            let future = spawn_async_in(&pool, async move {
                begun.send(()).expect("the test waits");
                goes.recv().expect("the test goes on");
                halves_meet();
            });
            let joins = thread::spawn(|| future.join());
            begins.recv_timeout(LONG).expect("the worker is busy");
            drop(pool);
            end.send(()).expect("the task waits");
            held.join();
            go.send(()).expect("the future waits");
            joins.join().expect("no panic");
        }
    });
}

/// A call to the thread that has built the pool, which waits for the others.
#[test]
fn a_call_to_its_builder_does_not_keep_a_pool() {
    within(LONG, "the end", || {
        let builder = ThreadPoolBuilder::new().num_threads(2);
        let builder = builder.callers(Callers::Wait).use_current_thread();
        let pool = builder.build().expect("a pool");
        let (called, calls) = mpsc::channel();
        pool.spawn_broadcast(move |context| called.send(context.index()).expect("the test"));
        pool.wait_until_stopped();
        assert_eq!(calls.iter().collect::<Vec<_>>(), [1]);
    });
}

/// Nor does one that it has answered, and a task has its threads.
#[test]
fn an_answered_call_to_its_builder_is_not_a_task() {
    within(LONG, "the end", || {
        let builder = ThreadPoolBuilder::new().num_threads(3);
        let builder = builder.callers(Callers::Wait).use_current_thread();
        let pool = builder.build().expect("a pool");
        let (called, calls) = mpsc::channel();
        pool.spawn_broadcast(move |context| called.send(context.index()).expect("the test"));
        let mut answers: Vec<_> = (0..2).map(|_| calls.recv().expect("a worker")).collect();
        while answers.len() < 3 {
            pool.yield_now();
            answers.extend(calls.try_recv());
        }
        let (begun, begins) = mpsc::channel();
        let (go, goes) = mpsc::channel::<()>();
        let meeting = Arc::new(Barrier::new(2));
        pool.spawn(move || {
            begun.send(()).expect("the test waits");
            goes.recv().expect("the test goes on");
            let other = Arc::clone(&meeting);
            sumac::spawn(move || other.wait());
            meeting.wait();
        });
        begins.recv_timeout(LONG).expect("it begins");
        let ends = thread::spawn(|| pool.wait_until_stopped());
        thread::sleep(Duration::from_millis(5));
        go.send(()).expect("the task waits");
        ends.join().expect("no panic");
    });
}
