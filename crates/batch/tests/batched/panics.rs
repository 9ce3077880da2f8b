//! Panics at every point of a batch: they reach the callers of that batch, poison, and hang no
//! caller.

use super::{
    in_time,
    probe::{Add, Op, Probe, act},
    until,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};
use sumac_batch::{Batched, BatchedStructure, Combining, Plain, Request};
use sumac_core::{Scope, join, scope as in_scope};
use sumac_par::prelude::*;
use sumac_test_support::{pool, spin};

/// Panics without a message on the terminal.
fn panicking() -> i64 {
    resume_unwind(Box::new("boom"))
}

#[test]
fn the_caller_gets_the_payload_and_others_a_poisoned_structure() {
    let batched = Batched::new(Probe::default());
    let payload = catch_unwind(|| batched.apply(act(|_, _| panicking()))).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"boom"));
    assert!(batched.is_poisoned());
    assert!(batched.try_apply(Add(1)).unwrap_err().is_poisoned());
    assert!(batched.try_with_mut(|_| ()).unwrap_err().is_poisoned());
    assert!(
        batched
            .try_apply_all(vec![Add(1)])
            .unwrap_err()
            .is_poisoned()
    );
    assert!(catch_unwind(|| batched.apply(Add(1))).is_err());
    batched.clear_poison();
    assert_eq!(batched.apply(Add(1)), 0);
    assert!(
        batched
            .try_with_mut(|_| panicking())
            .unwrap_err()
            .is_panic()
    );
    let poisoned = batched.into_inner().unwrap_err();
    assert_eq!(poisoned.into_inner().sum, 1);
}

/// What it says is why the operation was not carried out, whatever comes later.
#[test]
fn an_operation_that_clears_the_poison_as_it_is_dropped() {
    struct Clears(Arc<Batched<Probe>>);

    impl Drop for Clears {
        fn drop(&mut self) {
            self.0.clear_poison();
        }
    }

    let batched = Arc::new(Batched::new(Probe::default()));
    assert!(batched.try_apply(act(|_, _| panicking())).is_err());
    let clears = Clears(Arc::clone(&batched));
    let refused = batched.try_apply(act(move |_, _| {
        drop(clears);
        0
    }));
    assert!(refused.unwrap_err().is_poisoned());
    assert_eq!(batched.apply(Add(1)), 0);
}

/// All callers of one batch, in which one operation panics: one gets the payload, all know that it
/// was a panic.
#[test]
fn all_callers_of_the_batch_hear_of_it() {
    in_time("callers of a batch that panics", || {
        for threads in [1, 2, 4] {
            let pool = pool(threads);
            let batched = Batched::new_in(&pool, Probe::default());
            let waiting = AtomicUsize::new(0);
            let errors: Vec<_> = thread::scope(|s| {
                let held = Arc::new(AtomicBool::new(true));
                let began = Arc::new(AtomicBool::new(false));
                {
                    let (held, began) = (Arc::clone(&held), Arc::clone(&began));
                    let batched = &batched;
                    s.spawn(move || {
                        batched.with_mut(|_| {
                            began.store(true, SeqCst);
                            until(|| !held.load(SeqCst));
                        });
                    });
                }
                until(|| began.load(SeqCst));
                let callers: Vec<_> = (0..6)
                    .map(|i| {
                        let (batched, waiting) = (&batched, &waiting);
                        s.spawn(move || {
                            waiting.fetch_add(1, SeqCst);
                            if i == 3 {
                                batched.try_apply(act(|_, _| panicking())).unwrap_err()
                            } else {
                                match batched.try_apply(Add(1)) {
                                    Err(error) => error,
                                    Ok(_) => panic!("its batch did not panic"),
                                }
                            }
                        })
                    })
                    .collect();
                until(|| waiting.load(SeqCst) == 6);
                thread::sleep(std::time::Duration::from_millis(30));
                held.store(false, SeqCst);
                callers
                    .into_iter()
                    .filter_map(|caller| caller.join().ok())
                    .collect()
            });
            // Operations that came before or after that batch are told otherwise; most were in it.
            let panicked = errors.iter().filter(|error| error.is_panic()).count();
            assert!(panicked >= 1);
            assert!(
                errors
                    .iter()
                    .all(|error| error.is_panic() || error.is_poisoned())
            );
            let payloads = errors
                .into_iter()
                .filter_map(|error| error.into_panic().ok());
            assert_eq!(payloads.count(), 1);
        }
    });
}

