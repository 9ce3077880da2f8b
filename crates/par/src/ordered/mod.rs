//! Results in order, with bounded memory: a sequential iterator over the results of a loop, which
//! workers compute a little ahead of it.
//!
//! ```text
//!   source ──pull──► [ 4 done │ 5 running │ 6 pulled │ 7 running ]          one window
//!                      ▲ consumer: `next`                        ▲ at most `bound` items
//! ```
//!
//! *Slots* for the items that have been pulled and not been consumed form the *window*, in order.
//! A thread that finds room in it *pulls* an item: takes the source out of the window, calls its
//! `next`, puts it back. So `next` is called in order by one thread at a time, and no lock is held
//! meanwhile. A loop is a source, too, of producers that are split off at each position.
//!
//! A worker begins one item in each task. When it has begun one, and again at the end, it queues
//! another such task unless one is queued or the window is full: so workers come one by one as fast
//! as they wake each other, and other tasks of the pool get their turn. If the window is full, the
//! task ends. So a slow consumer stops the workers, but holds none of them. When it has taken half
//! of the window, it queues a task.
//!
//! **What the consumer does.** In `next` it looks at the first item only. If that is done, it takes
//! the result. If no thread has begun it, it computes it, as the sequential iterator would at this
//! place. If a thread is computing it, or pulling it, the consumer waits, and runs only jobs that
//! descend from that item: what is unrelated, such as a later item, might want a lock that is held
//! across this call of `next`, or wait for what the consumer does after it. So that it seldom
//! waits, workers leave it one item: while it is *hungry* (the last look found no result) they
//! begin the second item that can be begun, not the first.
//!
//! Invariants:
//! * **Bounded.** Workers pull while fewer than `bound` items are in the window, besides the first
//!   one if the consumer asks for it; the consumer pulls one if there is none. What is pulled stays
//!   in the window until the consumer takes its result. So besides the one that it has or asks for,
//!   at most `bound` results are alive.
//! * **Pulled or begun.** A slot without a turn is in `pulled`, with its item. The thread that
//!   takes it out sets the turn under the same lock, and ends it when it has stored the result.
//! * **A panic is a result.** It goes into the slot of the item, or, from `next`, into one behind
//!   all others, and is resumed by the consumer when it comes there. After one from `next` the
//!   source is dropped.
//! * **Cancelled.** The consumer's drop takes source and slots; a puller that comes back drops the
//!   source and begins nothing. Tasks that are still queued find nothing.
//! * **Nothing borrowed outlives its scope.** Tasks that borrow are tasks of a scope, whose end
//!   waits for them, also if the iterator is leaked. No task waits for the consumer, so that wait
//!   is for items that are running and nothing else.
//!
//! **No circle closes.** Only the consumer waits here, and only for a *turn* (turn.rs): a thread
//! that calls `next` of the source, or the closure, for the first item. Meanwhile it runs jobs that
//! descend from this call, and what any wait runs (core's `wait.rs`). The thread in the turn holds
//! no lock of ours and waits for nothing of ours: a thread leaves where the window is full, the
//! source taken or nothing left to begin. So in a circle, user code in that turn waits for the
//! consumer.
//! * If the item itself waits, so does the sequential program: it calls the same code inside of the
//!   consumer's `next`, where it would wait for itself. Excepted is what belongs to a thread, such
//!   as a lock that one thread may take twice. An item that calls `next` of its own
//!   iterator, which no sequential program can do, panics if it would wait.
//! * If the turn is buried on its thread's stack, then under waits of its own: what runs there
//!   started later than the turn, which started later than the consumer's loop. So a chain of such
//!   waits ends, through nested loops, too. (On top of a yield anything may run, as everywhere.)
//! * If no worker comes, the consumer computes all.
//!
//! What runs earlier than in the sequential program are up to `bound` later items and calls of the
//! source's `next`, on workers. If they wait for what the consumer does next, workers wait and it
//! goes on, unless it needs one of them: where callers wait and it is outside of the pool. If it
//! drops the iterator or panics instead, the end of a scope waits for them.

mod positions;
mod turn;
mod window;

pub(crate) use self::positions::{Positions, item_of};

use self::window::{Ahead, Queue, Window};
use std::{fmt, panic, sync::Arc};
use sumac_core::{TaskScope, handed_over, spawn, swallow};

#[cfg(doc)]
use crate::iter::IndexedParallelIterator;

/// Sequential iterators whose items are mapped in parallel, in order.
///
/// The source's `next` is called in order, by one thread at a time: also by workers, up to `bound`
/// items ahead of the consumer. Where it blocks, or an item waits for what the consumer does later,
/// it holds a worker until then, and the end of the scope if there is one. Where callers
/// [wait](sumac_core::Callers::Wait), the consumer itself needs a worker. An item that yields may
/// run later ones on its stack, up to `bound` of them.
pub trait ParallelOrdered: Iterator + Sized {
    /// Returns an iterator over the results of `f` for all items, in order. While it is iterated,
    /// workers of the current pool compute at most `bound` items ahead of the consumer; a result
    /// that no thread has begun when it is needed is computed by the consumer.
    ///
    /// What workers use lives for `'static`, since safe code may leak the iterator. To borrow, use
    /// [`par_map_ordered_in`](Self::par_map_ordered_in).
    ///
    /// If it is dropped early, no further item begins; those that are running end later. Up to
    /// `bound` items that were taken from the source are dropped, too; so is the source, when its
    /// `next` has returned.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::io::{BufRead, Cursor};
    /// use sumac::prelude::*;
    ///
    /// let lines = Cursor::new("3\n1\n4\n").lines();
    /// let parsed = lines.par_map_ordered(8, |line| line.unwrap().parse::<u32>().unwrap());
    /// assert_eq!(parsed.collect::<Vec<_>>(), [3, 1, 4]);
    /// ```
    ///
    /// # Cost
    /// A task per item: some hundred nanoseconds. Where items are small, let each be a chunk of
    /// them. A worker that sleeps is woken when the consumer has taken half of what was ready.
    ///
    /// # Panics
    /// A panic of `f` is resumed where its result would come; the iterator may be used further. So
    /// is a panic of the source, after which the iterator has ended. An item that calls `next` of
    /// this iterator and would wait for itself panics.
    fn par_map_ordered<R, F>(self, bound: usize, f: F) -> Ordered<'static, R>
    where
        Self: Send + 'static,
        Self::Item: Send,
        F: Fn(Self::Item) -> R + Send + Sync + 'static,
        R: Send + 'static,
    {
        Ordered::new(self, bound, f, in_pool)
    }

