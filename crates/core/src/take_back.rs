//! How a loop gets back what it gave away, and how it ends.
//!
//! The invariants are those of splitting.rs. A part comes back as it was if nobody has taken it (*reclaim*) or if its taker
//! declined; else its output does, or its panic, once its latch is set.

use crate::{
    chain,
    frame::FrameRef,
    job::Payload,
    member::Member,
    settle::{self, Left},
    splitting::{LoopHead, Piece, Returned},
    thread,
    unwind::{discard, swallow},
};

/// Unlinks the newest piece and gets it back, waiting if need be. Nothing and a payload if it has panicked.
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
    // SAFETY: alive (contract); ours, but for its half.
    let job_ptr = unsafe { (*piece_ptr).job };
    // SAFETY: as above.
    let below = unsafe { (*piece_ptr).below };
    // SAFETY: alive (contract), *owner only*.
    unsafe { (*head).newest = below };
    // SAFETY: as above.
    let frame = unsafe { FrameRef::new(head.cast()) };
    let back = thread::with(|thread| {
        // SAFETY: records live as long as the pool.
        let job = unsafe { &*job_ptr };
        // SAFETY: the thread sits on the owner of its own jobs.
        let member: &Member = unsafe { &*job.owner };
        let back = if settle::reclaim(member, job_ptr) {
            (Left::Closure, None)
        } else {
            // SAFETY: a parent outlives its children.
            let outermost = unsafe { chain::frame_of(frame.parent()) }.is_null();
            // SAFETY: our frame; *owner only*.
            unsafe { count_computation(head, member) };
            settle::wait_for(thread, member, job, outermost, help)
        };
        // SAFETY: ours; reclaimed or finished.
        unsafe { member.free_job(job_ptr) };
        back
    });
    let Some((left, payload)) = back else {
        unreachable!("the record of a thread outlives its loops");
    };
    // Whatever is done with it now, there may be something to give again.
    // SAFETY: a live frame of ours, visited since it gave something.
    unsafe { chain::leave(frame) };
    // SAFETY: boxed by `split`; reclaimed or finished, so nobody else knows it any more.
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

/// Counts the end of a computation, once per loop that gave something.
///
/// Also of one that lies inside others: it gives only if those have nothing to give, so a tiny part of it is no decoy above real
/// work. A thief that took it for one would ask again at once, and split each of a million tiny loops sixteen times.
///
/// # Safety
/// `head` is that of a live loop frame of the current thread.
unsafe fn count_computation<P, R>(head: *mut LoopHead<P, R>, member: &Member) {
    // SAFETY: alive (contract), *owner only*.
    let counted = unsafe { &mut (*head).counted };
    if !*counted {
        *counted = true;
        member.count_computation();
    }
}

/// Ends a loop: takes back and drops what the body has left, and takes the frame out of its chain.
pub(crate) struct Leaving<P, R> {
    pub(crate) head: *mut LoopHead<P, R>,
    pub(crate) plain: bool,
}

impl<P, R> Drop for Leaving<P, R> {
    #[inline(always)]
    fn drop(&mut self) {
        // SAFETY: the loop's frame, which is still there.
        let frame = unsafe { FrameRef::new(self.head.cast()) };
        if self.plain {
            thread::set_tail(frame.parent());
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
        // SAFETY: a live frame of ours, visited.
        unsafe { chain::leave(frame) };
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

#[cfg(all(test, not(loom)))]
mod tests {
    use crate::{Returned, ThreadPoolBuilder, splitting, thread};
    use std::cell::Cell;

    fn epoch() -> u32 {
        // SAFETY: the caller is inside `install`, whose member lives as long as the pool.
        let member = |thread: &thread::Thread| unsafe { (*thread.current_member()).epoch() };
        thread::with(member).expect("a record")
    }

    #[test]
    fn a_loop_that_gave_is_counted_once_also_inside_another() {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        pool.expect("a pool").install(|| {
            let before = epoch();
            let nothing = || None::<()>;
            splitting(&nothing, &|(), _| (), |_| {
                // A thread starts out asked for work, which the outer loop has not met.
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
