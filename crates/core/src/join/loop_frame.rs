//! The frame of a loop, and the parts that it has given away.
//!
//! ```text
//!   LoopFrame ┌ frame: the head that chain.rs and promote.rs know
//!             │ newest ──► Piece ──below──► Piece ──below──► null     (on the heap, one per part)
//!             │ split, run: what the caller said
//! ```
//!
//! Invariants, besides those of frame.rs:
//! * **Owner only** holds for the whole loop frame and for `below` and `job` of its pieces.
//! * **One half** holds for a piece as for a join's frame: its part belongs to the thread that
//!   takes its job.
//! * **Outlives.** The frame, `split`, `run` and the pieces stay until each piece has been
//!   reclaimed or its latch has been seen: `Leaving` ensures it, also when the body unwinds.
//! * **Order.** Parts that are given later come before parts that were given earlier; so the newest
//!   piece directly follows the loop's rest.

use super::{
    chain,
    frame::{Execute, Frame, FrameKind, FramePart, FrameRef, Half},
    job::{Job, Payload},
    member::Member,
    scope::Scope,
    settle::{self, Left},
    splitting::Returned,
    thread::Thread,
    word::LocalRef,
};
use crate::unwind::{discard, swallow};
use std::{marker::PhantomData, ptr};

/// The part of a loop's frame that is independent of its closures.
#[repr(C)]
pub(crate) struct LoopHead<P, R> {
    pub(crate) frame: Frame,
    pub(crate) newest: *mut Piece<P, R>,
    /// Whether any part was given, and whether that computation has been counted.
    pub(crate) gave: bool,
    pub(crate) counted: bool,
}

#[repr(C)]
pub(crate) struct LoopFrame<P, R, S, F> {
    pub(crate) head: LoopHead<P, R>,
    pub(crate) split: *const S,
    pub(crate) run: *const F,
}

/// A part that was given away.
#[repr(C)]
pub(crate) struct Piece<P, R> {
    pub(crate) half: Half<P, R>,
    pub(crate) below: *mut Piece<P, R>,
    pub(crate) job: *mut Job,
    /// The `F` of the loop.
    pub(crate) run: *const (),
}

/// The functions of a loop, erased.
pub(crate) struct Erased<P, R, S, F>(PhantomData<(P, R, S, F)>);

