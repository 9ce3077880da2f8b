//! The events of a thread of an observed pool: its phases, and what else happens there.
//!
//! A member gets its [`Lane`] once; it lives as long as the member. So that no **phase** is missed,
//! one is either read by [`Seat::phase`](crate::Seat::phase), after a SeqCst fence, or reported to
//! the lane that was set before that fence. Changing it: store, fence, check for the lane.

use crate::protocol::{
    primitive::{Ordering, fence},
    times::Phase,
};
use std::{any::Any, sync::OnceLock};

/// Something that happens on a thread of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It offers a job.
    Promotion,
    /// It takes a job of another.
    Steal,
    /// It takes a task from a queue.
    Task,
    /// Another thread, the calling one, asks it for work.
    Asked,
    /// It takes a job of its own back.
    Reclaim,
    /// It wakes another.
    Wake,
}

/// The receiver of the events of one thread; called by that thread, except for [`Event::Asked`].
/// Times are those of the pool's clock.
pub trait Lane: Any + Send + Sync {
    /// Returns whether it needs events.
    fn is_on(&self) -> bool;

    /// The thread has entered a phase, after which there was a SeqCst fence.
    fn enters(&self, phase: Phase, now: u64);

    /// Something happens.
    fn happens(&self, what: Event, now: u64);

    /// Itself.
    fn as_any(&self) -> &dyn Any;
}

/// A member's lane, once it has one.
#[derive(Default)]
pub(crate) struct LaneOf(OnceLock<Box<dyn Lane>>);

impl LaneOf {
    /// The thread has changed its phase.
    pub(crate) fn enters(&self, phase: Phase, now: u64) {
        fence(Ordering::SeqCst);
        if let Some(lane) = self.0.get() {
            lane.enters(phase, now);
        }
    }

    /// The lane, which `new` makes if there is none.
    pub(crate) fn or_init(&self, new: impl FnOnce() -> Box<dyn Lane>) -> &dyn Lane {
        &**self.0.get_or_init(new)
    }

    pub(crate) fn happens(&self, what: Event, now: impl FnOnce() -> u64) {
        if let Some(lane) = self.0.get().filter(|lane| lane.is_on()) {
            lane.happens(what, now());
        }
    }
}
