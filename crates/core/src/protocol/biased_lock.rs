//! A lock that one thread takes at half the price: its *owner*.
//!
//! A list of tasks is locked twice for each task, mostly by the thread that has spawned them. A
//! mutex is locked and unlocked by an atomic exchange each. The owner takes this one by a fence and
//! gives it back by a store; other threads pay for that with a fence more and, if the owner is
//! inside, with a wait. This is known as biased locking.
//!
//! ```text
//!   the owner                                another thread
//!   O1  inside := true                       M1  locks the mutex
//!   O2  fence                                M2  stopped := true
//!   O3  stopped? inside := false,            M3  fence
//!       then locks the mutex instead         M4  waits until inside is false
//!       uses the value                           uses the value
//!   O4  inside := false                      M5  stopped := false, unlocks the mutex
//! ```
//!
//! **One at a time.** Threads that have locked the mutex exclude each other. If O2 comes before M3,
//! M4 sees O1 and waits for O4. Else O3 sees M2, or M5, by which the other has done. M4 acquires
//! what O4 releases, and O3 what M5 releases.
//!
//! **No circle.** The owner does not wait while it is inside, where only short steps run, without
//! users' code but the global allocator, and M4 waits for nothing else. It yields, then naps, as
//! the owner may have been set aside, by a thread of higher priority perhaps.
//!
//! **The owner** is named once: the thread that has made the lock, or the first that locks the
//! mutex. Another thread may have its token after its end: tokens are addresses of thread-locals,
//! whose memory is freed and allocated again in between, which orders their uses. An owner that is
//! inside already (its allocator uses the lock) must not go on: the process aborts.

use super::primitive::{
    AtomicBool, AtomicUsize, Mutex, Ordering, UnsafeCell, back_off, fence, lock, thread_token,
};
use crate::unwind::{Finally, abort_on_panic};

pub(crate) struct BiasedLock<T> {
    /// The token of the owner, or 0.
    owner: AtomicUsize,
    /// Whether the owner is inside without the mutex.
    inside: AtomicBool,
    /// Whether another thread has the mutex.
    stopped: AtomicBool,
    mutex: Mutex<()>,
    value: UnsafeCell<T>,
}

// SAFETY: one thread at a time uses the value (*one at a time*); all else is shared safely.
unsafe impl<T: Send> Sync for BiasedLock<T> {}

impl<T> BiasedLock<T> {
    /// The calling thread's own.
    pub(crate) fn new(value: T) -> Self {
        Self::of(thread_token(), value)
    }

    /// That of the first thread that comes.
    pub(crate) fn unowned(value: T) -> Self {
        Self::of(0, value)
    }

    fn of(owner: usize, value: T) -> Self {
        BiasedLock {
            owner: AtomicUsize::new(owner),
            inside: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            mutex: Mutex::new(()),
            value: UnsafeCell::new(value),
        }
    }

    /// Calls `f`, which runs no users' code and does not wait, with the value.
    #[inline(always)]
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let is_owner = self.owner.load(Ordering::Relaxed) == thread_token();
        if is_owner && self.enter() {
            let _leave = Finally(|| self.inside.store(false, Ordering::Release));
            // SAFETY: the owner is inside (*one at a time*), once.
            return self.value.with_mut(|value| f(unsafe { &mut *value }));
        }
        self.with_mutex(f)
    }

    /// O1 to O3. Returns whether the owner is inside.
    #[inline(always)]
    fn enter(&self) -> bool {
        if self.inside.load(Ordering::Relaxed) {
            abort_on_panic(|| panic!("a lock is used by the allocator that it uses"));
        }
        self.inside.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let enters = !self.stopped.load(Ordering::Acquire);
        if !enters {
            self.inside.store(false, Ordering::Release);
        }
        enters
    }

    #[cold]
    #[inline(never)]
    fn with_mutex<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let _mutex = lock(&self.mutex);
        if self.owner.load(Ordering::Relaxed) == 0 {
            self.owner.store(thread_token(), Ordering::Relaxed);
        }
        self.stopped.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        for nth in 0.. {
            if !self.inside.load(Ordering::Acquire) {
                break;
            }
            back_off(nth);
        }
        let _go_on = Finally(|| self.stopped.store(false, Ordering::Release));
        // SAFETY: we have the mutex, and the owner is not inside (*one at a time*).
        self.value.with_mut(|value| f(unsafe { &mut *value }))
    }
}
