//! `join`, and `join_context`, whose closures are told whether they have migrated.
//!
//! A closure has migrated if it runs on another thread than the one that called `join_context`. A
//! second closure that runs as a job was taken by another thread, else by none: sumac-core's join
//! knows which of the two it does and says so. A call from outside of all pools brings both of its
//! closures into one, and they are told so even if the pool's last thread is the caller: it is a
//! different one as long as that call lasts.

use crate::global;
use std::marker::PhantomData;

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
    join_context(|_| oper_a(), |_| oper_b())
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
    sumac_core::join_inside(
        |migrated| oper_a(FnContext::new(migrated)),
        |migrated| oper_b(FnContext::new(migrated)),
        // To pass the line of the call would cost each join some instructions.
        |a, b| global::pool().install_from(None, || sumac_core::join(|| a(true), || b(true))),
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
    fn new(migrated: bool) -> Self {
        FnContext {
            migrated,
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
