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
//!
//! **Tasks and calls wait** in a pool whose callers take no part, while all of its workers are in
//! one long loop. So a thread that has taken a part asks now and then whether it is needed
//! elsewhere. If it is, and no part of its part is with another thread, it ends its run there, and
//! gives back all that is left, to the thread that it was taken from: that one goes on with it when
//! it comes to this part, and offers it anew. Among the threads that have taken parts of a loop one
//! is always such that no other thread has a part of its part; so step by step, each after at most
//! this time, they become free, but for the one that began the loop.

mod rest;

pub(crate) use self::rest::{drive, drive_in};

use crate::{
    flag::Flag,
    shape::{Order, Sink},
    unwind::OnUnwind,
};
use sumac_core::{
    Returned, Scope, ScopedSplitting, Splitting, handed_over, is_needed_elsewhere, splitting,
};

/// How often a thread that has taken a part asks whether it is needed elsewhere, in nanoseconds.
const ASK_EVERY: u64 = 500_000;

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

    /// Adapts to the last step, if items are left after it. Returns the time, if it looks at the
    /// clock.
    fn adapt<R>(
        &self,
        run: &mut Self::Run,
        parts: &mut Splitting<'_, Self::Part, R>,
    ) -> Option<u64>;

    /// Goes on with a deferred part, if there is one. Only for the order *any*.
    fn resume(&self) -> bool {
        false
    }

    /// Gives up the whole rest, as parts in the order of the loop.
    fn give_up(&self) -> Vec<Self::Part>;

    /// Drops the rest, which is not needed.
    fn stop(&self);
}

/// What a thread has made of a part, and the parts behind that, in order, that it gives back.
struct Outcome<R, P> {
    output: R,
    left: Vec<P>,
}

/// When a thread asks next whether it is needed elsewhere: first after a while.
struct Asks(u64);

impl Asks {
    const NEVER: Asks = Asks(u64::MAX);
    const LATER: Asks = Asks(0);

