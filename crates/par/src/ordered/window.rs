//! The window: the items that have been pulled and not been consumed. `mod.rs` has the invariants.

use super::turn::Turn;
use crate::unwind::lock;
use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Mutex, MutexGuard, OnceLock},
    thread,
};
use sumac_core::swallow;

/// A window as tasks and the consumer's end see it.
pub(super) trait Ahead: Send + Sync {
    /// Begins an item and computes it, if there is one.
    fn begin_one(self: &Arc<Self>, queue: Queue<'_, Self>);

    /// Takes all that has not begun out of the window, and drops it.
    fn cancel(&self);
}

/// Queues another task that begins an item.
pub(super) type Queue<'q, W> = &'q (dyn Fn(&Arc<W>) + Sync + 'q);

/// The place of an item in the window.
pub(super) struct Slot<T> {
    /// The turn that computes the item, from when that begins.
    turn: OnceLock<Turn>,
    result: Mutex<Option<thread::Result<T>>>,
}

impl<T> Slot<T> {
    fn new() -> Self {
        Slot {
            turn: OnceLock::new(),
            result: Mutex::default(),
        }
    }

    fn is_done(&self) -> bool {
        self.turn.get().is_some_and(Turn::is_over)
    }

    /// Begins the turn of the calling thread.
    fn begin(&self) -> &Turn {
        self.turn.get_or_init(Turn::new)
    }

    /// Stores the result, and ends the turn.
    fn finish(&self, result: thread::Result<T>) {
        *lock(&self.result) = Some(result);
        self.begin().end();
    }

    pub(super) fn take_result(&self) -> thread::Result<T> {
        lock(&self.result).take().expect("done, and taken once")
    }
}

pub(super) struct Window<S, I, T, F> {
    bound: usize,
    f: F,
    state: Mutex<State<S, I, T>>,
}

struct State<S, I, T> {
    /// `None` while a thread pulls an item, and after the end.
    source: Option<S>,
    /// The turn of the thread that pulls.
    pulling: Option<Arc<Turn>>,
    /// Of the items that have been pulled, in order.
    slots: VecDeque<Arc<Slot<T>>>,
    /// Those that have not begun, in order, each with its slot.
    pulled: VecDeque<(Arc<Slot<T>>, I)>,
    /// The consumer has found no result at its last look,
    hungry: bool,
    /// and has not got one since.
    asks: bool,
    /// A task that begins an item is queued.
    queued: bool,
    /// The consumer has gone.
    cancelled: bool,
}

impl<S, I, T> State<S, I, T> {
    /// Returns whether another item may be pulled, if `bound` may be ahead of the consumer. What it
    /// asks for is not ahead.
    fn has_room(&self, bound: usize) -> bool {
        self.slots.len() < bound.saturating_add(usize::from(self.asks))
    }

    /// Returns whether to queue a task, since there is an item to begin, or one to pull with fewer
    /// than `bound` ahead of the consumer.
    fn wants_task(&mut self, bound: usize) -> bool {
        let can_pull = self.source.is_some() && self.has_room(bound);
        let wanted = !self.queued && (can_pull || !self.pulled.is_empty());
        self.queued |= wanted;
        wanted
    }
}

impl<S, T, F> Window<S, S::Item, T, F>
where
    S: Iterator<Item: Send> + Send,
    F: Fn(S::Item) -> T + Send + Sync,
    T: Send,
{
    pub(super) fn new(source: S, bound: usize, f: F) -> Self {
        Window {
            bound,
            f,
            state: Mutex::new(State {
                source: Some(source),
                pulling: None,
                slots: VecDeque::new(),
                pulled: VecDeque::new(),
                hungry: true,
                asks: false,
                queued: false,
                cancelled: false,
            }),
        }
    }

    /// For the consumer: returns whether the first item is done.
    pub(super) fn look(&self) -> bool {
        let mut state = lock(&self.state);
        let is_done = state.slots.front().is_some_and(|slot| slot.is_done());
        state.hungry = !is_done;
        state.asks = !is_done;
        is_done
    }

    /// For the consumer: takes the first item, which is done, off the window, if there is one, and
    /// returns whether to queue a task.
    pub(super) fn pop(&self) -> Option<(Arc<Slot<T>>, bool)> {
        let mut state = lock(&self.state);
        let slot = state.slots.pop_front()?;
        state.asks = false;
        let half = self.bound.min(self.bound / 2 + 1);
        Some((slot, state.wants_task(half)))
    }

    /// For the consumer, or a thread that does this for it: returns when the first item is done, or
    /// there is none.
    pub(super) fn first<Q: Fn(&Arc<Self>)>(self: &Arc<Self>, queue: &Q) {
        loop {
            let mut state = lock(&self.state);
            let Some(first) = state.slots.front().cloned() else {
                let Err(state) = self.pull(state) else {
                    continue;
                };
                let Some(turn) = state.pulling.clone() else {
                    return;
                };
                drop(state);
                turn.wait();
                continue;
            };
            let Some(turn) = first.turn.get() else {
                let (slot, item) = state.pulled.pop_front().expect("not begun, so pulled");
                return self.compute(state, &slot, item, queue);
            };
            drop(state);
            return turn.wait();
        }
    }

    /// Pulls an item, unless another thread is doing so or there is none.
    fn pull<'w>(
        &'w self,
        mut state: MutexGuard<'w, State<S, S::Item, T>>,
    ) -> Result<(), MutexGuard<'w, State<S, S::Item, T>>> {
        let Some(mut source) = state.source.take() else {
            return Err(state);
        };
        let turn = Arc::new(Turn::new());
        state.pulling = Some(Arc::clone(&turn));
        drop(state);
        // Dropped by this call if it has no more items, or panics.
        let pulled = turn.call(move || source.next().map(|item| (source, item)));
        let mut state = lock(&self.state);
        state.pulling = None;
        let mut unwanted = None;
        if state.cancelled {
            unwanted = Some(pulled);
        } else if let Some(pulled) = pulled.transpose() {
            let slot = Arc::new(Slot::new());
            state.slots.push_back(Arc::clone(&slot));
            match pulled {
                Ok((source, item)) => {
                    state.source = Some(source);
                    state.pulled.push_back((slot, item));
                }
                Err(payload) => slot.finish(Err(payload)),
            }
        }
        drop(state);
        swallow(|| drop(unwanted));
        turn.end();
        Ok(())
    }

