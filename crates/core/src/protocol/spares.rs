//! Spares: which workers in reserve stand in for threads of a pool that are blocked.
//!
//! A thread says when it may block (`blocking`, pool/spares.rs). As long as it does, one spare may
//! be *on*, that is, a worker of the pool. All others rest, or have not been started. A spare is
//! called where work could be left lying: if no worker is idle, and fewer spares are on than
//! threads are blocked. One that is on beyond that rests before it takes more work.
//!
//! ```text
//!   a thread that blocks, or a worker     a spare that is not needed
//!   that becomes busy
//!   E1  one more is blocked, or one       R1  one fewer is idle, and, under the lock, on
//!       fewer idle                        R2  fence
//!   E2  fence                             R3  are fewer on than blocked? Then it is both again
//!   E3  is none idle, and are fewer       R4  else it is among those that rest; without the
//!       on than blocked?                      lock, it sleeps until it is not
//!   E4  then, under the lock: if still
//!       fewer are on, one more is: of
//!       those that rest, or a new one
//! ```
//!
//! **None is missed.** Of two threads that do E1 to E3, the one whose fence is later sees what the
//! other has done. If E3 does not see R1, then R2 comes after E2, and R3 sees E1.
//!
//! If the system refuses a new thread, the call is undone. The next E4 tries again.
//!
//! **A spare may be the last**, in a pool without workers: it may be blocked when the caller that
//! it stood in for has left. So while any spare is blocked, one caller counts as blocked there.
//!
//! **One thread on a seat**, as on a worker's (terms.rs). The thread of a spare that has rested for
//! long ends, unless it is on: S3 looks at that under the lock. E4 does not call a spare whose
//! thread ends, which may take long in users' code: if its S3 has missed E4, E4 sees its S1. When
//! that one has given the seat up, E3 and E4 follow after a fence, since another thread may have
//! found all seats in use.

use super::{
    primitive::{AtomicBool, AtomicUsize, Mutex, Ordering, fence, lock},
    terms::Term,
};

pub(crate) struct Spares {
    /// The greatest number.
    max: usize,
    /// The number of threads that are blocked.
    blocked: AtomicUsize,
    /// The number of spares among them.
    blocked_spares: AtomicUsize,
    /// Whether the pool has no workers, and so, if callers leave, no thread.
    no_workers: AtomicBool,
    /// The number of spares that are on. Written under the lock.
    on: AtomicUsize,
    /// Which of those that there have been are on, by number.
    which: Mutex<Vec<bool>>,
}

impl Spares {
    pub(crate) fn new(max: usize) -> Self {
        Spares {
            max,
            blocked: AtomicUsize::new(0),
            blocked_spares: AtomicUsize::new(0),
            no_workers: AtomicBool::new(false),
            on: AtomicUsize::new(0),
            which: Mutex::default(),
        }
    }

    /// Returns the greatest number of spares.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// Returns how many are on, and how many threads are blocked, with a caller that may have left.
    /// Hints.
    pub(crate) fn on_and_blocked(&self) -> (usize, usize) {
        let read = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let lacks = self.no_workers.load(Ordering::Relaxed) && read(&self.blocked_spares) > 0;
        (read(&self.on), self.blocked() + usize::from(lacks))
    }

    /// Returns how many threads are blocked. A hint.
    pub(crate) fn blocked(&self) -> usize {
        self.blocked.load(Ordering::Relaxed)
    }

    /// E1 and E2 of a thread that blocks.
    pub(crate) fn block(&self, is_spare: bool) {
        self.blocked.fetch_add(1, Ordering::Relaxed);
        let spares = usize::from(is_spare);
        self.blocked_spares.fetch_add(spares, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    pub(crate) fn unblock(&self, is_spare: bool) {
        let spares = usize::from(is_spare);
        self.blocked_spares.fetch_sub(spares, Ordering::Relaxed);
        self.blocked.fetch_sub(1, Ordering::Relaxed);
    }

    /// Records whether the pool has workers. If not, that is E1, and E2 follows.
    pub(crate) fn set_workers(&self, has_workers: bool) {
        self.no_workers.store(!has_workers, Ordering::Relaxed);
    }

    /// A part of E3.
    pub(crate) fn is_one_missing(&self) -> bool {
        let (on, blocked) = self.on_and_blocked();
        on < blocked.min(self.max)
    }

    /// E4. Returns a spare that is on from now on, and whether the caller must unpark its thread
    /// rather than start one. Each has a term.
    pub(crate) fn call<'t>(&self, term: impl Fn(usize) -> &'t Term) -> Option<(usize, bool)> {
        let mut which = lock(&self.which);
        if !self.is_one_missing() {
            return None;
        }
        let last = |sits| {
            let is_it = |&spare: &usize| !which[spare] && term(spare).sits() == Some(sits);
            (0..which.len()).rev().find(is_it)
        };
        let rests = last(true);
        let spare = rests.or_else(|| last(false)).unwrap_or(which.len());
        if spare == self.max {
            return None;
        }
        if spare == which.len() {
            which.push(false);
        }
        which[spare] = true;
        self.on.fetch_add(1, Ordering::Relaxed);
        Some((spare, rests.is_some()))
    }

    /// Returns whether one that is on is not needed. A hint.
    pub(crate) fn is_one_left_over(&self) -> bool {
        let (on, blocked) = self.on_and_blocked();
        on > blocked
    }

    /// R1 to R3: returns true if this spare may sleep until it [is on](Self::is_on).
    pub(crate) fn rest(&self, spare: usize) -> bool {
        let mut which = lock(&self.which);
        self.on.fetch_sub(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        if self.is_one_missing() {
            self.on.fetch_add(1, Ordering::Relaxed);
            return false;
        }
        which[spare] = false;
        true
    }

    /// Returns whether this spare is on.
    pub(crate) fn is_on(&self, spare: usize) -> bool {
        lock(&self.which).get(spare) == Some(&true)
    }

    /// Undoes a call of this spare, for which no thread starts.
    pub(crate) fn refused(&self, spare: usize) {
        lock(&self.which)[spare] = false;
        self.on.fetch_sub(1, Ordering::Relaxed);
    }
}
