//! The hot path: fork and join, in both styles.
//!
//! Each join builds a frame on its stack, compares the frame's address with the thread's attention
//! word (attention.rs), runs `a`, compares again, runs `b`, and does nothing else. The comparison
//! before `a` lets coarse halves fork at once; the one after it asks "was my `b` promoted?" and
//! also polls again, because a list written as `join(rest, leaf)` returns through all its leaves
//! without another fork.
//!
//! # The same in every build
//!
//! Libraries are built with cargo's release profile and often linked into shared libraries, where
//! the address of a thread-local takes a call. So nothing here may depend on link-time
//! optimisation:
//! * A scope carries the address of its thread's word (scope.rs): its joins use no thread-local. A
//!   plain join asks once and notes the address in its frame (word.rs).
//! * All functions on the path are `inline(always)`, also `AbandonOnUnwind::drop`, or its value
//!   would have to be in memory.
//! * After `a` everything is read from the frame: its own address, the word's, the parent. Kept in
//!   registers, each would cost a push and a pop. But a small `b` is run from the locals
//!   (`ClosureCopy`), since its captures are mostly in registers anyway.
//! * A plain join has one exit (`elsewhere` goes through the frame as well): a second one costs
//!   each join a move.
//!
//! Instructions per node of the tree of 1,023 in `ci/instructions.sh`, where the program without
//! joins has 19 (x86-64, Rust 1.95):
//!
//! | | fat LTO | release | shared library | `lto = "off"` | `opt-level = 2` | `opt-level = "s"` |
//! |---|---:|---:|---:|---:|---:|---:|
//! | `Scope::join` | 35 | 35 | 35 | 35 | 35.5 | 40.5 |
//! | `join` | 39.5 | 39.5 | 51.5 | 52.5 | 39.5 | 52.5 |
//!
//! On AArch64, in the release profile: 16.5 without joins, 33 with `Scope::join`, 42.5 with `join`.
//!
//! # What costs time
//!
//! The **stores**, not the instructions. A node of that tree makes 3.7 without joins (saved
//! registers and return addresses), and 7.7 with `Scope::join`, which stores five words in its
//! frame: its name, the word's address, the parent, the kind, a capture. Measured on an AMD EPYC
//! (Zen 4, 3.67 GHz, fat LTO, one thread, the best of many runs on a busy machine):
//!
//! | | stores | ns | cycles |
//! |---|---:|---:|---:|
//! | without joins | 3.7 | 1.54 | 5.7 |
//! | `Scope::join` | 7.7 | 2.15 | 7.9 |
//! | ... and one more store into the frame | 8.7 | 2.24 | 8.2 |
//! | ... and two | 9.7 | 2.45 | 9.0 |
//! | ... and three | 10.7 | 2.60 | 9.5 |
//! | ... and four instructions more that store nothing | 7.7 | 2.17 | 8.0 |
//! | `join` | 9.7 | 2.60 | 9.5 |
//!
//! So the bound is that this processor finishes little more than one store per cycle; the program
//! without joins has another bound, which hides two of the additional stores. The comparisons,
//! their loads and branches are free.
//!
//! On Intel these variants have not been measured. There is one measurement on an Emerald Rapids,
//! of an older version that had 6.7 stores: 3.2 ns a node, 1.75 times the 1.85 ns without joins,
//! where the older version took 1.04 to 1.3 times on AMD machines. `llvm-mca` has no model of that
//! processor. In its model of Ice Lake a node is bound by one store per cycle: 3.7, 6.7 and 7.7
//! cycles without joins, for the older version and for this one. Without the two comparisons the
//! last one does not change, without the frame's stores it is 5.7 (then dispatch is the bound). So
//! stores are the likely bound there as well, and the ratio of the bounds, 1.8, is the measured
//! one. But `llvm-mca` models no cache, no store-to-load forwarding and no stack engine, and 1.85
//! ns are more than 3.7 cycles: this is a hint and no proof. Forwarding is less likely, since the
//! frame is read long after it was written, and only a predicted branch waits for it.
//!
//! To make joins faster, store fewer words; saving instructions does not help.

use super::{
    frame::{FrameKind, FrameRef, Half, JoinFrame, OwnFrame},
    job::Payload,
    promote,
    scope::Scope,
    settle,
    word::Local,
};
use crate::{hooks, pool::global, protocol::primitive::light_barrier, unwind::swallow};
use std::{
    marker::PhantomData,
    mem::{self, ManuallyDrop, MaybeUninit},
    panic::{self, AssertUnwindSafe},
    ptr,
};