    /// Does as [`par_map_ordered`](Self::par_map_ordered), with tasks of a scope: so the source,
    /// `f` and the results may borrow what outlives the scope. Items that are running when the
    /// iterator is dropped, or leaked, end before the scope does. What the consumer computes itself
    /// runs in its current pool.
    ///
    /// # Examples
    ///
    /// ```
    /// use sumac::prelude::*;
    ///
    /// let words = vec!["fork", "join"];
    /// sumac::in_place_scope(|s| {
    ///     let lens = words.iter().par_map_ordered_in(s, 8, |word| word.len());
    ///     assert!(lens.eq([4, 4]));
    /// });
    /// ```
    ///
    /// # Cost
    /// As [`par_map_ordered`](Self::par_map_ordered).
    ///
    /// # Panics
    /// As [`par_map_ordered`](Self::par_map_ordered).
    fn par_map_ordered_in<'s, 'scope, R, F>(
        self,
        scope: &'s TaskScope<'scope>,
        bound: usize,
        f: F,
    ) -> Ordered<'s, R>
    where
        Self: Send + 'scope,
        Self::Item: Send,
        F: Fn(Self::Item) -> R + Send + Sync + 'scope,
        R: Send + 'scope,
    {
        Ordered::new(self, bound, f, |window| in_scope(scope, window))
    }
}

impl<I: Iterator> ParallelOrdered for I {}

/// Results in order, which workers compute ahead: see
/// [`iter_ordered`](crate::iter::IndexedParallelIterator::iter_ordered) and
/// [`par_map_ordered`](ParallelOrdered::par_map_ordered).
#[must_use = "iterators are lazy"]
pub struct Ordered<'s, T> {
    consumer: Box<dyn Iterator<Item = T> + Send + 's>,
    /// The bounds of the number of items that are left.
    least: usize,
    most: Option<usize>,
}

impl<'s, T: Send + 's> Ordered<'s, T> {
    fn new<S, F, Q>(source: S, bound: usize, f: F, queue: Q) -> Self
    where
        S: Iterator<Item: Send> + Send + 's,
        F: Fn(S::Item) -> T + Send + Sync + 's,
        Q: Fn(&Arc<Window<S, S::Item, T, F>>) + Send + Sync + 's,
    {
        let (least, most) = source.size_hint();
        let window = Arc::new(Window::new(source, bound, f));
        Ordered {
            consumer: Box::new(Consumer { window, queue }),
            least,
            most,
        }
    }
}

impl<T> Iterator for Ordered<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.least = self.least.saturating_sub(1);
        self.most = self.most.map(|most| most.saturating_sub(1));
        self.consumer.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.least, self.most)
    }
}

impl<T> fmt::Debug for Ordered<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ordered")
            .field("size_hint", &(self.least, self.most))
            .finish_non_exhaustive()
    }
}

/// Queues a task of the current pool that begins an item.
fn in_pool<W: Ahead + 'static>(window: &Arc<W>) {
    let window = Arc::clone(window);
    drop(spawn(move || begin(window, &in_pool)));
}

/// Queues a task of the scope that begins an item.
fn in_scope<'scope, W: Ahead + 'scope>(scope: &TaskScope<'scope>, window: &Arc<W>) {
    let window = Arc::clone(window);
    scope.spawn(move |scope| begin(window, &|window| in_scope(scope, window)));
}

/// Begins an item in a task, which cannot pass a panic of a destructor on.
fn begin<W: Ahead>(window: Arc<W>, queue: Queue<'_, W>) {
    swallow(move || {
        window.begin_one(queue);
        drop(window);
    });
}

/// The end of a [`Window`] where results are taken.
struct Consumer<W: Ahead, Q> {
    window: Arc<W>,
    queue: Q,
}

impl<W: Ahead, Q> Drop for Consumer<W, Q> {
    fn drop(&mut self) {
        self.window.cancel();
    }
}

impl<S, T, F, Q> Iterator for Consumer<Window<S, S::Item, T, F>, Q>
where
    S: Iterator<Item: Send> + Send,
    F: Fn(S::Item) -> T + Send + Sync,
    T: Send,
    Q: Fn(&Arc<Window<S, S::Item, T, F>>) + Send + Sync,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        let Consumer { window, queue } = &*self;
        if !window.look() {
            // Where callers wait, a thread of the pool does this for them.
            handed_over(|| window.first(queue));
        }
        let (slot, wanted) = window.pop()?;
        if wanted {
            queue(window);
        }
        match slot.take_result() {
            Ok(result) => Some(result),
            Err(payload) => panic::resume_unwind(payload),
        }
    }
}
