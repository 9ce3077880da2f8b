//! Pools that call each other: all threads of both wait for calls, and serve those that they wait
//! for.

use std::{
    sync::{
        Barrier,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
};
use sumac::{ThreadPool, prelude::*};
use sumac_test_support::{LONG, pool, rounds, waited, within};

const MAKE: [fn(usize) -> ThreadPool; 2] = [waited, pool];

/// As many calls of each pool as it has threads, each of which calls the other pool when all have
/// begun.
fn all_at_once(make: fn(usize) -> ThreadPool, threads: usize) {
    let pools = [make(threads), make(threads)];
    let (all, served) = (Barrier::new(2 * threads), AtomicUsize::new(0));
    thread::scope(|callers| {
        for caller in 0..2 * threads {
            let (this, that) = (&pools[caller % 2], &pools[(caller + 1) % 2]);
            let (all, served) = (&all, &served);
            callers.spawn(move || {
                this.install(|| {
                    all.wait();
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
            within(LONG / 8, "all at once", move || all_at_once(make, threads));
        }
    }
}

#[test]
fn loops_in_two_pools_call_each_other() {
    for make in MAKE {
        for threads in [1, 2, 3, 8] {
            within(LONG / 8, "loops", move || {
                let pools = [make(threads), make(threads)];
                for _ in rounds(100) {
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
            within(LONG / 8, "a circle", move || {
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
