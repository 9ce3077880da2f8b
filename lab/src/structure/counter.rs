//! The counters: what each does to add, in a loop that waits for the answer or in a task that
//! awaits it.

use std::future::Future;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering::*};

use sumac::batch::BatchStats;

/// A counter that many share. The answer to an addition is the value before it.
pub(crate) trait SharedCounter: Send + Sync + Sized + 'static {
    /// Its name.
    const NAME: &'static str;

    /// Zero. Called inside the pool.
    fn zero() -> Self;

    /// Adds one and waits for the answer.
    fn add(&self) -> i64;

    /// Adds one; tasks await the answer.
    fn submit(&self) -> impl Future<Output = i64> + Send {
        async { self.add() }
    }

    /// The value when all is done.
    fn value(&self) -> i64;

    /// What its batches were like, if it has any.
    fn stats(&self) -> Option<BatchStats> {
        None
    }
}

impl SharedCounter for Mutex<i64> {
    const NAME: &'static str = "Mutex<i64>";

    fn zero() -> Self {
        Mutex::new(0)
    }

    fn add(&self) -> i64 {
        let mut value = self.lock().expect("no caller panics");
        let before = *value;
        *value += 1;
        before
    }

    fn value(&self) -> i64 {
        *self.lock().expect("no caller panics")
    }
}

impl SharedCounter for AtomicI64 {
    const NAME: &'static str = "fetch_add";

    fn zero() -> Self {
        AtomicI64::new(0)
    }

    fn add(&self) -> i64 {
        self.fetch_add(1, Relaxed)
    }

    fn value(&self) -> i64 {
        self.load(Relaxed)
    }
}

/// A counter that compares and swaps until no other thread has been faster.
pub(crate) struct CasLoop(AtomicI64);

impl SharedCounter for CasLoop {
    const NAME: &'static str = "CAS loop";

    fn zero() -> Self {
        CasLoop(AtomicI64::new(0))
    }

    fn add(&self) -> i64 {
        let mut before = self.0.load(Relaxed);
        loop {
            match self
                .0
                .compare_exchange_weak(before, before + 1, Relaxed, Relaxed)
            {
                Ok(before) => return before,
                Err(now) => before = now,
            }
        }
    }

    fn value(&self) -> i64 {
        self.0.load(Relaxed)
    }
}
