//! The attention word, which the hot path of a join reads.
//!
//! Each thread has a word in thread-local memory. A join compares the address of its frame with it:
//! *at or above the word* means "leave the hot path". The word is
//! * `ATTENTION` (0): every join leaves the hot path, since a worker asks for work, or the thread
//!   has never joined before;
//! * else the lowest address of a promoted frame on this thread: its join, and that of every frame
//!   at a higher address, leaves the hot path and checks exactly;
//! * `NO_FRAME` (higher than all frames' addresses) if there is none.
//!
//! So one comparison answers two questions, "does a worker want work?" and "was my frame
//! promoted?". (Go's preemption through the stack guard is similar.)
//!
//! A thread that comes to no join does not answer. Others promote its frames then (remote.rs).
//!
//! Other threads reach a thread's word through a [`Flag`] in its member, and only while the thread
//! has not left: the lock ensures that no thread writes to the memory of a thread that has ended.

use super::primitive::{AtomicBool, AtomicUsize, Mutex, Ordering, lock};

pub(crate) const ATTENTION: usize = 0;
pub(crate) const NO_FRAME: usize = usize::MAX - 1;

/// Access of other threads to a thread's word.
#[derive(Debug)]
pub(crate) struct Flag {
    word: Mutex<Option<WordPtr>>,
    /// Whether there is one: a hint for threads that want to raise it.
    attached: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
struct WordPtr(*const AtomicUsize);

// SAFETY: the pointee is an atomic, which any thread may use; that it is still there is the
// invariant of `Flag::attach`.
unsafe impl Send for WordPtr {}

impl Flag {
    pub(crate) fn new() -> Self {
        Flag {
            word: Mutex::new(None),
            attached: AtomicBool::new(false),
        }
    }

    /// Connects the flag with the calling thread's word, and raises the word, since work may
    /// already be asked for.
    ///
    /// # Safety
    /// `word` stays valid until `detach` has returned.
    pub(crate) unsafe fn attach(&self, word: *const AtomicUsize) {
        let before = lock(&self.word).replace(WordPtr(word));
        debug_assert!(before.is_none(), "two threads on a seat");
        self.attached.store(true, Ordering::Release);
        // SAFETY: valid (contract).
        raise_own(unsafe { &*word });
    }

    /// Disconnects the flag. When this returns no other thread accesses the word.
    pub(crate) fn detach(&self) {
        *lock(&self.word) = None;
        self.attached.store(false, Ordering::Release);
    }

    /// Returns whether the flag is connected with a thread's word.
    pub(crate) fn is_attached(&self) -> bool {
        self.attached.load(Ordering::Acquire)
    }

    /// Raises the thread's attention. The caller's earlier writes are visible to the thread when it
    /// lowers its word after this.
    pub(crate) fn raise(&self) {
        let word = lock(&self.word);
        if let Some(WordPtr(word)) = *word {
            // SAFETY: attached and, as we hold the lock, not yet detached (contract of `attach`).
            let word = unsafe { &*word };
            // An exchange, since a store would hide the raise of another pool from the thread that
            // lowers the word: only read-modify-writes keep the release of those before them.
            word.swap(ATTENTION, Ordering::Release);
        }
    }
}

impl Flag {
    /// Calls `f` with the thread's word, which stays valid meanwhile, if there is one. The thread
    /// may wait for the end of this.
    pub(crate) fn while_attached<R>(&self, f: impl FnOnce(*const AtomicUsize) -> R) -> Option<R> {
        let word = lock(&self.word);
        word.as_ref().map(|&WordPtr(word)| f(word))
    }
}

/// Lowers the thread's own word to `floor` and acquires the writes of threads that raised it.
pub(crate) fn lower(word: &AtomicUsize, floor: usize) {
    word.swap(floor, Ordering::AcqRel);
}

/// Raises the thread's own attention, or that of one in whose place the caller acts (remote.rs). An
/// exchange for the reason given in `Flag::raise`.
pub(crate) fn raise_own(word: &AtomicUsize) {
    word.swap(ATTENTION, Ordering::Release);
}

/// Sets the word to `floor` unless attention is raised.
pub(crate) fn set_floor(word: &AtomicUsize, floor: usize) {
    let mut seen = word.load(Ordering::Relaxed);
    while seen != ATTENTION {
        match word.compare_exchange(seen, floor, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => seen = now,
        }
    }
}
