//! `join`, and `join_context`, whose closures are told whether they have migrated.
//!
//! **Built, and run.** A closure has migrated if it runs on another thread than the one that called
//! `join_context`. A thread is known by the address of a thread-local. A call from outside of all
//! pools brings both of its closures into one, and they are told so even if the pool's last thread
//! is the caller: it is a different one as long as that call lasts. So a `Place` is the address,
//! and whether that is so.

use crate::global;
use std::{cell::Cell, marker::PhantomData, ptr};

/// Runs `a` and `b`, possibly in parallel, and returns both results. See sumac's
/// [`join`](sumac_core::join).
///
/// A thread that is inside no pool goes to the global one.
///
/// # Panics
/// If a closure panics, after both have run; `a`'s panic wins.
#[inline(always)]
pub fn join<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    sumac_core::join_inside(oper_a, oper_b, |a, b| global::pool().join(a, b))
}

/// As [`join`], and tells each closure whether it has migrated.
///
/// # Panics
/// As [`join`].
#[inline(always)]
pub fn join_context<A, B, RA, RB>(oper_a: A, oper_b: B) -> (RA, RB)
where
    A: FnOnce(FnContext) -> RA + Send,
    B: FnOnce(FnContext) -> RB + Send,
    RA: Send,
    RB: Send,
{
    let built = Place::here();
    sumac_core::join_inside(
        move || oper_a(FnContext::of(built)),
        move || oper_b(FnContext::of(built)),
        |a, b| global::pool().install(|| as_caller_from_outside(|| sumac_core::join(a, b))),
    )
}

/// What the closures of [`join_context`] are told.
#[derive(Debug)]
pub struct FnContext {
    migrated: bool,
    /// It stays where it is: neither `Send` nor `Sync`.
    stays: PhantomData<*mut ()>,
}

impl FnContext {
    #[inline(always)]
    fn of(built: Place) -> Self {
        FnContext {
            migrated: migrated(built),
            stays: PhantomData,
        }
    }

    /// Whether the closure runs on another thread than the one that called [`join_context`].
    ///
    /// Also if that thread was inside no pool. Rayon's iterators split more often where this is
    /// true.
    #[inline]
    pub fn migrated(&self) -> bool {
        self.migrated
    }
}

/// Whether to tell a closure that was built at `built` that it has migrated. All that decides it.
#[inline(always)]
fn migrated(built: Place) -> bool {
    built != Place::here()
}

/// A thread, inside of a pool or not (*built, and run*).
#[derive(Clone, Copy, PartialEq)]
struct Place(usize);

thread_local! {
    /// 1 while the thread is inside of the global pool by a call of [`join_context`], else 0.
    static CAME: Cell<usize> = const { Cell::new(0) };
}

impl Place {
    #[inline(always)]
    fn here() -> Self {
        // Addresses are multiples of the alignment, so no two sums are equal.
        CAME.with(|came| Place(ptr::from_ref(came).addr() + came.get()))
    }
}

/// Calls `f` as a different place from what the calling thread is outside.
fn as_caller_from_outside<R>(f: impl FnOnce() -> R) -> R {
    struct Leave(usize);
    impl Drop for Leave {
        fn drop(&mut self) {
            CAME.set(self.0);
        }
    }
    let _leave = Leave(CAME.replace(1));
    f()
}
