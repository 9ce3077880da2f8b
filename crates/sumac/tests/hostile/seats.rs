//! What a thread does as a guest of a pool, while user code that runs inside enters other pools:
//! threads give up their seats in pools that were dropped when they take another.

use std::{
    sync::{
        atomic::{AtomicBool, Ordering::SeqCst},
        mpsc,
    },
    thread,
    time::Duration,
};

use sumac::ThreadPoolBuilder;
use sumac_test_support::{LONG, pool, throw, within};

struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !thread::panicking() {
            throw("the destructor of a handler");
        }
    }
}

/// A pool that is over, whose memory goes with the calling thread's seat and takes a bomb along.
fn leave_a_bomb() {
    let bomb = Bomb;
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .panic_handler(move |_| {
            let _bomb = &bomb;
        })
        .build()
        .expect("a pool");
    pool.install(|| ());
}

#[test]
fn a_scope_whose_owner_lets_go_of_another_pool_waits_for_its_tasks() {
    within(LONG, "scope", || {
        for threads in 1..4 {
            let ended = AtomicBool::new(false);
            let tasks = pool(threads);
            leave_a_bomb();
            let (begin, begun) = mpsc::channel();
            tasks.in_place_scope(|s| {
                // From another thread, so that the owner comes to the pool only when it waits.
                thread::scope(|other| {
                    other.spawn(|| {
                        s.spawn(|_| {
                            let _ = begin.send(());
                            thread::sleep(Duration::from_millis(20));
                            ended.store(true, SeqCst);
                        });
                    });
                });
                if threads > 1 {
                    begun.recv().expect("a worker has begun");
                }
            });
            assert!(ended.load(SeqCst), "the scope was over before its task");
        }
    });
}

#[test]
fn the_last_handle_of_a_pool_panics_nowhere_else() {
    within(LONG, "last handle", || {
        leave_a_bomb();
        let other = pool(2);
        assert_eq!(other.install(|| sumac::join(|| 1, || 2)), (1, 2));
        leave_a_bomb();
        assert_eq!(pool(2).scope().join(|_| 1, |_| 2), (1, 2));
        leave_a_bomb();
        assert_eq!(pool(2).spawn(|| 3).join(), 3);
    });
}
