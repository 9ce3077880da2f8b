//! The frame of a loop, and the parts that it has given away.
//!
//! ```text
//!   LoopFrame ┌ frame: the head that chain.rs and promote.rs know
//!             │ newest ──► Piece ──below──► Piece ──below──► null     (on the heap, one per part)
//!             │ split, run: what the caller said
//! ```
//!
//! Invariants, besides those of frame.rs:
//! * **Owner only** holds for the whole loop frame.
//! * **One half** holds for a piece as for a join's frame: its part belongs to the thread that
//!   takes its job.
//! * **Outlives.** The frame, `split`, `run` and the pieces stay until each piece has been
//!   reclaimed or its latch has been seen: `Leaving` ensures it, also when the body unwinds.
//! * **Order.** Parts that are given later come before parts that were given earlier; so the newest
//!   piece directly follows the loop's rest.

use super::{
    chain::Root,
    frame::{self, Execute, Frame, FrameKind, FrameRef, Half, Left, Returned},
    job::{Job, Payload},
    member::Member,
    scope::Scope,
    settle,
    thread::Thread,
    word::Local,
};
use crate::{protocol::primitive::light_barrier, unwind::swallow};
use std::{
    cell::{Cell, UnsafeCell},
    iter,
    marker::PhantomData,
    mem::MaybeUninit,
    ptr::{self, NonNull},
};

/// The frame of a loop. All that changes is in cells, as in its head.
#[repr(C)]
pub(crate) struct LoopFrame<P, R> {
    frame: Frame,
    newest: Cell<Option<NonNull<Piece<P, R>>>>,
    /// Whether any part was given, and whether that computation has been counted.
    gave: Cell<bool>,
    counted: Cell<bool>,
    /// The `S` and the `F` of the loop.
    split: *const (),
    run: *const (),
}

/// A part that was given away. Only its half changes.
struct Piece<P, R> {
    half: UnsafeCell<Half<P, R>>,
    below: Option<NonNull<Piece<P, R>>>,
    job: *const Job,
    /// The `F` of the loop.
    run: *const (),
}

/// The functions of a loop, erased.
struct Erased<P, R, S, F>(PhantomData<(P, R, S, F)>);

