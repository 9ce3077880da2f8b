//! Pools with permits whose size changes, and whose threads end and start again.

use super::{Share, builder, tree};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
};
use sumac::Callers;
use sumac_test_support::{LONG, wait_until, within, work};

/// Threads call and spawn all the time while another one resizes the pool.
fn sizes_change(callers: Callers) {
    within(LONG, "sizes", move || {
        let share = Share::of(2);
        let builder = builder(4, &share).callers(callers).max_threads(6);
        let pool = builder.build().expect("a pool");
        let over = AtomicBool::new(false);
        let (ran, spawned) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
        thread::scope(|threads| {
            for _ in 0..3 {
                threads.spawn(|| {
                    while !over.load(SeqCst) {
                        pool.install(|| tree(5, &work));
                        let ran = Arc::clone(&ran);
                        drop(pool.spawn(move || ran.fetch_add(1, SeqCst)));
                        spawned.fetch_add(1, SeqCst);
                    }
                });
            }
            for round in 0..100 {
                pool.resize(1 + round * 7 % 6).expect("threads");
                let before = spawned.load(SeqCst);
                assert!(wait_until(LONG, || spawned.load(SeqCst) > before + 3));
            }
            over.store(true, SeqCst);
        });
        assert!(wait_until(LONG, || ran.load(SeqCst) == spawned.load(SeqCst)));
        // The pool is still there, with threads or without.
        share.is_given_back();
        assert!(share.most.load(SeqCst) <= 2);
        pool.install(|| tree(5, &work));
    });
}

#[test]
fn sizes_change_where_callers_take_part() {
    sizes_change(Callers::TakePart);
}

#[test]
fn sizes_change_where_callers_wait() {
    sizes_change(Callers::Wait);
}

#[test]
fn threads_that_have_ended_hold_none() {
    for callers in [Callers::TakePart, Callers::Wait] {
        within(LONG, "shutdowns", move || {
            let share = Share::of(2);
            let pool = builder(4, &share).callers(callers).build().expect("a pool");
            let ran = Arc::new(AtomicUsize::new(0));
            for round in 1..=100 {
                pool.install(|| tree(5, &work));
                for _ in 0..10 {
                    let ran = Arc::clone(&ran);
                    drop(pool.spawn(move || ran.fetch_add(1, SeqCst)));
                }
                pool.shutdown();
                assert_eq!(ran.load(SeqCst), 10 * round, "tasks that have run");
                assert_eq!(share.held(), 0, "permits that are held");
            }
            assert!(share.taken.load(SeqCst) > 0, "no worker has ever helped");
        });
    }
}
