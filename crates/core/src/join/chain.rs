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
    frame::FrameRef,
    member::Member,
    scope::{Scope, ScopeParent},
    thread, word,
};
use crate::carry::Moment;
use std::{cell::Cell, ptr};

/// The upper end of a chain.
pub(crate) struct Root {
    next: Cell<Option<FrameRef>>,
    /// The newest frame of the chain that is known to have no work to give.
    newest: Cell<Option<FrameRef>>,
    /// The member whose slots the chain's jobs go to. It lives as long as the root is in use.
    member: *const Member,
    /// The number of the run that the root was created in (thread.rs), or `NO_RUN`.
    run_number: u64,
    /// The moment in which the root was made (carry/mod.rs).
    pub(crate) made: Moment,
}

/// The root belongs to no record of its thread any more. No thread is ever in this run, so that
/// nothing is offered under the root.
const NO_RUN: u64 = u64::MAX;

impl Root {
    /// # Safety
    /// The member is null, or lives as long as the result is used.
    #[inline]
    pub(crate) unsafe fn new(member: *const Member, run_number: u64) -> Self {
        Root {
            next: Cell::new(None),
            newest: Cell::new(None),
            member,
            run_number,
            made: Moment::now(),
        }
    }

    /// A root that belongs to no record, or whose record ends, and with it the thread's seat at the
    /// root's member.
    pub(crate) fn orphan() -> Self {
        // SAFETY: it has no member.
        unsafe { Root::new(ptr::null(), NO_RUN) }
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

    /// Returns the member; an orphan has none.
    pub(crate) fn member(&self) -> Option<&Member> {
        // SAFETY: null, or alive: it is that of a context, or of a pool that an owned scope
        // borrows (`Seat`, *in use*).
        unsafe { self.member.as_ref() }
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
/// `tip` is null or the innermost live scope of a chain of the current thread, whose root is alive
/// while the result is used.
pub(crate) unsafe fn link<'r>(
    tip: *const Scope<'static>,
    base: Option<&'r Root>,
) -> Option<&'r Root> {
    let (mut scope, mut child) = (tip, None);
    let root = loop {
        // SAFETY: null, or `tip`, which is alive, and by *upwards* so is all that we reach from it.
        let here = unsafe { scope.as_ref() };
        // SAFETY: as above: what a live scope of the chain stands for is alive, and of this thread.
        match here.map_or(ScopeParent::Root(base), |here| unsafe { here.parent() }) {
            ScopeParent::Root(root) => {
                let root = root?;
                root.next.set(child);
                break root;
            }
            ScopeParent::Frame(frame) => {
                if let Some(root) = frame.root() {
                    if child.is_some() {
                        // SAFETY: the root of a live chain is alive.
                        unsafe { frame.visit(child, Some(root)) };
                    }
                    break root;
                }
                // SAFETY: there is no root yet.
                unsafe { frame.visit(child, None) };
                child = Some(frame);
                scope = frame.parent();
            }
        }
    };
    while let Some(frame) = child {
        // SAFETY: one of the frames just walked over, alive.
        child = unsafe { frame.next() };
        // SAFETY: the root of a live chain is alive.
        unsafe { frame.visit(child, Some(root)) };
    }
    Some(root)
}

/// Stamps the frames of the current plain joins, from the innermost up to the first that has a
/// stamp.
pub(crate) fn stamp(moment: Moment) {
    // SAFETY: used before this returns; no join ends meanwhile.
    let mut next = unsafe { innermost() };
    while let Some(frame) = next.filter(|frame| !frame.is_stamped()) {
        frame.set_stamp(moment);
        next = frame.above();
    }
}

/// Returns the innermost frame of this thread's plain joins in the current context.
///
/// # Safety
/// The result is not used after that frame's join has ended.
pub(crate) unsafe fn innermost() -> Option<FrameRef> {
    // SAFETY: the tail is null or the innermost live scope of these joins.
    unsafe { frame_of(thread::tail()) }
}

/// Returns the frame that `scope` stands for; none for a root or a null scope.
///
/// # Safety
/// `scope` is null or a live scope of the current thread.
pub(crate) unsafe fn frame_of(scope: *const Scope<'static>) -> Option<FrameRef> {
    // SAFETY: alive, as the caller says.
    let scope = unsafe { scope.as_ref() }?;
    // SAFETY: as above.
    match unsafe { scope.parent() } {
        ScopeParent::Frame(frame) => Some(frame),
        ScopeParent::Root(_) => None,
    }
}

impl FrameRef {
    /// Returns the frame above this one.
    pub(crate) fn above(self) -> Option<FrameRef> {
        // SAFETY: a parent outlives its children.
        unsafe { frame_of(self.parent()) }
    }

    /// Ensures that `root.newest` is not this frame or one below it that has ended: the frame is
    /// leaving its chain, or has work to give again. The frame above this one has nothing to give
    /// (*prefix*).
    pub(crate) fn leave(self) {
        let root = self.root();
        if let Some(root) = root.filter(|root| root.newest.get() == Some(self)) {
            root.newest.set(self.above());
        }
    }
}

/// Returns the oldest frame of the chain that may have work to give.
///
/// # Safety
/// `link(tip)` has just returned `root`, and `tip` stands for the frame `tip_frame`.
pub(crate) unsafe fn oldest(root: &Root, tip_frame: Option<FrameRef>) -> Option<FrameRef> {
    tip_frame?;
    match root.newest.get() {
        None => root.next.get(),
        // SAFETY: the newest frame is alive: frames that end see to it (`leave`).
        Some(newest) => unsafe { pass(root, newest, tip_frame) },
    }
}

/// Returns the frame below a frame with nothing more to give, which becomes the newest such; none
/// if it is the tip.
///
/// # Safety
/// As [`oldest`]; `frame` is a live frame of that chain.
pub(crate) unsafe fn pass(
    root: &Root,
    frame: FrameRef,
    tip_frame: Option<FrameRef>,
) -> Option<FrameRef> {
    root.newest.set(Some(frame));
    if tip_frame == Some(frame) {
        return None;
    }
    // SAFETY: between the root and the tip (contract), so it is alive (*downwards*).
    unsafe { frame.next() }
}
