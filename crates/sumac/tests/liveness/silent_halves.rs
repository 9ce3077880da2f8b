//! A half of a join that waits for the other half, or for one elsewhere. Its thread, which is
//! blocked, offers nothing: other threads take what it has forked before.
#![cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(tsan, miri))
))]

use std::{
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};
use sumac::{Callers, ThreadPool, ThreadPoolBuilder, join, scope, yield_now};
use sumac_test_support::{LONG, alone, pool, within};

/// As many threads as leaves meet.
fn meet(leaves: usize, all: &Barrier) {
    if leaves == 1 {
        all.wait();
        return;
    }
    let left = leaves / 2;
    join(|| meet(left, all), || meet(leaves - left, all));
}

/// Joins that no thread asks for.
fn tiny(joins: usize) {
    for _ in 0..joins {
        join(|| (), || ());
    }
}

fn rounds(pool: &ThreadPool) {
    let threads = pool.current_num_threads();
    for round in 0..30 {
        pool.install(|| {
            tiny(round * round);
            meet(threads, &Barrier::new(threads));
        });
        // The thread that takes the half has other work first.
        pool.install(|| {
            let (tell, told) = mpsc::channel();
            let taken = move || {
                tiny(1000);
                tell.send(()).expect("the other half waits");
                meet(2, &Barrier::new(2));
            };
            let waits = move || {
                told.recv().expect("the other half is taken");
                thread::sleep(Duration::from_millis(1));
            };
            join(waits, taken);
        });
    }
}

#[test]
fn halves_may_wait_for_each_other() {
    let _alone = alone();
    for threads in 2..=5 {
        within(LONG, "callers take part", move || rounds(&pool(threads)));
        within(LONG, "callers wait", move || {
            let pool = ThreadPoolBuilder::new().callers(Callers::Wait);
            rounds(&pool.num_threads(threads).build().expect("a pool"));
        });
    }
}

/// All threads wait or are blocked, and what they wait for is behind the half of a join that
/// belongs to none of it.
static WAITS: [(usize, fn()); 4] = [
    // One thread waits for a second, that is blocked until the half on the third has run.
    (3, || {
        let begun = &AtomicBool::new(false);
        let (free, told) = mpsc::channel();
        let (free_half, told_half) = mpsc::channel();
        let first = move || {
            let blocks = move || {
                begun.store(true, SeqCst);
                told.recv().expect("the half runs");
            };
            let polls = || {
                while !begun.load(SeqCst) {
                    tiny(1);
                }
            };
            join(polls, blocks);
        };
        let second = move || {
            while !begun.load(SeqCst) {
                thread::yield_now();
            }
            // The first thread waits.
            thread::sleep(Duration::from_millis(50));
            let half = move || {
                free.send(()).expect("a thread is blocked");
                free_half.send(()).expect("the other half is blocked");
            };
            join(move || told_half.recv().expect("the half runs"), half);
        };
        join(first, second);
    }),
    // A thread that waits for a job on the first finds the half on the second, and declines it.
    (3, || {
        let meetings = [2, 3, 2, 2, 2, 2].map(Barrier::new);
        let [start, begin, taken, waits, halves, end_job] = &meetings;
        let silent = || {
            begin.wait();
            waits.wait();
            thread::sleep(Duration::from_millis(1));
            join(|| halves.wait(), || halves.wait());
            end_job.wait();
        };
        let waiter = || {
            begin.wait();
            let first = || {
                taken.wait();
                waits.wait();
            };
            let job = || {
                taken.wait();
                end_job.wait();
            };
            join(first, job);
        };
        let outermost = || {
            start.wait();
            begin.wait();
        };
        let outer = || {
            start.wait();
            join(silent, waiter);
        };
        join(outermost, outer);
    }),
    // A thread waits for its scope inside of a half, and for the other half a task of the scope.
    (2, || {
        let (tell, told) = mpsc::channel();
        let begun = &AtomicBool::new(false);
        let waits = move || {
            scope(|s| {
                s.spawn(move |_| {
                    begun.store(true, SeqCst);
                    told.recv().expect("the half runs");
                });
                while !begun.load(SeqCst) {
                    thread::yield_now();
                }
            });
        };
        join(waits, move || tell.send(()).expect("the task is blocked"));
    }),
    // A thread waits in yields for its half, the other is blocked until that has run.
    (2, || {
        let (tell, told) = mpsc::channel();
        let [begun, ran] = [&AtomicBool::new(false), &AtomicBool::new(false)];
        let blocks = move || {
            begun.store(true, SeqCst);
            told.recv().expect("the half runs");
        };
        let yields = move || {
            while !begun.load(SeqCst) {
                thread::yield_now();
            }
            let half = move || {
                tell.send(()).expect("the other thread is blocked");
                ran.store(true, SeqCst);
            };
            let waits = || {
                while !ran.load(SeqCst) {
                    yield_now();
                }
            };
            join(waits, half);
        };
        join(yields, blocks);
    }),
];

#[test]
fn threads_that_wait_leave_no_half_behind() {
    let _alone = alone();
    let pools: [fn() -> ThreadPoolBuilder; 3] = [
        ThreadPoolBuilder::new,
        || ThreadPoolBuilder::new().callers(Callers::Wait),
        || ThreadPoolBuilder::new().callers(Callers::Wait).spares(0),
    ];
    within(2 * LONG, "all but one wait", move || {
        thread::scope(|threads| {
            for pool in pools {
                for &(count, case) in &WAITS {
                    let pool = pool().num_threads(count).build().expect("a pool");
                    threads.spawn(move || pool.install(case));
                }
            }
        });
    });
}
