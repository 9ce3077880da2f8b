//! The loop kernel: runs a producer into a sink, splitting what is left on demand.
//!
//! A run takes blocks off the front of what is left, pushes each into the sink, and between blocks looks whether anybody
//! asks for work, how long the block took (block.rs), and whether the loop is over. What is left lies in a cell
//! meanwhile, where a tick, also one of a join or loop inside the block, finds it and gives its upper half away
//! (`sumac_core::splitting`). Halves nobody took come back and the run goes on with them, as if nothing had been: a
//! sink makes an accumulator only where a thread really begins.
//!
//! A search may begin at the end, or try several places (`Order`). A loop that goes *backward*
//! counts its positions from the end, takes blocks off there, and gives its lower half away. Where
//! *any* order will do, a run that has gone on for a while halves what is left, puts both halves
//! behind what it has put off before, and goes on with the part that has waited longest. So after a
//! time `t` it has tried about the square root of `t` places, evenly spread, as it grows more
//! patient with each; what it has put off it gives away first.
//!
//! A loop that somebody has asked for work keeps some parts on offer from then on (`block::standing`): its next item may be a
//! thousand times heavier than the last, and while it runs nobody could ask.

use crate::{
    block,
    left::{Left, Rest},
    shape::{Order, Producer, Sink},
};
use std::{
    ops::DerefMut,
    sync::atomic::{AtomicBool, Ordering},
};
use sumac_core::{
    Returned, Scope, ScopedSplitting, Splitting, coarse_nanos, handed_over, splitting,
};

/// Pushes everything that `producer` yields into `sink`.
#[inline]
pub(crate) fn drive<P: Producer, S: Sink<P::Item>>(producer: P, sink: &S) -> S::Output {
    let whole = Rest::new(producer);
    let job = Loop::new(sink, whole.len);
    handed_over(|| job.run(whole))
}

/// Pushes what `f` makes of everything that `producer` yields into `sink`, in a scope: `f` gets the
/// one to go on with.
pub(crate) fn drive_in<P, F, R, S>(scope: &mut Scope<'_>, producer: P, f: &F, sink: &S) -> S::Output
where
    P: Producer,
    F: Fn(&mut Scope<'_>, P::Item) -> R + Sync,
    S: Sink<R>,
{
    let whole = Rest::new(producer);
    Loop::new(sink, whole.len).run_in(scope, whole, f)
}

/// What the threads that work on one loop share.
struct Loop<'s, S> {
    sink: &'s S,
    /// How many positions all of it has.
    len: usize,
    /// Something has panicked: no need to go on.
    halted: AtomicBool,
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

impl<'s, S> Loop<'s, S> {
    #[inline]
    fn new(sink: &'s S, len: usize) -> Self {
        Loop {
            sink,
            len,
            halted: AtomicBool::new(false),
        }
    }

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
        let left = Left::new(rest, S::ORDER);
        splitting(
            &|| left.split(),
            &|rest, _: &mut _| self.run(rest),
            |mut parts| {
                let push = |acc: &mut S::Acc, items, _: &mut _| self.sink.push_all(acc, items);
                self.body(&left, &mut parts, &push)
            },
        )
    }

    fn run_in<P, F, R>(&self, scope: &mut Scope<'_>, rest: Rest<P>, f: &F) -> S::Output
    where
        P: Producer,
        F: Fn(&mut Scope<'_>, P::Item) -> R + Sync,
        S: Sink<R>,
    {
        let left = Left::new(rest, S::ORDER);
        scope.splitting(
            &|| left.split(),
            &|rest, scope: &mut Scope<'_>| self.run_in(scope, rest, f),
            |parts| {
                let push =
                    |acc: &mut S::Acc, items: P::Iter, parts: &mut ScopedSplitting<'_, _, _>| {
                        self.sink
                            .push_all(acc, items.map(|item| f(parts.scope(), item)));
                    };
                self.body(&left, parts, &push)
            },
        )
    }

    /// `push` pushes a block.
    #[inline]
    fn body<'l, T, P, Q, F>(&self, left: &Left<P>, parts: &mut Q, push: &F) -> S::Output
    where
        P: Producer + 'l,
        S: Sink<T, Output: 'l>,
        Q: DerefMut<Target = Splitting<'l, Rest<P>, S::Output>>,
        F: Fn(&mut S::Acc, P::Iter, &mut Q),
    {
        // Behind the body the others are waited for.
        let halt = HaltOnUnwind(&self.halted);
        let sink = self.sink;
        let mut output = None;
        let all = 'all: loop {
            let (mine, next) = self.one_run(left, parts, push);
            let mut merged = match output {
                None => mine,
                Some(before) => merge(sink, before, mine),
            };
            let Some(theirs) = next else { break merged };
            merged = merge(sink, merged, theirs);
            loop {
                match parts.take_back() {
                    None => break 'all merged,
                    Some(Returned::Output(theirs)) => merged = merge(sink, merged, theirs),
                    Some(Returned::Part(rest)) => {
                        left.rest.set(Some(rest));
                        break;
                    }
                }
            }
            output = Some(merged);
        };
        std::mem::forget(halt);
        all
    }

    /// Runs what is left, and what comes back of it, until another thread's output is next.
    #[inline]
    fn one_run<'l, T, P, Q, F>(
        &self,
        left: &Left<P>,
        parts: &mut Q,
        push: &F,
    ) -> (S::Output, Option<S::Output>)
    where
        P: Producer + 'l,
        S: Sink<T, Output: 'l>,
        Q: DerefMut<Target = Splitting<'l, Rest<P>, S::Output>>,
        F: Fn(&mut S::Acc, P::Iter, &mut Q),
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
                push(&mut acc, now.producer.iter(&state), parts);
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
