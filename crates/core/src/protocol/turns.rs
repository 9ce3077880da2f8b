//! Turns: how callers and one thread of the pool share the last seat of a pool whose callers take
//! turns.
//!
//! Such a pool of *n* threads has *n - 1* workers and one seat more. An outside thread that calls
//! has it for the length of its call. The *stand-in*, a thread of the pool, has it where there is
//! something to do and no caller (task/stand_in.rs). So no more than *n* threads work in the pool,
//! and each has an index of its own.
//!
//! ```text
//!              a caller takes it                  the stand-in takes it
//!   FREE ───────────────────────────► OCCUPIED ◄──────────────────────── WANTED
//!    ▲ │  the stand-in does, if it is    │                                 ▲
//!    │ │  awake and needed               │                                 │
//!    │ └─────────────────────────────────┼─────────────────────────────────┘
//!    │                                   │      a thread that finds the stand-in needed
//!    └───────────────────────────────────┘
//!           who occupies it gets off
//! ```
//!
//! Callers take a seat that is `FREE` only. So in `WANTED` they do not keep the stand-in out, and
//! tasks get their turn beside a thread that calls again and again.
//!
//! ```text
//!   who occupies the seat                a thread that makes the stand-in needed (queues a task, say)
//!   G1  get off                          N1  queue the task
//!   G2  FREE (release)                   N2  fence
//!   G3  fence                            N3  is it needed? is the seat FREE?
//!   G4  is the stand-in needed?          N4  FREE ► WANTED, unpark the stand-in
//!   G5  then FREE ► WANTED, unpark
//! ```
//!
//! * **One at a time.** A thread sits between its exchange to `OCCUPIED` and its store of `FREE`.
//!   The exchange acquires what the store has released, also through `WANTED`, since an exchange
//!   carries a release on. So a member that only one thread at a time may use can be that of the
//!   seat.
//! * **No need forgotten.** Suppose N1 has made the stand-in needed, and N3 finds the seat
//!   occupied. The fences G3 and N2 are ordered. If N2 is first, G4 sees N1. If G3 is first, N3
//!   sees G2, or a later occupant, of whom the same holds. So a thread that finds the seat occupied
//!   may leave the rest to its occupant. If what makes it needed has several parts, a task and a
//!   worker that becomes busy, say, the thread that writes the last one sees all.
//! * **No wake-up lost.** Only the stand-in takes the seat out of `WANTED`, and it looks for that
//!   before each sleep. The unpark of N4 comes after the exchange, and parkers keep it.
//! * **Naps.** While others run tasks and no worker is idle, the stand-in is needed as a thief
//!   only. It looks once; if there is nothing to take it naps, with the seat free, and looks again.
//!   Those who need a thief do not wake it then. When it naps no more it says so and then, after a
//!   fence, looks whether it is needed: this is G2 to G4 once more, with the nap in place of the
//!   seat.
//! * **The end.** A pool that is terminating needs its stand-in, if it has been started, until that
//!   has run all that is queued. Then it ends and the seat stays occupied: nothing waits for a
//!   thread that has gone.

use super::{
    parker::Parker,
    primitive::{AtomicBool, AtomicU32, Ordering, fence},
};
use crate::fault::{Fault, planted};
use std::time::Duration;

const FREE: u32 = 0;
const OCCUPIED: u32 = 1;
const WANTED: u32 = 2;

/// What the stand-in is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Nothing,
    /// There may be jobs to take: others run tasks, and no worker is idle.
    Thief,
    /// There is something to do.
    Now,
}

/// Whose turn it is on a seat.
#[derive(Debug)]
pub(crate) struct Turns {
    state: AtomicU32,
    /// The stand-in sleeps for a while, and then looks for something to do.
    naps: AtomicBool,
    /// Where the stand-in sleeps.
    parker: Parker,
}

impl Turns {
    pub(crate) fn new() -> Self {
        Turns {
            state: AtomicU32::new(FREE),
            naps: AtomicBool::new(false),
            parker: Parker::new(),
        }
    }

    /// Takes the seat if it is free.
    pub(crate) fn take(&self) -> bool {
        if planted(Fault::TurnByLooking) {
            let free = self.state.load(Ordering::Acquire) == FREE;
            if free {
                self.state.store(OCCUPIED, Ordering::Relaxed);
            }
            return free;
        }
        self.exchange(FREE, OCCUPIED)
    }

    /// G2 and G3, for the thread that sat here. Whether the stand-in is needed has to be looked at
    /// next: [`Turns::call`].
    pub(crate) fn free(&self) {
        debug_assert_eq!(self.state.load(Ordering::Relaxed), OCCUPIED);
        let order = if planted(Fault::TurnEndsRelaxed) {
            Ordering::Relaxed
        } else {
            Ordering::Release
        };
        self.state.store(FREE, order);
        if !planted(Fault::TurnEndsWithoutFence) {
            fence(Ordering::SeqCst);
        }
    }

    /// N3 and N4, after a fence; G4 and G5. Wakes the stand-in if it is needed and the seat is
    /// free, after `start` has started its thread unless it has been. False if there is no thread
    /// for what is to be done now; without a thief one does.
    pub(crate) fn call(&self, need: impl FnOnce() -> Need, start: impl FnOnce() -> bool) -> bool {
        let need = need();
        match need {
            Need::Nothing => return true,
            Need::Thief if self.naps.load(Ordering::Relaxed) => return true,
            Need::Thief | Need::Now => {}
        }
        // Who occupies it looks when it gets off; one that wants it has woken the stand-in.
        if self.state.load(Ordering::Relaxed) != FREE {
            return true;
        }
        if !start() {
            return need == Need::Thief;
        }
        if planted(Fault::WantByStoring) {
            self.state.store(WANTED, Ordering::Relaxed);
            self.parker.unpark();
        } else if self.exchange(FREE, WANTED) {
            self.parker.unpark();
        }
        true
    }

    /// For the stand-in: waits until it has the seat. `nap` is how long it sleeps while it is
    /// needed as a thief only.
    pub(crate) fn wait(&self, need: impl Fn() -> Need, nap: Duration) {
        let mut has_napped = false;
        while !self.exchange(WANTED, OCCUPIED) {
            self.naps.store(false, Ordering::Relaxed);
            if !planted(Fault::NapEndsWithoutFence) {
                fence(Ordering::SeqCst);
            }
            let need = if planted(Fault::StandInSleepsBlindly) {
                Need::Nothing
            } else {
                need()
            };
            match need {
                Need::Thief if !has_napped => {
                    self.naps.store(true, Ordering::Relaxed);
                    self.parker.park(Some(nap));
                    has_napped = true;
                }
                Need::Thief | Need::Now if self.take() => return,
                // There is nothing to do, or the thread that sits there looks when it gets off.
                _ => self.parker.park(None),
            }
        }
        self.naps.store(false, Ordering::Relaxed);
    }

    /// Wakes the stand-in, to look again.
    pub(crate) fn unpark(&self) {
        self.parker.unpark();
    }

    pub(crate) fn is_free(&self) -> bool {
        self.state.load(Ordering::Relaxed) == FREE
    }

    fn exchange(&self, from: u32, to: u32) -> bool {
        self.state
            .compare_exchange(from, to, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }
}
