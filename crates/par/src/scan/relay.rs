//! Passes a value on from turn to turn: turn *i* waits until turn *i* - 1 has passed.
//!
//! Turns are taken in order, each by a thread that is running, and a thread passes before it takes another. So the one whose
//! turn it is never waits for anybody here, and by induction nobody waits for ever; if a turn panics, `halt` sends all others home.
//! Waits are short (the predecessor has taken its chunk a little earlier), hence a waiter spins, and yields to the system after a while.

use std::{
    hint,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

/// A waiter looks so often before it yields.
const LOOKS: u32 = 1 << 10;
/// Whose turn it is after a panic.
const NOBODY: usize = usize::MAX;

pub(super) struct Relay<P> {
    /// Whose turn it is. Set after the value was put down; read before it is picked up.
    turn: AtomicUsize,
    value: Mutex<Option<P>>,
}

/// A turn that was taken.
pub(super) struct Turn<'r, P> {
    relay: &'r Relay<P>,
    index: usize,
}

impl<P> Relay<P> {
    /// A relay that begins with this value, for turn 0.
    pub(super) fn new(value: P) -> Self {
        Relay {
            turn: AtomicUsize::new(0),
            value: Mutex::new(Some(value)),
        }
    }

    pub(super) fn turn(&self, index: usize) -> Turn<'_, P> {
        Turn { relay: self, index }
    }

    /// Ends all waiting: a turn has panicked.
    pub(super) fn halt(&self) {
        self.turn.store(NOBODY, Ordering::Release);
    }

    /// What the last turn has passed on.
    pub(super) fn into_inner(self) -> P {
        let value = self.value.into_inner();
        let value = value.unwrap_or_else(PoisonError::into_inner);
        value.expect("every turn passes a value on")
    }
}

impl<P> Turn<'_, P> {
    /// Whether it is this one's turn.
    pub(super) fn has_come(&self) -> bool {
        self.relay.turn.load(Ordering::Acquire) == self.index
    }

    /// Waits until it is, and picks the value up; `None` after a panic.
    pub(super) fn wait(&self) -> Option<P> {
        let mut looks = 0;
        loop {
            let turn = self.relay.turn.load(Ordering::Acquire);
            if turn == self.index {
                break;
            }
            if turn == NOBODY {
                return None;
            }
            looks += 1;
            if looks < LOOKS {
                hint::spin_loop();
            } else {
                thread::yield_now();
            }
        }
        let value = &self.relay.value;
        value.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Passes a value on to the next turn.
    pub(super) fn pass(&self, value: P) {
        *self
            .relay
            .value
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(value);
        let (mine, next) = (self.index, self.index + 1);
        // After a panic it stays nobody's turn.
        let turn = &self.relay.turn;
        let _ = turn.compare_exchange(mine, next, Ordering::Release, Ordering::Relaxed);
    }
}
