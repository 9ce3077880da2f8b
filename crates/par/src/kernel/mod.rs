//! The loop kernel: pumps items into a sink, and splits what is left on demand.
//!
//! Three things differ between loops, and each is a trait. The *pump* is what one thread works on
//! (`Pump`): what is left of a producer (rest.rs), a stack of nodes, a place at a sequential
//! iterator. It pushes a few items at a time into a *sink* (shape.rs). On the *way* there (`Way`)
//! the items of a loop on a scope meet the body, which gets the scope to go on with.
//!
//! A run is a succession of *steps*. Between two of them the loop looks whether a thread asks for
//! work, and whether the loop is over. When a thread asks, then or while a step is running (if
//! joins or loops inside it tick), the pump gives away a *part* of what is left
//! (`sumac_core::splitting`), of which the other thread makes a pump of its own. Parts that were
//! not taken come back and the run goes on with them, as if nothing had been: a sink makes an
//! accumulator only where a thread really begins.

mod rest;

pub(crate) use self::rest::{drive, drive_in};

use crate::shape::{Order, Sink};
use std::sync::atomic::{AtomicBool, Ordering};
use sumac_core::{Returned, Scope, ScopedSplitting, Splitting, handed_over, splitting};

/// What one thread works on.
pub(crate) trait Pump {
    /// What it pushes.
    type Item;
    /// What it can give away.
    type Part: Send;
    /// What it has for a run.
    type Run;

    /// The order in which it goes.
    const ORDER: Order = Order::Forward;

    /// Takes a part off what is left, if there is enough: behind the rest of it, as the loop goes.
    /// It may be called while a step is running.
    fn split(&self) -> Option<Self::Part>;

    /// Gets a part back, as all that is left.
    fn put_back(&self, part: Self::Part);

    /// Begins a run, and says at which position.
    fn begin<R>(&self, parts: &mut Splitting<'_, Self::Part, R>) -> (Self::Run, usize);

    /// Pushes some items; false if there is nothing left.
    fn step<U, W, S, Q>(
        &self,
        run: &mut Self::Run,
        way: &W,
        sink: &S,
        acc: &mut S::Acc,
        parts: &mut Q,
    ) -> bool
    where
        W: Way<Self::Item, U, Q>,
        S: Sink<U>;

    /// Adapts what it does to what was seen of the last step, behind which there is something left.
    fn adapt<R>(&self, _: &mut Self::Run, _: &mut Splitting<'_, Self::Part, R>) {}

    /// Goes on with what was put off, if anything was. Where any order will do.
    fn resume(&self) -> bool {
        false
    }

    /// What is left is not needed.
    fn stop(&self);
}

/// The parts of a loop, outside of scopes and on one.
pub(crate) trait Parts<'l, P, R> {
    fn splitting(&mut self) -> &mut Splitting<'l, P, R>;
}

impl<'l, P, R> Parts<'l, P, R> for Splitting<'l, P, R> {
    #[inline(always)]
    fn splitting(&mut self) -> &mut Splitting<'l, P, R> {
        self
    }
}

impl<'l, P, R> Parts<'l, P, R> for ScopedSplitting<'l, P, R> {
    #[inline(always)]
    fn splitting(&mut self) -> &mut Splitting<'l, P, R> {
        self
    }
}

/// How items become what the sink gets, in a loop whose parts are `Q`.
pub(crate) trait Way<T, U, Q>: Sync {
    /// Pushes items.
    fn push<S: Sink<U>, I: Iterator<Item = T>>(
        &self,
        parts: &mut Q,
        sink: &S,
        acc: &mut S::Acc,
        items: I,
    );
}

/// They stay what they are.
struct Straight;

impl<T, Q> Way<T, T, Q> for Straight {
    #[inline(always)]
    fn push<S: Sink<T>, I: Iterator<Item = T>>(
        &self,
        _: &mut Q,
        sink: &S,
        acc: &mut S::Acc,
        items: I,
    ) {
        sink.push_all(acc, items);
    }
}

/// They are given to a function, with the scope to go on with.
struct Scoped<'f, F>(&'f F);

