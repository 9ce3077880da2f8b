//! Broadcasts from halves of joins do not wait for each other: a thread that waits answers every
//! broadcast, also one that its own job does not wait for.

use std::sync::{
    Barrier,
    atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    mpsc,
};
use sumac::{Callers, ThreadPool, ThreadPoolBuilder, broadcast, join};
use sumac_test_support::{Cx, LONG, keep_forking, pool, rounds, spin, waited, within};

/// Two tasks, each with a half on another thread; both halves broadcast at the same time, while the
/// other two threads wait for them.
fn meet(pool: &ThreadPool, calls: &AtomicUsize) {
    let both = Barrier::new(2);
    pool.task_scope(|s| {
        for _ in 0..2 {
            s.spawn(|_| {
                let taken = AtomicBool::new(false);
                let (given, ()) = join(
                    || keep_forking(&mut Cx::Join, || taken.load(SeqCst)),
                    || {
                        taken.store(true, SeqCst);
                        both.wait();
                        broadcast(|_| calls.fetch_add(1, SeqCst));
                    },
                );
                assert!(given);
            });
        }
    });
}

#[test]
fn broadcasts_from_two_taken_halves_end() {
    within(LONG, "two taken halves", || {
        for pool in [waited(4), waited(5), pool(5), pool(8)] {
            let calls = AtomicUsize::new(0);
            for _ in 0..10 {
                meet(&pool, &calls);
            }
            // A caller that takes part is one of the threads, unless it waits outside.
            let threads = pool.current_num_threads();
            let calls = calls.into_inner();
            assert!(
                (20 * (threads - 1)..=20 * threads).contains(&calls),
                "{calls}"
            );
        }
    });
}

#[test]
fn broadcasts_from_many_joins_end() {
    for make in [pool, waited] {
        within(LONG, "many joins", move || {
            for threads in [4, 5, 6, 8] {
                let pool = make(threads);
                for _ in rounds(300) {
                    pool.task_scope(|s| {
                        for _ in 0..6 {
                            s.spawn(|_| {
                                let work = || spin(std::time::Duration::from_micros(20));
                                join(work, || drop(broadcast(|_| ())));
                            });
                        }
                    });
                }
            }
        });
    }
}

/// Of a thread that has become the first of its pool inside another one, and is now outside of all.
#[test]
fn a_thread_that_joins_elsewhere_answers_its_own_calls() {
    within(LONG, "joins elsewhere", || {
        let build = || {
            let own = ThreadPoolBuilder::new().num_threads(2);
            own.callers(Callers::Wait).use_current_thread().build()
        };
        let own = pool(1).install(build).expect("a pool");
        let elsewhere = waited(1);
        let task = elsewhere.spawn(move || {
            let (send, receive) = mpsc::channel();
            own.spawn_broadcast(move |context| {
                send.send(context.index()).expect("the task waits");
            });
            let mut indices: Vec<_> = receive.iter().collect();
            indices.sort_unstable();
            indices
        });
        assert_eq!(task.join(), [0, 1]);
    });
}
