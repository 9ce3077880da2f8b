//! Chains: the frames of a thread, from a root to the innermost join, and how to find the oldest.
//!
//! On the hot path a frame only knows its parent. The cold path needs the *oldest* frame that is
//! not yet promoted, which is at the other end, without walking a chain of a million frames at each
//! tick. So it links the chain downwards as far as it has visited it: `link` walks up from the tip
//! to the first *visited* frame, gives each frame on its way a `next` pointer to its child and a
//! `root`, and marks it. Each frame is visited once in its life.
//!
//! Invariants (for the live frames of one chain, all of one thread):
//! * **Upwards.** `parent` leads from every frame to its root through live frames: a parent
//!   outlives its children.
//! * **Linear.** A chain does not branch: two live frames of it are ancestor and descendant.
//! * **Visited.** The ancestors of a visited frame are visited, and know their root.
//! * **Downwards.** After `link(tip)`, `next` leads from the root through every frame down to
//!   `tip`. This holds for a frame visited earlier because `next` of its parent is overwritten only
//!   when another child of that parent is visited, and by *linear* the first child is dead by then.
//!   `tip.next` may dangle: it is not followed.
//! * **Stamps.** The ancestors of a stamped plain frame are stamped.
//! * **Prefix.** Promotion goes from the root downwards: `root.newest` is null or a live frame such
//!   that all frames from the root to it have nothing to give: they are promoted, or loops with
//!   nothing left. (A loop that gets something back makes the frame above it the newest; frames
//!   below it may then be promoted already.)

use super::{
    frame::{Frame, FrameRef},
    member::Member,
    scope::{Scope, ScopeParent},
    word,
};
use crate::carry::Moment;
use std::ptr;

/// The upper end of a chain.
pub(crate) struct Root {
    next: *mut Frame,
    /// The newest frame of the chain that is known to have no work to give; null if there is none.
    pub(crate) newest: *mut Frame,
    /// The member whose slots the chain's jobs go to.
    pub(crate) member: *const Member,
    /// The number of the run that the root was created in (thread.rs), or `NO_RUN`.
    run_number: u64,
    /// The moment in which the root was made (carry/mod.rs).
    pub(crate) made: Moment,
}

/// The root belongs to no record of its thread any more. No thread is ever in this run, so that
/// nothing is offered under the root, and its member is never read.
const NO_RUN: u64 = u64::MAX;

impl Root {
    pub(crate) fn new(member: *const Member, run_number: u64) -> Self {
        Root {
            next: ptr::null_mut(),
            newest: ptr::null_mut(),
            member,
            run_number,
            made: Moment::now(),
        }
    }

    /// A root that belongs to no record, or whose record ends, and with it the thread's seat at the
    /// root's member.
    pub(crate) fn orphan() -> Self {
        Root::new(ptr::null(), NO_RUN)
    }

    /// The root owned by a scope that is created while its thread has no record. Where none will
    /// come (`NATIVE`), it is never read. Elsewhere the scope may outlive that time, beside a new
    /// record.
    pub(crate) fn without_record() -> *mut Root {
        if word::NATIVE {
            return ptr::null_mut();
        }
        Box::into_raw(Box::new(Root::orphan()))
    }

    pub(crate) fn is_orphan(&self) -> bool {
        self.run_number == NO_RUN
    }

    /// Returns whether the chain is in this run.
    pub(crate) fn is_of(&self, run_number: u64) -> bool {
        self.run_number == run_number
    }
}

