//! The thread that finds deadlocks: no decision is made any more.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The time without a decision that counts as a deadlock.
const DEADLOCK: Duration = Duration::from_secs(10);

/// What a session is doing, for the thread that looks for deadlocks.
#[derive(Default)]
pub(super) struct Watch {
    pub(super) seed: AtomicU64,
    pub(super) decided: AtomicU64,
    pub(super) is_over: AtomicBool,
}

impl Watch {
    pub(super) fn live(&self) {
        let (mut seen, mut since) = (0, Instant::now());
        while !self.is_over.load(Ordering::Acquire) {
            let decided = self.decided.load(Ordering::Relaxed);
            if decided != seen {
                (seen, since) = (decided, Instant::now());
            } else if since.elapsed() > DEADLOCK {
                self.report_deadlock();
            }
            thread::park_timeout(Duration::from_secs(1));
        }
    }

    fn report_deadlock(&self) -> ! {
        let seed = self.seed.load(Ordering::Relaxed);
        eprintln!(
            "sumac: a deadlock in the order of seed {seed}, sumac::testing::replay({seed}, ..): \
             what is run waits for what has not been run"
        );
        std::process::exit(101)
    }
}
