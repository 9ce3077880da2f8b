//! `par_bridge`: a sequential iterator whose items are processed in parallel.
//!
//! The iterator is behind a lock. Threads take turns: one pulls a *batch* of items, releases the
//! lock, and pushes them into the sink. Parts are empty: a thread that takes one takes part until
//! the iterator has ended. There is always one more part to give, so a thread that asks gets one at
//! once.
//!
//! A batch has items for a microsecond or two of work, but at most some hundred, and no more than
//! the iterator's `size_hint` promises: `next` may block for ever, on a channel for instance, and
//! would hold back the items that are already in the batch.

use crate::{
    block,
    flag::Flag,
    iter::ParallelIterator,
    kernel::{self, Pump, Way},
    shape::Sink,
};
use std::{cell::Cell, sync::Mutex};
use sumac_core::{Splitting, coarse_nanos};

/// The greatest number of items in a batch.
const MOST: usize = 256;

/// Conversion of a sequential iterator into a parallel one.
pub trait ParallelBridge: Sized {
    /// Returns a parallel iterator over the items of this sequential one, in no particular order.
    /// Only one thread at a time calls `next`, so this pays off if processing an item costs more
    /// than producing it.
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use sumac::prelude::*;
    ///
    /// let (sender, receiver) = mpsc::channel();
    /// (0..9).for_each(|x| sender.send(x).unwrap());
    /// drop(sender);
    /// assert_eq!(receiver.into_iter().par_bridge().sum::<i32>(), 36);
    /// ```
    ///
    /// # Cost
    /// One lock per batch of items.
    ///
    /// # Panics
    /// If the iterator or the processing of an item panics. All threads stop then.
    fn par_bridge(self) -> IterBridge<Self>;
}

impl<I: Iterator<Item: Send> + Send> ParallelBridge for I {
    fn par_bridge(self) -> IterBridge<I> {
        IterBridge { items: self }
    }
}

/// See [`ParallelBridge::par_bridge`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct IterBridge<I> {
    items: I,
}

impl<I: Iterator<Item: Send> + Send> ParallelIterator for IterBridge<I> {
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        let items = Shared {
            items: Mutex::new(self.items),
            exhausted: Flag::default(),
        };
        let puller = |()| Puller {
            shared: &items,
            batch: Cell::new(1),
            room: Cell::default(),
        };
        kernel::pump((), sink, puller)
    }
}

/// The state that the threads share.
struct Shared<I> {
    items: Mutex<I>,
    /// The iterator has ended, or is no longer needed.
    exhausted: Flag,
}

/// One thread that takes part.
struct Puller<'s, I: Iterator> {
    shared: &'s Shared<I>,
    batch: Cell<usize>,
    /// Room for a batch.
    room: Cell<Vec<I::Item>>,
}

impl<I: Iterator> Puller<'_, I> {
    /// Fills a batch and returns when it started, or `None` if there are no items left.
    fn pull(&self, batch: &mut Vec<I::Item>) -> Option<u64> {
        // Poisoned: `next` has panicked. The thread that called it passes the panic on.
        let mut items = self.shared.items.lock().ok()?;
        let since = coarse_nanos();
        let most = items.size_hint().0.clamp(1, self.batch.get());
        while batch.len() < most && !self.shared.exhausted.is_raised() {
            match items.next() {
                Some(item) => batch.push(item),
                None => self.shared.exhausted.raise(),
            }
        }
        (!batch.is_empty()).then_some(since)
    }
}

impl<I: Iterator<Item: Send> + Send> Pump for Puller<'_, I> {
    type Item = I::Item;
    type Part = ();
    type Run = ();

    fn split(&self) -> Option<()> {
        (!self.shared.exhausted.is_raised()).then_some(())
    }

    /// No items are left when a part comes back.
    fn put_back(&self, (): ()) {}

    fn begin<R>(&self, _: &mut Splitting<'_, Self::Part, R>) -> ((), usize) {
        ((), 0)
    }

    fn step<U, W, S, Q>(
        &self,
        (): &mut (),
        way: &W,
        sink: &S,
        acc: &mut S::Acc,
        parts: &mut Q,
    ) -> bool
    where
        W: Way<Self::Item, U, Q>,
        S: Sink<U>,
    {
        let mut batch = self.room.take();
        let Some(since) = self.pull(&mut batch) else {
            return false;
        };
        let len = batch.len();
        way.push(parts, sink, acc, batch.drain(..));
        self.room.set(batch);
        let took = coarse_nanos().saturating_sub(since);
        self.batch.set(block::next(len, took).min(MOST));
        true
    }

    fn stop(&self) {
        self.shared.exhausted.raise();
    }
}