/// Links the chain whose innermost scope is `tip` (null: an empty chain under `base`) and returns
/// its root.
///
/// # Safety
/// `tip` is null or the innermost live scope of a chain of the current thread; `base` is the root
/// for null.
pub(crate) unsafe fn link(tip: *const Scope<'static>, base: *mut Root) -> *mut Root {
    let mut child: *mut Frame = ptr::null_mut();
    let mut scope = tip;
    let root = loop {
        if scope.is_null() {
            // SAFETY: `base` is alive, as the caller says, and only this thread uses it.
            unsafe { (*base).next = child };
            break base;
        }
        // SAFETY: `tip` is alive, and by *upwards* so is all that we reach from it.
        let here = unsafe { &*scope };
        // SAFETY: as above: what a live scope of the chain stands for is alive, and of this thread.
        match unsafe { here.parent() } {
            ScopeParent::Root(root) => {
                // SAFETY: alive (above), and only this thread uses it.
                unsafe { (*root).next = child };
                break root;
            }
            ScopeParent::Frame(frame) if frame.is_visited() => {
                if !child.is_null() {
                    frame.set_next(child);
                }
                break frame.root();
            }
            ScopeParent::Frame(frame) => {
                frame.mark_visited(child);
                child = frame.as_ptr();
                scope = frame.parent();
            }
        }
    };
    while !child.is_null() {
        // SAFETY: one of the frames just walked over, alive.
        let frame = unsafe { FrameRef::new(child) };
        frame.set_root(root);
        child = frame.next();
    }
    root
}

/// Stamps the frames of a chain of plain joins, from its tip up to the first that has a stamp.
///
/// # Safety
/// `tip` is null or the innermost live scope of such a chain of the current thread.
pub(crate) unsafe fn stamp(tip: *const Scope<'static>, moment: Moment) {
    // SAFETY: by the contract.
    let mut frame = unsafe { frame_of(tip) };
    while !frame.is_null() {
        // SAFETY: the tip is alive, and by *upwards* so is all that we reach from it.
        let frame_ref = unsafe { FrameRef::new(frame) };
        if frame_ref.is_stamped() {
            break;
        }
        frame_ref.set_stamp(moment);
        // SAFETY: as above.
        frame = unsafe { frame_of(frame_ref.parent()) };
    }
}

/// Returns the frame that `scope` stands for; null for a root or a null scope.
///
/// # Safety
/// `scope` is null or a live scope of the current thread.
pub(crate) unsafe fn frame_of(scope: *const Scope<'static>) -> *mut Frame {
    if scope.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: alive, as the caller says.
    let scope = unsafe { &*scope };
    // SAFETY: as above.
    match unsafe { scope.parent() } {
        ScopeParent::Frame(frame) => frame.as_ptr(),
        ScopeParent::Root(_) => ptr::null_mut(),
    }
}

/// Ensures that `root.newest` is not this frame or one below it that has ended: the frame is
/// leaving its chain, or has work to give again.
///
/// # Safety
/// A live visited frame of the current thread.
pub(crate) unsafe fn leave(frame: FrameRef) {
    let root = frame.root();
    // SAFETY: the root of a live frame is alive.
    let newest = unsafe { (*root).newest };
    if newest == frame.as_ptr() {
        // SAFETY: a parent outlives its children.
        let above = unsafe { frame_of(frame.parent()) };
        // SAFETY: alive, as above; the frame above this one is alive, and has nothing to give
        // (*prefix*).
        unsafe { (*root).newest = above };
    }
}

/// Returns the oldest frame of the chain that may have work to give; null if there is none.
///
/// # Safety
/// `link(tip)` has just returned `root`, and `tip` stands for the frame `tip_frame` (null: the
/// root).
pub(crate) unsafe fn oldest(root: *mut Root, tip_frame: *mut Frame) -> *mut Frame {
    if tip_frame.is_null() {
        return ptr::null_mut();
    }
    // SAFETY: alive (contract).
    let newest = unsafe { (*root).newest };
    if newest.is_null() {
        // SAFETY: alive (contract).
        return unsafe { (*root).next };
    }
    // SAFETY: the newest frame is alive: frames that end see to it (`leave`).
    unsafe { below(newest, tip_frame) }
}

/// Returns the frame below `frame` on the way to `tip_frame`; null if `frame` is the tip.
///
/// # Safety
/// As [`oldest`]; `frame` is a live frame of that chain.
pub(crate) unsafe fn below(frame: *mut Frame, tip_frame: *mut Frame) -> *mut Frame {
    if frame == tip_frame {
        return ptr::null_mut();
    }
    // SAFETY: alive (contract).
    unsafe { FrameRef::new(frame) }.next()
}
