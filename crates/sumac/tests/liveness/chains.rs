//! Waits of a pool's threads while its queues are long.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    time::{Duration, Instant},
};
use sumac_test_support::{LONG, assert_soon, pool, waited, within};

/// Of tasks each of which joins the one before. (How seldom its threads sleep is counted on a
/// simulated machine, in the tests of sumac-core.)
#[test]
fn a_chain_of_tasks_ends() {
    for (make, tasks) in [(pool as fn(_) -> _, 10_000), (waited, 20_000)] {
        for threads in [1, 2, 8] {
            within(LONG, "a chain", move || {
                let (pool, (send, receive)) = (make(threads), mpsc::channel());
                let mut last = pool.spawn(|| 0);
                for _ in 0..tasks {
                    let before = last;
                    last = pool.spawn(move || before.join() + 1);
                }
                // A join here would run the chain on this stack, from its end.
                drop(pool.spawn(move || send.send(last.join())));
                assert_eq!(receive.recv(), Ok(tasks));
            });
        }
    }
}

/// A worker waits for a thread of another pool, which calls back. The other worker of its pool is
/// busy, with many tasks queued behind.
#[test]
fn a_call_is_found_beside_many_tasks() {
    assert_soon("calls", Duration::from_millis(400), || {
        within(LONG, "calls", || {
            let (pool, other) = (waited(2), waited(1));
            let (begun, has_begun) = mpsc::channel();
            let is_over = Arc::new(AtomicBool::new(false));
            let is_over_there = Arc::clone(&is_over);
            drop(pool.spawn(move || {
                begun.send(()).expect("the test waits");
                while !is_over_there.load(SeqCst) {
                    std::hint::spin_loop();
                }
            }));
            has_begun.recv().expect("a worker begins");
            let took = pool.install(|| {
                for _ in 0..200_000 {
                    drop(pool.spawn(|| ()));
                }
                let begin = Instant::now();
                for _ in 0..200 {
                    other.install(|| pool.install(|| ()));
                }
                begin.elapsed()
            });
            is_over.store(true, SeqCst);
            took
        })
    });
}
