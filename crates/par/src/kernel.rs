//! The loop kernel: runs a producer into a sink, splitting what is left on demand.
//!
//! A run takes blocks off the front of what is left, pushes each into the sink, and between blocks
//! looks whether a thread asks for work, how long the block took (block.rs), and whether the loop
//! is over. What is left lies in a cell meanwhile, where a tick, also one of a join or loop inside
//! the block, finds it and gives its upper half away (`sumac_core::splitting`). Halves that were
//! not taken come back and the run goes on with them, as if nothing had been: a sink makes an
//! accumulator only where a thread really begins.
//!
//! A search may begin at the end, or try several places (`Order`). A loop that goes *backward*
//! counts its positions from the end, takes blocks off there, and gives its lower half away. Where
//! *any* order will do, a run that has gone on for a while halves what is left, puts both halves
//! behind what it has put off before, and goes on with the part that has waited longest. So after a
//! time `t` it has tried about the square root of `t` places, evenly spread, as it grows more
//! patient with each; what it has put off it gives away first.
//!
//! A loop that has been asked for work keeps some parts on offer from then on
//! (`block::standing`): its next item may be a thousand times heavier than the last, and while it
//! runs no thread could ask.

use crate::{
    block,
    shape::{Order, Producer, Sink},
};
use std::{
    any::Any,
    cell::Cell,
    collections::VecDeque,
    panic::{self, AssertUnwindSafe},
    sync::atomic::{AtomicBool, Ordering},
};
use sumac_core::{Returned, Splitting, coarse_nanos, handed_over, splitting};

/// Pushes everything that `producer` yields into `sink`.
#[inline]
pub(crate) fn drive<P: Producer, S: Sink<P::Item>>(producer: P, sink: &S) -> S::Output {
    let whole = Rest {
        len: producer.len(),
        producer,
        position: 0,
        block: 1,
    };
    let job = Loop {
        sink,
        len: whole.len,
        halted: AtomicBool::new(false),
    };
    handed_over(|| job.run(whole))
}

/// What the threads that work on one loop share.
struct Loop<'s, S> {
    sink: &'s S,
    /// How many positions all of it has.
    len: usize,
    /// Something has panicked: no need to go on.
    halted: AtomicBool,
}

/// A part of a loop that has not been run.
///
/// Its positions are those from `position` on, `len` of them, counted from the end of the loop if
/// that goes backward. A split divides them between the
/// parts, wherever the producer was split and whatever it says. So parts share none, and sinks may
/// rely on it (*allotted once*, shape.rs).
struct Rest<P> {
    producer: P,
    position: usize,
    len: usize,
    /// How many positions a block had lately.
    block: usize,
}

impl<P: Producer> Rest<P> {
    /// The part before the position `at` of this rest, and what lies behind, as the loop goes.
    #[inline]
    fn split_at(self, at: usize, order: Order) -> (Rest<P>, Rest<P>) {
        self.split(order, |producer| match order {
            Order::Backward => producer.split_last(at),
            Order::Forward | Order::Any => producer.split_at(at),
        })
    }

    /// The half that comes first, and the other one.
    fn halve(self, order: Order) -> (Rest<P>, Rest<P>) {
        let len = self.producer.len();
        if len == usize::MAX {
            return self.split(order, Producer::halve);
        }
        let middle = block::cut(self.position, len / 2);
        self.split_at(middle, order)
    }

    #[inline]
    fn split(self, order: Order, split: impl FnOnce(P) -> (P, P)) -> (Rest<P>, Rest<P>) {
        let (left, right) = split(self.producer);
        let (before, behind) = match order {
            Order::Backward => (right, left),
            Order::Forward | Order::Any => (left, right),
        };
        // Inexact producers split where they like, and huge ranges have more positions than there
        // are numbers.
        let len = before.len().min(self.len);
        let part = |producer, position, len| Rest {
            producer,
            position,
            len,
            block: self.block,
        };
        (
            part(before, self.position, len),
            part(behind, self.position.saturating_add(len), self.len - len),
        )
    }
}

/// What has been put off, the oldest first. Behind a pointer, as only long searches have any, and
/// every loop makes a `Left`.
struct Aside<P>(VecDeque<Rest<P>>);

/// Where the rest of a run lies while a block is running.
struct Left<P> {
    rest: Cell<Option<Rest<P>>>,
    /// Where the order does not matter: what has been put off, once anything has.
    aside: Cell<Option<Box<Aside<P>>>>,
    order: Order,
    /// Whether a block is or has been running: before that a single position is not given away.
    begun: Cell<bool>,
    /// Splitting runs code of users (`Clone`); this is its panic.
    failure: Cell<Option<Box<dyn Any + Send>>>,
}

impl<P: Producer> Left<P> {
    /// Takes what is left. If a panic of a split has lost that, it goes on here.
    #[inline]
    fn take(&self) -> Option<Rest<P>> {
        let rest = self.rest.take();
        if rest.is_none() {
            if let Some(payload) = self.failure.take() {
                panic::resume_unwind(payload);
            }
        }
        rest
    }

