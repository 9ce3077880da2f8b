//! Frames: the data that a join builds on its own stack, and the parts that other threads may
//! access.
//!
//! ```text
//!   JoinFrame ┌ scope: names this frame and its thread's word; what the first closure gets
//!             │ parent: the scope that the join was called on
//!             │ kind:  how to run `b`, and three tag bits: VISITED, PROMOTED, STAMPED
//!             │ next, root: links of the chain, once VISITED               (chain.rs)
//!             │ note:  the stamp, if STAMPED; the job record, once PROMOTED (promote.rs)
//!             └ closure | result: `b`'s captures, later its result
//! ```
//!
//! Invariants:
//! * **Owner only.** Only the thread whose stack the frame is on accesses `scope`, `parent`,
//!   `kind`, `next`, `root` and `note`.
//! * **One half.** `closure` belongs to the owner until the frame is promoted, then to the thread
//!   that takes the job from its slot (the owner by reclaiming, or a thief). The thief replaces it
//!   by `result` unless it panics, and returns the memory by setting the job's latch to `Done`;
//!   `Declined` returns it unchanged.
//! * **Outlives.** A promoted frame's join does not return, nor unwind, before it has the closure
//!   or the result back.

use super::{chain::Root, job::Job, scope::Scope, word::LocalRef};
use crate::carry::Moment;
use std::mem::{ManuallyDrop, MaybeUninit};

