//! Context that is carried with forked work to the thread that runs it, such as a tracing span,
//! behind the feature `carry`.
//!
//! A *carrier*, set once per process, picks up the context of a fork: for a join or a loop when it
//! is promoted, for a task when it is spawned. The hot path is not affected.
//!
//! **The context of the fork.** Promotion takes the *oldest* fork of a thread, so by then the
//! thread's current context is mostly that of an inner call. A plain join makes itself the tail
//! (word.rs). So a carrier that records the tail ([`Place`]) at each change of context finds the
//! right context without storing anything in a join: it is the newest context of the nearest of the
//! fork's *ancestors* that has one, since while a frame is alive, contexts that began at its
//! parent's tail began before it. Few ancestors are visited: all but loops are promoted (chain.rs,
//! *prefix*), or are in outer contexts. Scopes' joins are no tails: when they are promoted they get
//! the current context.
//!
//! **Where users' code runs.** The carrier is called in a tick, and the context that it picked up
//! is called around the job. A panic of either is caught: the job runs without its context. The
//! context is dropped where its job has run, or, if the owner takes the job back, when the job has
//! been settled: users' code there may fork and tick.

#[cfg(feature = "carry")]
mod with {
    use crate::{
        join::{chain, frame::FrameRef, run::Context, scope::Scope, thread},
        unwind,
    };
    use std::{
        marker::PhantomData,
        panic::{self, AssertUnwindSafe},
        sync::OnceLock,
    };

    /// A thread's place among its plain joins: the innermost of them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Place(usize);

    impl Place {
        /// Returns the place of the calling thread.
        #[must_use]
        pub fn here() -> Place {
            Place(thread::tail().addr())
        }
    }

    /// The places around a fork of the calling thread, the innermost first.
    #[derive(Clone, Debug)]
    pub struct Places<'f> {
        next: Option<(*const Scope<'static>, *const Context)>,
        fork: PhantomData<&'f ()>,
    }

    impl Iterator for Places<'_> {
        type Item = Place;

        fn next(&mut self) -> Option<Place> {
            let (scope, context) = self.next.take()?;
            // SAFETY: null, a root's scope, or a frame above the fork, which outlives it (chain.rs,
            // *upwards*), as what is outside of a context outlives that. No user code runs here.
            let frame = unsafe { chain::frame_of(scope) };
            self.next = if frame.is_null() {
                // SAFETY: contexts stay until they have been left, and the fork is inside.
                unsafe { context.as_ref() }.map(|context| (context.outer_tail, context.outer))
            } else {
                // SAFETY: alive, as above.
                Some((unsafe { FrameRef::new(frame) }.parent(), context))
            };
            Some(Place(scope.addr()))
        }
    }

    /// Calls its argument once within a context.
    pub type Within = Box<dyn FnOnce(&mut dyn FnMut()) + Send>;

    /// Picks up the context of a fork of the calling thread: the current one, if there are no
    /// places.
    pub type Carrier = fn(Option<Places<'_>>) -> Option<Within>;

    static CARRIER: OnceLock<Carrier> = OnceLock::new();

    /// Sets the carrier of this process. Returns true if it is set now: there is only one.
    pub fn carry_by(carrier: Carrier) -> bool {
        *CARRIER.get_or_init(|| carrier) as usize == carrier as usize
    }

    /// The context carried with a job or a task.
    pub(crate) struct Carried(Option<Within>);

    impl Carried {
        pub(crate) const NOTHING: Carried = Carried(None);

        /// Picks up the context of the calling thread.
        pub(crate) fn from_here() -> Self {
            Self::of(None)
        }

        /// Picks up the context of a fork of the calling thread: a live frame in this context of
        /// plain joins, or a scope's if `context` is null.
        pub(crate) fn from_fork(frame: FrameRef, context: *const Context) -> Self {
            let next = Some((frame.parent(), context));
            let fork = PhantomData;
            Self::of((!context.is_null()).then_some(Places { next, fork }))
        }

        fn of(places: Option<Places<'_>>) -> Self {
            let mut within = None;
            if let Some(carrier) = CARRIER.get() {
                unwind::swallow(|| within = carrier(places));
            }
            Carried(within)
        }

        /// Drops it, which is users' code.
        pub(crate) fn discard(self) {
            drop(self);
        }

        fn take(mut self) -> Option<Within> {
            self.0.take()
        }

        /// Calls `f` within the context.
        pub(crate) fn around<R>(self, f: impl FnOnce() -> R) -> R {
            let Some(within) = self.take() else {
                return f();
            };
            let (mut f, mut result) = (Some(f), None);
            unwind::swallow(|| {
                within(&mut || {
                    if let Some(f) = f.take() {
                        result = Some(panic::catch_unwind(AssertUnwindSafe(f)));
                    }
                });
            });
            match (result, f) {
                (Some(Ok(result)), _) => result,
                (Some(Err(payload)), _) => panic::resume_unwind(payload),
                (None, Some(f)) => f(),
                (None, None) => unreachable!("what is taken leaves a result"),
            }
        }
    }

    impl Drop for Carried {
        fn drop(&mut self) {
            if let Some(within) = self.0.take() {
                unwind::swallow(|| drop(within));
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        /// What `around` makes of a job that adds one, or panics, in such a context.
        fn around(within: Within, job: impl FnOnce(&mut u32)) -> (u32, bool) {
            let mut runs = 0;
            let job = || job(&mut runs);
            let result =
                panic::catch_unwind(AssertUnwindSafe(|| Carried(Some(within)).around(job)));
            (runs, result.is_ok())
        }

        #[test]
        fn a_job_runs_once_whatever_its_context_does() {
            let contexts: [fn(&mut dyn FnMut()); 5] = [
                |job| job(),
                |_| (),
                |job| {
                    job();
                    job();
                },
                |_| panic::resume_unwind(Box::new("before")),
                |job| {
                    job();
                    panic::resume_unwind(Box::new("after"));
                },
            ];
            for context in contexts {
                assert_eq!(around(Box::new(context), |runs| *runs += 1), (1, true));
                let panics = around(Box::new(context), |runs| {
                    *runs += 1;
                    panic::resume_unwind(Box::new("the job"));
                });
                assert_eq!(panics, (1, false));
            }
        }
    }
}

#[cfg(not(feature = "carry"))]
mod without {
    use crate::join::{frame::FrameRef, run::Context};

    /// Nothing is carried with jobs and tasks.
    pub(crate) struct Carried;

    impl Carried {
        pub(crate) const NOTHING: Carried = Carried;

        #[inline(always)]
        pub(crate) fn from_here() -> Self {
            Carried
        }

        #[inline(always)]
        pub(crate) fn from_fork(_: FrameRef, _: *const Context) -> Self {
            Carried
        }

        #[inline(always)]
        pub(crate) fn discard(self) {}

        #[inline(always)]
        pub(crate) fn around<R>(self, f: impl FnOnce() -> R) -> R {
            f()
        }
    }
}

#[cfg(feature = "carry")]
pub use self::with::*;
#[cfg(not(feature = "carry"))]
pub(crate) use self::without::*;
