//! Parkers: an unpark is never lost, and releases earlier writes.

use super::{DEADLOCK, caught, explore_all, left_out, spawn};
use crate::protocol::parker::Parker;
use loom::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

struct Bed {
    parker: Parker,
    called: [AtomicBool; 2],
}

impl Bed {
    fn new() -> Arc<Self> {
        Arc::new(Bed {
            parker: Parker::new(),
            called: [(); 2].map(|()| AtomicBool::new(false)),
        })
    }

    fn call(&self, caller: usize) {
        self.called[caller].store(true, Ordering::Relaxed);
        self.parker.unpark();
    }

    fn sleep_until_called_by(&self, caller: usize) {
        while !self.called[caller].load(Ordering::Relaxed) {
            self.parker.park(None);
        }
    }
}

#[test]
fn an_unpark_ends_a_park_before_or_after() {
    explore_all(|| {
        let bed = Bed::new();
        let caller = spawn(&bed, |bed| {
            bed.call(0);
            bed.call(1);
        });
        bed.sleep_until_called_by(0);
        bed.sleep_until_called_by(1);
        caller.join().unwrap();
    });
}

#[test]
fn two_callers_share_the_token() {
    explore_all(|| {
        let bed = Bed::new();
        let callers = [0, 1].map(|caller| spawn(&bed, move |bed| bed.call(caller)));
        bed.sleep_until_called_by(0);
        bed.sleep_until_called_by(1);
        callers.into_iter().for_each(|c| c.join().unwrap());
    });
}

#[test]
fn an_unpark_that_notifies_no_thread_is_caught() {
    let fault = left_out("protocol/parker.rs", "unpark_after", "notify_one(");
    caught(
        fault,
        "parker::an_unpark_ends_a_park_before_or_after",
        DEADLOCK,
    );
    caught(fault, "parker::two_callers_share_the_token", DEADLOCK);
}
