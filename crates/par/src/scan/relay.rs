//! Passes a value from chunk to chunk: the thread with chunk *i* waits until it is the turn of *i*.
//!
//! Chunks are taken in order, each by a running thread, and a thread passes the value on before it
//! takes another chunk (chunks that it takes together count as one). So the thread whose turn it is
//! never waits here, and by induction no thread waits for ever; if `op` panics, `halt` ends all
//! waits. Waits are short (the predecessor was taken a little earlier, and chunks are short), so a
//! waiter spins, and yields to the system after a while.

use crate::unwind::lock;
use std::{
    hint,
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// The number of times a waiter polls before it yields.
const LOOKS: u32 = 1 << 10;
/// The turn after a panic.
const NO_TURN: usize = usize::MAX;

pub(super) struct Relay<P> {
    /// The index of the chunk whose turn it is. Set after the value was stored; read before it is
    /// taken.
    turn: AtomicUsize,
    value: Mutex<Option<P>>,
}

impl<P> Relay<P> {
    /// Creates a relay with this value for chunk 0.
    pub(super) fn new(value: P) -> Self {
        Relay {
            turn: AtomicUsize::new(0),
            value: Mutex::new(Some(value)),
        }
    }

    fn value(&self) -> MutexGuard<'_, Option<P>> {
        lock(&self.value)
    }

    /// Returns whether it is the turn of this chunk.
    pub(super) fn is_turn_of(&self, index: usize) -> bool {
        self.turn.load(Ordering::Acquire) == index
    }

    /// Waits until it is the turn of this chunk, and takes the value. Returns `None` after a panic.
    pub(super) fn wait(&self, index: usize) -> Option<P> {
        let mut looks = 0;
        loop {
            let turn = self.turn.load(Ordering::Acquire);
            if turn == index {
                break;
            }
            if turn == NO_TURN {
                return None;
            }
            looks += 1;
            if looks < LOOKS {
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
        self.value().take()
    }

    /// Passes the value from these chunks to the one behind them.
    pub(super) fn pass(&self, from: Range<usize>, value: P) {
        *self.value() = Some(value);
        let (order, no_matter) = (Ordering::Release, Ordering::Relaxed);
        // After a panic it remains the turn of no thread.
        let _ = self
            .turn
            .compare_exchange(from.start, from.end, order, no_matter);
    }

    /// Ends all waits, for ever.
    pub(super) fn halt(&self) {
        self.turn.store(NO_TURN, Ordering::Release);
    }

    /// Returns the last value.
    pub(super) fn into_inner(self) -> P {
        let value = self.value.into_inner();
        let value = value.unwrap_or_else(PoisonError::into_inner);
        value.expect("every chunk passes a value on")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_from_chunk_to_chunk() {
        let relay = Relay::new(1);
        assert_eq!(relay.wait(0), Some(1));
        relay.pass(0..3, 2);
        assert!(relay.is_turn_of(3));
        assert_eq!(relay.wait(3), Some(2));
        relay.pass(3..4, 3);
        assert_eq!(relay.into_inner(), 3);
    }

    #[test]
    fn whoever_comes_too_late_to_hear_of_a_panic_does_not_hide_it() {
        let relay = Relay::new(1);
        assert_eq!(relay.wait(0), Some(1));
        relay.halt();
        relay.pass(0..1, 2);
        assert_eq!(relay.wait(1), None);
        assert_eq!(relay.wait(2), None);
    }
}
