//! Frames: the data that a join builds on its own stack, and the parts that other threads may
//! access.
//!
//! ```text
//!   JoinFrame ┌ scope: names this frame and its thread's word; what the first closure gets
//!             │ parent: the scope that the join was called on
//!             │ kind:  how to run `b`, and three tag bits: VISITED, PROMOTED, STAMPED
//!             │ links: the next frame and the root, once VISITED           (chain.rs)
//!             │ note:  the stamp, if STAMPED; the job record, once PROMOTED (promote.rs)
//!             └ closure | result: `b`'s captures, later its result
//! ```
//!
//! Invariants:
//! * **Owner only.** Only the thread whose stack the frame is on accesses `scope`, `parent`,
//!   `kind`, `links` and `note`.
//! * **One half.** `closure` belongs to the owner until the frame is promoted, then to the thread
//!   that takes the job from its slot (the owner by reclaiming, or a thief). The thief replaces it
//!   by `result` unless it panics, and returns the memory by setting the job's latch to `Done`;
//!   `Declined` returns it unchanged.
//! * **Outlives.** A promoted frame's join does not return, nor unwind, before it has the closure
//!   or the result back.

use super::{chain::Root, job::Job, scope::Scope, word::LocalRef};
use crate::carry::Moment;
use std::{
    cell::{Cell, UnsafeCell},
    mem::{ManuallyDrop, MaybeUninit},
    ptr::{self, NonNull},
};

