//! What goes with forked work to the thread that runs it: values that users set ([`ContextKey`]),
//! and, for the crate `sumac`, tracing spans.
//!
//! A job or a task carries what was current where it was *forked*; whatever thread runs it sees
//! that and nothing else. The hot path is not affected: a join notes nothing, and what was current
//! at it is found when it is promoted, mostly from far inside.
//!
//! **Moments.** Each thread counts the changes of its contexts: a *moment* is the time from one to
//! the next (region.rs). If the moment of a fork is known, what was current at it is what is still
//! there of the newest change up to then. So the question is how old a frame is.
//!
//! * **Plain joins and loops.** What begins a moment *stamps* the plain frames of the current
//!   context (run.rs) that have no stamp, from the innermost up, with the moment that ends
//!   (chain.rs). So a frame without a stamp was built in the last moment in which its context was
//!   the current one: the present moment, or that in which the next context was entered, which is
//!   noted there (`Context::giving`). Each frame is stamped once in its life.
//! * **Joins and loops of a scope** cannot be found when a moment begins, since the scope is in
//!   users' hands. If the root of the scope was made in this moment, so was the frame. Otherwise
//!   the frame is inside of those regions, begun since then, whose marks are at higher addresses
//!   (region.rs). If addresses do not descend from the frame, and from mark to mark, to the tick,
//!   the frame gives nothing. That is wrong only where a program has changed stacks more than once
//!   and they descend by chance: then the fork gets another value of those that the thread has set,
//!   or none.
//!
//! **What sees nothing.** On top of its waits and yields a thread runs tasks and steps of futures,
//! and with them users' code that belongs to no fork: destructors of outcomes and of what is not
//! run, wakers, panic handlers. All that runs in a region without values, in which what is carried
//! begins its own. Destructors of values run in such a region, too.
//!
//! **Cost.** Finding what was current is a binary search among the regions around it. If no value
//! is set, promoting, spawning and running cost a few looks at thread-locals.
//!
//! **Where users' code runs.** Values are dropped by the last thread that leaves the closure or
//! what was forked in it: where a job has run, before its latch is set; where the owner takes it
//! back, when the job has been settled; where `set` ends. Nothing is borrowed then. A panic goes no
//! further. The carrier of spans is called in a tick, and what it picked up is entered before the
//! job and left after it. A panic of these is caught: the job runs, without its span.

mod key;
mod region;

pub use self::{
    key::ContextKey,
    region::{Moment, Snapshot},
};
use crate::{
    join::{chain::Root, frame::FrameRef},
    unwind,
};
use std::{any::Any, sync::OnceLock};

/// Enters a span, until what it returns is dropped.
pub type Within = Box<dyn FnOnce() -> Box<dyn Any> + Send>;

/// Picks up the span of a fork of the calling thread in this moment.
pub type Carrier = fn(Moment) -> Option<Within>;

static CARRIER: OnceLock<Carrier> = OnceLock::new();

/// Sets the carrier of this process. Returns true if it is set now: there is only one.
pub fn carry_by(carrier: Carrier) -> bool {
    *CARRIER.get_or_init(|| carrier) as usize == carrier as usize
}

/// What is carried with a job or a task.
pub(crate) struct Carried {
    values: Snapshot,
    /// Boxed again: it is rare, and each task has room for it.
    within: Quiet<Box<Within>>,
}

/// What is dropped such that a panic goes no further.
struct Quiet<T>(Option<T>);

impl<T> Drop for Quiet<T> {
    #[inline]
    fn drop(&mut self) {
        if self.0.is_some() {
            self.discard();
        }
    }
}

impl<T> Quiet<T> {
    #[cold]
    #[inline(never)]
    fn discard(&mut self) {
        let loud = self.0.take();
        unwind::swallow(|| drop(loud));
    }
}

impl Carried {
    pub(crate) const NOTHING: Carried = Carried {
        values: Snapshot::NONE,
        within: Quiet(None),
    };

    /// Picks up what is current on the calling thread.
    #[inline]
    pub(crate) fn from_here() -> Self {
        if CARRIER.get().is_none() && !region::is_set() {
            return Carried::NOTHING;
        }
        Self::of(Moment::now())
    }

    /// Returns whether anything may be current on any thread.
    pub(crate) fn may_be_anything() -> bool {
        CARRIER.get().is_some() || region::is_used()
    }

    /// Picks up what was current at a fork: a live frame of the calling thread, not promoted, under
    /// this root. `unstamped` is the moment of a plain one without a stamp; none for a scope's.
    /// Returns `None` if it is not known.
    pub(crate) fn from_fork(
        frame: FrameRef<'_>,
        root: &Root<'_>,
        unstamped: Option<Moment>,
    ) -> Option<Self> {
        let inside = || Moment::inside(frame.address(), root.made);
        let moment = frame.stamp().or(unstamped).or_else(inside);
        moment.map(Self::of)
    }

    fn of(moment: Moment) -> Self {
        let mut within = Quiet(None);
        if let Some(carrier) = CARRIER.get() {
            unwind::swallow(|| within.0 = carrier(moment).map(Box::new));
        }
        Carried {
            values: Snapshot::of(moment),
            within,
        }
    }

    /// Calls `f` where this is current, and nothing else; mostly with no more of the stack.
    #[inline(always)]
    pub(crate) fn around<R>(self, f: impl FnOnce() -> R) -> R {
        if self.is_current() {
            return f();
        }
        self.change(f)
    }

    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        self.within.0.is_none() && self.values.is_current()
    }

    #[cold]
    fn change<R>(self, f: impl FnOnce() -> R) -> R {
        let Carried { values, mut within } = self;
        values.around(|| {
            let mut span = Quiet(None);
            if let Some(within) = within.0.take() {
                unwind::swallow(|| span.0 = Some(within()));
            }
            f()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        panic::{self, AssertUnwindSafe},
        sync::atomic::{AtomicUsize, Ordering},
    };

    static LEFT: AtomicUsize = AtomicUsize::new(0);

    /// A span that is left; a panic says so if it is to.
    struct Span(bool);

    impl Drop for Span {
        fn drop(&mut self) {
            LEFT.fetch_add(1, Ordering::Relaxed);
            if self.0 {
                panic::resume_unwind(Box::new("after"));
            }
        }
    }

    /// A span, and how often it is left.
    type Case = (fn() -> Box<dyn Any>, usize);

    /// What `around` makes of a job that adds one, or panics, in such a span.
    fn around(within: Within, job: impl FnOnce(&mut u32)) -> (u32, bool) {
        let mut runs = 0;
        let job = || job(&mut runs);
        let carried = Carried {
            values: Snapshot::NONE,
            within: Quiet(Some(Box::new(within))),
        };
        let result = panic::catch_unwind(AssertUnwindSafe(|| carried.around(job)));
        (runs, result.is_ok())
    }

    #[test]
    fn a_job_runs_once_whatever_its_span_does() {
        let spans: [Case; 3] = [
            (|| Box::new(Span(false)), 1),
            (|| Box::new(Span(true)), 1),
            (|| panic::resume_unwind(Box::new("before")), 0),
        ];
        for (span, leaves) in spans {
            LEFT.store(0, Ordering::Relaxed);
            assert_eq!(around(Box::new(span), |runs| *runs += 1), (1, true));
            let panics = around(Box::new(span), |runs| {
                *runs += 1;
                panic::resume_unwind(Box::new("the job"));
            });
            assert_eq!(panics, (1, false));
            assert_eq!(LEFT.load(Ordering::Relaxed), 2 * leaves);
        }
    }
}