/// A second copy of a small closure's bits: a join that stays on the hot path runs its second half
/// from here, where the compiler knows the captures, instead of reading them back from the frame.
///
/// Only one of the two is ever used (*one half*): this one if the half is the owner's and still a
/// closure at the end; code that uses the one in the frame does not come here. Neither changes
/// before that, so they are equal.
struct ClosureCopy<B>(MaybeUninit<B>);

impl<B> ClosureCopy<B> {
    /// Whether it fits into two registers. Larger ones would only be spilled a second time.
    const SMALL: bool = size_of::<B>() <= 2 * size_of::<usize>();

    #[inline(always)]
    fn new(closure: &B) -> Self {
        if Self::SMALL {
            let bits: *const MaybeUninit<B> = ptr::from_ref(closure).cast();
            // SAFETY: from a reference, and any bits will do for a `MaybeUninit`.
            ClosureCopy(unsafe { bits.read() })
        } else {
            ClosureCopy(MaybeUninit::uninit())
        }
    }

    /// # Safety
    /// As [`Half::take_closure`]; `frame` was built with the closure that this was made of.
    #[inline(always)]
    unsafe fn take<R>(self, frame: &OwnFrame<'_, B, R>) -> B {
        if Self::SMALL {
            // SAFETY: copied from a closure that has not been used, and whose other copy will not
            // be used (contract).
            unsafe { self.0.assume_init() }
        } else {
            // SAFETY: the caller's.
            unsafe { Half::take_closure(frame.half()) }
        }
    }
}

/// Runs a second half that takes a scope.
///
/// # Safety
/// As [`Execute`](crate::join::frame::Execute).
unsafe fn run_scoped<B: FnOnce(&mut Scope<'_>) -> R, R>(frame: *mut (), scope: &mut Scope<'_>) {
    // SAFETY: alive and of this type by 1, and ours alone by 2 (*one half*).
    unsafe { Half::run(JoinFrame::<B, R>::half(frame.cast()), |b| b(scope)) };
}

/// Runs a second half that takes none.
///
/// # Safety
/// As [`Execute`](crate::join::frame::Execute).
unsafe fn run_plain<B: FnOnce(bool) -> R, R>(frame: *mut (), _: &mut Scope<'_>) {
    // SAFETY: alive and of this type by 1, and ours alone by 2 (*one half*).
    unsafe { Half::run(JoinFrame::<B, R>::half(frame.cast()), |b| b(true)) };
}

/// Takes the second half back and drops it, or waits for it, when the `a` of a scope's join
/// unwinds.
struct AbandonOnUnwind<'p, B, R>(FrameRef<'p>, PhantomData<(B, R)>);

impl<B, R> Drop for AbandonOnUnwind<'_, B, R> {
    #[inline(always)]
    fn drop(&mut self) {
        abandon::<B, R>(self.0);
    }
}

/// Out of line, and takes the frame by value, so that `AbandonOnUnwind` need not be in memory.
#[cold]
#[inline(never)]
fn abandon<B, R>(frame: FrameRef<'_>) {
    let left = settle::abandon(frame);
    let half = JoinFrame::<B, R>::half(frame.as_ptr().as_ptr().cast());
    // A panic in these destructors must not escape while another one unwinds. SAFETY: `abandon`
    // says what is left, and the half is ours (*one half*).
    swallow(|| drop(unsafe { Half::take(half, left) }));
}

/// The first half's result while the second half may unwind: dropping it then must not panic a
/// second time.
struct QuietDrop<R>(ManuallyDrop<R>);

impl<R> QuietDrop<R> {
    #[inline(always)]
    fn new(result: R) -> Self {
        QuietDrop(ManuallyDrop::new(result))
    }

    #[inline(always)]
    fn into_inner(self) -> R {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is not dropped or used again.
        unsafe { ManuallyDrop::take(&mut this.0) }
    }
}

impl<R> Drop for QuietDrop<R> {
    #[inline(always)]
    fn drop(&mut self) {
        if mem::needs_drop::<R>() {
            // SAFETY: dropped once, here; `into_inner` prevents it.
            swallow(|| unsafe { ManuallyDrop::drop(&mut self.0) });
        }
    }
}

