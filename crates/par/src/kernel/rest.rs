//! The rest of a producer, which is pumped in blocks and split on demand.
//!
//! A run takes blocks off the front of the rest, and measures how long each took (block.rs).
//! Meanwhile the rest is in a cell, where a tick, also one of a join or loop inside the block,
//! finds it and gives its upper half away.
//!
//! A search may start at the end, or try several places (`Order`). A loop that goes *backward*
//! counts its positions from the end, takes blocks off there, and gives its lower half away. With
//! the order *any*, a run halves its rest after a while, puts both halves into a queue of deferred
//! parts, and goes on with the oldest one. So after a time `t` it has tried about the square root
//! of `t` places, evenly spread, since it stays longer at each; it gives deferred parts away first.
//!
//! A loop that has been asked for work keeps some parts on offer from then on (`block::standing`):
//! its next item may be a thousand times heavier than the last, and no thread can ask while it
//! runs.

use super::{Pump, Step, pump, pump_in};
use crate::{
    block,
    shape::{Order, Producer, Sink},
};
use std::{
    any::Any,
    cell::Cell,
    collections::VecDeque,
    marker::PhantomData,
    panic::{self, AssertUnwindSafe},
};
use sumac_core::{Scope, Splitting};

/// An order as a type, so that its code is compiled once and not for each sink.
trait Heading {
    const ORDER: Order;
}

struct Forward;
struct Backward;
struct Anywhere;

impl Heading for Forward {
    const ORDER: Order = Order::Forward;
}

impl Heading for Backward {
    const ORDER: Order = Order::Backward;
}

impl Heading for Anywhere {
    const ORDER: Order = Order::Any;
}

/// Pushes all items of `producer` into `sink`.
#[inline]
pub(crate) fn drive<P: Producer, S: Sink<P::Item>>(producer: P, sink: &S) -> S::Output {
    let whole = Rest::new(producer);
    let len = whole.len;
    if const { matches!(S::ORDER, Order::Forward) } {
        pump(whole, sink, blocks::<P, Forward>(len))
    } else if const { matches!(S::ORDER, Order::Backward) } {
        pump(whole, sink, blocks::<P, Backward>(len))
    } else {
        pump(whole, sink, blocks::<P, Anywhere>(len))
    }
}