impl<P, R, S, F> Erased<P, R, S, F>
where
    S: Fn() -> Option<P>,
    F: Fn(P, &mut Scope<'_>) -> R,
{
    pub(crate) const KIND: &'static FrameKind = &FrameKind::Loop(Self::split);

    /// # Safety
    /// As [`Split`](crate::join::frame::Split).
    unsafe fn split(frame: *mut Frame) -> Option<(FramePart, Execute)> {
        let frame: *mut LoopFrame<P, R, S, F> = frame.cast();
        // SAFETY: alive and of this type (contract).
        let split = unsafe { (*frame).split };
        // SAFETY: a reference that outlives the frame (`run_loop`).
        let split = unsafe { &*split };
        let mut given = None;
        swallow(|| given = split());
        // SAFETY: as for `split`.
        let run = unsafe { (*frame).run };
        // Not a reference to all of the head: there may be one to the scope in it.
        // SAFETY: as for `split`.
        let newest = unsafe { &raw mut (*frame).head.newest };
        // SAFETY: as for `split`; *owner only*.
        let below = unsafe { newest.read() };
        let piece = Box::into_raw(Box::new(Piece {
            half: Half::closure(given?),
            below,
            job: ptr::null_mut(),
            run: run.cast(),
        }));
        // SAFETY: as for `below`.
        unsafe { newest.write(piece) };
        // SAFETY: as for `below`.
        unsafe { (*frame).head.gave = true };
        let part = FramePart {
            work: piece.cast(),
            // SAFETY: just boxed.
            job: unsafe { &raw mut (*piece).job },
        };
        Some((part, Self::execute))
    }

    /// # Safety
    /// As [`Execute`].
    unsafe fn execute(work: *mut (), scope: &mut Scope<'_>) {
        let piece: *mut Piece<P, R> = work.cast();
        // SAFETY: alive and of this type by 1; `run` does not change.
        let run = unsafe { (*piece).run };
        // SAFETY: the `F` of the loop, which outlives the piece's job (*outlives*).
        let run = unsafe { &*run.cast::<F>() };
        // SAFETY: ours by 2 (*one half*).
        let half = unsafe { &mut (*piece).half };
        // SAFETY: by 2 it is still the part, and it is not used again.
        let part = unsafe { half.take_closure() };
        *half = Half::result(run(part, scope));
    }
}

/// Unlinks the newest piece and takes its part back, unless a thief has taken it. Otherwise changes
/// nothing.
///
/// # Safety
/// As [`take_back`].
#[cold]
#[inline(never)]
pub(crate) unsafe fn reclaim<P, R>(
    head: *mut LoopHead<P, R>,
    piece_ptr: *mut Piece<P, R>,
) -> Option<P> {
    // SAFETY: alive (contract); ours, but for its half.
    let job_ptr = unsafe { (*piece_ptr).job };
    // SAFETY: records live as long as the pool.
    let job = unsafe { &*job_ptr };
    // SAFETY: the thread sits on the owner of its own jobs.
    let member: &Member = unsafe { &*job.owner };
    if !settle::reclaim(member, job_ptr) {
        return None;
    }
    // SAFETY: ours; reclaimed.
    let carried = unsafe { job.take_carried() };
    // SAFETY: as above.
    unsafe { member.records.free(job_ptr) };
    // SAFETY: boxed by `split`; reclaimed, so no other thread knows it any more.
    let mut piece = unsafe { Box::from_raw(piece_ptr) };
    // SAFETY: alive (contract), *owner only*.
    unsafe { (*head).newest = piece.below };
    // SAFETY: as above.
    let frame = unsafe { FrameRef::new(head.cast()) };
    // There may be something to give again.
    // SAFETY: a live frame of ours, visited since it gave something.
    unsafe { chain::leave(frame) };
    // Users' code, which may tick; the piece is unlinked.
    carried.discard();
    // SAFETY: it is ours, and has not been used (*one half*).
    Some(unsafe { piece.half.take_closure() })
}

/// Unlinks the newest piece and gets it back, waiting if necessary. Returns the payload if it has
/// panicked.
///
/// # Safety
/// `head` is that of a live loop frame of the current thread, and `piece_ptr` its newest piece.
#[cold]
#[inline(never)]
pub(crate) unsafe fn take_back<P, R>(
    head: *mut LoopHead<P, R>,
    piece_ptr: *mut Piece<P, R>,
    help: bool,
) -> (Option<Returned<P, R>>, Option<Payload>) {
    // SAFETY: by the caller's contract.
    if let Some(part) = unsafe { reclaim(head, piece_ptr) } {
        return (Some(Returned::Part(part)), None);
    }
    // SAFETY: alive (contract); ours, but for its half.
    let job_ptr = unsafe { (*piece_ptr).job };
    // SAFETY: as above.
    let below = unsafe { (*piece_ptr).below };
    // SAFETY: alive (contract), *owner only*.
    unsafe { (*head).newest = below };
    // SAFETY: as above.
    let frame = unsafe { FrameRef::new(head.cast()) };
    let Some(thread) = Thread::current() else {
        unreachable!("the record of a thread outlives its loops");
    };
    // SAFETY: records live as long as the pool.
    let job = unsafe { &*job_ptr };
    // SAFETY: the thread sits on the owner of its own jobs.
    let member: &Member = unsafe { &*job.owner };
    // SAFETY: a parent outlives its children.
    let outermost = unsafe { chain::frame_of(frame.parent()) }.is_null();
    // SAFETY: our frame; *owner only*.
    unsafe { count_computation(head, member) };
    let (left, payload) = settle::wait_for(&thread, member, job, outermost, help);
    // SAFETY: ours; finished or declined.
    let carried = unsafe { job.take_carried() };
    // SAFETY: as above.
    unsafe { member.records.free(job_ptr) };
    // Whatever is done with it now, there may be something to give again.
    // SAFETY: a live frame of ours, visited since it gave something.
    unsafe { chain::leave(frame) };
    // As in `reclaim`.
    carried.discard();
    // SAFETY: boxed by `split`; finished or declined, so no other thread knows it any more.
    let mut piece = unsafe { Box::from_raw(piece_ptr) };
    let returned = match left {
        // SAFETY: it is ours, and has not been used (*one half*).
        Left::Closure => Some(Returned::Part(unsafe { piece.half.take_closure() })),
        // SAFETY: it is ours, and has run (*one half*).
        Left::Result => Some(Returned::Output(unsafe { piece.half.take_result() })),
        Left::Nothing => None,
    };
    (returned, payload)
}

/// Counts the end of a computation, once per loop that gave a part.
///
/// Also counts a loop inside others: it gives parts only if those have nothing to give, so a tiny
/// part of it is no decoy above real work. A thief that took it for one would ask again at once,
/// and split each of a million tiny loops sixteen times.
///
/// # Safety
/// `head` is that of a live loop frame of the current thread.
unsafe fn count_computation<P, R>(head: *mut LoopHead<P, R>, member: &Member) {
    // SAFETY: alive (contract), *owner only*.
    let counted = unsafe { &mut (*head).counted };
    if !*counted {
        *counted = true;
        member.demand.count_computation();
    }
}

/// Ends a loop: takes back and drops the parts that the body has left, and removes the frame from
/// its chain.
pub(crate) struct Leaving<P, R> {
    pub(crate) head: *mut LoopHead<P, R>,
    pub(crate) local: LocalRef,
    pub(crate) plain: bool,
}

impl<P, R> Drop for Leaving<P, R> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the loop's frame, which is still there.
        let frame = unsafe { FrameRef::new(self.head.cast()) };
        if self.plain {
            self.local.set_tail(frame.parent());
        }
        if frame.is_visited() {
            self.leave(frame);
        }
    }
}