impl<'l, T, U, F, P, R> Way<T, U, ScopedSplitting<'l, P, R>> for Scoped<'_, F>
where
    F: Fn(&mut Scope<'_>, T) -> U + Sync,
{
    #[inline(always)]
    fn push<S: Sink<U>, I: Iterator<Item = T>>(
        &self,
        parts: &mut ScopedSplitting<'l, P, R>,
        sink: &S,
        acc: &mut S::Acc,
        items: I,
    ) {
        let scope = parts.scope();
        sink.push_all(acc, items.map(|item| (self.0)(scope, item)));
    }
}

/// Pushes all that comes of a part into the sink; `pump` makes pumps of parts.
#[inline]
pub(crate) fn pump<P, S, M>(part: P::Part, sink: &S, pump: M) -> S::Output
where
    P: Pump,
    S: Sink<P::Item>,
    M: Fn(P::Part) -> P + Sync,
{
    let job = Loop::new(sink, pump, Straight);
    handed_over(|| job.run(part))
}

/// Pushes what `f` makes of all that comes of a part into the sink, in a scope.
fn pump_in<P, S, M, F, U>(
    scope: &mut Scope<'_>,
    part: P::Part,
    sink: &S,
    pump: M,
    f: &F,
) -> S::Output
where
    P: Pump,
    S: Sink<U>,
    M: Fn(P::Part) -> P + Sync,
    F: Fn(&mut Scope<'_>, P::Item) -> U + Sync,
{
    Loop::new(sink, pump, Scoped(f)).run_in(scope, part)
}

/// What the threads that work on one loop share.
struct Loop<'s, S, M, W> {
    sink: &'s S,
    pump: M,
    way: W,
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

impl<'s, S, M, W> Loop<'s, S, M, W> {
    #[inline]
    fn new(sink: &'s S, pump: M, way: W) -> Self {
        Loop {
            sink,
            pump,
            way,
            halted: AtomicBool::new(false),
        }
    }

    /// Puts the outputs of neighbours together, of which `near` comes first as the loop goes.
    #[inline]
    fn merge<T, P: Pump>(&self, near: Option<S::Output>, far: S::Output) -> S::Output
    where
        S: Sink<T>,
    {
        let Some(near) = near else { return far };
        match P::ORDER {
            Order::Backward => self.sink.merge(far, near),
            Order::Forward | Order::Any => self.sink.merge(near, far),
        }
    }

    /// Whether a run need not go on.
    #[inline]
    fn is_over<T, P: Pump>(&self, acc: &S::Acc) -> bool
    where
        S: Sink<T>,
    {
        let last = P::ORDER == Order::Backward && self.sink.has_last(acc);
        last || self.sink.is_full(acc) || self.halted.load(Ordering::Relaxed)
    }

    #[inline]
    fn body<'l, T, P, Q>(&self, pump: &P, parts: &mut Q) -> S::Output
    where
        P: Pump<Part: 'l>,
        Q: Parts<'l, P::Part, S::Output>,
        W: Way<P::Item, T, Q>,
        S: Sink<T, Output: 'l>,
    {
        // In the body: behind it the others are waited for.
        let halt = HaltOnUnwind(&self.halted);
        let mut output = None;
        loop {
            let (mine, mut next) = self.one_run(pump, parts);
            let mut all = self.merge::<T, P>(output, mine);
            while let Regained::Output(theirs) = next {
                all = self.merge::<T, P>(Some(all), theirs);
                next = regain(pump, parts.splitting());
            }
            if let Regained::Nothing = next {
                std::mem::forget(halt);
                return all;
            }
            output = Some(all);
        }
    }

    /// Runs what is left, and what comes back of it, until another thread's output is next.
    #[inline]
    fn one_run<'l, T, P, Q>(&self, pump: &P, parts: &mut Q) -> (S::Output, Regained<S::Output>)
    where
        P: Pump<Part: 'l>,
        Q: Parts<'l, P::Part, S::Output>,
        W: Way<P::Item, T, Q>,
        S: Sink<T, Output: 'l>,
    {
        let sink = self.sink;
        let (mut run, position) = pump.begin(parts.splitting());
        let mut acc = sink.begin(position);
        loop {
            loop {
                let more = pump.step(&mut run, &self.way, sink, &mut acc, parts);
                if self.is_over::<T, P>(&acc) {
                    pump.stop();
                }
                if more {
                    parts.splitting().poll();
                    pump.adapt(&mut run, parts.splitting());
                } else if P::ORDER != Order::Any || !pump.resume() {
                    break;
                }
            }
            let next = regain(pump, parts.splitting());
            let Regained::Part = next else {
                return (sink.finish(acc), next);
            };
            if self.is_over::<T, P>(&acc) {
                pump.stop();
            }
        }
    }
}

/// What a loop gets back once nothing is left.
enum Regained<R> {
    /// A part, which is left now.
    Part,
    /// What a thread has made of one.
    Output(R),
    Nothing,
}

/// Gets back what was given last; waits for it.
#[inline(never)]
fn regain<P: Pump, R>(pump: &P, parts: &mut Splitting<'_, P::Part, R>) -> Regained<R> {
    match parts.take_back() {
        None => Regained::Nothing,
        Some(Returned::Output(theirs)) => Regained::Output(theirs),
        Some(Returned::Part(part)) => {
            pump.put_back(part);
            Regained::Part
        }
    }
}

/// How parts are taken off: the same for all loops with such a pump.
#[inline]
fn splitter<P: Pump>(pump: &P) -> impl Fn() -> Option<P::Part> {
    || pump.split()
}

/// What runs parts that other threads take. Not generic in the loop, so that what gives parts away
/// is there once for all with such parts.
type Runner<'r, P, R> = &'r (dyn Fn(P, &mut Scope<'_>) -> R + Sync);

impl<S, M> Loop<'_, S, M, Straight> {
    #[inline]
    fn run<P>(&self, part: P::Part) -> S::Output
    where
        P: Pump,
        S: Sink<P::Item>,
        M: Fn(P::Part) -> P + Sync,
    {
        let pump = (self.pump)(part);
        let run: Runner<'_, _, _> = &|part, _| self.run(part);
        splitting(&splitter(&pump), &run, |parts| self.body(&pump, parts))
    }
}

impl<S, M, F> Loop<'_, S, M, Scoped<'_, F>> {
    fn run_in<P, U>(&self, scope: &mut Scope<'_>, part: P::Part) -> S::Output
    where
        P: Pump,
        S: Sink<U>,
        M: Fn(P::Part) -> P + Sync,
        F: Fn(&mut Scope<'_>, P::Item) -> U + Sync,
    {
        let pump = (self.pump)(part);
        let run: Runner<'_, _, _> = &|part, scope| self.run_in(scope, part);
        scope.splitting(&splitter(&pump), &run, |parts| self.body(&pump, parts))
    }
}
