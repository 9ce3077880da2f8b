//! The attention word of each thread, and where it is kept.
//!
//! Where thread-locals without destructor are part of the thread's own memory, the word is one of them, and stays until all
//! destructors have run. Elsewhere they are boxes that the system frees in any order: there the word is
//! a few bytes per thread that are never freed.

use crate::attention::ATTENTION;
use std::sync::atomic::AtomicUsize;

#[cfg(any(
    all(target_os = "linux", not(target_env = "ohos")),
    target_os = "freebsd",
    target_vendor = "apple",
    all(windows, target_env = "msvc"),
    target_family = "wasm",
))]
mod place {
    pub(crate) type Word = std::sync::atomic::AtomicUsize;

    pub(crate) const NATIVE: bool = true;

    pub(crate) const fn raised() -> Word {
        Word::new(super::ATTENTION)
    }
}

#[cfg(not(any(
    all(target_os = "linux", not(target_env = "ohos")),
    target_os = "freebsd",
    target_vendor = "apple",
    all(windows, target_env = "msvc"),
    target_family = "wasm",
)))]
mod place {
    use std::{cell::OnceCell, ops::Deref, sync::atomic::AtomicUsize};

    pub(crate) struct Word(OnceCell<&'static AtomicUsize>);

    pub(crate) const NATIVE: bool = false;

    pub(crate) const fn raised() -> Word {
        Word(OnceCell::new())
    }

    impl Deref for Word {
        type Target = AtomicUsize;

        fn deref(&self) -> &AtomicUsize {
            self.0
                .get_or_init(|| Box::leak(Box::new(AtomicUsize::new(super::ATTENTION))))
        }
    }
}

/// Whether thread-locals are part of the thread's own memory. Elsewhere one that is used after its destructor begins anew.
pub(crate) use place::NATIVE;

thread_local! {
    static WORD: place::Word = const { place::raised() };
}

/// Calls `f` with the attention word of this thread (attention.rs).
#[inline(always)]
pub(crate) fn with_word<R>(f: impl FnOnce(&AtomicUsize) -> R) -> R {
    WORD.with(|word| f(word))
}
