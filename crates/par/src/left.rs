//! What is left of a loop: parts that have not been run, and where they lie while a block is
//! running.

use crate::{
    block,
    shape::{Order, Producer},
};
use std::{
    any::Any,
    cell::Cell,
    collections::VecDeque,
    panic::{self, AssertUnwindSafe},
};
use sumac_core::Splitting;

/// A part of a loop that has not been run.
///
/// Its positions are those from `position` on, `len` of them, counted from the end of the loop if
/// that goes backward. A split divides them between the
/// parts, wherever the producer was split and whatever it says. So parts share none, and sinks may
/// rely on it (*allotted once*, shape.rs).
pub(crate) struct Rest<P> {
    pub(crate) producer: P,
    pub(crate) position: usize,
    pub(crate) len: usize,
    /// How many positions a block had lately.
    pub(crate) block: usize,
}

impl<P: Producer> Rest<P> {
    #[inline]
    pub(crate) fn new(producer: P) -> Self {
        Rest {
            len: producer.len(),
            producer,
            position: 0,
            block: 1,
        }
    }

    /// The part before the position `at` of this rest, and what lies behind, as the loop goes.
    #[inline]
    pub(crate) fn split_at(self, at: usize, order: Order) -> (Rest<P>, Rest<P>) {
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
        // Inexact producers split where they like, and huge ranges have more positions than there are numbers.
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
pub(crate) struct Left<P> {
    pub(crate) rest: Cell<Option<Rest<P>>>,
    /// Where the order does not matter: what has been put off, once anything has.
    aside: Cell<Option<Box<Aside<P>>>>,
    order: Order,
    /// Whether a block is or has been running: before that a single position is not given away.
    pub(crate) begun: Cell<bool>,
    /// Splitting runs code of users (`Clone`); this is its panic.
    failure: Cell<Option<Box<dyn Any + Send>>>,
}

impl<P: Producer> Left<P> {
    #[inline]
    pub(crate) fn new(rest: Rest<P>, order: Order) -> Self {
        Left {
            rest: Cell::new(Some(rest)),
            aside: Cell::default(),
            order,
            begun: Cell::new(false),
            failure: Cell::new(None),
        }
    }

    /// Takes what is left. If a panic of a split has lost that, it goes on here.
    #[inline]
    pub(crate) fn take(&self) -> Option<Rest<P>> {
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
    pub(crate) fn leap<R>(&self, parts: &mut Splitting<'_, Rest<P>, R>) {
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
    pub(crate) fn resume(&self) -> bool {
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
    pub(crate) fn clear(&self) {
        self.rest.set(None);
        drop(self.aside.take());
    }

    /// Takes what was put off last, else the farther half of what is left; of a single position,
    /// that.
    pub(crate) fn split(&self) -> Option<Rest<P>> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        iter::{IndexedParallelIterator, IntoParallelIterator},
        shape::Seal,
    };

    #[test]
    fn the_last_position_is_given_away_once_a_block_is_running() {
        let indices = (5..8_usize).into_par_iter().producer(Seal(()));
        let left = Left::new(Rest::new(indices), Order::Forward);
        let split = || {
            let rest = left.split()?;
            Some((rest.position, rest.producer.iter(&()).collect::<Vec<_>>()))
        };
        assert_eq!(split(), Some((1, vec![6, 7])));
        assert_eq!(split(), None);
        left.begun.set(true);
        assert_eq!(split(), Some((0, vec![5])));
        assert_eq!(split(), None);
    }
}