/// Runs the work of a job, erased, with the given scope, and leaves the result in its place.
///
/// # Safety
/// 1. `work` is alive and of the type of this function: a `JoinFrame`, or a part of a loop
///    (loop_frame.rs).
/// 2. The caller owns it (invariant *one half*), and this is called once.
pub(crate) type Execute = unsafe fn(work: *mut (), scope: &mut Scope<'_>);

/// Gives a part of a loop away, erased: the part, and the function that runs it.
///
/// # Safety
/// The frame is alive, is of the current thread, and is that of a loop of this function's type.
pub(crate) type Split = unsafe fn(frame: *mut Frame) -> Option<(FramePart, Execute)>;

/// A part of a loop, for the promotion: its address, and where to store its job.
#[derive(Clone, Copy)]
pub(crate) struct FramePart {
    pub(crate) work: *mut (),
    pub(crate) job: *mut *mut Job,
}

/// The kind of work that a frame has to give.
#[repr(align(8))]
pub(crate) enum FrameKind {
    /// A join's: its second half, once.
    Half(Execute),
    /// A loop's: parts, as long as there are some.
    Loop(Split),
}

/// The frame is linked into its chain: `next` and `root` are initialised.
const VISITED: usize = 1;
/// The frame has been turned into a job, which is in `note`.
const PROMOTED: usize = 2;
/// A plain frame is older than its thread's present moment (carry/mod.rs). Its own is in `note`
/// unless it is promoted.
const STAMPED: usize = 4;
const TAGS: usize = VISITED | PROMOTED | STAMPED;

/// The part of a frame that is independent of the types of its join.
#[repr(C)]
pub(crate) struct Frame {
    scope: ManuallyDrop<Scope<'static>>,
    parent: *const Scope<'static>,
    kind: *const FrameKind,
    next: MaybeUninit<*mut Frame>,
    root: MaybeUninit<*mut Root>,
    note: MaybeUninit<Note>,
}

/// What only some frames have. Packed: where pointers have 32 bits, no frame is aligned to more.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
union Note {
    stamp: Moment,
    job: *mut Job,
}

const _: () = assert!(align_of::<Frame>() == align_of::<usize>());

/// A whole frame: the head, and the second half of the join.
#[repr(C)]
pub(crate) struct JoinFrame<B, R> {
    head: Frame,
    half: Half<B, R>,
}

/// The second half of a join: the closure before, its result after.
#[repr(C)]
pub(crate) union Half<B, R> {
    closure: ManuallyDrop<B>,
    result: ManuallyDrop<R>,
}

impl<B, R> Half<B, R> {
    #[inline(always)]
    pub(crate) fn closure(closure: B) -> Self {
        Half {
            closure: ManuallyDrop::new(closure),
        }
    }

    #[inline(always)]
    pub(crate) fn result(result: R) -> Self {
        Half {
            result: ManuallyDrop::new(result),
        }
    }

    /// # Safety
    /// The half is the caller's and still a closure (or a part), which is not used again (*one
    /// half*).
    #[inline(always)]
    pub(crate) unsafe fn take_closure(&mut self) -> B {
        // SAFETY: the caller's.
        let closure = unsafe { &mut self.closure };
        // SAFETY: the caller's.
        unsafe { ManuallyDrop::take(closure) }
    }

    /// # Safety
    /// The half is the caller's and a result, which is not used again (*one half*).
    #[inline(always)]
    pub(crate) unsafe fn take_result(&mut self) -> R {
        // SAFETY: the caller's.
        let result = unsafe { &mut self.result };
        // SAFETY: the caller's.
        unsafe { ManuallyDrop::take(result) }
    }
}

impl Frame {
    /// Creates a frame that no other thread has seen yet, at the address `at`, on the thread of
    /// `local`.
    #[inline(always)]
    pub(crate) fn new(
        parent: *const Scope<'static>,
        local: LocalRef,
        at: *mut Frame,
        kind: &'static FrameKind,
    ) -> Self {
        Frame {
            scope: ManuallyDrop::new(Scope::of_frame(at, local)),
            parent,
            kind,
            next: MaybeUninit::uninit(),
            root: MaybeUninit::uninit(),
            note: MaybeUninit::uninit(),
        }
    }
}

/// A pointer to a live frame of the current thread, with the operations of its owner.
///
/// Creating one promises that the frame is alive and on the current thread's stack for as long as
/// the `FrameRef` is used; the methods rely on it and on the invariant *owner only*.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameRef(*mut Frame);

impl FrameRef {
    /// # Safety
    /// `frame` is an initialised frame on the current thread's stack that stays there while the
    /// result is used.
    #[inline(always)]
    pub(crate) unsafe fn new(frame: *mut Frame) -> Self {
        FrameRef(frame)
    }

    #[inline(always)]
    pub(crate) fn as_ptr(self) -> *mut Frame {
        self.0
    }

    #[inline(always)]
    pub(crate) fn address(self) -> usize {
        self.0.addr()
    }

    fn tags(self) -> usize {
        // SAFETY: a live frame of ours (contract of `new`).
        let kind = unsafe { (*self.0).kind };
        kind.addr() & TAGS
    }

    fn add_tag(self, tag: usize) {
        // SAFETY: as in `tags`; no other thread reads or writes `kind` (*owner only*).
        let kind = unsafe { &mut (*self.0).kind };
        *kind = kind.map_addr(|a| a | tag);
    }

    /// Returns the scope that the frame's join was called on; null for a plain join at the base.
    #[inline(always)]
    pub(crate) fn parent(self) -> *const Scope<'static> {
        // SAFETY: a live frame of ours (contract of `new`).
        unsafe { (*self.0).parent }
    }

    pub(crate) fn kind(self) -> &'static FrameKind {
        // SAFETY: as in `tags`.
        let kind = unsafe { (*self.0).kind };
        let untagged = kind.map_addr(|a| a & !TAGS);
        // SAFETY: `Frame::new` stored a `&'static FrameKind` here, and only the tags have changed.
        unsafe { &*untagged }
    }

    pub(crate) fn is_visited(self) -> bool {
        self.tags() & VISITED != 0
    }

    pub(crate) fn is_promoted(self) -> bool {
        self.tags() & PROMOTED != 0
    }

    /// Returns the frame below this one in the chain, as last linked. Only for a visited frame.
    pub(crate) fn next(self) -> *mut Frame {
        debug_assert!(self.is_visited());
        // SAFETY: a live frame of ours.
        let next = unsafe { (*self.0).next };
        // SAFETY: a visited frame has its `next` (`mark_visited` is the only place that sets the
        // tag).
        unsafe { next.assume_init() }
    }

    pub(crate) fn set_next(self, next: *mut Frame) {
        // SAFETY: a live frame of ours, *owner only*.
        unsafe { (*self.0).next = MaybeUninit::new(next) };
    }

    pub(crate) fn root(self) -> *mut Root {
        debug_assert!(self.is_visited());
        // SAFETY: a live frame of ours.
        let root = unsafe { (*self.0).root };
        // SAFETY: a visited frame has its `root`, see `mark_visited`.
        unsafe { root.assume_init() }
    }

    pub(crate) fn set_root(self, root: *mut Root) {
        // SAFETY: a live frame of ours, *owner only*.
        unsafe { (*self.0).root = MaybeUninit::new(root) };
    }

    /// Initialises both links and marks the frame. The caller that knows the root sets it again.
    pub(crate) fn mark_visited(self, next: *mut Frame) {
        self.set_next(next);
        self.set_root(std::ptr::null_mut());
        self.add_tag(VISITED);
    }

    pub(crate) fn job(self) -> *mut Job {
        debug_assert!(self.is_promoted());
        // SAFETY: a live frame of ours.
        let note = unsafe { (*self.0).note };
        // SAFETY: a promoted frame has its job, see `mark_promoted`.
        let note = unsafe { note.assume_init() };
        // SAFETY: as above; a stamp does not replace it.
        unsafe { note.job }
    }

    pub(crate) fn is_stamped(self) -> bool {
        self.tags() & STAMPED != 0
    }

    /// Notes the moment in which the frame was built, unless it is promoted: then it will not be
    /// asked for.
    pub(crate) fn set_stamp(self, stamp: Moment) {
        if !self.is_promoted() {
            // SAFETY: a live frame of ours, *owner only*.
            unsafe { (*self.0).note = MaybeUninit::new(Note { stamp }) };
        }
        self.add_tag(STAMPED);
    }

    /// Returns the stamp of a frame that is not promoted, if it has one.
    pub(crate) fn stamp(self) -> Option<Moment> {
        debug_assert!(!self.is_promoted());
        if !self.is_stamped() {
            return None;
        }
        // SAFETY: a live frame of ours.
        let note = unsafe { (*self.0).note };
        // SAFETY: a stamped frame that is not promoted has its stamp (`set_stamp`).
        let note = unsafe { note.assume_init() };
        // SAFETY: as above.
        Some(unsafe { note.stamp })
    }

    /// Returns whether the join already has its result (`OwnFrame::end_elsewhere`).
    pub(crate) fn has_ended_elsewhere(self) -> bool {
        // SAFETY: a live frame of ours, *owner only*; no reference to its scope is used while its
        // join leaves the hot path.
        let scope = unsafe { &(*self.0).scope };
        scope.has_ended_elsewhere()
    }

    pub(crate) fn mark_promoted(self, job: *mut Job) {
        // SAFETY: a live frame of ours, *owner only*.
        unsafe { (*self.0).note = MaybeUninit::new(Note { job }) };
        self.add_tag(PROMOTED);
    }
}

