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
//! * **Downwards.** After a link from `tip`, the innermost frame, `next` leads from the root
//!   through every frame down to `tip`. This holds for a frame visited earlier because `next` of
//!   its parent is overwritten only when another child of that parent is visited, and by *linear*
//!   the first child is dead by then.
//!   `tip.next` may dangle: it is not followed.
//! * **Stamps.** The ancestors of a stamped plain frame are stamped.
//! * **Prefix.** Promotion goes from the root downwards: `root.newest` is null or a live frame such
//!   that all frames from the root to it have nothing to give: they are promoted, or loops with
//!   nothing left. (A loop that gets something back makes the frame above it the newest; frames
//!   below it may then be promoted already.)

use super::{
    frame::{Frame, FrameKind, FrameRef},
    member::Member,
    run::JobRun,
    scope::Scope,
    word::{Local, with_innermost},
};
use crate::carry::Moment;
use std::{
    cell::Cell,
    ptr::{self, NonNull},
};

/// The upper end of a chain. Its member is one that the thread sits on while the root is in use.
pub(crate) struct Root<'m> {
    next: Cell<Option<NonNull<Frame>>>,
    /// The newest frame of the chain that is known to have no work to give.
    newest: Cell<Option<NonNull<Frame>>>,
    /// The member whose slots the chain's jobs go to, which is not looked at once this is an
    /// orphan.
    member: Option<&'m Member>,
    /// The number of the run that the root was created in (thread.rs), or `NO_RUN`.
    run_number: Cell<u64>,
    /// The place of one that its thread has lent, among those (thread.rs).
    pub(crate) lent_at: Cell<usize>,
    /// The moment in which the root was made (carry/mod.rs).
    pub(crate) made: Moment,
}

/// The root belongs to no record of its thread any more. No thread is ever in this run, so that
/// nothing is offered under the root.
const NO_RUN: u64 = u64::MAX;

impl<'m> Root<'m> {
    #[inline]
    pub(crate) fn new(member: &'m Member, run_number: u64) -> Self {
        Root::with(Some(member), run_number)
    }

    /// A root that belongs to no record. The scope that owns it may outlive the time in which its
    /// thread has none, beside a new record.
    pub(crate) fn orphan() -> Self {
        Root::with(None, NO_RUN)
    }

    #[inline]
    fn with(member: Option<&'m Member>, run_number: u64) -> Self {
        Root {
            next: Cell::new(None),
            newest: Cell::new(None),
            member,
            run_number: Cell::new(run_number),
            lent_at: Cell::new(0),
            made: Moment::now(),
        }
    }

    /// Makes this an orphan: its record ends, and with it the thread's seat at the member.
    pub(crate) fn abandon(&self) {
        self.run_number.set(NO_RUN);
    }

    /// Returns the member; an orphan has none.
    pub(crate) fn member(&self) -> Option<&'m Member> {
        if self.is_orphan() { None } else { self.member }
    }

    fn is_orphan(&self) -> bool {
        self.run_number.get() == NO_RUN
    }

    /// Returns whether the chain is in this run.
    pub(crate) fn is_of(&self, run_number: u64) -> bool {
        self.run_number.get() == run_number
    }
}

/// A chain that has been linked, down to its tip.
pub(crate) struct Chain<'c> {
    pub(crate) root: &'c Root<'c>,
    tip: Option<FrameRef<'c>>,
    /// The run in which it lies, and its level.
    pub(crate) run: (*const JobRun, u32),
}

impl<'c> Chain<'c> {
    /// Links the chain whose innermost frame is `tip`, or an empty one under `base`, which is also
    /// the root of the plain joins at a thread's base.
    ///
    /// # Safety
    /// `tip` is the innermost live frame of its chain, which nothing else links while the result is
    /// used: there is one tick at a time. The chain lies in this run, or nothing of it is offered.
    pub(crate) unsafe fn link(
        tip: Option<FrameRef<'c>>,
        base: Option<&'c Root<'c>>,
        run: (*const JobRun, u32),
    ) -> Option<Self> {
        let (mut at, mut child, mut upper) = (tip, None, base);
        let root = loop {
            let Some(frame) = at else {
                let root = upper?;
                root.next.set(child.map(FrameRef::as_ptr));
                break root;
            };
            let root = frame.root();
            if root.is_none() || child.is_some() {
                frame.set_next(child);
            }
            if let Some(root) = root {
                break root;
            }
            upper = frame.parent().map_or(base, Scope::root);
            (at, child) = (frame.above(), Some(frame));
        };
        while let Some(frame) = child {
            // SAFETY: one of the frames just walked over, alive.
            child = unsafe { frame.next() };
            // SAFETY: the walk upwards has led there (*upwards*).
            unsafe { frame.set_root(root) };
        }
        Some(Chain { root, tip, run })
    }

    /// Returns the outermost frame of the chain.
    pub(crate) fn outermost(&self) -> Option<FrameRef<'c>> {
        self.tip?;
        let next = self.root.next.get()?;
        // SAFETY: between the root and the tip, so it is alive (*downwards*).
        Some(unsafe { FrameRef::new(next) })
    }

    /// Returns the oldest frame of the chain that may have work to give.
    pub(crate) fn oldest(&self) -> Option<FrameRef<'c>> {
        self.tip?;
        if let Some(newest) = self.root.newest.get() {
            // SAFETY: alive (*prefix*): frames that end see to it (`leave`).
            let newest = unsafe { FrameRef::new(newest) };
            // For one that stands in for the owner: its join is ending, and has not left yet.
            if newest.above() == self.tip {
                return None;
            }
            return self.pass(newest);
        }
        self.outermost()
    }

    /// Returns the frame below one of the chain; none if it is the tip.
    pub(crate) fn below(&self, frame: FrameRef<'c>) -> Option<FrameRef<'c>> {
        if self.tip == Some(frame) {
            return None;
        }
        // SAFETY: as in `oldest`.
        unsafe { frame.next() }
    }

    /// Returns the frame below one of the chain with nothing more to give, which becomes the newest
    /// such; none if it is the tip.
    pub(crate) fn pass(&self, frame: FrameRef<'c>) -> Option<FrameRef<'c>> {
        // Only these leave the chain before they end, and only their own.
        let leaves = frame.is_promoted() || matches!(frame.kind(), FrameKind::Loop(_));
        assert!(leaves && frame.root().is_some_and(|root| ptr::eq(root, self.root)));
        self.root.newest.set(Some(frame.as_ptr()));
        self.below(frame)
    }
}

/// Stamps the frames of the current plain joins, from the innermost up to the first that has a
/// stamp.
pub(crate) fn stamp(moment: Moment) {
    let _cold = Local::current().remote.begin_cold();
    with_innermost(|innermost| {
        let mut next = innermost;
        while let Some(frame) = next.filter(|frame| !frame.is_stamped()) {
            frame.set_stamp(moment);
            next = frame.above();
        }
    });
}

impl<'f> FrameRef<'f> {
    /// Returns the frame above this one.
    pub(crate) fn above(self) -> Option<FrameRef<'f>> {
        self.parent()?.frame()
    }

    /// Ensures that `root.newest` is not this frame or one below it that has ended: the frame is
    /// leaving its chain, or has work to give again. The frame above this one has nothing to give
    /// (*prefix*).
    pub(crate) fn leave(self) {
        let _cold = Local::current().remote.begin_cold();
        let root = self.root();
        if let Some(root) = root.filter(|root| root.newest.get() == Some(self.as_ptr())) {
            root.newest.set(self.above().map(FrameRef::as_ptr));
        }
    }
}
