//! Pools in odd places: handlers that join, threads that joined before they became workers, pools
//! that are dropped inside their own jobs, pools without a caller while their guest is busy
//! elsewhere.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use sumac::{Loops, ThreadBuilder, ThreadPool, ThreadPoolBuilder, join};
use sumac_test_support::{
    LONG, alone, caught, child, child_argument, pool, run_well, spin, wait_until, within,
};

/// Whether the second half of a join is taken by another thread. Not of each: a join that forks
/// while a worker still runs another job is not offered.
fn is_shared(pool: &ThreadPool) -> bool {
    let is_taken = || {
        let started = AtomicBool::new(false);
        let wait = || wait_until(LONG / 200, || started.load(SeqCst));
        pool.join(wait, || started.store(true, SeqCst)).0
    };
    (0..100).any(|_| is_taken())
}

#[test]
fn start_handler_may_join() {
    let _alone = alone();
    within(LONG, "start handler", || {
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .start_handler(|_| assert_eq!(join(|| 1, || 2), (1, 2)))
            .build()
            .expect("a pool");
        assert!(is_shared(&pool));
    });
}

#[test]
fn thread_that_has_joined_may_become_a_worker() {
    let _alone = alone();
    within(LONG, "used thread", || {
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .spawn_handler(|worker| {
                thread::spawn(|| {
                    join(|| 1, || 2);
                    worker.run();
                });
                Ok(())
            })
            .build()
            .expect("a pool");
        assert!(is_shared(&pool));
    });
}

#[test]
fn base_set_inside_another_pools_install_works_afterwards() {
    let _alone = alone();
    within(LONG, "base inside install", || {
        thread::spawn(|| {
            let outer = pool(2);
            let build = || {
                ThreadPoolBuilder::new()
                    .num_threads(2)
                    .use_current_thread()
                    .build()
            };
            let own = outer.install(build).expect("a pool for this thread");
            let started = AtomicBool::new(false);
            let wait = || wait_until(LONG / 2, || started.load(SeqCst));
            assert!(join(wait, || started.store(true, SeqCst)).0);
            assert!(
                own.stats().steals > 0,
                "the join belongs to the thread's own pool"
            );
        })
        .join()
        .expect("no panic");
    });
}

#[test]
fn pool_may_be_dropped_inside_its_own_job() {
    let _alone = alone();
    within(LONG, "dropped inside", || {
        thread::spawn(|| {
            let build = ThreadPoolBuilder::new().num_threads(3).use_current_thread();
            let pool = Mutex::new(Some(build.build().expect("a pool")));
            let (outer, inner) = (AtomicBool::new(false), AtomicBool::new(false));
            let patience = Duration::from_secs(1);
            join(
                || wait_until(patience, || outer.load(SeqCst)),
                || {
                    outer.store(true, SeqCst);
                    join(
                        || wait_until(patience, || inner.load(SeqCst)),
                        || {
                            inner.store(true, SeqCst);
                            drop(pool.lock().expect("no poison").take());
                        },
                    );
                },
            );
        })
        .join()
        .expect("no panic");
    });
}

#[test]
fn pool_may_be_dropped_by_its_own_start_handler() {
    let _alone = alone();
    within(LONG, "dropped by a handler", || {
        let ended = Arc::new(AtomicUsize::new(0));
        let handle = Arc::new(Mutex::new(None::<ThreadPool>));
        let (mine, count) = (Arc::clone(&handle), Arc::clone(&ended));
        let panics = Arc::new(AtomicUsize::new(0));
        let panicked = Arc::clone(&panics);
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .start_handler(move |index| {
                let pool = || mine.lock().expect("no poison").take();
                assert!(index > 0 || wait_until(LONG / 2, || pool().is_some()));
            })
            .exit_handler(move |_| {
                count.fetch_add(1, SeqCst);
            })
            .panic_handler(move |_| {
                panicked.fetch_add(1, SeqCst);
            })
            .build()
            .expect("a pool");
        let promise = pool.spawn(|| 7);
        *handle.lock().expect("no poison") = Some(pool);
        assert_eq!(promise.join(), 7);
        assert!(wait_until(LONG / 2, || ended.load(SeqCst) > 0), "it ends");
        // The handlers' captures go with the pool's last thread.
        assert!(wait_until(LONG / 2, || Arc::strong_count(&handle) == 1));
        assert_eq!(panics.load(SeqCst), 0, "the worker waits for itself");
    });
}

