//! Both styles of join behind one handle.

use crate::LONG;
use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
    time::Instant,
};
use sumac_core::{Scope, ThreadPool};

/// How a test forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Through the handle.
    Scope,
    /// Through the functions.
    Join,
}

impl Style {
    /// Both.
    pub const ALL: [Style; 2] = [Style::Scope, Style::Join];
}

/// A handle of either style, so that one test body serves both.
#[derive(Debug)]
pub enum Cx<'a, 's> {
    /// The handle.
    Scope(&'a mut Scope<'s>),
    /// The functions of the thread.
    Join,
}

impl Cx<'_, '_> {
    /// Runs both, as the style says.
    pub fn join<A, B, RA, RB>(&mut self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut Cx<'_, '_>) -> RA + Send,
        B: FnOnce(&mut Cx<'_, '_>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        match self {
            Cx::Scope(s) => s.join(|s| a(&mut Cx::Scope(s)), |s| b(&mut Cx::Scope(s))),
            Cx::Join => sumac_core::join(|| a(&mut Cx::Join), || b(&mut Cx::Join)),
        }
    }
}

/// Enters `pool` in the given style.
pub fn enter<R: Send>(
    style: Style,
    pool: &ThreadPool,
    f: impl FnOnce(&mut Cx<'_, '_>) -> R + Send,
) -> R {
    match style {
        Style::Scope => f(&mut Cx::Scope(&mut pool.scope())),
        Style::Join => pool.install(|| f(&mut Cx::Join)),
    }
}

/// Sums `lo..hi` with a join at every split: the smallest proof that a pool still works.
pub fn sum(cx: &mut Cx<'_, '_>, lo: u64, hi: u64) -> u64 {
    if hi - lo <= 1 {
        return lo;
    }
    let mid = lo + (hi - lo) / 2;
    let (a, b) = cx.join(|cx| sum(cx, lo, mid), |cx| sum(cx, mid, hi));
    a + b
}

/// Asserts that `pool` still works.
pub fn assert_usable(pool: &ThreadPool) {
    for style in Style::ALL {
        assert_eq!(enter(style, pool, |cx| sum(cx, 0, 1_000)), 499_500);
    }
}

/// Waits as [`wait_until`](crate::wait_until), in joins: a thread that is asked for work meanwhile
/// gives it away. So a test of something else does not depend on how soon an offer is made;
/// `wakeups.rs` tests that.
pub fn keep_forking(cx: &mut Cx<'_, '_>, done: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !done() {
        if start.elapsed() > LONG / 2 {
            return false;
        }
        sum(cx, 0, 4);
        thread::yield_now();
    }
    true
}

/// Runs `f` on a worker of `pool`.
pub fn on_a_worker<R: Send>(pool: &ThreadPool, f: impl FnOnce() -> R + Send) -> R {
    let taken = AtomicBool::new(false);
    let ((), (worker, result)) = pool.join(
        || {
            let taken = || taken.load(SeqCst);
            assert!(keep_forking(&mut Cx::Join, taken), "not taken");
        },
        || {
            taken.store(true, SeqCst);
            (thread::current().id(), f())
        },
    );
    assert_ne!(worker, thread::current().id());
    result
}

/// Recurses over so many kilobytes of the stack.
#[inline(never)]
pub fn eat(kilobytes: u32) -> u32 {
    let frame = std::hint::black_box([1_u8; 1024]);
    if kilobytes == 0 {
        0
    } else {
        eat(kilobytes - 1) + u32::from(frame[7])
    }
}
