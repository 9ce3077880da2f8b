//! `FastCounter`: a counter whose callers first try an atomic operation.

use crate::{
    protocol::batched::Batched,
    structure::{BatchedStructure, Plain, Request},
};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};
use sumac_core::Scope;

/// A counter whose callers first try a compare-and-swap, and enter a batch if another thread was
/// faster: so that under contention one processor adds for many. (The variant FF of the batching
/// fork of domainslib.)
///
/// # Examples
///
/// ```
/// let counter = sumac::batch::FastCounter::new(5);
/// assert_eq!(counter.add(2), 5);
/// assert_eq!(counter.get(), 7);
/// ```
#[derive(Debug)]
pub struct FastCounter {
    value: Arc<AtomicI64>,
    batched: Batched<Additions>,
}

/// Adds to a counter to which other threads add as well.
struct Additions(Arc<AtomicI64>);

impl BatchedStructure for Additions {
    type Op = i64;
    type Answer = i64;

    /// One access to the shared value for the whole batch.
    fn run(&mut self, _: &mut Scope<'_>, batch: &mut [Request<i64, i64>]) {
        let sum = batch
            .iter()
            .fold(0, |sum: i64, r| sum.wrapping_add(*r.op()));
        let mut before = self.0.fetch_add(sum, Ordering::AcqRel);
        for request in batch {
            let addend = request.take_op();
            request.answer(before);
            before = before.wrapping_add(addend);
        }
    }

    #[inline]
    fn run_one(&mut self, n: i64) -> Result<i64, i64> {
        Ok(self.0.fetch_add(n, Ordering::AcqRel))
    }
}

impl FastCounter {
    /// Creates a counter with an initial value.
    ///
    /// ```
    /// assert_eq!(sumac::batch::FastCounter::new(7).get(), 7);
    /// ```
    pub fn new(value: i64) -> Self {
        let value = Arc::new(AtomicI64::new(value));
        FastCounter {
            batched: Batched::new(Additions(Arc::clone(&value))),
            value,
        }
    }

    /// Adds `n`, wrapping around, and returns the value before.
    ///
    /// # Examples
    ///
    /// ```
    /// let counter = sumac::batch::FastCounter::new(0);
    /// let (a, b) = sumac::join(|| counter.add(1), || counter.add(1));
    /// assert_eq!(a + b, 1);
    /// assert_eq!(counter.get(), 2);
    /// ```
    ///
    /// # Cost
    /// That of one atomic operation if no other thread adds at the same time, else that of
    /// [`Batched::apply`].
    #[inline]
    pub fn add(&self, n: i64) -> i64 {
        let seen = self.value.load(Ordering::Relaxed);
        let tried = self.value.compare_exchange(
            seen,
            seen.wrapping_add(n),
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        tried.unwrap_or_else(|_| self.batched.apply(Plain(n)))
    }

    /// Returns the value.
    ///
    /// ```
    /// let counter = sumac::batch::FastCounter::new(5);
    /// counter.add(2);
    /// assert_eq!(counter.get(), 7);
    /// ```
    pub fn get(&self) -> i64 {
        self.value.load(Ordering::Acquire)
    }
}
