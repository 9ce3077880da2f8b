//! What stands in for the instruments without the feature `hooks`: no thread is measured and no
//! pool is observed, which the compiler knows.

use crate::{join::member::Member, protocol::times::Phase};

/// An instrument: there is none.
#[derive(Clone, Copy)]
pub(crate) enum Measured {}

#[inline(always)]
pub(crate) const fn measured() -> Option<Measured> {
    None
}

#[inline(always)]
pub(crate) fn join<C, A, B, RA, RB>(by: Measured, _: &mut C, _: A, _: B) -> (RA, RB) {
    match by {}
}

#[inline(always)]
pub(crate) fn join_both<RA, RB>(
    by: Measured,
    _: impl FnOnce() -> RA,
    _: impl FnOnce() -> RB,
) -> (RA, RB) {
    match by {}
}

#[inline(always)]
pub(crate) const fn enter_loop() -> Option<Measured> {
    None
}

#[inline(always)]
pub(crate) fn end_block() {}

#[must_use]
pub(crate) struct Paused;

#[inline(always)]
pub(crate) const fn pause() -> Paused {
    Paused
}

/// The ends of tasks.
#[derive(Debug, Default)]
pub(crate) struct Ends(());

#[inline(always)]
pub(crate) fn awaited(_: &Ends) {}

pub(crate) struct Spawned;

impl Spawned {
    #[inline(always)]
    pub(crate) const fn new(_: &Ends) -> Self {
        Spawned
    }

    #[inline(always)]
    pub(crate) fn run<R>(self, f: impl FnOnce() -> R) -> R {
        f()
    }
}

/// What happens on the threads of an observed pool.
pub(crate) enum Event {
    Promotion,
    Steal,
    Task,
    Asked,
    Reclaim,
    Wake,
}

#[derive(Default)]
pub(crate) struct LaneOf(());

impl LaneOf {
    #[inline(always)]
    pub(crate) fn enters(&self, _: Phase, _: u64) {}

    #[inline(always)]
    pub(crate) fn happens(&self, _: Event, _: impl FnOnce() -> u64) {}
}

#[derive(Default)]
pub(crate) struct ObserverOf(());

impl ObserverOf {
    #[inline(always)]
    pub(crate) fn welcome(&self, _: &Member) {}
}
