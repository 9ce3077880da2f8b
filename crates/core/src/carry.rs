//! What goes with forked work to the thread that runs it, behind the feature `carry`: a context of
//! users' code such as a tracing span.
//!
//! A *carrier*, set once in a process, picks up the context of a fork: for a join or a loop when it
//! is promoted, for a task when it is spawned. The hot path knows nothing of it.
//!
//! **The context of the fork.** Promotion takes the *oldest* fork of a thread, so by then the
//! thread's current context is mostly that of an inner call. A carrier that notes at each change of
//! context in which [`Place`] that was finds the right one: a context belongs to a fork if its
//! place lies outside of the fork's frame. A plain join makes itself the tail (word.rs), and frames
//! that lie further inside have lower addresses, as the attention word assumes, too. So a place is
//! the tail's address, and nothing is stored for it. Scopes' joins are no tails: what is promoted
//! there gets the context that is current.
//!
//! **Where users' code runs.** The carrier is called in a tick, and what it picked up around the
//! job. A panic of either goes no further: the job runs without its context. What it picked up is
//! dropped where its job has run, or, if the owner takes the job back, when that has been settled:
//! users' code there may fork and tick.

#[cfg(feature = "carry")]
mod with {
    use crate::{join::thread, unwind};
    use std::{
        panic::{self, AssertUnwindSafe},
        sync::OnceLock,
    };

    /// Where a thread is among its plain joins.
    #[derive(Clone, Copy, Debug)]
    pub struct Place(usize);

    impl Place {
        /// Inside of all that there is.
        const INNERMOST: Place = Place(0);

        /// Where the calling thread is.
        #[must_use]
        pub fn here() -> Place {
            match thread::tail().addr() {
                0 => Place(usize::MAX),
                tail => Place(tail),
            }
        }

        /// Whether what was done here came before `fork`, a live one of the same thread.
        #[must_use]
        pub fn is_outside_of(self, fork: Place) -> bool {
            self.0 > fork.0
        }
    }

    /// Calls its argument once within a context.
    pub type Within = Box<dyn FnOnce(&mut dyn FnMut()) + Send>;

    /// Picks up the context of a fork of the calling thread.
    pub type Carrier = fn(Place) -> Option<Within>;

    static CARRIER: OnceLock<Carrier> = OnceLock::new();

    /// Has `carrier` pick up the contexts of this process. True if it does now: there is one.
    pub fn carry_by(carrier: Carrier) -> bool {
        *CARRIER.get_or_init(|| carrier) as usize == carrier as usize
    }

    /// What goes with a job or a task.
    pub(crate) struct Carried(Option<Within>);

    impl Carried {
        pub(crate) const NOTHING: Carried = Carried(None);

        /// The context of the calling thread.
        pub(crate) fn from_here() -> Self {
            Self::of(Place::INNERMOST)
        }

        /// The context of a fork of the calling thread: a plain one's if `plain`.
        pub(crate) fn from_fork(frame: usize, plain: bool) -> Self {
            Self::of(if plain {
                Place(frame)
            } else {
                Place::INNERMOST
            })
        }

        fn of(fork: Place) -> Self {
            let mut within = None;
            if let Some(carrier) = CARRIER.get() {
                unwind::swallow(|| within = carrier(fork));
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
    /// Nothing goes with jobs and tasks.
    pub(crate) struct Carried;

    impl Carried {
        pub(crate) const NOTHING: Carried = Carried;

        #[inline(always)]
        pub(crate) fn from_here() -> Self {
            Carried
        }

        #[inline(always)]
        pub(crate) fn from_fork(_: usize, _: bool) -> Self {
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
pub(crate) use self::with::Carried;
#[cfg(feature = "carry")]
pub use self::with::{Carrier, Place, Within, carry_by};
#[cfg(not(feature = "carry"))]
pub(crate) use self::without::Carried;
