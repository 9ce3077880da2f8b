//! Frames: what a join builds on its own stack, and the parts that other threads may access.
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
//!   `kind`, `links` and `note`, or one that stands in for it (protocol/remote.rs).
//! * **One half.** `closure` belongs to the owner until the frame is promoted, then to the thread
//!   that takes the job from its slot (the owner by reclaiming, or a thief). The thief replaces it
//!   by `result` unless it panics, and returns the memory by setting the job's latch to `Done`;
//!   `Declined` returns it unchanged.
//! * **Outlives.** A promoted frame's join does not return, nor unwind, before it has the closure
//!   or the result back.

use super::{
    chain::Root,
    job::{Job, Payload},
    scope::Scope,
    word::Local,
};
use crate::carry::Moment;
use std::{
    cell::{Cell, UnsafeCell},
    marker::PhantomData,
    mem::{ManuallyDrop, MaybeUninit, offset_of},
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
pub(crate) type Split = unsafe fn(frame: FrameRef<'_>, job: &Job) -> Option<(*mut (), Execute)>;

/// The kind of work that a frame has to give.
#[repr(align(8))]
pub(crate) enum FrameKind {
    /// A join's: its second half, once.
    Half(Execute),
    /// A loop's: parts, as long as there are some.
    Loop(Split),
    /// Nothing: the join has its result, from elsewhere.
    Nothing,
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
    /// The next frame below and the root, once VISITED; the root is null while the chain is being
    /// linked.
    links: Cell<MaybeUninit<(*mut Frame, *const Root<'static>)>>,
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

/// What is left of a second half that was promoted.
pub(crate) enum Left {
    /// The closure, unused.
    Closure,
    /// The closure's result.
    Result,
    /// Neither: the closure was used and panicked.
    Panicked(Payload),
}

/// What a loop gets back for a part that it gave away.
#[derive(Debug)]
pub enum Returned<P, R> {
    /// The part itself: no worker took it.
    Part(P),
    /// The output of the thread that ran it.
    Output(R),
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

    /// Takes what is left of the second half.
    ///
    /// # Safety
    /// The half is alive, the caller's and in this state, and not used again (*one half*).
    pub(crate) unsafe fn take(half: *mut Self, left: Left) -> Result<Returned<B, R>, Payload> {
        Ok(match left {
            // SAFETY: the caller's.
            Left::Closure => Returned::Part(unsafe { Self::take_closure(half) }),
            // SAFETY: the caller's.
            Left::Result => Returned::Output(unsafe { Self::take_result(half) }),
            Left::Panicked(payload) => return Err(payload),
        })
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
    /// Returns the address of the second half.
    #[inline(always)]
    pub(crate) fn half(frame: *mut Self) -> *mut Half<B, R> {
        frame.wrapping_byte_add(offset_of!(Self, half)).cast()
    }
}

/// Builds a frame that no other thread has seen yet in `place`, on the thread of `local`: `with`
/// makes the whole of its head.
///
/// # Safety
/// 1. The parent is null or a live scope of this thread, and stays so while the frame is used.
/// 2. `T` begins with its head, that which `with` is given, and `kind` is for it.
/// 3. The place does not end, nor is used by its name, before the frame's join or loop has ended
///    (*outlives*).
#[inline(always)]
pub(super) unsafe fn build<T>(
    place: &mut MaybeUninit<T>,
    parent: *const Scope<'static>,
    local: &'static Local,
    kind: &'static FrameKind,
    with: impl FnOnce(Frame) -> T,
) -> NonNull<T> {
    let at = NonNull::from(place).cast::<T>();
    // SAFETY: it is written to the head of the frame, which has it while the result is used.
    let scope = unsafe { Scope::of_frame(at.cast(), local) };
    let head = Frame {
        scope: UnsafeCell::new(ManuallyDrop::new(scope)),
        parent,
        kind: Cell::new(kind),
        links: Cell::new(MaybeUninit::uninit()),
        note: Cell::new(Note { nothing: () }),
    };
    // SAFETY: from a reference. Not by it: that would end what the scope may do.
    unsafe { at.write(with(head)) };
    at
}

/// A live frame of the current thread, or of one in whose place it acts, with the operations of the
/// owner.
///
/// A pointer: to the whole frame, of which this is only the head. Creating one promises that the
/// frame is alive for `'f`; the methods rely on it and on the invariant *owner only*.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameRef<'f>(NonNull<Frame>, PhantomData<&'f Frame>);

impl<'f> FrameRef<'f> {
    /// # Safety
    /// `frame` is an initialised frame on the current thread's stack that stays there for `'f`.
    #[inline(always)]
    pub(crate) unsafe fn new(frame: NonNull<Frame>) -> Self {
        FrameRef(frame, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn as_ptr(self) -> NonNull<Frame> {
        self.0
    }

    #[inline(always)]
    pub(crate) fn address(self) -> usize {
        self.0.addr().get()
    }

    #[inline(always)]
    fn frame(self) -> &'f Frame {
        // SAFETY: a live frame of ours (contract of `new`). Only its scope has other references,
        // and that is in a cell; other threads touch no part of it (*owner only*).
        unsafe { self.0.as_ref() }
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
    pub(crate) fn parent_ptr(self) -> *const Scope<'static> {
        self.frame().parent
    }

    /// Returns the same, which no join uses before the frame's has ended.
    #[inline(always)]
    pub(crate) fn parent(self) -> Option<&'f Scope<'static>> {
        // SAFETY: null, or alive (contract of `build`).
        unsafe { self.parent_ptr().as_ref() }
    }

    /// Drops the frame's scope, in whose place users may have put one that owns a root.
    ///
    /// # Safety
    /// The first half, or the body of the loop, has ended, and the scope is not used after this.
    pub(crate) unsafe fn end_scope(self) {
        // SAFETY: only the owner touches it (*owner only*), which has no reference to it any more
        // (contract).
        let scope = unsafe { &mut *self.frame().scope.get() };
        // SAFETY: not used after this (contract).
        unsafe { ManuallyDrop::drop(scope) };
    }

    pub(crate) fn kind(self) -> &'static FrameKind {
        let untagged = self.frame().kind.get().map_addr(|a| a & !TAGS);
        // SAFETY: there is a `&'static FrameKind` here (`build`), and only the tags have changed.
        unsafe { &*untagged }
    }

    pub(crate) fn is_visited(self) -> bool {
        self.tags() & VISITED != 0
    }

    pub(crate) fn is_promoted(self) -> bool {
        self.tags() & PROMOTED != 0
    }

    fn links(self) -> Option<(*mut Frame, *const Root<'static>)> {
        // SAFETY: a visited frame has them (`set_links` is the only place that sets the tag).
        let of_visited = || unsafe { self.frame().links.get().assume_init() };
        self.is_visited().then(of_visited)
    }

    fn set_links(self, next: *mut Frame, root: *const Root<'static>) {
        self.frame().links.set(MaybeUninit::new((next, root)));
        self.add_tag(VISITED);
    }

    /// Returns the frame below this one in the chain, as last linked.
    ///
    /// # Safety
    /// That frame is alive for `'f`.
    pub(crate) unsafe fn next(self) -> Option<FrameRef<'f>> {
        let next = NonNull::new(self.links()?.0)?;
        // SAFETY: the caller's; a frame of the same chain, so of this thread.
        Some(unsafe { FrameRef::new(next) })
    }

    /// Sets the frame below this one, which marks the frame.
    pub(crate) fn set_next(self, next: Option<FrameRef<'_>>) {
        let root = self.links().map_or(ptr::null(), |(_, root)| root);
        let next = next.map_or(ptr::null_mut(), |next| next.as_ptr().as_ptr());
        self.set_links(next, root);
    }

    /// Returns the root of a visited frame; none while the chain is being linked.
    pub(crate) fn root(self) -> Option<&'f Root<'f>> {
        let root = self.links()?.1;
        // SAFETY: null, or the root of a live frame, which is alive (chain.rs, *upwards*).
        unsafe { root.as_ref() }
    }

    /// Sets the root of a visited frame.
    ///
    /// # Safety
    /// The root is that of the frame's chain, which outlives the frame.
    pub(crate) unsafe fn set_root(self, root: &Root<'_>) {
        let next = self.links().map_or(ptr::null_mut(), |(next, _)| next);
        self.set_links(next, ptr::from_ref(root).cast());
    }

    /// Returns the job of a promoted frame.
    pub(crate) fn job(self) -> Option<&'f Job> {
        if !self.is_promoted() {
            return None;
        }
        // SAFETY: a promoted frame has its job (`mark_promoted`), and a stamp does not replace it.
        let job = unsafe { self.frame().note.get().job };
        // SAFETY: records live as long as the pool, whose seat the thread keeps while it has the
        // frame (contract of `mark_promoted`).
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

    /// # Safety
    /// The job is a record of a member at which the thread keeps its seat while it has the frame.
    pub(crate) unsafe fn mark_promoted(self, job: &Job) {
        self.frame().note.set(Note { job });
        self.add_tag(PROMOTED);
    }
}

/// A join's own frame, as the join itself uses it, alone: the hot path.
pub(crate) struct OwnFrame<'p, B, R>(
    NonNull<JoinFrame<B, R>>,
    PhantomData<&'p mut JoinFrame<B, R>>,
);

impl<'p, B, R> OwnFrame<'p, B, R> {
    /// Builds the frame of a join in `place`.
    ///
    /// # Safety
    /// The parent is null or a live scope of this thread, and stays so for `'p`. `kind` is for such
    /// a frame. Once others may have its half, `'p` does not end before it is settled (*outlives*).
    #[inline(always)]
    pub(crate) unsafe fn build(
        place: &'p mut MaybeUninit<JoinFrame<B, R>>,
        parent: *const Scope<'static>,
        local: &'static Local,
        kind: &'static FrameKind,
        closure: B,
    ) -> Self {
        let half = Half::closure(closure);
        // SAFETY: the caller's; a frame of this type begins with its head.
        let at = unsafe { build(place, parent, local, kind, |head| JoinFrame { head, half }) };
        OwnFrame(at, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn head(&self) -> FrameRef<'p> {
        // SAFETY: built, and in its place, which is borrowed.
        unsafe { FrameRef::new(self.0.cast()) }
    }

    /// Returns the address of the second half.
    #[inline(always)]
    pub(crate) fn half(&self) -> *mut Half<B, R> {
        JoinFrame::half(self.0.as_ptr())
    }

    /// Calls the first half with the scope at the head of the frame.
    #[inline(always)]
    pub(crate) fn first<T>(&mut self, a: impl FnOnce(&mut Scope<'_>) -> T) -> T {
        a(self.scope_mut())
    }

    /// The lifetime is for the first half to choose (scope.rs, *brand*).
    #[inline(always)]
    fn scope_mut(&mut self) -> &mut Scope<'static> {
        // SAFETY: a frame begins with its scope, which only the owner touches (*owner only*): by
        // this handle, which is the only one, or in a tick before its first half.
        unsafe { self.0.cast().as_mut() }
    }

    #[inline(always)]
    fn scope(&self) -> &Scope<'static> {
        // SAFETY: as in `scope_mut`.
        unsafe { self.0.cast().as_ref() }
    }

    /// Returns whether this join has to leave the hot path after its first half: see
    /// `Scope::must_leave`.
    #[inline(always)]
    pub(crate) fn must_leave(&self) -> bool {
        self.must_leave_by(self.local())
    }

    /// Returns the same, by what [`local`](Self::local) has returned.
    #[inline(always)]
    pub(crate) fn must_leave_by(&self, local: &Local) -> bool {
        self.scope().must_leave(local)
    }

    /// Returns the word and tail of the frame's scope.
    #[inline(always)]
    pub(crate) fn local(&self) -> &'static Local {
        self.scope().local()
    }

    /// Stores the result of a second half that has run elsewhere although the frame was never
    /// promoted, and marks the frame.
    ///
    /// # Safety
    /// The half is the caller's and its closure has been taken (*one half*).
    #[cold]
    pub(crate) unsafe fn end_elsewhere(&mut self, result: R) {
        // SAFETY: built, and the caller's.
        unsafe { self.half().write(Half::result(result)) };
        self.head().frame().kind.set(&FrameKind::Nothing);
        self.scope_mut().end_elsewhere();
    }
}
