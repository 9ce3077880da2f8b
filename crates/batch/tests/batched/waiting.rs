//! Who waits, how long, and what waiters do meanwhile.

use super::{
    in_time,
    probe::{Add, Probe, act},
    until,
};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread::{self, ThreadId},
    time::Duration,
};
use sumac_batch::Batched;
use sumac_core::Scope;
use sumac_test_support::{pool, spin};

/// Forks until another thread has run a half.
fn fork_until_helped(scope: &mut Scope<'_>, helpers: &Mutex<Vec<ThreadId>>) {
    let here = thread::current().id();
    while helpers.lock().unwrap().is_empty() {
        scope.join(
            |_| {
                spin(Duration::from_micros(50));
                // If there is one processor, the other thread looks for the half only now.
                thread::yield_now();
            },
            |_| {
                spin(Duration::from_micros(50));
                let runner = thread::current().id();
                if runner != here {
                    helpers.lock().unwrap().push(runner);
                }
            },
        );
    }
}

/// The pool has no worker: only the waiter can help.
#[test]
fn a_waiter_helps_with_the_batch() {
    in_time("helping", || {
        let pool = pool(1);
        let batched = Arc::new(Batched::new_in(&pool, Probe::default()));
        let helpers = Arc::new(Mutex::new(Vec::new()));
        let began = Arc::new(AtomicBool::new(false));
        thread::scope(|s| {
            {
                let (batched, helpers, began) =
                    (&batched, Arc::clone(&helpers), Arc::clone(&began));
                s.spawn(move || {
                    batched.apply(act(move |_, scope| {
                        began.store(true, SeqCst);
                        fork_until_helped(scope, &helpers);
                        0
                    }))
                });
            }
            let waiter = s.spawn(|| {
                until(|| began.load(SeqCst));
                batched.apply(Add(1));
                thread::current().id()
            });
            let waiter = waiter.join().unwrap();
            assert_eq!(*helpers.lock().unwrap(), [waiter]);
        });
    });
}

/// What a waiter holds is met by nothing but the batch it waits for.
#[test]
fn a_waiter_runs_nothing_else() {
    in_time("locks held by waiters", || {
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            let batched = Batched::new_in(&pool, Probe::default());
            let lock = Mutex::new(0);
            fn go(
                scope: &mut Scope<'_>,
                depth: usize,
                batched: &Batched<Probe>,
                lock: &Mutex<i64>,
            ) {
                if depth == 0 {
                    let mut held = lock.lock().unwrap();
                    batched.apply(act(|probe, scope| {
                        scope.join(|_| spin(Duration::from_micros(2)), |_| ());
                        probe.sum += 1;
                        0
                    }));
                    *held += 1;
                    return;
                }
                scope.join(
                    |s| go(s, depth - 1, batched, lock),
                    |s| go(s, depth - 1, batched, lock),
                );
            }
            go(&mut pool.scope(), 10, &batched, &lock);
            assert_eq!(*lock.lock().unwrap(), 1024);
            assert_eq!(batched.into_inner().unwrap().sum, 1024);
        }
    });
}

/// Operations wait for at most two turns of others, also while some want the structure for
/// themselves all the time.
#[test]
fn nobody_starves() {
    in_time("starvation", || {
        let pool = pool(3);
        let batched = Batched::new_in(&pool, Probe::default());
        let over = AtomicBool::new(false);
        let done = AtomicUsize::new(0);
        thread::scope(|s| {
            for _ in 0..2 {
                s.spawn(|| {
                    while !over.load(SeqCst) {
                        batched.with_mut(|_| spin(Duration::from_micros(3)));
                    }
                });
            }
            for _ in 0..2 {
                s.spawn(|| {
                    while !over.load(SeqCst) {
                        batched.apply(act(|_, _| {
                            spin(Duration::from_micros(3));
                            0
                        }));
                        done.fetch_add(1, SeqCst);
                    }
                });
            }
            until(|| done.load(SeqCst) > 3000);
            over.store(true, SeqCst);
        });
        let stats = batched.stats();
        assert!(stats.longest_wait_turns <= 2, "{stats:?}");
    });
}

/// A leader serves others for a while only: then one of them leads.
#[test]
fn leaders_are_relieved() {
    in_time("leaders", || {
        let pool = pool(1);
        let batched = Batched::new_in(&pool, Probe::default());
        let over = AtomicBool::new(false);
        let rounds: Vec<_> = [(); 4].map(|()| AtomicUsize::new(0)).into();
        thread::scope(|s| {
            for round in &rounds {
                s.spawn(|| {
                    while !over.load(SeqCst) {
                        batched.apply(act(|_, _| {
                            thread::yield_now();
                            0
                        }));
                        round.fetch_add(1, SeqCst);
                    }
                });
            }
            until(|| rounds.iter().all(|round| round.load(SeqCst) > 300));
            over.store(true, SeqCst);
        });
    });
}

#[test]
fn dropped_inside_of_its_own_batch() {
    in_time("dropped inside", || {
        let batched = Arc::new(Batched::new(Probe::default()));
        let token = Arc::new(());
        let (own, kept) = (Arc::clone(&batched), Arc::clone(&token));
        let (send, receive) = std::sync::mpsc::channel();
        let caller = thread::spawn(move || {
            let core = own;
            let last = act(move |_, _| {
                let _kept = kept;
                let other: Arc<Batched<Probe>> = receive.recv().unwrap();
                drop(other);
                0
            });
            core.apply(last)
        });
        send.send(batched).unwrap();
        assert_eq!(caller.join().unwrap(), 0);
        assert_eq!(Arc::strong_count(&token), 1);
    });
}