impl Scope<'_> {
    /// Runs `a` and `b`, possibly in parallel, and returns both results.
    ///
    /// `a` runs on the calling thread; `b` runs after it on the same thread unless an idle thread
    /// has taken it. Each closure gets a scope for its own joins.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut v = [3, 1];
    /// let (l, r) = v.split_at_mut(1);
    /// sumac::Scope::global().join(|_| l[0] += 1, |_| r[0] += 1);
    /// assert_eq!(v, [4, 2]);
    /// ```
    ///
    /// # Cost
    /// Some sixteen machine instructions while no thread is idle, in executables and shared
    /// libraries. A join that is asked for work pays some hundred nanoseconds, at most once in
    /// several microseconds.
    ///
    /// # Panics
    /// If a closure panics, so does `join`, after both have ended. If both panic, `a`'s panic is
    /// resumed. If `b` has not been started when `a` panics, it is dropped.
    ///
    /// # Limits
    /// Inside a closure do not suspend a stackful coroutine (one with a stack of its own) that has
    /// joins on its stack: joins must end in the reverse order of their beginning on a thread.
    /// Switching to another stack and back is fine.
    ///
    /// # Source
    /// Frames instead of a queue are from chili and Spice, promotion of the oldest from heartbeat
    /// scheduling (Acar et al., PLDI 2018), and promotion on demand from lazy scheduling (Tzannes
    /// et al., TOPLAS 2014).
    #[inline(always)]
    pub fn join<A, B, RA, RB>(&mut self, a: A, b: B) -> (RA, RB)
    where
        A: FnOnce(&mut Scope<'_>) -> RA + Send,
        B: FnOnce(&mut Scope<'_>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        if let Some(by) = hooks::measured() {
            return hooks::join(by, self, a, b);
        }
        #[cfg(feature = "testing")]
        if crate::testing::active::is_active() {
            return crate::unwind::both(crate::testing::scoped_join(self, a, b));
        }
        let local = self.local();
        let parent: *mut Scope<'static> = (&raw mut *self).cast();
        let closure_copy = ClosureCopy::new(&b);
        let mut place = MaybeUninit::<JoinFrame<B, RB>>::uninit();
        let kind = const { &FrameKind::Half(run_scoped::<B, RB>) };
        // SAFETY: the parent is `self`; the kind is for these types.
        let mut frame = unsafe { OwnFrame::build(&mut place, parent, local, kind, b) };
        let on_unwind = AbandonOnUnwind::<B, RB>(frame.head(), PhantomData);
        if local.must_leave(frame.head().address()) {
            promote::tick_at(frame.head());
        }
        let ra = QuietDrop::new(frame.first(a));
        mem::forget(on_unwind);
        if frame.must_leave() && settle::finish_scoped(frame.head()) {
            // SAFETY: `finish` says that the half is ours and a result.
            return (ra.into_inner(), unsafe { Half::take_result(frame.half()) });
        }
        // SAFETY: not promoted, or taken back: the half is ours and a closure (*one half*).
        let b = unsafe { closure_copy.take(&frame) };
        // SAFETY: this is `self`; read from the frame, it need not be kept across `a`.
        let parent = unsafe { &mut *frame.head().parent_ptr().cast_mut().cast::<Scope<'_>>() };
        let rb = b(parent);
        (ra.into_inner(), rb)
    }

    /// Does as [`join`](Scope::join). For code written for chili; the hint `TIMES` is ignored.
    #[inline(always)]
    pub fn join_with_heartbeat_every<const TIMES: u8, A, B, RA, RB>(
        &mut self,
        a: A,
        b: B,
    ) -> (RA, RB)
    where
        A: FnOnce(&mut Scope<'_>) -> RA + Send,
        B: FnOnce(&mut Scope<'_>) -> RB + Send,
        RA: Send,
        RB: Send,
    {
        self.join(a, b)
    }
}

/// Runs `a` and `b`, possibly in parallel, and returns both results.
///
/// `a` runs on the calling thread; `b` runs after it on the same thread unless an idle thread has
/// taken it. The pool is that of the innermost [`install`](crate::ThreadPool::install) on this
/// thread, that of the running job, or the global pool. Signature, order and panics are those of
/// `rayon::join`.
///
/// # Examples
///
/// ```
/// fn fib(n: u64) -> u64 {
///     if n < 2 {
///         return n;
///     }
///     let (a, b) = sumac::join(|| fib(n - 1), || fib(n - 2));
///     a + b
/// }
/// assert_eq!(fib(20), 6765);
/// ```
///
/// # Cost
/// Some twenty machine instructions while no thread is idle, of which [`Scope::join`] saves four.
/// In a shared library the address of a thread-local takes a call: some twelve more on x86-64,
/// which [`Scope::join`] does not need.
///
/// # Panics
/// If a closure panics, so does `join`, after both have run: `b` runs even if `a` panicked. If both
/// panic, `a`'s panic is resumed; a result of `b` is dropped. `a`'s panic is caught before `b`
/// runs, so that [`thread::panicking`](std::thread::panicking) is not true in `b` because of it. (A
/// [`Scope::join`], like chili's, drops a `b` that has not been started.)
///
/// # Limits
/// As [`Scope::join`].
#[inline(always)]
pub fn join<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce() -> RA + Send,
    B: FnOnce() -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_told(|_| a(), |_| b())
}

/// Does as [`join`], for closures with the argument of [`join_or`].
#[inline(always)]
fn join_told<A, B, RA, RB>(a: A, b: B) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    join_or(a, b, promote::tick_at_plain, |a, b| {
        global::elsewhere(|| join_told(a, b))
    })
}

