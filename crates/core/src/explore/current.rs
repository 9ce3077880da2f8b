//! The schedule of the calling thread, for the code that runs under it.

use super::{primitive, schedule::Schedule};
use crate::protocol::faulty::Wrong;
use std::{cell::Cell, panic::Location, thread};

thread_local! {
    /// The thread's schedule, and its number there. Without destructor, so that it is valid in
    /// other destructors.
    static CURRENT: Cell<Option<(&'static Schedule, usize)>> = const { Cell::new(None) };
    static END: End = const { End };
}

/// The first thread-local with a destructor of a thread, so that its destructor runs last: it ends
/// the thread for its schedule.
struct End;

impl Drop for End {
    fn drop(&mut self) {
        with_current(Schedule::end);
    }
}

/// Makes the calling thread the one of this number of a schedule, which `begins` it.
pub(super) fn enter(schedule: &'static Schedule, me: usize, begins: impl FnOnce()) {
    CURRENT.set(Some((schedule, me)));
    begins();
    END.with(|_| ());
}

/// Calls `f` with the calling thread's schedule, if it has one, and its number there.
pub(super) fn with_current<R>(f: impl FnOnce(&'static Schedule, usize) -> R) -> Option<R> {
    let (schedule, me) = CURRENT.get()?;
    Some(f(schedule, me))
}

/// What is wrong with the caller's step, if it is the one that the calling thread's schedule is to
/// find.
#[track_caller]
pub(super) fn wrong_here() -> Option<Wrong> {
    let here = Location::caller();
    with_current(|schedule, _| schedule.fault())??.wrong_at(here)
}

/// Fails the calling thread's schedule, which would meet threads of others in the global pool.
pub(crate) fn meet_no_others() {
    with_current(|schedule, _| schedule.fail_with("a scenario uses the global pool"));
}

/// Runs `work` on a new thread, since the schedule has no global pool.
pub(crate) fn leave_to_schedule<F: FnOnce() + Send + 'static>(work: F) -> Option<F> {
    let _ = primitive::spawn(thread::Builder::new(), work);
    None
}