/// A join's own frame, as the join itself uses it: the hot path.
pub(crate) struct OwnFrame<B, R>(*mut JoinFrame<B, R>);

impl<B, R> Clone for OwnFrame<B, R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<B, R> Copy for OwnFrame<B, R> {}

impl<B, R> OwnFrame<B, R> {
    /// Builds a frame that no other thread has seen yet in `place`.
    ///
    /// # Safety
    /// `place` can be written to and stays where it is while the result, or a copy of it, is used.
    #[inline(always)]
    pub(crate) unsafe fn build(
        place: *mut JoinFrame<B, R>,
        parent: *const Scope<'static>,
        local: LocalRef,
        kind: &'static FrameKind,
        closure: B,
    ) -> Self {
        let frame = OwnFrame(place);
        let head: *mut Frame = place.cast();
        // SAFETY: the caller's; a `JoinFrame` begins with its head.
        unsafe { head.write(Frame::new(parent, local, head, kind)) };
        // SAFETY: the caller's.
        unsafe { frame.half().write(Half::closure(closure)) };
        frame
    }

    #[inline(always)]
    pub(crate) fn head(self) -> FrameRef {
        // SAFETY: built, and in its place (contract of `build`).
        unsafe { FrameRef::new(self.0.cast()) }
    }

    /// Returns the address of the second half.
    #[inline(always)]
    pub(crate) fn half(self) -> *mut Half<B, R> {
        // SAFETY: a place within the frame's (contract of `build`).
        unsafe { &raw mut (*self.0).half }
    }

