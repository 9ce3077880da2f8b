//! A task that waits in a loop of yields, and runs there a task that broadcasts, ends: the thread
//! that waits for the first task answers.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::SeqCst},
};
use sumac::{ThreadPool, Yield, broadcast, join, spawn, yield_local, yield_now};
use sumac_test_support::{Cx, LONG, keep_forking, pool, waited, within};

/// A half of a join, on another thread than the first half, spawns a task that broadcasts, and
/// yields until it has ended.
fn half_that_yields(taken: &AtomicBool, yields: fn() -> Option<Yield>) -> usize {
    taken.store(true, SeqCst);
    let called = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&called);
    let task = spawn(move || {
        let count = broadcast(|_| ()).len();
        flag.store(true, SeqCst);
        count
    });
    while !called.load(SeqCst) {
        yields();
    }
    task.join()
}

fn ends_in(pool: &ThreadPool, yields: fn() -> Option<Yield>) {
    let threads = pool.current_num_threads();
    let called = pool.spawn(move || {
        let taken = AtomicBool::new(false);
        let (given, called) = join(
            || keep_forking(&mut Cx::Join, || taken.load(SeqCst)),
            || half_that_yields(&taken, yields),
        );
        assert!(given, "no thread has taken the half");
        called
    });
    let called = called.join();
    assert!((threads - 1..=threads).contains(&called), "{called}");
}

#[test]
fn a_task_in_a_yield_broadcasts() {
    for yields in [yield_now, yield_local] {
        for make in [waited, pool] {
            within(LONG, "a yield", move || {
                for threads in [2, 3, 5] {
                    let pool = make(threads);
                    (0..20).for_each(|_| ends_in(&pool, yields));
                }
            });
        }
    }
}
