//! A scope carried into a job that its thread helps with: a wrapper makes it `Send`, and gives
//! access on its own thread only. Its frames lie outside of that job, so the job must not offer
//! them as its own: a waiter elsewhere would follow them to where the job was (the sanitizers see
//! that).

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    thread,
    time::Duration,
};

use send_wrapper::SendWrapper;
use sumac::Scope;

use sumac_test_support::{LONG, pool, rounds, wait_until, within};

#[test]
fn scope_carried_into_a_helped_job() {
    within(LONG, "carried scope", || {
        let two = pool(2);
        let carried = AtomicUsize::new(0);
        for _ in rounds(200) {
            let mut scope = two.scope();
            two.install(|| round(&mut two.scope(), &carried));
            assert_eq!(scope.join(|_| 1, |_| 2), (1, 2));
        }
        println!("{} were carried into a job", carried.into_inner());
    });
}

/// Meant for one order of events: the worker takes the outer job, and this thread helps it with the
/// inner one.
fn round(scope: &mut Scope<'_>, carried: &AtomicUsize) {
    // Meets the demand there is, so that the frame below is not promoted at once.
    for _ in 0..3 {
        scope.join(|_| (), |_| ());
    }
    let soon = Duration::from_millis(20);
    let (outer, inner, again) = (
        AtomicBool::new(false),
        AtomicBool::new(false),
        AtomicBool::new(false),
    );
    scope.join(
        |s| {
            let s = SendWrapper::new(s);
            sumac::join(
                || {
                    wait_until(soon, || {
                        sumac::yield_now();
                        outer.load(SeqCst)
                    })
                },
                || {
                    outer.store(true, SeqCst);
                    sumac::join(
                        || wait_until(soon, || inner.load(SeqCst)),
                        || {
                            if s.valid() {
                                carried.fetch_add(1, SeqCst);
                                let mut s = s;
                                for _ in 0..3 {
                                    assert_eq!(s.join(|_| 1, |_| 2), (1, 2));
                                }
                                inner.store(true, SeqCst);
                            } else {
                                // Its owner waits: it must not be dropped here.
                                std::mem::forget(s);
                            }
                        },
                    );
                    sumac::join(
                        || wait_until(soon, || again.load(SeqCst)),
                        || {
                            again.store(true, SeqCst);
                            thread::sleep(Duration::from_micros(200));
                        },
                    );
                },
            );
        },
        |_| (),
    );
}
