//! The thread's state on the hot path: the attention word and the tail, and where they are stored.
//!
//! In a shared library the address of a thread-local takes a call. So both are adjacent, a plain
//! join gets their address once and stores it in its frame, and a scope carries it: its joins need
//! no thread-local.
//!
//! Invariants:
//! * **Own thread.** Only the thread that a `Local` was created for uses it, except its atomics,
//!   which others reach through a [`Flag`](crate::protocol::attention::Flag). It is not `Sync`, so
//!   a reference to it, and so each scope and frame, stays on its thread, or is lent to one that
//!   stands in for it (protocol/remote.rs).
//! * **Stays.** It is valid until the last of its thread's destructors has run. Where thread-locals
//!   without destructor are part of the thread's own memory, it is one of them. Elsewhere they are
//!   boxes that the system frees in any order: there it is a few bytes per thread that are never
//!   freed.
//! * **One.** Where it is part of the thread's memory there is one per thread. Elsewhere a thread
//!   may get a new one between two destructors, never while a frame is alive. A scope that has
//!   outlived such a change has the old one, whose word is no longer the thread's: so there, scopes
//!   do not use what they carry (`Scope::local`).

use super::{frame::FrameRef, scope::Scope, thread::Thread};
use crate::protocol::{
    attention::ATTENTION,
    primitive::{AtomicUsize, Ordering, light_barrier},
    remote::Remote,
};
use std::{
    cell::{Cell, OnceCell},
    ptr,
    sync::atomic::AtomicPtr,
};

const APART: usize = 64 / size_of::<usize>() - 1;

/// The word, and the innermost scope of the thread's plain joins (null at the base).
#[repr(C, align(64))]
pub(crate) struct Local {
    word: AtomicUsize,
    /// Other threads write the word. What the owner writes is in another cache line.
    _apart: [usize; APART],
    tail: AtomicPtr<Scope<'static>>,
    /// The tail inside of the current context if there are no frames, there and outside; null if
    /// there are some.
    bare: AtomicPtr<Scope<'static>>,
    /// When its loops last looked at the clock.
    pub(crate) looked: Cell<u64>,
    pub(crate) remote: Remote,
    /// The thread's record, once it has had a seat.
    record: AtomicPtr<Thread>,
}

impl Local {
    const fn new() -> Self {
        Local {
            word: AtomicUsize::new(ATTENTION),
            _apart: [0; APART],
            tail: AtomicPtr::new(ptr::null_mut()),
            bare: AtomicPtr::new(ptr::null_mut()),
            looked: Cell::new(0),
            remote: Remote::new(),
            record: AtomicPtr::new(ptr::null_mut()),
        }
    }
}

/// Whether thread-locals are part of the thread's own memory. Elsewhere one that is used after its
/// destructor is created again.
pub(crate) const NATIVE: bool = cfg!(any(
    all(target_os = "linux", not(target_env = "ohos")),
    target_os = "freebsd",
    target_vendor = "apple",
    all(windows, target_env = "msvc"),
    target_family = "wasm",
));

thread_local! {
    static LOCAL: Local = const { Local::new() };
    static BOXED: OnceCell<&'static Local> = const { OnceCell::new() };
}

impl Local {
    /// Returns the current thread's word and tail.
    #[inline(always)]
    pub(crate) fn current() -> &'static Self {
        if NATIVE {
            // SAFETY: it is there as long as its thread (*stays*), where it is used (*own thread*).
            unsafe { &*LOCAL.with(ptr::from_ref) }
        } else {
            Self::boxed()
        }
    }

    #[inline]
    fn boxed() -> &'static Self {
        BOXED.with(|local| *local.get_or_init(|| Box::leak(Box::new(Local::new()))))
    }

    /// Returns whether a frame at this address has to leave the hot path (attention.rs).
    #[inline(always)]
    pub(crate) fn must_leave(&self, address: usize) -> bool {
        address >= self.word.load(Ordering::Relaxed)
    }

    /// Returns whether every frame has to: the thread is asked for work, or has not joined before.
    #[inline(always)]
    pub(crate) fn is_asked(&self) -> bool {
        self.word.load(Ordering::Relaxed) == ATTENTION
    }

    /// Returns the innermost scope of this thread's plain joins; null at the base.
    #[inline(always)]
    pub(crate) fn tail(&self) -> *const Scope<'static> {
        self.tail.load(Ordering::Relaxed)
    }

    /// # Safety
    /// The tail is null, or the innermost live scope of this thread's plain joins until another one
    /// is set.
    #[inline(always)]
    pub(crate) unsafe fn set_tail(&self, tail: *const Scope<'static>) {
        // What the tail leads to is written before, for one that passes a heavy barrier between.
        light_barrier();
        self.tail.store(tail.cast_mut(), Ordering::Relaxed);
    }
}

impl Local {
    /// Notes whether there are frames around the current tail.
    pub(crate) fn set_bare(&self, is_bare: bool) {
        let bare = if is_bare { self.tail() } else { ptr::null() };
        self.bare.store(bare.cast_mut(), Ordering::Relaxed);
    }

    /// Returns whether the thread may be inside of a join. Other threads may see what was so a
    /// moment ago.
    pub(crate) fn may_have_frames(&self) -> bool {
        let tail = self.tail();
        !tail.is_null() && !ptr::eq(tail, self.bare.load(Ordering::Relaxed))
    }

    /// Returns the address of the calling thread's word, also for those that stand in for the
    /// thread (`of_word`), and notes its record.
    pub(crate) fn word_of(thread: &Thread) -> *const AtomicUsize {
        let local = Local::current();
        let record = ptr::from_ref(thread).cast_mut();
        local.record.store(record, Ordering::Relaxed);
        ptr::from_ref(local).cast()
    }

    /// Returns what belongs to a word.
    ///
    /// # Safety
    /// The word is from [`word_of`](Self::word_of), and does not end while the result is used.
    pub(crate) unsafe fn of_word<'l>(word: *const AtomicUsize) -> &'l Local {
        // SAFETY: the word is at its beginning (`repr(C)`), and the address is that of the whole.
        unsafe { &*word.cast::<Local>() }
    }

    /// Returns the record of its thread, if that has had a seat.
    pub(crate) fn record(&self) -> *const Thread {
        self.record.load(Ordering::Relaxed)
    }

    pub(crate) fn word(&self) -> &AtomicUsize {
        &self.word
    }
}

/// Calls `f` with the attention word of this thread (attention.rs).
#[inline]
pub(crate) fn with_word<R>(f: impl FnOnce(&AtomicUsize) -> R) -> R {
    f(&Local::current().word)
}

/// Calls `f` with the innermost frame of this thread's plain joins in the current context.
#[inline]
pub(crate) fn with_innermost<R>(f: impl FnOnce(Option<FrameRef<'_>>) -> R) -> R {
    // SAFETY: the join does not end before `f` has returned (run.rs, *reverse order*).
    f(unsafe { innermost() })
}

/// # Safety
/// The join of the result does not end while that is used.
#[inline]
pub(super) unsafe fn innermost<'f>() -> Option<FrameRef<'f>> {
    // SAFETY: null or alive (contract of `set_tail`); the caller's.
    let tail: Option<&'f Scope<'_>> = unsafe { Local::current().tail().as_ref() };
    tail?.frame()
}
