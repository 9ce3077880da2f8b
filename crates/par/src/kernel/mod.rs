//! The loop kernel: pumps items into a sink, and splits the rest on demand.
//!
//! Loops differ in three traits. The *pump* (`Pump`) is the work of one thread: the rest of a
//! producer (rest.rs), a stack of nodes, access to a sequential iterator. It takes a few items at a
//! time off the rest, which go into a *sink* (shape.rs). On the *way* there (`Way`) a loop on a
//! scope calls its body with each item and the scope.
//!
//! A run is a sequence of *steps*. Between two steps the loop checks whether a thread asks for
//! work, and whether the loop is over. When a thread asks, then or during a step (if joins or loops
//! inside it tick), the pump gives away a *part* of the rest (`sumac_core::splitting`), from which
//! the other thread creates its own pump. Parts that were not taken come back and the run goes on
//! with them: a sink creates an accumulator only where a thread starts.

mod rest;

pub(crate) use self::rest::{drive, drive_in};

use crate::{
    flag::Flag,
    shape::{Order, Sink},
    unwind::OnUnwind,
};
use sumac_core::{Returned, Scope, ScopedSplitting, Splitting, handed_over, splitting};

/// The work of one thread.
pub(crate) trait Pump {
    /// The type of the items.
    type Item;
    /// A part that it can give away.
    type Part: Send;
    /// The state of a run.
    type Run;
    /// The items of a step.
    type Items<'r>: Iterator<Item = Self::Item>
    where
        Self: 'r;

    /// The order in which it goes.
    const ORDER: Order = Order::Forward;

    /// Splits off a part behind the rest in the order of the loop, if there is enough. It may be
    /// called during a step.
    fn split(&self) -> Option<Self::Part>;

    /// Takes a part back, which then is the whole rest.
    fn put_back(&self, part: Self::Part);

    /// Starts a run, and returns its position.
    fn begin<R>(&self, parts: &mut Splitting<'_, Self::Part, R>) -> (Self::Run, usize);

    /// Takes some items off the rest, if there are any.
    fn step<'r>(&'r self, run: &'r mut Self::Run) -> Option<Step<Self::Items<'r>>>;

    /// Adapts to the last step, if items are left after it.
    fn adapt<R>(&self, _: &mut Self::Run, _: &mut Splitting<'_, Self::Part, R>) {}

    /// Goes on with a deferred part, if there is one. Only for the order *any*.
    fn resume(&self) -> bool {
        false
    }

    /// Drops the rest, which is not needed.
    fn stop(&self);
}

/// What a step takes off the rest.
pub(crate) struct Step<I> {
    pub(crate) items: I,
    /// The number of their positions, if those are exact.
    pub(crate) positions: usize,
    /// Whether nothing is left.
    pub(crate) last: bool,
}

/// The parts of a loop, outside of scopes and on one.
trait Parts<'l, P, R> {
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

/// How items are passed to the sink, in a loop whose parts are `Q`.
trait Way<T, U, Q>: Sync {
    /// Pushes items.
    fn push<S: Sink<U>, I: Iterator<Item = T>>(
        &self,
        parts: &mut Q,
        sink: &S,
        acc: &mut S::Acc,
        items: I,
    );
}

/// Items are passed on unchanged.
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

/// Items are passed to a function, together with the scope.
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

/// Pushes all items of a part into the sink; `pump` turns parts into pumps.
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

/// Pushes the results of `f` for all items of a part into the sink, in a scope.
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

/// The state that the threads of a loop share.
struct Loop<'s, S, M, W> {
    sink: &'s S,
    pump: M,
    way: W,
    /// There was a panic: threads stop.
    halted: Flag,
}

impl<'s, S, M, W> Loop<'s, S, M, W> {
    #[inline]
    fn new(sink: &'s S, pump: M, way: W) -> Self {
        Loop {
            sink,
            pump,
            way,
            halted: Flag::default(),
        }
    }

    /// Merges the outputs of neighbours, of which `near` comes first in the order of the loop.
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

    /// Returns whether a run need not go on.
    #[inline]
    fn is_over<T, P: Pump>(&self, acc: &S::Acc) -> bool
    where
        S: Sink<T>,
    {
        let last = const { matches!(P::ORDER, Order::Backward) } && self.sink.has_last(acc);
        last || self.sink.is_full(acc) || self.halted.is_raised()
    }

    #[inline]
    fn body<'l, T, P, Q>(&self, pump: &P, parts: &mut Q) -> S::Output
    where
        P: Pump<Part: 'l>,
        Q: Parts<'l, P::Part, S::Output>,
        W: Way<P::Item, T, Q>,
        S: Sink<T, Output: 'l>,
    {
        // In the body, since the others are waited for after it.
        let halt = OnUnwind(|| self.halted.raise());
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

    /// Runs the rest, and parts that come back, until another thread's output is next.
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
                let more = pump.step(&mut run).is_some_and(|step| {
                    if const { matches!(S::ORDER, Order::Forward) } {
                        sink.allot(&mut acc, step.positions);
                    }
                    self.way.push(parts, sink, &mut acc, step.items);
                    !step.last
                });
                if self.is_over::<T, P>(&acc) {
                    pump.stop();
                }
                if more {
                    parts.splitting().poll();
                    pump.adapt(&mut run, parts.splitting());
                } else if const { !matches!(P::ORDER, Order::Any) } || !pump.resume() {
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

/// What a loop gets back when its rest is done.
enum Regained<R> {
    /// A part, which is the rest now.
    Part,
    /// A thread's output of one.
    Output(R),
    Nothing,
}

/// Gets back the part that was given away last, and waits for it.
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

/// Returns the function that splits off parts, which is the same for all loops with such a pump.
#[inline]
fn splitter<P: Pump>(pump: &P) -> impl Fn() -> Option<P::Part> {
    || pump.split()
}

/// Runs parts that other threads take. It is not generic in the loop, so that the code that gives
/// parts away exists once for all loops with such parts.
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
