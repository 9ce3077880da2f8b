//! The loop kernel: runs a producer into a sink, splitting what is left on demand.
//!
//! A run takes blocks off the front of what is left, pushes each into the sink, and between blocks looks whether anybody
//! asks for work, how long the block took (block.rs), and whether the loop is over. What is left lies in a cell
//! meanwhile, where a tick, also one of a join or loop inside the block, finds it and gives its upper half away
//! (`sumac_core::splitting`). Halves nobody took come back and the run goes on with them, as if nothing had been: a
//! sink makes an accumulator only where a thread really begins.
//!
//! A loop that somebody has asked for work keeps some parts on offer from then on (`block::standing`): its next item may be a
//! thousand times heavier than the last, and while it runs nobody could ask.

use crate::{
    block,
    shape::{Producer, Sink},
};
use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicBool, Ordering},
};
use sumac_core::{Returned, Splitting, coarse_nanos, splitting};

/// Pushes everything that `producer` yields into `sink`.
#[inline]
pub(crate) fn drive<P: Producer, S: Sink<P::Item>>(producer: P, sink: &S) -> S::Output {
    let whole = Rest {
        producer,
        position: 0,
        block: 1,
    };
    let job = Loop {
        sink,
        halted: AtomicBool::new(false),
    };
    job.run(whole)
}

/// What the threads that work on one loop share.
struct Loop<'s, S> {
    sink: &'s S,
    /// Something has panicked: no need to go on.
    halted: AtomicBool,
}

/// A part of a loop that has not been run.
struct Rest<P> {
    producer: P,
    position: usize,
    /// How many positions a block had lately.
    block: usize,
}

impl<P: Producer> Rest<P> {
    /// The part before the position `at` of this rest, and what lies behind.
    #[inline]
    fn split_at(self, at: usize) -> (P, Rest<P>) {
        let (before, producer) = self.producer.split_at(at);
        // Inexact producers split where they like, and huge ranges have more positions than there are numbers.
        let position = self.position.saturating_add(before.len());
        let rest = Rest {
            producer,
            position,
            block: self.block,
        };
        (before, rest)
    }
}

/// Where the rest of a run lies while a block is running.
struct Left<P> {
    rest: Cell<Option<Rest<P>>>,
    /// Whether a block is or has been running: before that a single position is not given away.
    begun: Cell<bool>,
    /// Splitting runs code of users (`Clone`); this is its panic.
    failure: Cell<Option<Box<dyn Any + Send>>>,
}

impl<P: Producer> Left<P> {
    /// Takes what is left. What a split has lost by a panic it passes on.
    #[inline]
    fn take(&self) -> Option<Rest<P>> {
        if let Some(payload) = self.failure.take() {
            panic::resume_unwind(payload);
        }
        self.rest.take()
    }

    /// Takes the upper half; of a single position, that.
    fn split(&self) -> Option<Rest<P>> {
        let rest = self.rest.take()?;
        let len = rest.producer.len();
        if len < 2 {
            if len == 1 && self.begun.get() {
                return Some(rest);
            }
            self.rest.set(Some(rest));
            return None;
        }
        let Rest {
            position, block, ..
        } = rest;
        match panic::catch_unwind(AssertUnwindSafe(|| {
            rest.split_at(block::cut(position, len / 2))
        })) {
            Ok((producer, upper)) => {
                self.rest.set(Some(Rest {
                    producer,
                    position,
                    block,
                }));
                (upper.producer.len() > 0).then_some(upper)
            }
            Err(payload) => {
                self.failure.set(Some(payload));
                None
            }
        }
    }
}

/// Tells the other threads that this one has panicked.
struct HaltOnUnwind<'h>(&'h AtomicBool);

impl Drop for HaltOnUnwind<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<S> Loop<'_, S> {
    #[inline]
    fn run<P: Producer>(&self, rest: Rest<P>) -> S::Output
    where
        S: Sink<P::Item>,
    {
        let left = Left {
            rest: Cell::new(Some(rest)),
            begun: Cell::new(false),
            failure: Cell::new(None),
        };
        splitting(
            &|| left.split(),
            &|rest, _: &mut _| self.run(rest),
            |parts| {
                // In the body: behind it the others are waited for.
                let halt = HaltOnUnwind(&self.halted);
                let output = self.body(&left, parts);
                std::mem::forget(halt);
                output
            },
        )
    }

    #[inline]
    fn body<P: Producer>(
        &self,
        left: &Left<P>,
        parts: &mut Splitting<'_, Rest<P>, S::Output>,
    ) -> S::Output
    where
        S: Sink<P::Item>,
    {
        let sink = self.sink;
        let mut output = None;
        loop {
            let (mine, next) = self.one_run(left, parts);
            let mut merged = match output {
                None => mine,
                Some(before) => sink.merge(before, mine),
            };
            let Some(theirs) = next else { return merged };
            merged = sink.merge(merged, theirs);
            loop {
                match parts.take_back() {
                    None => return merged,
                    Some(Returned::Output(theirs)) => merged = sink.merge(merged, theirs),
                    Some(Returned::Part(rest)) => {
                        left.rest.set(Some(rest));
                        break;
                    }
                }
            }
            output = Some(merged);
        }
    }

    /// Runs what is left, and what comes back of it, until another thread's output is next.
    #[inline]
    fn one_run<P: Producer>(
        &self,
        left: &Left<P>,
        parts: &mut Splitting<'_, Rest<P>, S::Output>,
    ) -> (S::Output, Option<S::Output>)
    where
        S: Sink<P::Item>,
    {
        let sink = self.sink;
        let first = left.take();
        let first = first.expect("no block has begun, so there is something left");
        left.begun.set(true);
        let state = first.producer.state();
        let mut acc = sink.begin(first.position);
        let mut block = first.block;
        left.rest.set(Some(first));
        if block == 1 && parts.has_given() {
            parts.keep_offering(block::STANDING);
        }
        let mut since = coarse_nanos();
        loop {
            while let Some(rest) = left.take() {
                let len = rest.producer.len();
                let last = len <= block;
                let now = if last {
                    rest.producer
                } else {
                    let at = block::cut(rest.position, block);
                    let (now, mut later) = rest.split_at(at);
                    later.block = block;
                    left.rest.set(Some(later));
                    now
                };
                sink.push_all(&mut acc, now.iter(&state));
                if sink.is_full(&acc) || self.halted.load(Ordering::Relaxed) {
                    left.rest.set(None);
                }
                if last {
                    break;
                }
                parts.poll();
                let now = coarse_nanos();
                let took = now.saturating_sub(since);
                if parts.has_given() {
                    let standing = block::standing(block, took, len - block);
                    if standing > 0 {
                        parts.keep_offering(standing);
                    }
                }
                block = block::next(block, took);
                since = now;
            }
            match parts.take_back() {
                None => return (sink.finish(acc), None),
                Some(Returned::Output(theirs)) => return (sink.finish(acc), Some(theirs)),
                Some(Returned::Part(rest)) => {
                    if !sink.is_full(&acc) && !self.halted.load(Ordering::Relaxed) {
                        left.rest.set(Some(rest));
                    }
                }
            }
        }
    }
}