#[test]
fn panic_of_a_name_or_spawn_handler_leaves_no_threads() {
    let _alone = alone();
    within(LONG, "name handler", || {
        let (begun, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let builder = || {
            let (begun, ended) = (Arc::clone(&begun), Arc::clone(&ended));
            let builder = ThreadPoolBuilder::new().num_threads(4);
            let builder = builder.start_handler(move |_| {
                begun.fetch_add(1, SeqCst);
            });
            builder.exit_handler(move |_| {
                ended.fetch_add(1, SeqCst);
            })
        };
        let name = |index: usize| ["first", "second"][index].to_owned();
        caught(|| builder().thread_name(name).build());
        assert_eq!(begun.load(SeqCst), 0, "names come before threads");
        let spawn = |worker: ThreadBuilder| {
            assert!(worker.index() < 2, "no thread");
            thread::spawn(|| worker.run());
            Ok(())
        };
        caught(|| builder().spawn_handler(spawn).build());
        let end = wait_until(LONG / 2, || ended.load(SeqCst) == 2);
        assert!(end, "both started workers end");
    });
}

#[test]
fn pool_sleeps_while_its_guest_is_busy_elsewhere() {
    let _alone = alone();
    within(LONG, "busy elsewhere", || {
        let (unused, used) = (pool(2), pool(2));
        unused.install(|| {
            join(|| 1, || 2);
            let busy = |time| {
                let begin = Instant::now();
                while begin.elapsed() < time {
                    used.install(|| join(|| spin(Duration::from_micros(20)), || 2));
                }
            };
            let parks = || {
                let before = unused.stats();
                busy(Duration::from_millis(500));
                unused.stats().parks - before.parks
            };
            // Its worker needs a processor to come to rest.
            assert!(
                wait_until(LONG / 4, || parks() < 50),
                "an unused pool parks {} times in half a second",
                parks()
            );
        });
    });
}

/// Whether the second half of a plain join on a new thread, whose first joins `first` makes, is
/// taken by another thread.
fn base_works_after(first: impl FnOnce() + Send + 'static) -> bool {
    let joined = thread::spawn(|| {
        first();
        let started = AtomicBool::new(false);
        let wait = || wait_until(LONG / 8, || started.load(SeqCst));
        join(wait, || started.store(true, SeqCst)).0
    });
    joined.join().expect("no panic")
}

/// A pool without workers never asks for work, so nothing but the end of its use can lead back to
/// the global pool.
#[test]
fn global_pool_is_used_after_a_pool_of_one() {
    let _alone = alone();
    const NAME: &str = "odd_pools::global_pool_is_used_after_a_pool_of_one";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    within(LONG, "a pool of one first", || {
        let build = ThreadPoolBuilder::new().num_threads(2);
        build
            .build_global()
            .expect("the first use of the global pool");
        let by_install = || assert_eq!(pool(1).install(|| join(|| 1, || 2)), (1, 2));
        assert!(base_works_after(by_install), "by install");
        let by_scope = || assert_eq!(pool(1).scope().join(|_| 1, |_| 2), (1, 2));
        assert!(base_works_after(by_scope), "by a scope");
        let by_loop = || pool(1).for_each(0..100_usize, |_| ());
        assert!(base_works_after(by_loop), "by a loop");
        let by_tasks = || pool(1).task_scope(|s| s.spawn(|_| assert_eq!(join(|| 1, || 2), (1, 2))));
        assert!(base_works_after(by_tasks), "by a scope of tasks");
    });
}

/// The caller takes part, so there is no second thread beside it.
#[test]
fn pool_of_one_runs_tasks_on_its_caller() {
    let _alone = alone();
    within(LONG, "tasks of a pool of one", || {
        let (pool, caller) = (pool(1), thread::current().id());
        let ran_elsewhere = |time| {
            let elsewhere = AtomicUsize::new(0);
            let task = || {
                spin(time);
                let is_elsewhere = thread::current().id() != caller;
                elsewhere.fetch_add(usize::from(is_elsewhere), SeqCst);
            };
            pool.install(|| {
                sumac::scope(|s| (0..1000).for_each(|_| s.spawn(|_| task())));
            });
            elsewhere.into_inner()
        };
        // The system may keep the caller from running for long, but not each time. If all take long,
        // too, no other thread has its index.
        for time in [10, 300].map(Duration::from_micros) {
            assert!((0..10).any(|_| ran_elsewhere(time) == 0));
        }
    });
}

/// Nor beside tasks that take long, while one is inside that runs them.
#[test]
fn long_tasks_run_on_as_many_threads_as_the_pool_has() {
    let _alone = alone();
    for (threads, millis, tasks) in [(2, 150, 6), (2, 1200, 4), (1, 150, 3)] {
        within(LONG, "long tasks", move || {
            let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let task = || {
                most.fetch_max(now.fetch_add(1, SeqCst) + 1, SeqCst);
                thread::sleep(Duration::from_millis(millis));
                now.fetch_sub(1, SeqCst);
            };
            pool(threads).install(|| {
                sumac::scope(|s| (0..tasks).for_each(|_| s.spawn(|_| task())));
            });
            assert_eq!(most.into_inner(), threads);
        });
    }
}
