//! The leader's nap, and how a busy thread cuts it short.
//!
//! A leader that naps looks at offers only now and then (idle.rs), and less and less often, which
//! is right as long as computations are tiny. A program may then start long ones that fork only at
//! their beginning, as rayon's iterators do. Only by chance would the leader help: an offer does
//! not wake it, and when it looks, all forks are over.
//!
//! The owner of an offer knows the duration when it takes the offer back: it has worked on the
//! first half for all that time. If that was long, it wakes the leader, and goes on as if work had
//! been asked for.
//!
//! ```text
//!   leader                               a busy thread
//!   N1  says for how long an offer       O1  offers; if the leader naps, notes the time
//!       must have waited, and that it    O2  takes the offer back: no thread came
//!       naps; asks every member          O3  if it has waited for so long and the leader naps:
//!   N2  sleeps, at most until its time       says that it does not, and unparks it
//!       is up
//!   N3  says that it does not nap: did
//!       another say so before?
//! ```
//!
//! A caller that waits ends a nap without regard to offers: when it makes its call, and when it has
//! polled for the result in vain and goes to sleep. A task that is queued counts as an offer that
//! has waited for the shortest time that ends naps: its thread may block until the task has run.
//!
//! **Callers that are relied on.** The same word serves a deputy (idle.rs) that goes on sleeping,
//! without a time limit, while the leader answers an outside caller, in a call that is expected to
//! be short. Tasks that the call queues may need that deputy, so it must not sleep while the caller
//! does. Nor must it while the caller does anything else, so a caller that may is not relied on
//! (call.rs):
//!
//! ```text
//!   leader                               the caller
//!   C1  says that the deputy naps        C3  under the call's lock: says that it sleeps
//!   C2  under the call's lock: does      C4  ends the nap, if there is one
//!       the caller sleep? If so, ends
//!       the nap and wakes the deputy
//! ```
//!
//! If C3 comes before C2, C2 sees it. Else C1 comes before C4, which sees it. That holds for one
//! call: before the leader runs anything else it ends the nap, and asks again. If the deputy has
//! taken over, it is awake, and has naps of its own.
//!
//! **Once.** O3 and N3 exchange the same word, so each nap ends once: either the leader ends it, or
//! exactly one other thread, and the leader sees that. It then expects long computations again.
//!
//! **Nothing is lost** if O3 comes too early or too late: the nap ends by itself. An unpark may end
//! another sleep, and a thread that parks checks again what it waits for.
//!
//! **What it costs.** A thread that offers nothing pays nothing. An offer reads the word, and the
//! clock if the leader naps. The wake-up costs its thread some microseconds, at first of twenty or
//! more (`Policy::short`). If the leader then finds only tiny jobs, the next offer must have
//! waited twice as long, and so on up to the longest nap; each nap of that length that no offer
//! ends halves the time. So a program whose halves alternate between long and tiny pays for a
//! wake-up or two in several milliseconds, and a program that starts long computations gets help
//! after some milliseconds.

use super::primitive::{AtomicU64, AtomicUsize, Ordering};

/// No worker naps as leader.
const AWAKE: usize = usize::MAX;

#[derive(Debug)]
pub(crate) struct Nap {
    /// The worker that naps as leader.
    who: AtomicUsize,
    /// The time that an offer must have waited to end the nap.
    wait: AtomicU64,
}

impl Nap {
    pub(crate) fn new() -> Self {
        Nap {
            who: AtomicUsize::new(AWAKE),
            wait: AtomicU64::new(0),
        }
    }

    /// N1.
    fn begin(&self, worker: usize, wait: u64) {
        self.wait.store(wait, Ordering::Relaxed);
        self.who.store(worker, Ordering::Relaxed);
    }

    /// N1 to N3 of the leader `worker`, which sleeps by `sleep`. Returns what that returns, and
    /// whether another thread has cut the nap short.
    pub(crate) fn take<R>(&self, worker: usize, wait: u64, sleep: impl FnOnce() -> R) -> (R, bool) {
        self.begin(worker, wait);
        let slept = sleep();
        (slept, self.end())
    }

    /// N3. Returns true if another thread has cut the nap short.
    pub(crate) fn end(&self) -> bool {
        self.who.swap(AWAKE, Ordering::Relaxed) == AWAKE
    }

    /// C1 and C2: announces that `deputy` naps; returns true if it may, since the caller `looks`
    /// for the end of its call.
    pub(crate) fn rely(&self, deputy: usize, wait: u64, looks: impl Fn() -> bool) -> bool {
        self.begin(deputy, wait);
        let relies = looks();
        if !relies {
            self.end();
        }
        relies
    }

    /// Returns whether the leader naps. A hint.
    pub(crate) fn is_on(&self) -> bool {
        self.who.load(Ordering::Relaxed) != AWAKE
    }

    /// O3, of an offer that has waited for so long: returns the leader, if the caller must unpark
    /// it.
    pub(crate) fn cut(&self, waited: u64) -> Option<usize> {
        if !self.is_on() || waited < self.wait.load(Ordering::Relaxed) {
            return None;
        }
        let leader = self.who.swap(AWAKE, Ordering::Relaxed);
        (leader != AWAKE).then_some(leader)
    }
}
