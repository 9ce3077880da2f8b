//! Lifetimes of frames: a join never ends before its second half is done with, and never runs
//! that half twice or late.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    thread,
    time::Duration,
};

use sumac_test_support::{
    LONG, Ledger, Style, assert_usable, caught, enter, keep_forking, pool, rounds, spin, sum, text,
    throw, within,
};

// chili 0.2.1 keeps a pointer to the dead frame in its queue.
#[test]
fn unstarted_half_is_used_up_when_the_first_panics() {
    within(LONG, "unstarted half", || {
        for style in Style::ALL {
            let (alone, ledger, ran) = (pool(1), Ledger::new(), AtomicBool::new(false));
            let token = ledger.token();
            let payload = caught(|| {
                enter(style, &alone, |cx| {
                    cx.join(
                        |_| throw("first"),
                        |_| {
                            let _token = token;
                            ran.store(true, SeqCst);
                        },
                    )
                })
            });
            assert_eq!(text(&*payload), "first");
            // Plain joins run it all the same, as rayon's.
            assert_eq!(ran.load(SeqCst), style == Style::Join);
            ledger.assert_balanced();
            assert_usable(&alone);
        }
    });
}

// chili 0.2.1: a worker's queue survives the panic of a job and points into its dead stack.
#[test]
fn pool_survives_a_panic_inside_a_taken_job() {
    within(LONG, "panic in a taken job", || {
        let two = pool(2);
        for style in Style::ALL {
            for _ in 0..100 {
                let taken = AtomicBool::new(false);
                let payload = caught(|| {
                    enter(style, &two, |cx| {
                        cx.join(
                            |cx| assert!(keep_forking(cx, || taken.load(SeqCst)), "not taken"),
                            |cx| {
                                taken.store(true, SeqCst);
                                cx.join(|_| throw("inside"), |cx| sum(cx, 0, 100))
                            },
                        )
                    })
                });
                assert_eq!(text(&*payload), "inside");
                assert_eq!(enter(style, &two, |cx| sum(cx, 0, 500)), 124_750);
            }
        }
    });
}

// chili 0.2.1 unwinds while the other thread still uses the frame.
#[test]
fn unwinding_waits_for_a_running_half() {
    within(LONG, "unwinding waits", || {
        let two = pool(2);
        for style in Style::ALL {
            let (started, finished) = (AtomicBool::new(false), AtomicBool::new(false));
            let payload = caught(|| {
                enter(style, &two, |cx| {
                    cx.join(
                        |cx| {
                            assert!(keep_forking(cx, || started.load(SeqCst)), "not taken");
                            throw(7_u32)
                        },
                        |_| {
                            started.store(true, SeqCst);
                            thread::sleep(Duration::from_millis(30));
                            finished.store(true, SeqCst);
                        },
                    )
                })
            });
            assert!(
                finished.load(SeqCst),
                "the join ended before its second half"
            );
            assert_eq!(payload.downcast_ref(), Some(&7_u32));
        }
    });
}

// chili 0.2.1: after a caught inner panic the outer join takes the inner offer for its own.
#[test]
fn outer_half_runs_once_after_an_inner_panic_was_caught() {
    within(LONG, "runs once", || {
        let two = pool(2);
        for round in 0..500 {
            let style = Style::ALL[round % 2];
            let (inner, outer) = (AtomicUsize::new(0), AtomicUsize::new(0));
            enter(style, &two, |cx| {
                cx.join(
                    |cx| {
                        let payload = caught(|| {
                            cx.join(
                                |_| {
                                    spin(Duration::from_micros((round % 20) as u64));
                                    throw("inner")
                                },
                                |_| inner.fetch_add(1, SeqCst),
                            )
                        });
                        assert_eq!(text(&*payload), "inner");
                    },
                    |_| outer.fetch_add(1, SeqCst),
                )
            });
            assert_eq!(outer.load(SeqCst), 1, "runs of the outer half");
            assert!(inner.load(SeqCst) <= 1, "the inner half ran twice");
        }
    });
}

// chili 0.2.1 leaves the offer in its map; a worker runs it after the frame is gone.
#[test]
fn withdrawn_half_never_runs_later() {
    within(LONG, "withdrawn half", || {
        let two = pool(2);
        let mut at_return = 0;
        let runs = AtomicUsize::new(0);
        for round in 0..500 {
            let style = Style::ALL[round % 2];
            caught(|| {
                enter(style, &two, |cx| {
                    cx.join(
                        |_| {
                            spin(Duration::from_micros((round % 15) as u64));
                            throw("withdrawn")
                        },
                        |_| runs.fetch_add(1, SeqCst),
                    )
                })
            });
            let now = runs.load(SeqCst);
            assert!(now <= at_return + 1, "a half ran twice");
            at_return = now;
            spin(Duration::from_micros(5));
            assert_eq!(runs.load(SeqCst), at_return, "a half ran after its join");
        }
        thread::sleep(Duration::from_millis(5));
        assert_eq!(runs.load(SeqCst), at_return, "a half ran after its join");
    });
}

