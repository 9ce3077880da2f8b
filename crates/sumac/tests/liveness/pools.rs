//! Pools that call each other: all threads of both wait for calls, and serve those that they wait
//! for.

use super::through_yields::yields_for;
use std::{
    panic,
    sync::{
        Arc, Barrier, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};
use sumac::{Promise, ThreadPool, prelude::*, spawn_async_in, spawn_broadcast, yield_now};
use sumac_test_support::{LONG, pool, rounds, wait_until, waited, within};

const MAKE: [fn(usize) -> ThreadPool; 2] = [waited, pool];

/// As many calls of each pool as it has threads. When all have begun, each calls `begun`, then the
/// other pool.
fn all_at_once(make: fn(usize) -> ThreadPool, threads: usize, begun: impl Fn() + Sync) {
    let pools = [make(threads), make(threads)];
    let (all, served) = (Barrier::new(2 * threads), AtomicUsize::new(0));
    thread::scope(|callers| {
        for caller in 0..2 * threads {
            let (this, that) = (&pools[caller % 2], &pools[(caller + 1) % 2]);
            let (all, served, begun) = (&all, &served, &begun);
            callers.spawn(move || {
                this.install(|| {
                    all.wait();
                    begun();
                    that.install(|| served.fetch_add(1, SeqCst));
                });
            });
        }
    });
    assert_eq!(served.into_inner(), 2 * threads);
}

#[test]
fn all_threads_of_two_pools_call_the_other_pool() {
    for make in MAKE {
        for threads in [1, 2, 3, 8] {
            within(LONG, "all at once", move || {
                all_at_once(make, threads, || ())
            });
        }
    }
}

#[test]
fn loops_in_two_pools_call_each_other() {
    for make in MAKE {
        for threads in [1, 2, 3, 8] {
            within(LONG, "loops", move || {
                let pools = [make(threads), make(threads)];
                for _ in rounds(30) {
                    let looping = |this: &ThreadPool, that: &ThreadPool| {
                        this.install(|| {
                            (0..100_u64)
                                .into_par_iter()
                                .map(|i| that.install(|| i))
                                .sum::<u64>()
                        })
                    };
                    let sums = thread::scope(|callers| {
                        let other = callers.spawn(|| looping(&pools[1], &pools[0]));
                        [
                            looping(&pools[0], &pools[1]),
                            other.join().expect("no panic"),
                        ]
                    });
                    assert_eq!(sums, [4_950; 2]);
                }
            });
        }
    }
}

/// Three pools in a circle, and calls that come back to where they began.
#[test]
fn calls_go_around_in_a_circle_of_pools() {
    fn around(pools: &[ThreadPool; 3], at: usize, left: usize) -> usize {
        if left == 0 {
            return 1;
        }
        let next = || around(pools, (at + 1) % 3, left - 1);
        pools[at % 3].install(|| {
            let (a, b) = sumac::join(next, next);
            a + b
        })
    }
    for make in MAKE {
        for threads in [1, 2, 4] {
            within(LONG, "a circle", move || {
                let pools = [make(threads), make(threads), make(threads)];
                for _ in rounds(20) {
                    thread::scope(|callers| {
                        for caller in 0..3 {
                            let pools = &pools;
                            callers.spawn(move || assert_eq!(around(pools, caller, 6), 64));
                        }
                    });
                }
            });
        }
    }
}

/// Broadcasts to the threads of the current pool, one after another, until `end`.
fn broadcast_until(end: &Arc<AtomicBool>) {
    let end = Arc::clone(end);
    spawn_broadcast(move |call| {
        if call.index() == 0 && !end.load(SeqCst) {
            broadcast_until(&end);
        }
    });
}

/// Threads that wait answer calls of broadcasts all the time, and must see all the same that they
/// wait for each other.
#[test]
fn endless_broadcasts_to_all_threads_of_two_pools() {
    for threads in [1, 2, 3] {
        within(LONG, "broadcasts", move || {
            let end = Arc::default();
            all_at_once(waited, threads, || broadcast_until(&end));
            end.store(true, SeqCst);
        });
    }
}

/// Two pools call each other through a step of a future, for which a thread waits that could serve
/// the call: one of the future's own pool, or of the other one.
#[test]
fn a_step_of_a_future_calls_a_thread_that_waits_for_the_future() {
    for inside in [true, false] {
        within(LONG, "a step", move || {
            let pools = Arc::new([waited(2), waited(1)]);
            let [this, that] = &*pools;
            let (begun, both) = (Arc::new(AtomicBool::new(false)), Arc::clone(&pools));
            let caller = if inside { this } else { that };
            let number = caller.install(|| {
                let begins = Arc::clone(&begun);
                let future = spawn_async_in(this, async move {
                    begins.store(true, SeqCst);
                    let pools = Arc::clone(&both);
                    // In a yield, so that it descends from no call that a thread waits for.
                    let back = move || pools[0].install(|| ());
                    both[1].install(|| {
                        if inside {
                            yields_for(back, yield_now);
                        }
                        7
                    })
                });
                // Not yet, or the join would run the step.
                assert!(wait_until(LONG / 8, || begun.load(SeqCst)));
                future.join()
            });
            assert_eq!(number, 7);
        });
    }
}

/// Joins a future when it is dropped.
struct JoinsOnDrop(Option<Promise<u8>>);

impl Drop for JoinsOnDrop {
    fn drop(&mut self) {
        assert_eq!(self.0.take().map(Promise::join), Some(7));
    }
}

/// The pool's thread waits for a lock that the caller holds, who unwinds and joins a future: no
/// other thread can run its step, which becomes due later.
#[test]
fn a_caller_that_unwinds_runs_the_steps_of_a_future() {
    within(LONG, "unwinds", || {
        let (pool, lock) = (pool(1), Arc::new(Mutex::new(())));
        let unwound = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            let _guard = lock.lock().expect("no poison");
            let (taken, wants) = (Arc::new(AtomicBool::new(false)), Arc::clone(&lock));
            let begun = Arc::clone(&taken);
            drop(pool.spawn(move || {
                begun.store(true, SeqCst);
                drop(wants.lock());
            }));
            assert!(wait_until(LONG / 8, || taken.load(SeqCst)));
            let (resolver, later) = sumac::promise();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(100));
                resolver.resolve(7);
            });
            let _joins = JoinsOnDrop(Some(spawn_async_in(&pool, later)));
            panic::resume_unwind(Box::new(()));
        }));
        assert!(unwound.is_err());
    });
}
