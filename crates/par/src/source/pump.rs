//! Loops over what is no producer, since its number of items is unknown: trees, and sequential
//! iterators.
//!
//! A *pump* is what one thread works on: it pushes a few items at a time into a sink, and between
//! two *steps* (or while one is running, if joins or loops inside it tick) gives away a *part* of
//! what is left, from which another thread makes a pump of its own. All runs begin at position 0:
//! positions need not be exact, only not decrease.
//!
//! What is said in kernel.rs of halves that come back, and of panics, is true here as well.

use crate::shape::Sink;
use std::sync::atomic::{AtomicBool, Ordering};
use sumac_core::{Returned, Splitting, handed_over, splitting};

/// What one thread works on.
pub(crate) trait Pump<T> {
    /// What it can give away.
    type Part: Send;

    /// Takes a part off the end of what is left, if there is enough. It may be called while a step
    /// is running.
    fn split(&self) -> Option<Self::Part>;

    /// Gets a part back, as all that is left.
    fn put_back(&self, part: Self::Part);

    /// Pushes some items into the sink; false if there is nothing left.
    fn step<S: Sink<T>>(&self, sink: &S, acc: &mut S::Acc) -> bool;

    /// What is left is not needed.
    fn stop(&self);
}

/// Pushes all that comes of a part into the sink; `pump` makes pumps of parts.
pub(crate) fn drive<T, P, S, M>(part: P::Part, sink: &S, pump: &M) -> S::Output
where
    P: Pump<T>,
    S: Sink<T>,
    M: Fn(P::Part) -> P + Sync,
{
    let halted = AtomicBool::new(false);
    let job = Job {
        sink,
        pump,
        halted: &halted,
    };
    handed_over(|| job.run(part))
}

/// What the threads that work on one loop share.
struct Job<'j, S, M> {
    sink: &'j S,
    pump: &'j M,
    /// Something has panicked: no need to go on.
    halted: &'j AtomicBool,
}

/// Tells the other threads that this one has panicked.
struct HaltOnUnwind<'h>(&'h AtomicBool);

impl Drop for HaltOnUnwind<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<S, M> Job<'_, S, M> {
    fn run<T, P>(&self, part: P::Part) -> S::Output
    where
        P: Pump<T>,
        S: Sink<T>,
        M: Fn(P::Part) -> P + Sync,
    {
        let pump = (self.pump)(part);
        splitting(
            &|| pump.split(),
            &|part, _: &mut _| self.run(part),
            |parts| {
                // In the body: behind it the others are waited for.
                let halt = HaltOnUnwind(self.halted);
                let output = self.body(&pump, parts);
                std::mem::forget(halt);
                output
            },
        )
    }

    fn body<T, P: Pump<T>>(
        &self,
        pump: &P,
        parts: &mut Splitting<'_, P::Part, S::Output>,
    ) -> S::Output
    where
        S: Sink<T>,
    {
        let mut output = None;
        loop {
            let (mine, theirs) = self.one_run(pump, parts);
            let mut merged = match output {
                None => mine,
                Some(before) => self.sink.merge(before, mine),
            };
            let Some(theirs) = theirs else { return merged };
            merged = self.sink.merge(merged, theirs);
            loop {
                match parts.take_back() {
                    None => return merged,
                    Some(Returned::Output(theirs)) => merged = self.sink.merge(merged, theirs),
                    Some(Returned::Part(part)) => {
                        pump.put_back(part);
                        break;
                    }
                }
            }
            output = Some(merged);
        }
    }

    /// Runs what is left, and what comes back of it, until another thread's output is next.
    fn one_run<T, P: Pump<T>>(
        &self,
        pump: &P,
        parts: &mut Splitting<'_, P::Part, S::Output>,
    ) -> (S::Output, Option<S::Output>)
    where
        S: Sink<T>,
    {
        let sink = self.sink;
        let mut acc = sink.begin(0);
        let mut needed = true;
        loop {
            while needed && pump.step(sink, &mut acc) {
                needed = !self.halted.load(Ordering::Relaxed) && !sink.is_full(&acc);
                if needed {
                    parts.poll();
                } else {
                    pump.stop();
                }
            }
            match parts.take_back() {
                None => return (sink.finish(acc), None),
                Some(Returned::Output(theirs)) => return (sink.finish(acc), Some(theirs)),
                Some(Returned::Part(part)) => {
                    if needed {
                        pump.put_back(part);
                    }
                }
            }
        }
    }
}