    /// Returns the scope at the head of the frame, for the first half.
    ///
    /// # Safety
    /// There is no other reference to it.
    #[inline(always)]
    pub(crate) unsafe fn scope<'a, 's>(self) -> &'a mut Scope<'s> {
        let scope: *mut Scope<'s> = self.0.cast();
        // SAFETY: `Frame` begins with its scope, which only the owner touches (*owner only*).
        unsafe { &mut *scope }
    }

    /// Returns whether this join has to leave the hot path after its first half: see
    /// `Scope::must_leave`.
    #[inline(always)]
    pub(crate) fn must_leave(self) -> bool {
        let scope: *const Scope<'static> = self.0.cast();
        // SAFETY: a frame begins with its scope, which is initialised and only the owner touches
        // (*owner only*). The first half has ended, and with it the reference that it had.
        unsafe { &*scope }.must_leave()
    }

    /// Returns the word and tail of the frame's scope.
    #[inline(always)]
    pub(crate) fn local(self) -> LocalRef {
        let scope: *const Scope<'static> = self.0.cast();
        // SAFETY: as in `must_leave`.
        unsafe { &*scope }.local()
    }

    /// # Safety
    /// The half is the caller's and still a closure, which is not used again (*one half*).
    #[inline(always)]
    pub(crate) unsafe fn take_closure(self) -> B {
        // SAFETY: built, and the caller's.
        let half = unsafe { &mut *self.half() };
        // SAFETY: the caller's.
        unsafe { half.take_closure() }
    }

    /// # Safety
    /// The half is the caller's and a result, which is not used again (*one half*).
    #[inline(always)]
    pub(crate) unsafe fn take_result(self) -> R {
        // SAFETY: built, and the caller's.
        let half = unsafe { &mut *self.half() };
        // SAFETY: the caller's.
        unsafe { half.take_result() }
    }

    /// Stores the result of a second half that has run elsewhere although the frame was never
    /// promoted, and marks the frame.
    ///
    /// # Safety
    /// The half is the caller's and its closure has been taken (*one half*).
    #[cold]
    pub(crate) unsafe fn end_elsewhere(self, result: R) {
        // SAFETY: built, and the caller's.
        unsafe { self.half().write(Half::result(result)) };
        // SAFETY: as in `must_leave`, and this is the only reference to it.
        let scope = unsafe { &mut *self.0.cast::<Scope<'static>>() };
        scope.end_elsewhere();
    }

    /// # Safety
    /// As [`take_closure`](Self::take_closure).
    pub(crate) unsafe fn run(self, call: impl FnOnce(B) -> R) {
        // SAFETY: the caller's.
        let closure = unsafe { self.take_closure() };
        let half = Half::result(call(closure));
        // SAFETY: built, and the caller's.
        unsafe { self.half().write(half) };
    }

    /// Returns the frame whose head is `head`.
    ///
    /// # Safety
    /// `head` is that of a frame built with these types, which stays in its place.
    #[inline(always)]
    pub(crate) unsafe fn from_head(head: *mut Frame) -> Self {
        OwnFrame(head.cast())
    }
}