/// Runs the work of a job, erased, with the given scope, and leaves the result in its place.
///
/// # Safety
/// 1. `work` is alive and of the type of this function: a `JoinFrame`, or a part of a loop
///    (loop_frame.rs).
/// 2. The caller owns it (invariant *one half*), and this is called once.
pub(crate) type Execute = unsafe fn(work: *mut (), scope: &mut Scope<'_>);

/// Gives a part of a loop away as this job, erased: the part, and the function that runs it.
///
/// # Safety
/// The frame is that of a loop of this function's type. If there is a part, the job is offered.
pub(crate) type Split = unsafe fn(frame: FrameRef, job: &Job) -> Option<(*mut (), Execute)>;

/// The kind of work that a frame has to give.
#[repr(align(8))]
pub(crate) enum FrameKind {
    /// A join's: its second half, once.
    Half(Execute),
    /// A loop's: parts, as long as there are some.
    Loop(Split),
}

/// The frame is linked into its chain: `links` is initialised.
const VISITED: usize = 1;
/// The frame has been turned into a job, which is in `note`.
const PROMOTED: usize = 2;
/// A plain frame is older than its thread's present moment (carry/mod.rs). Its own is in `note`
/// unless it is promoted.
const STAMPED: usize = 4;
const TAGS: usize = VISITED | PROMOTED | STAMPED;

/// The part of a frame that is independent of the types of its join. Its closure has a reference to
/// its scope; that, and all that changes, is in cells, so that a reference to the whole claims no
/// more than its owner may do at any time.
#[repr(C)]
pub(crate) struct Frame {
    scope: UnsafeCell<ManuallyDrop<Scope<'static>>>,
    parent: *const Scope<'static>,
    kind: Cell<*const FrameKind>,
    /// The next frame below and the root, once VISITED.
    links: Cell<MaybeUninit<(Option<FrameRef>, *const Root)>>,
    note: Cell<Note>,
}

/// What only some frames have. Packed: where pointers have 32 bits, no frame is aligned to more.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
union Note {
    nothing: (),
    stamp: Moment,
    job: *const Job,
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
    /// The half is alive, the caller's and still a closure (or a part), which is not used again
    /// (*one half*).
    #[inline(always)]
    pub(crate) unsafe fn take_closure(half: *mut Self) -> B {
        // SAFETY: the caller's; a closure begins where its union does.
        unsafe { half.cast::<B>().read() }
    }

    /// # Safety
    /// The half is alive, the caller's and a result, which is not used again (*one half*).
    #[inline(always)]
    pub(crate) unsafe fn take_result(half: *mut Self) -> R {
        // SAFETY: as in `take_closure`, with a result.
        unsafe { half.cast::<R>().read() }
    }

    /// Replaces the closure by its result.
    ///
    /// # Safety
    /// As [`take_closure`](Self::take_closure).
    pub(crate) unsafe fn run(half: *mut Self, call: impl FnOnce(B) -> R) {
        // SAFETY: the caller's.
        let closure = unsafe { Self::take_closure(half) };
        let result = Self::result(call(closure));
        // SAFETY: still the caller's.
        unsafe { half.write(result) };
    }
}

impl<B, R> JoinFrame<B, R> {
    /// Runs the second half.
    ///
    /// # Safety
    /// The frame is alive; as [`Half::run`].
    pub(crate) unsafe fn run(frame: *mut Self, call: impl FnOnce(B) -> R) {
        // SAFETY: a place within the frame.
        let half = unsafe { &raw mut (*frame).half };
        // SAFETY: the caller's.
        unsafe { Half::run(half, call) };
    }
}

impl Frame {
    /// Creates a frame that no other thread has seen yet, at the address `at`, on the thread of
    /// `local`.
    #[inline(always)]
    pub(crate) fn new(
        parent: *const Scope<'static>,
        local: LocalRef,
        at: NonNull<Frame>,
        kind: &'static FrameKind,
    ) -> Self {
        Frame {
            scope: UnsafeCell::new(ManuallyDrop::new(Scope::of_frame(at, local))),
            parent,
            kind: Cell::new(kind),
            links: Cell::new(MaybeUninit::uninit()),
            note: Cell::new(Note { nothing: () }),
        }
    }
}

/// A pointer to a live frame of the current thread, with the operations of its owner.
///
/// Creating one promises that the frame is alive and on the current thread's stack for as long as
/// the `FrameRef`, or what it has returned, is used; the methods rely on it and on the invariant
/// *owner only*.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameRef(NonNull<Frame>);

impl FrameRef {
    /// # Safety
    /// `frame` is an initialised frame on the current thread's stack that stays there while the
    /// result is used.
    #[inline(always)]
    pub(crate) unsafe fn new(frame: NonNull<Frame>) -> Self {
        FrameRef(frame)
    }

    #[inline(always)]
    pub(crate) fn as_ptr(self) -> *mut Frame {
        self.0.as_ptr()
    }

    #[inline(always)]
    pub(crate) fn address(self) -> usize {
        self.0.addr().get()
    }

    #[inline(always)]
    fn frame(&self) -> &Frame {
        // SAFETY: a live frame of ours (contract of `new`). Only its scope has other references, and
        // that is in a cell; other threads touch no part of it (*owner only*).
        unsafe { self.0.as_ref() }
    }

    /// Returns the scope of a join whose first half has ended.
    #[inline(always)]
    fn scope(&self) -> &Scope<'static> {
        // SAFETY: only the owner touches it (*owner only*), which is here. The first half has
        // ended, and with it the reference that it had.
        unsafe { &*self.frame().scope.get() }
    }

    fn tags(self) -> usize {
        self.frame().kind.get().addr() & TAGS
    }

    fn add_tag(self, tag: usize) {
        let kind = &self.frame().kind;
        kind.set(kind.get().map_addr(|a| a | tag));
    }

    /// Returns the scope that the frame's join was called on; null for a plain join at the base.
    #[inline(always)]
    pub(crate) fn parent(self) -> *const Scope<'static> {
        self.frame().parent
    }

    pub(crate) fn kind(self) -> &'static FrameKind {
        let untagged = self.frame().kind.get().map_addr(|a| a & !TAGS);
        // SAFETY: `Frame::new` stored a `&'static FrameKind` here, and only the tags have changed.
        unsafe { &*untagged }
    }

    pub(crate) fn is_visited(self) -> bool {
        self.tags() & VISITED != 0
    }

    pub(crate) fn is_promoted(self) -> bool {
        self.tags() & PROMOTED != 0
    }

    fn links(self) -> Option<(Option<FrameRef>, *const Root)> {
        // SAFETY: a visited frame has them (`visit` is the only place that sets the tag).
        let of_visited = || unsafe { self.frame().links.get().assume_init() };
        self.is_visited().then(of_visited)
    }

    /// Returns the frame below this one in the chain, as last linked.
    ///
    /// # Safety
    /// That frame is alive.
    pub(crate) unsafe fn next(self) -> Option<FrameRef> {
        self.links()?.0
    }

    /// Returns the root of a visited frame.
    pub(crate) fn root<'r>(self) -> Option<&'r Root> {
        let root = self.links()?.1;
        // SAFETY: null while the chain is being linked, or the root of a live frame, which is alive
        // (chain.rs, *upwards*).
        unsafe { root.as_ref() }
    }

    /// Sets both links and marks the frame. The caller that does not know the root sets it later.
    ///
    /// # Safety
    /// The root is that of the frame's chain, which outlives the frame.
    pub(crate) unsafe fn visit(self, next: Option<FrameRef>, root: Option<&Root>) {
        let root = root.map_or(ptr::null(), ptr::from_ref);
        self.frame().links.set(MaybeUninit::new((next, root)));
        self.add_tag(VISITED);
    }

    /// Returns the job of a promoted frame.
    pub(crate) fn job<'j>(self) -> Option<&'j Job> {
        if !self.is_promoted() {
            return None;
        }
        // SAFETY: a promoted frame has its job (`mark_promoted`), and a stamp does not replace it.
        let job = unsafe { self.frame().note.get().job };
        // SAFETY: records live as long as the pool, whose seat the thread keeps while it has the
        // frame.
        Some(unsafe { &*job })
    }

    pub(crate) fn is_stamped(self) -> bool {
        self.tags() & STAMPED != 0
    }

    /// Notes the moment in which the frame was built, unless it is promoted: then it will not be
    /// asked for.
    pub(crate) fn set_stamp(self, stamp: Moment) {
        if !self.is_promoted() {
            self.frame().note.set(Note { stamp });
        }
        self.add_tag(STAMPED);
    }

    /// Returns the stamp of a frame that is not promoted, if it has one.
    pub(crate) fn stamp(self) -> Option<Moment> {
        // SAFETY: a stamped frame that is not promoted has its stamp (`set_stamp`).
        let of_stamped = || unsafe { self.frame().note.get().stamp };
        (self.tags() & (STAMPED | PROMOTED) == STAMPED).then(of_stamped)
    }

    /// Returns whether the join already has its result (`OwnFrame::end_elsewhere`).
    pub(crate) fn has_ended_elsewhere(self) -> bool {
        self.scope().has_ended_elsewhere()
    }

    /// # Safety
    /// The job is a record of a member at which the thread keeps its seat while it has the frame.
    pub(crate) unsafe fn mark_promoted(self, job: &Job) {
        self.frame().note.set(Note { job });
        self.add_tag(PROMOTED);
    }
}