impl<P, R, S, F> Erased<P, R, S, F>
where
    S: Fn() -> Option<P>,
    F: Fn(P, &mut Scope<'_>) -> R,
{
    const KIND: &'static FrameKind = &FrameKind::Loop(Self::split);

    /// # Safety
    /// As [`Split`](crate::join::frame::Split).
    unsafe fn split(frame: FrameRef<'_>, job: &Job) -> Option<(*mut (), Execute)> {
        // SAFETY: alive and of this type (contract).
        let frame = unsafe { frame.as_ptr().cast::<LoopFrame<P, R>>().as_ref() };
        // SAFETY: the `S` of the loop, which outlives the frame (`run_loop`).
        let split = unsafe { &*frame.split.cast::<S>() };
        let mut given = None;
        swallow(|| given = split());
        let piece = Box::new(Piece {
            half: UnsafeCell::new(Half::closure(given?)),
            below: frame.newest.get(),
            job,
            run: frame.run,
        });
        let piece = NonNull::from(Box::leak(piece));
        frame.newest.set(Some(piece));
        frame.gave.set(true);
        Some((piece.as_ptr().cast(), Self::execute))
    }

    /// # Safety
    /// As [`Execute`].
    unsafe fn execute(work: *mut (), scope: &mut Scope<'_>) {
        let piece: *mut Piece<P, R> = work.cast();
        // SAFETY: alive and of this type by 1.
        let piece = unsafe { &*piece };
        // SAFETY: the `F` of the loop, which outlives the piece's job (*outlives*).
        let run = unsafe { &*piece.run.cast::<F>() };
        // SAFETY: ours and still the part by 2 (*one half*).
        unsafe { Half::run(piece.half.get(), |part| run(part, scope)) };
    }
}

impl<P, R> LoopFrame<P, R> {
    /// Builds the frame of a loop in `place`, on the thread of `local`.
    ///
    /// # Safety
    /// The parent is null or a live scope of this thread, and stays so for `'p`, which does not end
    /// before a `Leaving` of the result.
    #[inline(always)]
    pub(crate) unsafe fn build<'p, S, F>(
        place: &'p mut MaybeUninit<Self>,
        parent: *const Scope<'static>,
        local: &'static Local,
        split: &'p S,
        run: &'p F,
    ) -> &'p Self
    where
        S: Fn() -> Option<P>,
        F: Fn(P, &mut Scope<'_>) -> R,
    {
        let with = |frame| LoopFrame {
            frame,
            newest: Cell::new(None),
            gave: Cell::new(false),
            counted: Cell::new(false),
            split: ptr::from_ref(split).cast(),
            run: ptr::from_ref(run).cast(),
        };
        // SAFETY: the caller's; a loop's frame begins with its head, and the kind is for its types.
        let at = unsafe { frame::build(place, parent, local, Erased::<P, R, S, F>::KIND, with) };
        // SAFETY: just built; the place is borrowed.
        unsafe { at.as_ref() }
    }

    #[inline(always)]
    pub(crate) fn head(&self) -> FrameRef<'_> {
        // SAFETY: a loop's frame is built before there are references to it, stays while there are,
        // and they stay on its thread, since it is not `Sync`.
        unsafe { FrameRef::new(NonNull::from(self).cast()) }
    }

    #[inline(always)]
    pub(crate) fn has_given(&self) -> bool {
        self.gave.get()
    }

    /// Returns whether no part is out.
    #[inline(always)]
    pub(crate) fn is_whole(&self) -> bool {
        self.newest.get().is_none()
    }

    /// Iterates over the pieces, the newest first, and their jobs. None is freed meanwhile.
    fn pieces(&self) -> impl Iterator<Item = (NonNull<Piece<P, R>>, &Job)> {
        let mut next = self.newest.get();
        iter::from_fn(move || {
            let at = next?;
            // SAFETY: alive while it is in the list. Its half is in a cell.
            let piece = unsafe { at.as_ref() };
            next = piece.below;
            // SAFETY: records live as long as the pool, whose seat the thread keeps while it has
            // the loop.
            Some((at, unsafe { &*piece.job }))
        })
    }

    /// Returns the job of the part that was given last, if it is out.
    pub(crate) fn newest_job(&self) -> Option<&Job> {
        self.pieces().next().map(|(_, job)| job)
    }

    /// Returns how many of the newest parts are still offered, up to so many.
    pub(crate) fn count_offered(&self, most: usize) -> usize {
        let offered = |job: &Job| job.owner().offers.holds(job.slot.get(), job);
        let pieces = self.pieces().take(most);
        pieces.take_while(|(_, job)| offered(job)).count()
    }

    /// Unlinks the newest piece and takes its part back, unless a thief has taken it or none is
    /// out. Otherwise changes nothing.
    #[cold]
    #[inline(never)]
    pub(crate) fn reclaim(&self) -> Option<P> {
        if !settle::reclaim(self.newest_job()?) {
            return None;
        }
        let (at, job) = self.unlink()?;
        // SAFETY: ours again, not used, and unlinked.
        match unsafe { self.unbox(at, job, Left::Closure) } {
            Ok(Returned::Part(part)) => Some(part),
            _ => None,
        }
    }

    /// Unlinks the newest piece, if one is out, and gets it back, waiting if necessary; or the
    /// payload if it has panicked.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_back(&self, help: bool) -> Option<Result<Returned<P, R>, Payload>> {
        let (at, job) = self.unlink()?;
        let left = if settle::reclaim(job) {
            Left::Closure
        } else {
            let Some(thread) = Thread::current() else {
                unreachable!("the record of a thread outlives its loops");
            };
            self.count_computation(job.owner());
            settle::wait_for(&thread, job, self.head().above().is_none(), help)
        };
        // SAFETY: reclaimed, finished or declined, so ours again, in this state; unlinked.
        Some(unsafe { self.unbox(at, job, left) })
    }

    /// Unlinks the newest piece, if one is out.
    fn unlink(&self) -> Option<(NonNull<Piece<P, R>>, &Job)> {
        let mut pieces = self.pieces();
        let newest = pieces.next()?;
        self.newest.set(pieces.next().map(|(below, _)| below));
        Some(newest)
    }

    /// Frees a piece and its job, and returns what is left in it.
    ///
    /// # Safety
    /// The piece is unlinked, ours (its job has been reclaimed or has ended), and in this state.
    unsafe fn unbox(
        &self,
        piece: NonNull<Piece<P, R>>,
        job: &Job,
        left: Left,
    ) -> Result<Returned<P, R>, Payload> {
        // SAFETY: the caller's.
        let carried = unsafe { settle::release(job) };
        // Whatever is done with the part now, there may be something to give again.
        self.head().leave();
        // Users' code, which may tick; the piece is unlinked.
        drop(carried);
        // SAFETY: boxed by `split`; no other thread knows it any more (contract).
        let piece = unsafe { Box::from_raw(piece.as_ptr()) };
        // SAFETY: the caller's (*one half*).
        unsafe { Half::take(piece.half.get(), left) }
    }

    /// Counts the end of a computation, once per loop that gave a part.
    ///
    /// Also counts a loop inside others: it gives parts only if those have nothing to give, so a
    /// tiny part of it is no decoy above real work. A thief that took it for one would ask again at
    /// once, and split each of a million tiny loops sixteen times.
    fn count_computation(&self, member: &Member) {
        if !self.counted.replace(true) {
            member.demand.count_computation();
        }
    }
}

