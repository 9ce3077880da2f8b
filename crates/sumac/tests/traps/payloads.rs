//! Panics on top of panics: what is not passed on is dropped quietly. A failure here is usually
//! an abort, so each program is a child process.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    thread,
    time::Duration,
};

use sumac_test_support::{
    LONG, Style, assert_usable, caught, child, child_argument, enter, keep_forking, pool, run_well,
    text, throw,
};

struct Bomb(&'static AtomicUsize);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
        panic!("a payload that panics when it is dropped");
    }
}

// rayon 1.12 and Forte abort here.
#[test]
fn losing_payload_that_panics_on_drop_is_swallowed() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    const NAME: &str = "payloads::losing_payload_that_panics_on_drop_is_swallowed";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    let two = pool(2);
    for (round, style) in Style::ALL.into_iter().enumerate() {
        let started = AtomicBool::new(false);
        let payload = caught(|| {
            enter(style, &two, |cx| {
                cx.join(
                    |cx| {
                        assert!(keep_forking(cx, || started.load(SeqCst)), "not taken");
                        throw("first");
                    },
                    |_| {
                        started.store(true, SeqCst);
                        throw(Bomb(&DROPS));
                    },
                )
            })
        });
        assert_eq!(text(&*payload), "first");
        assert_eq!(DROPS.load(SeqCst), round + 1, "drops of the payload");
    }
    assert_usable(&two);
}

// rayon 1.3.1: a capture whose drop panics on the thief must reach the owner like any panic.
#[test]
fn capture_that_panics_on_drop_is_the_panic_of_its_half() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    const NAME: &str = "payloads::capture_that_panics_on_drop_is_the_panic_of_its_half";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    let two = pool(2);
    for (round, style) in Style::ALL.into_iter().enumerate() {
        let (started, bomb) = (AtomicBool::new(false), Bomb(&DROPS));
        let payload = caught(|| {
            enter(style, &two, |cx| {
                cx.join(
                    |cx| assert!(keep_forking(cx, || started.load(SeqCst)), "not taken"),
                    |_| {
                        let _bomb = bomb;
                        started.store(true, SeqCst);
                    },
                )
            })
        });
        assert!(text(&*payload).contains("when it is dropped"));
        assert_eq!(DROPS.load(SeqCst), round + 1, "drops of the capture");
    }
    assert_usable(&two);
}

// A withdrawn half is dropped while its thread unwinds: a second panic there must not get out.
#[test]
fn withdrawn_capture_that_panics_on_drop_does_not_abort() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    const NAME: &str = "payloads::withdrawn_capture_that_panics_on_drop_does_not_abort";
    if child_argument(NAME).is_none() {
        run_well(child(NAME, ""), LONG);
        return;
    }
    let alone = pool(1);
    for (round, style) in Style::ALL.into_iter().enumerate() {
        let bomb = Bomb(&DROPS);
        let payload = caught(|| {
            enter(style, &alone, |cx| {
                cx.join(|_| throw("first"), move |_| drop(bomb));
            })
        });
        assert_eq!(text(&*payload), "first");
        assert_eq!(DROPS.load(SeqCst), round + 1, "drops of the capture");
    }
    assert_usable(&alone);
}

// A waiter that unwinds must not run other jobs: they would see `panicking()` and poison locks.
#[test]
fn jobs_never_run_on_an_unwinding_thread() {
    let two = pool(2);
    for style in Style::ALL {
        let (started, seen) = (AtomicBool::new(false), AtomicUsize::new(0));
        let look = || {
            if thread::panicking() {
                seen.fetch_add(1, SeqCst);
            }
            thread::sleep(Duration::from_micros(200));
        };
        let result = panic::catch_unwind(AssertUnwindSafe(|| {
            enter(style, &two, |cx| {
                cx.join(
                    |cx| {
                        assert!(keep_forking(cx, || started.load(SeqCst)), "not taken");
                        throw("first");
                    },
                    |cx| {
                        started.store(true, SeqCst);
                        for _ in 0..50 {
                            cx.join(|_| look(), |_| look());
                        }
                    },
                )
            })
        }));
        assert_eq!(text(&*result.expect_err("a panic")), "first");
        assert_eq!(seen.load(SeqCst), 0, "jobs run on the unwinding thread");
    }
}