/// A join's own frame, as the join itself uses it: the hot path.
pub(crate) struct OwnFrame<B, R>(NonNull<JoinFrame<B, R>>);

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
    /// `place` stays where it is, and is not used, while the result, or a copy of it, is used.
    #[inline(always)]
    pub(crate) unsafe fn build(
        place: &mut MaybeUninit<JoinFrame<B, R>>,
        parent: *const Scope<'static>,
        local: LocalRef,
        kind: &'static FrameKind,
        closure: B,
    ) -> Self {
        let at = NonNull::from(place).cast();
        let new = JoinFrame {
            head: Frame::new(parent, local, at.cast(), kind),
            half: Half::closure(closure),
        };
        // SAFETY: from a reference. Not by it: that would end what the scope may do.
        unsafe { at.write(new) };
        OwnFrame(at)
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
        unsafe { &raw mut (*self.0.as_ptr()).half }
    }

    /// Returns the scope at the head of the frame, for the first half.
    ///
    /// # Safety
    /// There is no other reference to it.
    #[inline(always)]
    pub(crate) unsafe fn scope<'a, 's>(self) -> &'a mut Scope<'s> {
        let scope: *mut Scope<'s> = self.0.as_ptr().cast();
        // SAFETY: `Frame` begins with its scope, which only the owner touches (*owner only*).
        unsafe { &mut *scope }
    }

    /// Returns whether this join has to leave the hot path after its first half: see
    /// `Scope::must_leave`.
    #[inline(always)]
    pub(crate) fn must_leave(self) -> bool {
        self.head().scope().must_leave()
    }

    /// Returns the word and tail of the frame's scope.
    #[inline(always)]
    pub(crate) fn local(self) -> LocalRef {
        self.head().scope().local()
    }

    /// # Safety
    /// The half is the caller's and still a closure, which is not used again (*one half*).
    #[inline(always)]
    pub(crate) unsafe fn take_closure(self) -> B {
        // SAFETY: built, and the caller's.
        unsafe { Half::take_closure(self.half()) }
    }

    /// # Safety
    /// The half is the caller's and a result, which is not used again (*one half*).
    #[inline(always)]
    pub(crate) unsafe fn take_result(self) -> R {
        // SAFETY: built, and the caller's.
        unsafe { Half::take_result(self.half()) }
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
        // SAFETY: the first half has ended, and this is the only reference to it.
        unsafe { self.scope() }.end_elsewhere();
    }
}