/// Ends a loop: takes back and drops the parts that the body has left, and removes the frame from
/// its chain.
pub(crate) struct Leaving<'l, P, R> {
    pub(crate) frame: &'l LoopFrame<P, R>,
    pub(crate) local: &'static Local,
    pub(crate) plain: bool,
}

impl<P, R> Drop for Leaving<'_, P, R> {
    #[inline(always)]
    fn drop(&mut self) {
        let head = self.frame.head();
        if self.plain {
            // SAFETY: the parent outlives the loop, which ends.
            unsafe { self.local.set_tail(head.parent_ptr()) };
            // H2 and H4 of remote.rs.
            light_barrier();
            self.local.remote.pass();
        } else {
            // SAFETY: the body has ended.
            unsafe { head.end_scope() };
        }
        if head.is_visited() {
            self.leave(head);
        }
    }
}

impl<P, R> Leaving<'_, P, R> {
    #[cold]
    #[inline(never)]
    fn leave(&self, head: FrameRef<'_>) {
        // The frame leaves its chain before anything else runs: calls and tasks that are run while
        // we wait tick on the chain above it, and what was below it has ended.
        head.leave();
        while !self.frame.is_whole() {
            // The body unwinds, or did not want it. Threads that unwind run no jobs.
            swallow(|| drop(self.frame.take_back(false)));
        }
        let root = head.root().filter(|_| self.frame.has_given());
        if let Some(member) = root.and_then(Root::member) {
            self.frame.count_computation(member);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Returned, ThreadPoolBuilder, join::thread::Thread, splitting};
    use std::cell::Cell;

    fn epoch() -> u32 {
        let thread = Thread::current().expect("a record");
        let epoch = thread.with_member(|me| me.demand.epoch());
        epoch.expect("a pool")
    }

    #[test]
    fn a_loop_that_gave_is_counted_once_also_inside_another() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        pool.expect("a pool").install(|| {
            let before = epoch();
            let nothing = || None::<()>;
            splitting(&nothing, &|(), _| (), |_| {
                // A thread starts with work asked for, a demand that the outer loop has not met.
                let part = Cell::new(Some(()));
                let split = || part.take();
                let mut back = 0;
                splitting(&split, &|(), _| (), |inner| {
                    while let Some(Returned::Part(_)) = inner.take_back() {
                        back += 1;
                    }
                });
                assert_eq!(back, 1, "it has been asked");
                assert_eq!(epoch(), before.wrapping_add(1));
            });
            assert_eq!(epoch(), before.wrapping_add(1));
        });
    }
}