    /// Computes an item that was just taken out of `pulled`.
    fn compute<Q: Fn(&Arc<Self>) + ?Sized>(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State<S, S::Item, T>>,
        slot: &Slot<T>,
        item: S::Item,
        queue: &Q,
    ) {
        let turn = slot.begin();
        let wanted = state.wants_task(self.bound);
        drop(state);
        let result = turn.call(|| {
            if wanted {
                queue(self);
            }
            (self.f)(item)
        });
        slot.finish(result);
    }
}

impl<S, T, F> Ahead for Window<S, S::Item, T, F>
where
    S: Iterator<Item: Send> + Send,
    F: Fn(S::Item) -> T + Send + Sync,
    T: Send,
{
    fn begin_one(self: &Arc<Self>, queue: Queue<'_, Self>) {
        lock(&self.state).queued = false;
        loop {
            let mut state = lock(&self.state);
            // The consumer begins the first one.
            let enough = if state.hungry { 2 } else { 1 };
            if state.pulled.len() < enough && state.has_room(self.bound) {
                match self.pull(state) {
                    Ok(()) => continue,
                    Err(same) => state = same,
                }
            }
            let next = if state.hungry {
                state.pulled.pop_back()
            } else {
                state.pulled.pop_front()
            };
            let Some((slot, item)) = next else {
                return;
            };
            self.compute(state, &slot, item, queue);
            break;
        }
        let wanted = lock(&self.state).wants_task(self.bound);
        if wanted {
            queue(self);
        }
    }

    fn cancel(&self) {
        let mut state = lock(&self.state);
        state.cancelled = true;
        let source = state.source.take();
        let slots = mem::take(&mut state.slots);
        let pulled = mem::take(&mut state.pulled);
        drop(state);
        drop((slots, pulled, source));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Workers leave the first item to a consumer that is faster than they are, while there are
    /// others.
    #[test]
    fn which_item_a_worker_begins() {
        let begun = Mutex::new(Vec::new());
        let window = Arc::new(Window::new(0..8, 4, |i| lock(&begun).push(i)));
        let work = || {
            window.begin_one(&|_| ());
            mem::take(&mut *lock(&begun))
        };
        assert!(!window.look());
        assert_eq!([work(), work(), work(), work()], [[1], [2], [3], [4]]);
        assert_eq!([work(), work()], [vec![0], vec![]]);
        for _ in 0..5 {
            assert!(window.look());
            assert!(window.pop().is_some());
        }
        assert_eq!([work(), work()], [[5], [6]]);
        assert!(window.look());
        assert!(window.pop().is_some());
        window.cancel();
        assert_eq!(work(), []);
        assert!(!window.look());
    }
}