#[test]
fn a_panic_in_a_fork_of_the_batch() {
    in_time("a panic in a fork", || {
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            let batched = Batched::new_in(&pool, Probe::default());
            for _ in 0..50 {
                let result = batched.try_apply(act(|_, scope| {
                    scope.join(|_| thread::yield_now(), |_| panicking()).1
                }));
                assert!(result.unwrap_err().is_panic());
                batched.clear_poison();
            }
            assert_eq!(batched.apply(Add(1)), 0);
        }
    });
}

#[test]
fn using_the_structure_in_its_own_batch_panics() {
    in_time("own batch", || {
        for threads in [1, 2, 3] {
            let pool = pool(threads);
            let batched = Arc::new(Batched::new_in(&pool, Probe::default()));
            for fork in ["", "join", "plain join", "loop", "scope"] {
                let own = Arc::clone(&batched);
                let result = batched.try_apply(act(move |_, scope| {
                    let using = || {
                        // So that others can take part.
                        spin(Duration::from_micros(100));
                        own.apply(Add(1))
                    };
                    match fork {
                        "join" => scope.join(|_| using(), |_| using()).1,
                        "plain join" => join(using, using).1,
                        "loop" => (0..64).into_par_iter().map(|_| using()).sum(),
                        "scope" => {
                            in_scope(|s| (0..8).for_each(|_| s.spawn(|_| _ = using())));
                            0
                        }
                        _ => using(),
                    }
                }));
                let payload = result.unwrap_err().into_panic().unwrap();
                let message = payload.downcast_ref::<&str>().unwrap();
                assert!(message.contains("must not use the structure itself"));
                batched.clear_poison();
            }
            let own = Arc::clone(&batched);
            let nested = catch_unwind(AssertUnwindSafe(|| {
                batched.with_mut(|_| own.with_mut(|_| ()));
            }));
            assert!(nested.is_err());
        }
    });
}

/// Panics in the destructors of operations and answers that are not wanted.
#[test]
fn destructors_may_panic() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            if !thread::panicking() {
                resume_unwind(Box::new("a destructor"));
            }
        }
    }
    struct Sink;
    impl BatchedStructure for Sink {
        type Op = Bad;
        type Answer = Bad;
        fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<Bad, Bad>]) {
            for request in batch {
                request.answer(Bad);
            }
        }
    }
    in_time("destructors", || {
        let batched = Batched::new(Sink);
        thread::scope(|s| {
            for _ in 0..3 {
                s.spawn(|| {
                    for _ in 0..100 {
                        let result = catch_unwind(AssertUnwindSafe(|| {
                            // Its answer would panic here.
                            let _ = batched.try_apply(Plain(Bad)).map(std::mem::forget);
                        }));
                        if batched.is_poisoned() {
                            batched.clear_poison();
                        }
                        let _ = result.map_err(std::mem::forget);
                    }
                });
            }
        });
    });
}

#[test]
fn combining_poisons() {
    in_time("combining", || {
        let value = Combining::new(0);
        let result = catch_unwind(|| value.with(|_| panicking()));
        assert_eq!(result.unwrap_err().downcast_ref(), Some(&"boom"));
        assert!(value.is_poisoned());
        assert!(value.try_with(|value| *value).unwrap_err().is_poisoned());
        value.clear_poison();
        value.with(|value| *value += 1);
        let nested = catch_unwind(|| value.with(|_| value.with(|_| ())));
        assert!(nested.is_err() && value.is_poisoned());
        assert_eq!(value.into_inner().unwrap_err().into_inner(), 1);
    });
}

#[test]
fn skipped_operations_of_a_batch_that_panics_are_dropped() {
    let token = Arc::new(());
    let batched = Batched::new(Probe::default());
    let ops = (0..10).map(|i| {
        let token = Arc::clone(&token);
        Plain(Op::Act(Box::new(move |_, _| {
            let _keep = &token;
            if i == 5 { panicking() } else { 0 }
        })))
    });
    assert!(batched.try_apply_all(ops.collect()).is_err());
    assert_eq!(Arc::strong_count(&token), 1);
}
