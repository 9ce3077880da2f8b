//! `par_bridge`: a sequential iterator whose items are processed in parallel.
//!
//! The iterator is behind a lock. Threads take turns: one pulls a *batch* of items, releases the
//! lock, and pushes them into the sink. Parts are empty: a thread that takes one takes part until
//! the iterator has ended. There is always one more part to give, so a thread that asks gets one at
//! once.
//!
//! A batch has items for a microsecond or two of work, but at most some hundred, and no more than
//! the iterator's `size_hint` promises: `next` may block for ever, on a channel for instance, and
//! would hold back the items that are already in the batch. `by_chunks` says that it does not.

use crate::{
    block,
    flag::Flag,
    iter::ParallelIterator,
    kernel::{self, Pump, Step},
    shape::Sink,
};
use std::{
    ptr,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicUsize, Ordering},
    },
    vec,
};
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
        IterBridge {
            items: self,
            chunk: None,
        }
    }
}

/// See [`ParallelBridge::par_bridge`].
#[derive(Clone, Debug)]
#[must_use = "iterators are lazy"]
pub struct IterBridge<I> {
    items: I,
    /// The greatest number of items in a batch, if they may be held back.
    chunk: Option<usize>,
}

impl<I> IterBridge<I> {
    /// Lets a thread call `next` up to `n` times before it processes the items, as often as is one
    /// or two microseconds of work, also where the iterator does not say by its
    /// [`size_hint`](Iterator::size_hint) that so many items are left. Filters, maps of hash tables
    /// and lines of files do not say it, so one item would be taken at a time.
    ///
    /// Use it where no call of `next` waits for something that comes of an earlier item: that item
    /// may not have been processed.
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let odd = (0..1000_u64).filter(|n| n % 2 == 1);
    /// assert_eq!(odd.par_bridge().by_chunks(100).map(|n| n * n).sum::<u64>(), 166_666_500);
    /// ```
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn by_chunks(mut self, n: usize) -> Self {
        assert!(n > 0, "chunks must have items");
        self.chunk = Some(n);
        self
    }
}

impl<I: Iterator<Item: Send> + Send> ParallelIterator for IterBridge<I> {
    type Item = I::Item;

    fn drive<S: Sink<I::Item>>(self, sink: &S) -> S::Output {
        let items = Shared {
            items: Mutex::new(self.items),
            holder: AtomicUsize::new(0),
            chunk: self.chunk,
            exhausted: Flag::default(),
        };
        kernel::pump((), sink, |()| &items)
    }
}

/// The state that the threads share.
struct Shared<I> {
    items: Mutex<I>,
    /// The thread that has locked them, or 0.
    holder: AtomicUsize,
    chunk: Option<usize>,
    /// The iterator has ended, or is no longer needed.
    exhausted: Flag,
}

impl<I> Shared<I> {
    /// Locks the items; `None` if they are poisoned: `next` has panicked, and the thread that
    /// called it passes the panic on. Also `None` on a thread that is inside of `next`, and has
    /// come here by a yield.
    fn lock(&self) -> Option<Locked<'_, I>> {
        let here = here();
        if self.holder.load(Ordering::Relaxed) == here {
            return None;
        }
        let items = self.items.lock().ok()?;
        self.holder.store(here, Ordering::Relaxed);
        let holder = &self.holder;
        Some(Locked { items, holder })
    }
}

/// The items, locked.
struct Locked<'s, I> {
    items: MutexGuard<'s, I>,
    holder: &'s AtomicUsize,
}

impl<I> Drop for Locked<'_, I> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Relaxed);
    }
}

/// Returns a number that no other thread has meanwhile, and is not 0.
fn here() -> usize {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| ptr::from_ref(here).addr())
}

/// A batch.
struct Batch<T> {
    items: Vec<T>,
    /// The greatest number of items.
    most: usize,
    /// The number of items.
    len: usize,
    /// When it started, if more items are promised.
    since: Option<u64>,
}

impl<I: Iterator<Item: Send> + Send> Pump for &Shared<I> {
    type Item = I::Item;
    type Part = ();
    type Run = Batch<I::Item>;
    type Items<'r>
        = vec::Drain<'r, I::Item>
    where
        Self: 'r;

    fn split(&self) -> Option<()> {
        (!self.exhausted.is_raised()).then_some(())
    }

    /// No items are left when a part comes back.
    fn put_back(&self, (): ()) {}

    fn begin<R>(&self, _: &mut Splitting<'_, Self::Part, R>) -> (Self::Run, usize) {
        let batch = Batch {
            items: Vec::new(),
            most: 1,
            len: 0,
            since: None,
        };
        (batch, 0)
    }

    fn step<'r>(&'r self, batch: &'r mut Self::Run) -> Option<Step<Self::Items<'r>>> {
        let mut locked = self.lock()?;
        let items = &mut *locked.items;
        let promised = self.chunk.unwrap_or_else(|| items.size_hint().0);
        // Where there is one at a time the clock has nothing to decide.
        batch.since = (promised > 1).then(coarse_nanos);
        let most = promised.clamp(1, batch.most);
        while batch.items.len() < most && !self.exhausted.is_raised() {
            match items.next() {
                Some(item) => batch.items.push(item),
                None => self.exhausted.raise(),
            }
        }
        batch.len = batch.items.len();
        (batch.len > 0).then(|| Step {
            items: batch.items.drain(..),
            positions: 0,
            last: false,
        })
    }

    fn adapt<R>(&self, batch: &mut Self::Run, _: &mut Splitting<'_, Self::Part, R>) {
        if let Some(since) = batch.since {
            let took = coarse_nanos().saturating_sub(since);
            batch.most = block::next(batch.len, took).min(MOST);
        }
    }

    fn stop(&self) {
        self.exhausted.raise();
    }
}