    #[inline]
    fn is_due(&mut self, now: Option<u64>) -> bool {
        let Some(now) = now.filter(|now| *now >= self.0) else {
            return false;
        };
        let is_due = self.0 > 0;
        self.0 = now.saturating_add(ASK_EVERY);
        is_due
    }
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
    handed_over(|| job.run(part, Asks::NEVER).output)
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
    let job = Loop::new(sink, pump, Scoped(f));
    job.run_in(scope, part, Asks::NEVER).output
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
        let last = P::ORDER == Order::Backward && self.sink.has_last(acc);
        last || self.sink.is_full(acc) || self.halted.is_raised()
    }

    /// Runs the rest of `pump`, and what comes back of it; `again` runs a part whole.
    #[inline]
    fn body<'l, T, P, Q>(
        &self,
        pump: &P,
        parts: &mut Q,
        mut asks: Asks,
        again: impl Fn(&mut Q, P::Part) -> S::Output,
    ) -> Outcome<S::Output, P::Part>
    where
        P: Pump<Part: 'l>,
        Q: Parts<'l, P::Part, Outcome<S::Output, P::Part>>,
        W: Way<P::Item, T, Q>,
        S: Sink<T, Output: 'l>,
    {
        // In the body, since the others are waited for after it.
        let halt = OnUnwind(|| self.halted.raise());
        let mut output = None;
        loop {
            let (mine, mut next) = self.one_run(pump, parts, &mut asks);
            let mut all = self.merge::<T, P>(output, mine);
            let left = loop {
                let left = match next {
                    Regained::Part => break None,
                    Regained::Nothing => break Some(Vec::new()),
                    Regained::Output(theirs) => {
                        all = self.merge::<T, P>(Some(all), theirs.output);
                        theirs.left
                    }
                    Regained::Left(left) if parts.splitting().has_none() => break Some(left),
                    // Meanwhile a thread has taken what comes after these.
                    Regained::Left(left) => left,
                };
                for part in left {
                    let theirs = again(parts, part);
                    all = self.merge::<T, P>(Some(all), theirs);
                }
                next = regain(pump, parts.splitting());
            };
            if let Some(left) = left {
                std::mem::forget(halt);
                return Outcome { output: all, left };
            }
            output = Some(all);
        }
    }

    /// Runs the rest, and parts that come back, until another thread's output is next, or this one
    /// is needed elsewhere.
    #[inline]
    fn one_run<'l, T, P, Q>(
        &self,
        pump: &P,
        parts: &mut Q,
        asks: &mut Asks,
    ) -> (S::Output, Regained<S::Output, P::Part>)
    where
        P: Pump<Part: 'l>,
        Q: Parts<'l, P::Part, Outcome<S::Output, P::Part>>,
        W: Way<P::Item, T, Q>,
        S: Sink<T, Output: 'l>,
    {
        let sink = self.sink;
        let (mut run, position) = pump.begin(parts.splitting());
        let mut acc = sink.begin(position);
        loop {
            loop {
                let more = pump.step(&mut run).is_some_and(|step| {
                    if S::ORDER == Order::Forward {
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
                    let now = pump.adapt(&mut run, parts.splitting());
                    let due = asks.is_due(now);
                    if let Some(left) = due.then(|| give_back(pump, parts.splitting())).flatten() {
                        return (sink.finish(acc), Regained::Left(left));
                    }
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

/// What a loop gets back when its rest is done.
enum Regained<R, P> {
    /// A part, which is the rest now.
    Part,
    /// What a thread has made of one.
    Output(Outcome<R, P>),
    Nothing,
    /// What is left, since the thread is needed elsewhere.
    Left(Vec<P>),
}

/// Gets back the part that was given away last, and waits for it.
#[inline(never)]
fn regain<P: Pump, R>(
    pump: &P,
    parts: &mut Splitting<'_, P::Part, Outcome<R, P::Part>>,
) -> Regained<R, P::Part> {
    match parts.take_back() {
        None => Regained::Nothing,
        Some(Returned::Output(theirs)) => Regained::Output(theirs),
        Some(Returned::Part(part)) => {
            pump.put_back(part);
            Regained::Part
        }
    }
}

/// If the thread is needed elsewhere, takes all that is left, the rest and what is on offer, unless
/// other threads have parts of it.
#[cold]
#[inline(never)]
fn give_back<P: Pump, R>(pump: &P, parts: &mut Splitting<'_, P::Part, R>) -> Option<Vec<P::Part>> {
    if !is_needed_elsewhere() || !parts.has_all() {
        return None;
    }
    let mut left = pump.give_up();
    if left.is_empty() {
        return None;
    }
    left.extend(std::iter::from_fn(|| parts.reclaim()));
    Some(left)
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
    fn run<P>(&self, part: P::Part, asks: Asks) -> Outcome<S::Output, P::Part>
    where
        P: Pump,
        S: Sink<P::Item>,
        M: Fn(P::Part) -> P + Sync,
    {
        let pump = (self.pump)(part);
        let run: Runner<'_, _, _> = &|part, _| self.run(part, Asks::LATER);
        splitting(&splitter(&pump), &run, |parts| {
            self.body(&pump, parts, asks, |_, part| {
                self.run(part, Asks::NEVER).output
            })
        })
    }
}

impl<S, M, F> Loop<'_, S, M, Scoped<'_, F>> {
    fn run_in<P, U>(
        &self,
        scope: &mut Scope<'_>,
        part: P::Part,
        asks: Asks,
    ) -> Outcome<S::Output, P::Part>
    where
        P: Pump,
        S: Sink<U>,
        M: Fn(P::Part) -> P + Sync,
        F: Fn(&mut Scope<'_>, P::Item) -> U + Sync,
    {
        let pump = (self.pump)(part);
        let run: Runner<'_, _, _> = &|part, scope| self.run_in(scope, part, Asks::LATER);
        scope.splitting(&splitter(&pump), &run, |parts| {
            self.body(&pump, parts, asks, |parts, part| {
                self.run_in(parts.scope(), part, Asks::NEVER).output
            })
        })
    }
}