/// A plain join, which `elsewhere` carries out if `tick` says so on the cold path. The argument of
/// each closure is whether another thread has taken it as a job, which each call site knows.
#[inline(always)]
pub(crate) fn join_or<A, B, RA, RB>(
    a: A,
    b: B,
    tick: impl FnOnce() -> bool,
    elsewhere: impl FnOnce(A, B) -> (RA, RB),
) -> (RA, RB)
where
    A: FnOnce(bool) -> RA + Send,
    B: FnOnce(bool) -> RB + Send,
    RA: Send,
    RB: Send,
{
    if let Some(by) = hooks::measured() {
        return hooks::join_both(by, || a(false), || b(false));
    }
    #[cfg(feature = "testing")]
    if crate::testing::active::is_active() {
        return crate::unwind::both(crate::testing::join(|| a(false), b));
    }
    let local = Local::current();
    let parent = local.tail();
    let closure_copy = ClosureCopy::new(&b);
    let mut place = MaybeUninit::<JoinFrame<B, RB>>::uninit();
    let kind = const { &FrameKind::Half(run_plain::<B, RB>) };
    // SAFETY: the tail, whose join or context ends after this join; the kind is for these types.
    let mut frame = unsafe { OwnFrame::build(&mut place, parent, local, kind, b) };
    // SAFETY: the frame's scope lies at its head, and its join is the innermost one until it ends.
    unsafe { local.set_tail(frame.head().as_ptr().as_ptr().cast()) };
    // As H2 of remote.rs: one that misses the frame has its demand seen here.
    light_barrier();
    let ra = if local.must_leave(frame.head().address()) && tick() {
        // SAFETY: a parent outlives its children, and this one's join is ending.
        unsafe { frame.local().set_tail(frame.head().parent_ptr()) };
        // SAFETY: outside of all contexts nothing is promoted: the half is ours and a closure (*one
        // half*).
        let b = unsafe { Half::take_closure(frame.half()) };
        let (ra, rb) = elsewhere(a, b);
        // Not returned from here: merging two exits would cost each join an instruction. SAFETY:
        // still ours, and the closure has been taken out.
        unsafe { frame.end_elsewhere(rb) };
        Ok(ra)
    } else {
        panic::catch_unwind(AssertUnwindSafe(|| a(false)))
    };
    match ra {
        Ok(ra) => {
            let ra = QuietDrop::new(ra);
            let rb = second_half(frame, closure_copy);
            (ra.into_inner(), rb)
        }
        Err(payload) => after_panic(frame, closure_copy, payload),
    }
}

/// Ends a plain join whose first half has ended: takes the second half's result, or runs it.
#[inline(always)]
fn second_half<B: FnOnce(bool) -> R, R>(
    frame: OwnFrame<'_, B, R>,
    closure_copy: ClosureCopy<B>,
) -> R {
    // Read from the frame, its address, its parent and the thread's word need not be kept across
    // `a`.
    let local = frame.local();
    // SAFETY: a parent outlives its children, and this one's join is ending.
    unsafe { local.set_tail(frame.head().parent_ptr()) };
    // H2 of remote.rs. (After it, the frame would be read again.)
    light_barrier();
    if frame.must_leave_by(local) && settle::finish_plain(frame.head()) {
        // SAFETY: `finish` says that the half is ours and a result.
        return unsafe { Half::take_result(frame.half()) };
    }
    // SAFETY: not promoted, or taken back: the half is ours and a closure (*one half*).
    let b = unsafe { closure_copy.take(&frame) };
    b(false)
}

/// Does the same after a panic of the first half. That panic is resumed rather than those of the
/// second half and of its result's destructor.
#[cold]
#[inline(never)]
fn after_panic<B: FnOnce(bool) -> R, R>(
    frame: OwnFrame<'_, B, R>,
    closure_copy: ClosureCopy<B>,
    payload: Payload,
) -> ! {
    swallow(|| drop(second_half(frame, closure_copy)));
    panic::resume_unwind(payload)
}