    /// Puts off what thieves have left of what was given, and the halves of what is left; goes on
    /// with what was put off first.
    #[cold]
    fn leap<R>(&self, parts: &mut Splitting<'_, Rest<P>, R>) {
        let Some(rest) = self.take() else { return };
        let (near, far) = rest.halve(self.order);
        let none = || Box::new(Aside(VecDeque::new()));
        let mut aside = self.aside.take().unwrap_or_else(none);
        while let Some(part) = parts.reclaim() {
            aside.0.push_back(part);
        }
        aside.0.push_back(far);
        aside.0.push_back(near);
        self.rest.set(aside.0.pop_front());
        self.aside.set(Some(aside));
    }

    /// Goes on with what was put off first, if anything was.
    fn resume(&self) -> bool {
        let next = self.take_aside(VecDeque::pop_front);
        let any = next.is_some();
        self.rest.set(next);
        any
    }

    /// Takes one of what has been put off.
    #[inline]
    fn take_aside(
        &self,
        pop: impl FnOnce(&mut VecDeque<Rest<P>>) -> Option<Rest<P>>,
    ) -> Option<Rest<P>> {
        let mut aside = self.aside.take()?;
        let part = pop(&mut aside.0);
        self.aside.set(Some(aside));
        part
    }

    /// Forgets what is left.
    fn clear(&self) {
        self.rest.set(None);
        drop(self.aside.take());
    }

    /// Takes what was put off last, else the farther half of what is left; of a single position,
    /// that.
    fn split(&self) -> Option<Rest<P>> {
        if self.order == Order::Any {
            let last = self.take_aside(VecDeque::pop_back);
            if last.is_some() {
                return last;
            }
        }
        let rest = self.rest.take()?;
        let len = rest.producer.len();
        if len < 2 {
            if len == 1 && self.begun.get() {
                return Some(rest);
            }
            self.rest.set(Some(rest));
            return None;
        }
        match panic::catch_unwind(AssertUnwindSafe(|| rest.halve(self.order))) {
            // Inexact producers do not always find a place in between.
            Ok((near, far)) if near.producer.len() == 0 => {
                self.rest.set(Some(far));
                None
            }
            Ok((near, far)) => {
                self.rest.set(Some(near));
                (far.producer.len() > 0).then_some(far)
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

/// Puts the outputs of neighbours together, of which `near` comes first as the loop goes.
#[inline]
fn merge<T, S: Sink<T>>(sink: &S, near: S::Output, far: S::Output) -> S::Output {
    match S::ORDER {
        Order::Backward => sink.merge(far, near),
        Order::Forward | Order::Any => sink.merge(near, far),
    }
}

/// For how many nanoseconds a run whose order does not matter goes on in one place, the first time.
const PATIENCE: u64 = 100_000;

impl<S> Loop<'_, S> {
    /// Whether a run need not go on.
    #[inline]
    fn is_over<T>(&self, acc: &S::Acc) -> bool
    where
        S: Sink<T>,
    {
        let last = S::ORDER == Order::Backward && self.sink.has_last(acc);
        last || self.sink.is_full(acc) || self.halted.load(Ordering::Relaxed)
    }

    #[inline]
    fn run<P: Producer>(&self, rest: Rest<P>) -> S::Output
    where
        S: Sink<P::Item>,
    {
        let left = Left {
            rest: Cell::new(Some(rest)),
            aside: Cell::default(),
            order: S::ORDER,
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
                Some(before) => merge(sink, before, mine),
            };
            let Some(theirs) = next else { return merged };
            merged = merge(sink, merged, theirs);
            loop {
                match parts.take_back() {
                    None => return merged,
                    Some(Returned::Output(theirs)) => merged = merge(sink, merged, theirs),
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
        let mut acc = sink.begin(match S::ORDER {
            Order::Backward => self.len.saturating_sub(first.position),
            Order::Forward | Order::Any => first.position,
        });
        let mut block = first.block;
        left.rest.set(Some(first));
        if block == 1 && parts.has_given() {
            parts.keep_offering(block::STANDING);
        }
        let mut since = coarse_nanos();
        let (mut leapt, mut patience) = (since, PATIENCE);
        loop {
            while let Some(rest) = left.take() {
                let len = rest.producer.len();
                let last = len <= block;
                let now = if last {
                    rest
                } else {
                    let at = block::cut(rest.position, block);
                    let (now, mut later) = rest.split_at(at, S::ORDER);
                    later.block = block;
                    left.rest.set(Some(later));
                    now
                };
                let nothing = S::ORDER == Order::Backward && now.producer.len() == 0;
                if S::ORDER == Order::Forward {
                    sink.allot(&mut acc, now.len);
                }
                sink.push_all(&mut acc, now.producer.iter(&state));
                if self.is_over(&acc) {
                    left.clear();
                }
                if last {
                    if S::ORDER == Order::Any && left.resume() {
                        continue;
                    }
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
                if S::ORDER == Order::Any && now.saturating_sub(leapt) > patience {
                    left.leap(parts);
                    leapt = now;
                    patience += PATIENCE;
                }
                block = if nothing {
                    // No place was found to cut at so far from the end.
                    block.saturating_mul(2)
                } else {
                    block::next(block, took)
                };
                since = now;
            }
            match parts.take_back() {
                None => return (sink.finish(acc), None),
                Some(Returned::Output(theirs)) => return (sink.finish(acc), Some(theirs)),
                Some(Returned::Part(rest)) => {
                    if !self.is_over(&acc) {
                        left.rest.set(Some(rest));
                    }
                }
            }
        }
    }
}