impl<P, R> Leaving<P, R> {
    #[cold]
    #[inline(never)]
    fn leave(&self, frame: FrameRef) {
        // The frame leaves its chain before anything else runs: calls and tasks that are run while
        // we wait tick on the chain above it, and what was below it has ended.
        // SAFETY: a live frame of ours, visited.
        unsafe { chain::leave(frame) };
        loop {
            // SAFETY: our frame, *owner only*.
            let piece = unsafe { (*self.head).newest };
            if piece.is_null() {
                break;
            }
            // The body unwinds, or did not want it. Threads that unwind run no jobs.
            // SAFETY: the head of a live loop of this thread, and its newest piece.
            let (returned, payload) = unsafe { take_back(self.head, piece, false) };
            swallow(|| drop(returned));
            if let Some(payload) = payload {
                discard(payload);
            }
        }
        // SAFETY: our frame, *owner only*.
        let gave = unsafe { (*self.head).gave };
        if gave {
            // SAFETY: the root of a live frame is alive, and so is its member.
            let member = unsafe { (*frame.root()).member };
            // SAFETY: as above.
            let member = unsafe { &*member };
            // SAFETY: our frame.
            unsafe { count_computation(self.head, member) };
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Returned, ThreadPoolBuilder, join::thread::Thread, splitting};
    use std::cell::Cell;

    fn epoch() -> u32 {
        let member = Thread::current().expect("a record").current_member();
        // SAFETY: the caller is inside `install`, whose member lives as long as the pool.
        unsafe { &*member }.demand.epoch()
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