// chili 0.2.1 leaks the closure and the boxed result when the other half panics.
#[test]
fn captures_and_results_are_dropped_once_when_a_half_panics() {
    within(LONG, "drops", || {
        let two = pool(2);
        for style in Style::ALL {
            for first_panics in [true, false] {
                for spinning in 0..50 {
                    let ledger = Ledger::new();
                    let (a, b) = (ledger.token(), ledger.token());
                    let ledger = &ledger;
                    caught(|| {
                        enter(style, &two, |cx| {
                            cx.join(
                                move |_| {
                                    let _a = a;
                                    spin(Duration::from_micros(spinning));
                                    if first_panics {
                                        throw("first");
                                    }
                                    ledger.token()
                                },
                                move |_| {
                                    let _b = b;
                                    if !first_panics {
                                        throw("second");
                                    }
                                    ledger.token()
                                },
                            )
                        })
                    });
                    ledger.assert_balanced();
                }
            }
        }
    });
}

// Forte dropped a closure after the count that its owner waited for had reached zero.
#[test]
fn captures_of_a_taken_half_are_dropped_before_the_join_returns() {
    struct Slow<'a>(&'a AtomicBool);
    impl Drop for Slow<'_> {
        fn drop(&mut self) {
            thread::sleep(Duration::from_millis(10));
            self.0.store(true, SeqCst);
        }
    }
    within(LONG, "captures dropped in time", || {
        let two = pool(2);
        for style in Style::ALL {
            let (taken, dropped) = (AtomicBool::new(false), AtomicBool::new(false));
            let slow = Slow(&dropped);
            enter(style, &two, |cx| {
                cx.join(
                    |cx| assert!(keep_forking(cx, || taken.load(SeqCst)), "not taken"),
                    |_| {
                        let _slow = &slow;
                        taken.store(true, SeqCst);
                        drop(slow);
                    },
                )
            });
            assert!(dropped.load(SeqCst), "a capture outlived its join");
        }
    });
}

// rayon #739, #768, #929: the thief used the latch after the owner had gone on.
#[test]
fn owner_may_leave_the_moment_its_half_is_done() {
    within(LONG, "owner leaves at once", || {
        for style in Style::ALL {
            for round in rounds(60) {
                let two = pool(2);
                for _ in 0..20 {
                    let taken = AtomicBool::new(false);
                    enter(style, &two, |cx| {
                        cx.join(
                            |cx| assert!(keep_forking(cx, || taken.load(SeqCst)), "not taken"),
                            |_| taken.store(true, SeqCst),
                        )
                    });
                    overwrite_the_stack(round as u8);
                }
                two.wait_until_stopped();
            }
        }
    });
}

#[inline(never)]
fn overwrite_the_stack(with: u8) {
    std::hint::black_box([with; 4096]);
}

// chili 0.2.1 erases the result's type and relies on equal layouts.
#[test]
fn results_of_all_sizes_come_back() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(align(128))]
    struct Aligned(u8);

    fn comes_back<T: Clone + PartialEq + std::fmt::Debug + Send + Sync>(value: &T) {
        let two = pool(2);
        for style in Style::ALL {
            let taken = AtomicBool::new(false);
            let (a, b) = enter(style, &two, |cx| {
                cx.join(
                    |cx| {
                        assert!(keep_forking(cx, || taken.load(SeqCst)), "not taken");
                        value.clone()
                    },
                    |_| {
                        taken.store(true, SeqCst);
                        value.clone()
                    },
                )
            });
            assert_eq!((&a, &b), (value, value));
        }
    }
    within(LONG, "results of all sizes", || {
        comes_back(&());
        comes_back(&true);
        comes_back(&[1_u8, 2, 3]);
        comes_back(&u128::MAX);
        comes_back(&Aligned(9));
        comes_back(&Some(Box::new(5)));
        comes_back(&String::from("text"));
        comes_back(&Err::<(), _>(vec![1_u16; 70]));
        comes_back(&[3_u64; 100]);
        comes_back(&vec![String::from("long"); 1_000]);
        comes_back(&[7_u8; 10_000]);
    });
}