/// Pushes the results of `f` for all items of `producer` into `sink`, in a scope, which is passed
/// to `f`.
pub(crate) fn drive_in<P, S, F, U>(scope: &mut Scope<'_>, producer: P, sink: &S, f: &F) -> S::Output
where
    P: Producer,
    S: Sink<U>,
    F: Fn(&mut Scope<'_>, P::Item) -> U + Sync,
{
    let whole = Rest::new(producer);
    let len = whole.len;
    if const { matches!(S::ORDER, Order::Forward) } {
        pump_in(scope, whole, sink, blocks::<P, Forward>(len), f)
    } else if const { matches!(S::ORDER, Order::Backward) } {
        pump_in(scope, whole, sink, blocks::<P, Backward>(len), f)
    } else {
        pump_in(scope, whole, sink, blocks::<P, Anywhere>(len), f)
    }
}

/// A part of a loop that has not been run.
///
/// Its positions are the `len` ones from `position` on, counted from the end of a backward loop. A
/// split divides them between the parts, wherever the producer was split. So parts share none, and
/// sinks may rely on it (*allotted once*, shape.rs).
pub(super) struct Rest<P> {
    producer: P,
    position: usize,
    len: usize,
    /// The size of the last block.
    block: usize,
}

impl<P: Producer> Rest<P> {
    #[inline]
    fn new(producer: P) -> Self {
        Rest {
            len: producer.len(),
            producer,
            position: 0,
            block: 1,
        }
    }

    /// Splits at the position `at` of this rest: the part before it and the part behind, in the
    /// order of the loop.
    #[inline]
    fn split_at(self, at: usize, order: Order) -> (Rest<P>, Rest<P>) {
        self.split(order, |producer| match order {
            Order::Backward => producer.split_last(at),
            Order::Forward | Order::Any => producer.split_at(at),
        })
    }

    /// Splits into the half that comes first, and the other one.
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
        // Inexact producers choose where they split, and huge ranges have more positions than
        // `usize` can count.
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

/// State that few loops need. Behind a pointer, since every loop creates a `Blocks`.
struct Aside<P> {
    /// Deferred parts, the oldest first.
    parts: VecDeque<Rest<P>>,
    /// The panic of a split, which runs code of users (`Clone`).
    failure: Option<Box<dyn Any + Send>>,
}

/// The rest of one thread, also while a block is running. The same for all sinks.
struct Blocks<P, O> {
    /// The rest: its producer, while there is one, and its numbers. They are apart, so that each is
    /// read as it was written, and no read waits until several writes are in memory.
    producer: Cell<Option<P>>,
    position: Cell<usize>,
    left: Cell<usize>,
    block: Cell<usize>,
    /// Set once a part has been deferred or a split has failed.
    aside: Cell<Option<Box<Aside<P>>>>,
    /// The number of positions of the whole loop.
    len: usize,
    /// Whether a block has started: before that a single position is not given away.
    begun: Cell<bool>,
    /// The order in which it goes.
    order: PhantomData<O>,
}

/// Returns the function that turns parts of a loop of `len` positions into pumps.
#[inline]
fn blocks<P: Producer, O: Heading>(len: usize) -> impl Fn(Rest<P>) -> Blocks<P, O> + Sync {
    move |rest| Blocks {
        producer: Cell::new(Some(rest.producer)),
        position: Cell::new(rest.position),
        left: Cell::new(rest.len),
        block: Cell::new(rest.block),
        aside: Cell::default(),
        len,
        begun: Cell::new(false),
        order: PhantomData,
    }
}

/// The state of a run.
struct Run<X> {
    state: X,
    /// The size of a block.
    block: usize,
    /// The number of remaining positions at the last block.
    len: usize,
    /// Whether the last block was empty, since no place was found to cut at.
    nothing: bool,
    /// When the last block started.
    since: u64,
    /// Whether that is only when the thread last looked at the clock: the first block started
    /// later, and took no longer. That saves a look, which costs as much as dozens of light items.
    /// If it was long ago, the next block is small.
    is_rough: bool,
    /// When it last changed its place, and for how many nanoseconds it stays here.
    leapt: u64,
    patience: u64,
}

/// For how many nanoseconds a run in any order stays at its first place.
const PATIENCE: u64 = 100_000;

impl<P: Producer, O: Heading> Blocks<P, O> {
    /// Calls `f` with the state in `aside`.
    fn with_aside<R>(&self, f: impl FnOnce(&mut Aside<P>) -> R) -> R {
        let none = || {
            Box::new(Aside {
                parts: VecDeque::new(),
                failure: None,
            })
        };
        let mut aside = self.aside.take().unwrap_or_else(none);
        let result = f(&mut aside);
        self.aside.set(Some(aside));
        result
    }

    /// Takes a deferred part.
    #[inline]
    fn take_aside(
        &self,
        pop: impl FnOnce(&mut VecDeque<Rest<P>>) -> Option<Rest<P>>,
    ) -> Option<Rest<P>> {
        let mut aside = self.aside.take()?;
        let part = pop(&mut aside.parts);
        self.aside.set(Some(aside));
        part
    }

    /// Takes the rest, if there is one.
    #[inline]
    fn take_rest(&self) -> Option<Rest<P>> {
        let producer = self.producer.take()?;
        Some(Rest {
            producer,
            position: self.position.get(),
            len: self.left.get(),
            block: self.block.get(),
        })
    }

    #[inline]
    fn set_rest(&self, rest: Rest<P>) {
        self.producer.set(Some(rest.producer));
        self.position.set(rest.position);
        self.left.set(rest.len);
        self.block.set(rest.block);
    }

    /// Takes the rest. If a panic of a split has lost it, the panic is resumed here.
    #[inline]
    fn take(&self) -> Option<Rest<P>> {
        let rest = self.take_rest();
        if rest.is_none() {
            self.rethrow();
        }
        rest
    }

    #[cold]
    #[inline(never)]
    fn rethrow(&self) {
        let Some(mut aside) = self.aside.take() else {
            return;
        };
        if let Some(payload) = aside.failure.take() {
            panic::resume_unwind(payload);
        }
        self.aside.set(Some(aside));
    }

    /// Defers the given parts that were not stolen and the halves of the rest; goes on with the
    /// oldest deferred part.
    #[cold]
    fn leap<R>(&self, parts: &mut Splitting<'_, Rest<P>, R>) {
        let Some(rest) = self.take() else { return };
        let (near, far) = rest.halve(O::ORDER);
        let next = self.with_aside(|aside| {
            while let Some(part) = parts.reclaim() {
                aside.parts.push_back(part);
            }
            aside.parts.extend([far, near]);
            aside.parts.pop_front()
        });
        next.into_iter().for_each(|part| self.set_rest(part));
    }
}

impl<P: Producer, O: Heading> Pump for Blocks<P, O> {
    type Item = P::Item;
    type Part = Rest<P>;
    type Run = Run<P::State>;
    type Items<'r>
        = P::Iter
    where
        Self: 'r;

    const ORDER: Order = O::ORDER;

    /// Takes the newest deferred part, else the farther half of the rest, or all of it if it is a
    /// single position.
    fn split(&self) -> Option<Rest<P>> {
        if const { matches!(O::ORDER, Order::Any) } {
            let last = self.take_aside(VecDeque::pop_back);
            if last.is_some() {
                return last;
            }
        }
        let rest = self.take_rest()?;
        let len = rest.producer.len();
        if len < 2 {
            if len == 1 && self.begun.get() {
                return Some(rest);
            }
            self.set_rest(rest);
            return None;
        }
        match panic::catch_unwind(AssertUnwindSafe(|| rest.halve(O::ORDER))) {
            // Inexact producers do not always find a place in between.
            Ok((near, far)) if near.producer.len() == 0 => {
                self.set_rest(far);
                None
            }
            Ok((near, far)) => {
                self.set_rest(near);
                (far.producer.len() > 0).then_some(far)
            }
            Err(payload) => {
                self.with_aside(|aside| aside.failure = Some(payload));
                None
            }
        }
    }

    fn put_back(&self, rest: Rest<P>) {
        self.set_rest(rest);
    }

    #[inline]
    fn begin<R>(&self, parts: &mut Splitting<'_, Rest<P>, R>) -> (Run<P::State>, usize) {
        let first = self.take();
        let first = first.expect("no block has begun, so there is something left");
        self.begun.set(true);
        let position = match O::ORDER {
            Order::Backward => self.len.saturating_sub(first.position),
            Order::Forward | Order::Any => first.position,
        };
        let guesses = const { !matches!(O::ORDER, Order::Any) };
        let since = if guesses {
            parts.last_look()
        } else {
            parts.look_at_clock()
        };
        let run = Run {
            state: first.producer.state(),
            block: first.block,
            len: 0,
            nothing: false,
            since,
            is_rough: guesses,
            leapt: since,
            patience: PATIENCE,
        };
        self.set_rest(first);
        if run.block == 1 && parts.has_given() {
            parts.keep_offering(block::STANDING);
        }
        (run, position)
    }

    #[inline]
    fn step(&self, run: &mut Run<P::State>) -> Option<Step<P::Iter>> {
        let rest = self.take()?;
        run.len = rest.producer.len();
        let last = run.len <= run.block;
        let now = if last {
            rest
        } else {
            let at = block::cut(rest.position, run.block);
            let (now, mut later) = rest.split_at(at, O::ORDER);
            later.block = run.block;
            self.set_rest(later);
            now
        };
        run.nothing = const { matches!(O::ORDER, Order::Backward) } && now.producer.len() == 0;
        Some(Step {
            positions: now.len,
            items: now.producer.iter(&run.state),
            last,
        })
    }

    #[inline]
    fn adapt<R>(&self, run: &mut Run<P::State>, parts: &mut Splitting<'_, Rest<P>, R>) {
        let now = parts.look_at_clock();
        let mut took = now.saturating_sub(run.since);
        if std::mem::take(&mut run.is_rough) {
            took /= block::GUESS;
        } else if parts.has_given() {
            keep_offering(run, took, parts);
        }
        if const { matches!(O::ORDER, Order::Any) } && now.saturating_sub(run.leapt) > run.patience
        {
            self.leap(parts);
            run.leapt = now;
            run.patience += PATIENCE;
        }
        run.block = if run.nothing {
            // No place was found to cut at so far from the end.
            run.block.saturating_mul(2)
        } else {
            block::next(run.block, took)
        };
        run.since = now;
    }

    /// Goes on with the oldest deferred part, if there is one.
    #[inline]
    fn resume(&self) -> bool {
        let next = self.take_aside(VecDeque::pop_front);
        let any = next.is_some();
        next.into_iter().for_each(|part| self.set_rest(part));
        any
    }

    /// Drops the rest.
    #[cold]
    #[inline(never)]
    fn stop(&self) {
        self.producer.set(None);
        drop(self.aside.take());
    }
}

/// Keeps parts on offer if they are large enough, in a loop that has given parts away before.
#[cold]
#[inline(never)]
fn keep_offering<X, P, R>(run: &Run<X>, took: u64, parts: &mut Splitting<'_, P, R>) {
    let standing = block::standing(run.block, took, run.len - run.block);
    if standing > 0 {
        parts.keep_offering(standing);
    }
}

#[cfg(test)]
mod tests;
